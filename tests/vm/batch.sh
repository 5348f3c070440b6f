#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# batch.sh DIR NAME:TIMEOUT... - in the guest: run live tests one after another.
#
# Standard output is for people: one line per test, the log of a failed one under
# it. All that a test says goes there at once too, marked `~`, after a line `~begin
# NAME`: tests/vm/check keeps the log for the case that the guest dies with the test, or
# that the test passes the next time. Every verdict also goes to ttyS2, where
# tests/vm/check counts:
#
#	begin NAME
#	end NAME pass|fail|skip|splat
#
# A test finds in FLT_ATTEMPT whether this is its first run or its repetition (1, 2).
# Only tests/vm/selftest may look.
#
# A test that leaves flt loaded, a splat behind it or runs out of time ends the
# batch: what comes after it could not be trusted. check boots again for the rest.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/vm/splat.sh
. "$here/splat.sh"

say() { echo "$*" >/dev/ttyS2; }
loaded() { grep -q '^flt ' /proc/modules; }

# Who does what when a test's time is up: the one chance to learn why it hangs.
overdue() {
	local p argv
	echo "-- time is up; every process, and where it sleeps in the kernel:"
	for p in /proc/[0-9]*; do
		# Few forks: the machine may be the slow part.
		mapfile -d '' argv <"$p/cmdline"
		[ ${#argv[@]} -gt 0 ] || continue
		echo "${p#/proc/} ${argv[*]:0:8}"
		grep -hE '^(State|PPid|SigQ|SigPnd|SigIgn)' "$p/status"
		cat "$p/stack"
	done 2>/dev/null
}

dir=$1
shift
for arg; do
	name=${arg%:*} limit=${arg##*:} log=/tmp/live.log end='' why='' verdict=fail
	say "begin $name"
	echo "~begin $name"
	dmesg -C
	: >"$log"
	# tail ends after reading to the end once this process has gone.
	sleep infinity &
	running=$!
	tail -n +1 -f -s 0.1 --pid=$running "$log" | sed -u 's/^/~ /' &
	teller=$!
	t0=$SECONDS
	(trap 'kill $!' TERM; sleep "$limit" & wait $! && overdue >>"$log") &
	watch=$!
	timeout -k 5 "$((limit + 20))" bash "$dir/$name.sh" </dev/null >>"$log" 2>&1
	rc=$?
	[ $rc = 124 ] || [ $rc = 137 ] || kill $watch
	wait $watch 2>/dev/null
	took=$((SECONDS - t0))
	[ -z "$(tail -c 1 "$log")" ] || echo >>"$log"
	kill $running
	wait $running $teller 2>/dev/null
	dmesg >/tmp/live.dmesg
	if grep -qaE "$SPLAT" /tmp/live.dmesg; then
		why='kernel splat' verdict=splat end=1
	elif [ $rc = 124 ] || [ $rc = 137 ]; then
		why="timeout after $limit s" end=1
	elif loaded && ! { [ $rc != 0 ] && rmmod flt 2>/dev/null && ! loaded; }; then
		why='flt is still loaded' end=1
	elif [ $rc != 0 ] && [ $rc != 77 ]; then
		why="exit $rc"
	fi
	if [ -n "$why" ]; then
		echo "FAIL $KERNEL $name ($took s): $why"
		tail -n 200 "$log" | sed "s/^/    $KERNEL | /"
		grep -aE -A 60 "$SPLAT" /tmp/live.dmesg | head -n 100 | sed "s/^/    $KERNEL kernel | /"
		say "end $name $verdict"
	elif [ $rc = 77 ]; then
		echo "skip $KERNEL $name ($took s): $(tail -n 1 "$log")"
		say "end $name skip"
	else
		echo "ok $KERNEL $name ($took s)"
		say "end $name pass"
	fi
	[ -z "$end" ] || break
done
exit 0
