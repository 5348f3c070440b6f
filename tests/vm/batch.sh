#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# batch.sh DIR NAME:TIMEOUT... - in the guest: run live tests one after another.
#
# Standard output is for people: one line per test, and the log of a failed test below the
# line. The output of a test also goes there immediately, each line marked with `~`, after a
# line `~begin NAME`. tests/vm/check keeps this log in case the guest dies during the test or
# the repeated test passes. Every verdict also goes to ttyS2, where tests/vm/check counts them:
#
#	begin NAME
#	end NAME pass|fail|skip|splat
#
# FLT_ATTEMPT is 1 in the first run of a test and 2 in its repetition. Only tests/vm/selftest
# may use it.
#
# A test that leaves flt loaded, causes a kernel splat or times out ends the batch, because
# the results of the next tests would not be reliable. check boots again for the other tests.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/vm/splat.sh
. "$here/splat.sh"

say() { echo "$*" >/dev/ttyS2; }
loaded() { grep -q '^flt ' /proc/modules; }

# Print all processes with their kernel stacks when a test times out, to find out why it hangs.
print_processes() {
	local p argv stat
	echo "-- time-out; all processes with their kernel stacks:"
	for p in /proc/[0-9]*; do
		# Avoid forks, because the machine may be slow.
		mapfile -d '' argv <"$p/cmdline"
		read -r stat <"$p/stat"
		# Processes without memory: kernel threads, which are children of 0 and 2, and those
		# that exit.
		if [ ${#argv[@]} = 0 ]; then
			[[ $stat != *') '?' 0 '* && $stat != *') '?' 2 '* ]] || continue
			argv=("(exits)" "$stat")
		fi
		echo "${p#/proc/} ${argv[*]:0:8}"
		grep -hE '^(State|PPid|SigQ|SigPnd|SigIgn)' "$p/status"
		# The kernel may warn about the stack of a process that runs (sleeps_in() in live.bash).
		[[ $stat == *') R '* ]] || cat "$p/stack"
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
	# tail reads to the end and exits after this process has ended.
	sleep infinity &
	running=$!
	tail -n +1 -f -s 0.1 --pid=$running "$log" | sed -u 's/^/~ /' &
	printer=$!
	t0=$SECONDS
	(trap 'kill $!' TERM; sleep "$limit" & wait $! && print_processes >>"$log") &
	watch=$!
	timeout -k 5 "$((limit + 20))" bash "$dir/$name.sh" </dev/null >>"$log" 2>&1
	rc=$?
	[ $rc = 124 ] || [ $rc = 137 ] || kill $watch
	wait $watch 2>/dev/null
	took=$((SECONDS - t0))
	[ -z "$(tail -c 1 "$log")" ] || echo >>"$log"
	kill $running
	wait $running $printer 2>/dev/null
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
		grep -aE -A 60 "$SPLAT" /tmp/live.dmesg | head -n 100 |
			sed "s/^/    $KERNEL kernel | /"
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
