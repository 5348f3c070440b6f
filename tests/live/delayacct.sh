#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=240 turns=6.1,6.12,7.3
# shellcheck disable=SC2016,SC2119
# Promise: lat --why and trace --why switch delay accounting on only meanwhile, however fltctl ends.
# If they cannot, or if the kernel or the module cannot tell causes, they say what helps.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

knob=/proc/sys/kernel/task_delayacct
# Before 5.14 delay accounting is always on.
[ -e $knob ] || skip "no sysctl kernel.task_delayacct"

is_on() { grep -qx 1 $knob; }
is_off() { grep -qx 0 $knob; }
guard_of() { pgrep -P "$1" -x fltctl-guard; } # PID

# Start a command of fltctl in the background, and wait until it observes.
start() { # ARG...
	"$FLTCTL" "$@" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_true observes $pid || bad "$*: does not observe: $(cat "$tmp/err")"
	is_on || bad "$*: delay accounting is off"
}

# Send a signal to a process and set status to its exit status.
end() { # SIGNAL PID
	status=0
	kill "-$1" "$2"
	wait "$2" 2>/dev/null || status=$?
}

status_of() { # COMMAND...: its exit status; output in $tmp/out and $tmp/err
	local status=0
	"$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	echo $status
}

# Run a command as a user that has CAP_PERFMON alone, which is enough for lat without --why.
as_user() { # COMMAND...
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all,+perfmon \
		--bounding-set -all,+perfmon --ambient-caps +perfmon "$@"
}

load
echo 0 >$knob

say "each way to end"
same "a command: exit status" "$(status_of "$FLTCTL" lat --why -- cat $knob)" 0
same "a command: delay accounting meanwhile" "$(head -n 1 "$tmp/out")" 1
same "a command: delay accounting afterwards" "$(cat $knob)" 0
start lat --why 60s
end TERM $pid
same "lat, SIGTERM: delay accounting afterwards" "$(cat $knob)" 0
start trace --why
end INT $pid
same "trace, SIGINT: delay accounting afterwards" "$(cat $knob)" 0
start lat --why 60s
end KILL $pid
same "SIGKILL: exit status" $status 137
checks=$((checks + 1))
until_true is_off || bad "SIGKILL: delay accounting stays on"
until_true test ! -e "/run/flt/limit.$pid" || bad "SIGKILL: a journal is left"

say "two runs: the last one restores the setting"
start lat --why 60s
first=$pid
start lat --why 60s
end KILL $first
until_true test ! -e "/run/flt/limit.$first" || bad "a journal is left"
same "delay accounting after the first run" "$(cat $knob)" 1
end INT $pid
same "delay accounting after both" "$(cat $knob)" 0

say "the guard is killed"
start lat --why 60s
kill -KILL "$(guard_of $pid)"
end INT $pid
same "exit status" $status 1
same "messages" "$(lines 'the guard was killed [(]run fltctl check --repair[)]' "$tmp/err")" 1
start lat --why 60s
kill -KILL "$(guard_of $pid)"
end KILL $pid
same "fltctl check: leftovers" "$("$FLTCTL" check --json |
	jq -r 'select(.check == "leftovers") | .result + ": " + .detail + ": " + .fix')" \
	"warn: 2 killed runs of fltctl left limits, swap or settings behind: sudo fltctl check --repair"
same "delay accounting before the repair" "$(cat $knob)" 1
same "fltctl check --repair" "$("$FLTCTL" check --repair --json |
	jq -r 'select(.check == "leftovers") | .result + ": " + .detail')" "ok: 2 killed runs: undone"
same "delay accounting after the repair" "$(cat $knob)" 0

say "a user without root"
remedy='cannot switch on delay accounting: .* [(]as root: sysctl kernel.task_delayacct=1[)]'
same "user, off: exit status" "$(status_of as_user "$FLTCTL" lat --why -- true)" 4
same "user, off: remedies" "$(lines "$remedy" "$tmp/err")" 1
same "user, off: exit status of trace" "$(status_of as_user "$FLTCTL" trace --why -- true)" 4
same "user, off: remedies of trace" "$(lines "$remedy" "$tmp/err")" 1
same "user, off: delay accounting" "$(cat $knob)" 0
# Containers have a read-only /proc/sys.
same "read-only, off: exit status" "$(status_of unshare --mount sh -c 'mount --bind /proc/sys /proc/sys &&
	mount -o remount,bind,ro /proc/sys && exec "$1" lat --why -- true' - "$FLTCTL")" 4
same "read-only, off: remedies" "$(lines "$remedy" "$tmp/err")" 1
sysctl -q kernel.task_delayacct=1
same "user, on: exit status" "$(status_of as_user "$FLTCTL" lat --why --json -- true)" 0
same "user, on: messages" "$(wc -c <"$tmp/err")" 0
at_least "user, on: causes" "$(grep -c '"record":"cause"' "$tmp/out")" 1
same "read-only, on: exit status" "$(status_of unshare --mount sh -c 'mount --bind /proc/sys /proc/sys &&
	mount -o remount,bind,ro /proc/sys && exec "$1" lat --why -- true' - "$FLTCTL")" 0
same "a setting of the user stays" "$(cat $knob)" 1

say "threads that exist"
note='threads that exist have no delay accounting.*set sysctl kernel.task_delayacct=1'
sleep infinity &
old=$!
group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/$old/cgroup)
while read -r on target; do
	echo "$on" >$knob
	# shellcheck disable=SC2086
	same "on: $on, $target: exit status" "$(status_of "$FLTCTL" lat --why -H $target 50ms 2)" 0
	# Not lines, because there may be no message at all.
	same "on: $on, $target: notes" "$(grep -c "$note" "$tmp/err" || true)" $((1 - on))
done <<-END
	1 -p $old
	0 -p $old
	0 --cgroup $group
END
kill $old

say "a module that cannot tell causes"
cat >"$tmp/hide.c" <<'END'
/* A function of libnl that hides a feature of the module, or a part of faults that it knows: HIDE. */
#include <stdlib.h>
#include <string.h>
#include <linux/netlink.h>
#include "linux/flt.h"

unsigned int nla_get_u32(const struct nlattr *attr)
{
	unsigned int value;

	memcpy(&value, (const char *)attr + NLA_HDRLEN, sizeof(value));
	if (attr->nla_type == FLT_INFO_FEATURES && !strcmp(getenv("HIDE"), "causes"))
		value &= ~FLT_FEATURE_CAUSES;
	if (attr->nla_type == FLT_INFO_CAUSES && !strcmp(getenv("HIDE"), "compaction"))
		value &= ~(1u << FLT_CAUSE_COMPACTION);
	if (attr->nla_type == FLT_INFO_CAUSES && !strcmp(getenv("HIDE"), "copy"))
		value &= ~(1u << FLT_CAUSE_COPY);
	return value;
}
END
gcc -shared -fPIC -Iinclude/uapi -o "$tmp/hide.so" "$tmp/hide.c"
missing='cannot tell causes: missing delay accounting in the kernel [(]CONFIG_TASK_DELAY_ACCT[)], or in an older'
for command in lat trace; do
	same "$command: exit status" "$(status_of env LD_PRELOAD="$tmp/hide.so" HIDE=causes \
		"$FLTCTL" $command --why -- true)" 5
	same "$command: messages" "$(lines "$missing" "$tmp/err")" 1
	same "$command: output" "$(wc -c <"$tmp/out")" 0
done
same "delay accounting afterwards" "$(cat $knob)" 0
for cause in compaction copy; do
	same "$cause is unknown: exit status" "$(status_of env LD_PRELOAD="$tmp/hide.so" HIDE=$cause \
		"$FLTCTL" lat --why -- true)" 0
	same "$cause is unknown: notes" \
		"$(lines 'unknown: .*because this kernel does not measure it' "$tmp/err")" 1
done
finish
