#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=500 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2016,SC2119
# Promise: fltctl reports the counts of the module correctly. The faults of a command equal
# those of wait4(), and the faults of a process those of /proc/PID/stat. After a loss, the exit
# status is 3 and the last line reports it. Errors distinguish missing permission from
# disabled probes.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

rows_jq() { jq -s "$1" "$tmp/json"; }	# EXPRESSION over the array of all rows

# Print the exit status of fltctl. Its output goes to $tmp/out and $tmp/err.
status_of() {
	local status=0
	"$FLTCTL" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	echo $status
}

stats_of_command() { # NAME COMMAND...: compare stats -- COMMAND with wait4()
	local name=$1
	shift
	"$FLTCTL" stats --json -o "$tmp/json" -- "$@" >"$tmp/stdout" 2>"$tmp/stderr" ||
		bad "$name: got exit status $?, expected 0: $(cat "$tmp/stderr")"
	same "$name: minor" "$(rows_jq '.[-1].minor')" "$(rows_jq '.[-1].wait4_minor')"
	same "$name: major" "$(rows_jq '.[-1].major')" "$(rows_jq '.[-1].wait4_major')"
	same "$name: complete" "$(rows_jq '.[-1].complete')" true
	same "$name: sum of minor of the processes" \
		"$(rows_jq 'map(select(.record == "process").minor) | add')" \
		"$(rows_jq '.[-1].minor')"
	same "$name: sum of the kinds" \
		"$(rows_jq '.[-1] | to_entries |
			map(select(.key | startswith("kind_")).value) | add')" \
		"$(rows_jq '.[-1] | .minor + .major')"
}

load
say "check"
same "check: exit status" "$(status_of check)" 0
same "check: lines 'ok one fault'" "$(grep -c '^ok    one fault' "$tmp/out")" 1
same "check: lines 'no'" "$(lines '^no' "$tmp/out")" 0
same "check --json: rows with the result 'no'" \
	"$("$FLTCTL" check --json | jq -s 'if . == [] then "no_input"
		else map(select(.result == "no")) | length end')" 0

say "stats -- COMMAND"
stats_of_command "one process" true
stats_of_command "children" sh -c 'ls / >/dev/null; ls / | wc -l; (ls / >/dev/null) & wait'
stats_of_command "fork tree" tree fork 20 8
stats_of_command "anonymous pages" kinds anon 300
at_least "anonymous pages: kind anon" "$(rows_jq '.[-1].kind_anon')" 300

say "no faults between fork and exec"
# A child of vfork() takes none either. The run before brings the files into the page cache.
vforked() {
	setarch -R python3 -c '
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
usage = os.wait4(child.pid, 0)[2]
print(usage.ru_minflt + usage.ru_majflt)' "$@"
}
vforked kinds anon 300 >/dev/null
counted=$(vforked kinds anon 300)
setarch -R "$FLTCTL" stats --json -o "$tmp/json" -- kinds anon 300 >/dev/null
same "stats: faults, as after vfork()" "$(rows_jq '.[-1] | .minor + .major')" "$counted"
setarch -R "$FLTCTL" trace --json -o "$tmp/json" -- kinds anon 300 >/dev/null
same "trace: faults, as after vfork()" "$(rows_jq 'map(select(.record == "fault")) | length')" "$counted"
setarch -R "$FLTCTL" lat --json -o "$tmp/json" -- kinds anon 300 >/dev/null
same "lat: faults, as after vfork()" \
	"$(rows_jq 'map(select(.record == "latency" and .group == "all")) | .[-1].faults')" "$counted"
setarch -R "$FLTCTL" map --json -o "$tmp/json" -- kinds anon 300 >/dev/null
same "map: faults, as after vfork()" "$(rows_jq 'map(select(.record == "total").faults) | add')" \
	"$counted"
same "exit status of the command" "$(status_of stats -- sh -c 'exit 7')" 7
same "exit status if a signal kills the command" "$(status_of stats -- sh -c 'kill -9 $$')" 137
same "exit status if the command does not exist" "$(status_of stats -- nonexistent)" 127
same "sessions after stats -- COMMAND" "$(fltq info | field sessions)" 0

say "stats -p"
sleep 60 &
pid=$!
until_true sleeps_in $pid nanosleep
# The module counted this process from its start, so its row equals the counts of the kernel.
"$FLTCTL" stats --json -p $pid >"$tmp/json"
read -r minor major < <(sed 's/.*) //' /proc/$pid/stat | cut -d' ' -f8,10)
same "-p: minor" "$(rows_jq '.[-1].minor')" "$minor"
same "-p: major" "$(rows_jq '.[-1].major')" "$major"
"$FLTCTL" stats --json --threads -p $pid >"$tmp/json"
same "-p --threads: TID of the only thread" "$(rows_jq '.[0].tid')" $pid
same "-p --threads: minor of the only thread" "$(rows_jq '.[0].minor')" "$minor"
(sleep 1; kill $pid) &
same "-p: exit status if the process ends" "$(status_of stats -p $pid 200ms)" 0
wait $pid || true
same "-p: exit status if the process does not exist" "$(status_of stats -p 4194303)" 1

say "stats -a, all processes and --by=kind"
"$FLTCTL" stats -a --json 300ms 3 >"$tmp/json"
same "-a: records" "$(rows_jq 'map(.record) | join(" ")')" '"machine machine machine total"'
same "-a: sum of minor of the reports, compared with the total" \
	"$(rows_jq '.[0:3] | map(.minor) | add')" "$(rows_jq '.[-1].minor')"
"$FLTCTL" stats --json 300ms 3 >"$tmp/json"
at_least "all processes: rows" "$(rows_jq 'map(select(.record == "process")) | length')" 3
"$FLTCTL" stats --by=kind --json >"$tmp/json"
at_least "--by=kind: faults of kind anon" "$(rows_jq 'map(select(.kind == "anon"))[0].faults')" 300
"$FLTCTL" stats --by=kind --json -o "$tmp/json" -- true
same "--by=kind -- true: sum of kinds minus faults of the command" "$(rows_jq '
	(map(select(.record == "kind").faults) | add) -
	(map(select(.record == "command"))[0] | .minor + .major)')" 0
same "--by=kind -- true: rows of processes" "$(rows_jq 'map(select(.record == "process")) | length')" 0
"$FLTCTL" stats --by=kind -o "$tmp/text" -- true
same "--by=kind -- true: rows of unknown values" "$(lines '^ *-( |$)' "$tmp/text")" 0
rm "$tmp/out"
"$FLTCTL" stats 100ms >"$tmp/out" &
pid=$!
until_true grep -q fltctl "$tmp/out"
kill -INT $pid
status=0
wait $pid || status=$?
same "SIGINT: exit status" $status 0
same "SIGINT: last line" "$(tail -1 "$tmp/out")" "lost   nothing"

say "permission"
same "user without capabilities: exit status of stats" \
	"$(setpriv --reuid=65534 --clear-groups "$FLTCTL" stats --source=module -a \
		2>"$tmp/err" >"$tmp/out" || echo $?)" 4
same "user without capabilities: lines with CAP_PERFMON" "$(grep -c CAP_PERFMON "$tmp/err")" 1
same "user without capabilities: exit status of check" \
	"$(setpriv --reuid=65534 --clear-groups "$FLTCTL" check >"$tmp/out" 2>&1 || echo $?)" 4
same "another network namespace: exit status of stats" \
	"$(unshare -n "$FLTCTL" stats --source=module -a >"$tmp/out" 2>&1; echo $?)" 0

say "disabled probes"
echo 0 >/sys/kernel/debug/kprobes/enabled
same "kprobes disabled: exit status of check" "$(status_of check)" 1
same "kprobes disabled: lines with the fix" \
	"$(grep -A1 '^no    kprobes' "$tmp/out" | grep -c 'fix: echo 1 >')" 1
echo 1 >/sys/kernel/debug/kprobes/enabled
same "kprobes enabled again: exit status of check" "$(status_of check)" 0

# The calls of ftrace end threads in the accounts.
say "ftrace cannot be disabled while the module counts"
! echo 0 2>/dev/null >/proc/sys/kernel/ftrace_enabled || bad "ftrace was disabled"
same "ftrace_enabled" "$(cat /proc/sys/kernel/ftrace_enabled)" 1
unload
# Newer kernels (7.3) never disable ftrace.
if echo 0 2>/dev/null >/proc/sys/kernel/ftrace_enabled; then
	! insmod "$FLT_KO" 2>/dev/null || bad "the module was loaded without ftrace"
	same "lines of the kernel log with the cause" \
		"$(dmesg | grep -c 'flt: .*ftrace_enabled')" 1
	echo 1 >/proc/sys/kernel/ftrace_enabled
fi
load
unload

say "loss"
load accounting=latency maxactive=16
mkfifo "$tmp/fifo"
(exec 8<"$tmp/fifo"; exec asleep hold 100 <&8 >"$tmp/asleep") &
exec 7>"$tmp/fifo"
until_true grep -q asleep "$tmp/asleep" || bad "the threads do not sleep in a fault"
same "16 instances: exit status of stats" "$(status_of stats -- kinds anon 100)" 3
same "16 instances: last line reports the loss" "$(tail -1 "$tmp/out" | grep -c incomplete)" 1
"$FLTCTL" stats --json -- kinds anon 100 >"$tmp/stdout" 2>&1 || true
grep '^{' "$tmp/stdout" >"$tmp/json"
same "16 instances: minor" "$(rows_jq '.[-1].minor')" "$(rows_jq '.[-1].wait4_minor')"
at_least "16 instances: missed" "$(rows_jq '.[-1].missed')" 100
same "16 instances: exit status of stats -a" "$(status_of stats -a)" 3
for command in trace "trace -F maj" map; do
	# shellcheck disable=SC2086
	same "16 instances: exit status of $command" "$(status_of $command -- kinds anon 100)" 3
	same "16 instances: lines of $command that report the loss" \
		"$(grep -c 'incomplete: probe missed' "$tmp/err" || true)" 1
done
exec 7>&-
wait
unload

say "files of -o"
load
for command in lat map thp numa wss; do
	same "$command -o: output of the command" \
		"$("$FLTCTL" $command --json -o "$tmp/rows" -- echo hello 2>"$tmp/err")" hello
	at_least "$command -o: rows" "$(jq -s length "$tmp/rows")" 1
done
unload

say "accounting on demand"
load accounting=0
same "accounting off: exit status of check" "$(status_of check)" 0
same "accounting off: exit status of one report" "$(status_of stats -a)" 5
same "accounting off: exit status of reports at an interval" "$(status_of stats -a 100ms 2)" 0
stats_of_command "accounting off" kinds anon 300
same "accounting after the command" "$(fltq info | field accounting)" 0
unload
same "exit status of check without the module" "$(status_of check)" 5
finish
