#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A recorded program ends when nobody serves its faults. Its resident memory, measured with
# pagemap from another process, stays below the limit.
#
# usage: death.sh BUILD-DIR [OPTION-OF-RECORD...]
set -euo pipefail

build=$(realpath "$1") options=("${@:2}") here=$(dirname "$(realpath "$0")")
fltctl=$build/fltctl
# shellcheck source=tests/recorder/check.bash
. "$here/check.bash"
record='' target=''
cleanup() {
	local pid
	for pid in $target $record; do
		kill -9 "$pid" 2> /dev/null || true
	done
	rm -rf "$work"
}
trap cleanup EXIT

# Wait until the command has written its PID.
begun() {
	record=$!
	for _ in $(seq 300); do
		[ -s pid ] && break
		sleep 0.1
	done
	target=$(cat pid)
}

start() { # ARGUMENT...
	rm -f pid trace.flt*
	"$fltctl" record "${options[@]}" -L 8 -o trace.flt -- "$build/tests/recorder/walk" "$@" > pid 2> err &
	begun
}

# Wait until the process is dead or a zombie.
gone() {
	for _ in $(seq 200); do
		[ ! -e "/proc/$1" ] && return 0
		grep -q '^State:.[ZX]' "/proc/$1/status" 2> /dev/null && return 0
		sleep 0.1
	done
	return 1
}

server_of() {
	local d
	for d in /proc/[0-9]*; do
		[ "$(cat "$d/comm" 2> /dev/null)" = flt-server ] || continue
		[ "$(awk '{ print $4 }' "$d/stat")" = "$record" ] && basename "$d" && return
	done
}

# Return true if the summary has as many faults as the file. A fault for which another thread's
# fault brought the page is in the file, too.
file_agrees() {
	"$fltctl" script --csv --no-stack trace.flt > rows.csv
	[ "$(awk '/^recorded / { n += $3 } /^raced / { n += $2 } END { print n }' err)" = \
		"$(($(wc -l < rows.csv) - 1))" ]
}

start
worst=0 page=$(getconf PAGESIZE)
most=$(((8 << 20) / page))
for _ in $(seq 20); do
	pages=$("$build/tests/recorder/resident" "$target")
	[ "$pages" -gt "$worst" ] && worst=$pages
	sleep 0.05
done
echo "# at most $worst of $most pages resident in 20 samples"
# 256 is one batch of evictions
check "resident.c finds the region" [ "$worst" -gt $((most / 2)) ]
check "resident pages stay below the limit" [ "$worst" -le $((most + 256)) ]

kill -9 "$(server_of)"
check "the program is killed when its fault server dies" gone "$target"
status=0
wait "$record" || status=$?
record=''
check "fltctl returns the status of the kill" [ $status = 137 ]
check "the summary reports the dead fault server" grep -q 'fault server died' err

# The server dies before it has handed a forked child over. The child lacks its evicted pages.
start fork
server=$(server_of)
kill -STOP "$record"
kill -USR1 "$target"
child=''
for _ in $(seq 100); do
	child=$(cat "/proc/$target/task/$target/children")
	child=${child% }
	[ -n "$child" ] && grep -q skb_wait "/proc/$child/wchan" && break
	sleep 0.1
done
check "the child waits for fltctl" grep -q skb_wait "/proc/$child/wchan"
kill -9 "$server"
kill -CONT "$record"
check "the program is killed when its fault server dies during a fork" gone "$target"
check "its child is killed" gone "$child"
check "fltctl ends when a fault server dies during a fork" gone "$record"
status=0
wait "$record" || status=$?
record='' target=''
check "fltctl returns the status of that kill" [ $status = 137 ]
check "the summary reports the child" grep -q 'the fault server of its parent died' err
check "the child did not see wrong memory" [ ! -e child ]

start
sleep 2		# the recorder flushes the file once per second
kill -9 "$record"
{ wait "$record" || true; } 2> /dev/null
record=''
check "the program is killed when fltctl dies" gone "$target"
"$fltctl" script --csv --no-stack trace.flt > salvaged.csv 2> /dev/null || true
check "the recording of a killed fltctl is readable" [ "$(wc -l < salvaged.csv)" -gt 1 ]
target=''

# The program must end on SIGTERM even if nobody serves its faults.
start
server=$(server_of)
kill -STOP "$server"
sleep 0.3
kill -TERM "$record"
check "a program stuck in a fault ends with fltctl" gone "$target"
check "fltctl ends with a program stuck in a fault" gone "$record"
kill -KILL "$server" 2> /dev/null || true
wait "$record" 2> /dev/null || true
record=''

rm -f pid trace.flt*
"$fltctl" record "${options[@]}" -L 8 -o trace.flt -- \
	sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done' > /dev/null 2> err &
begun
kill -TERM "$record"
check "a program that ignores SIGTERM ends with fltctl" gone "$target"
check "fltctl ends with a program that ignores SIGTERM" gone "$record"
wait "$record" 2> /dev/null || true
record=''
"$fltctl" script --check trace.flt > /dev/null 2>&1 || failed=1
target=''

# The command has ended, and a child of it runs on. Its last faults are in the summary and in the
# file.
rm -f pid trace.flt*
"$fltctl" record "${options[@]}" -L 8 -o trace.flt -- sh -c "$build/tests/recorder/walk > pid &" > /dev/null 2> err &
begun
while pgrep -P "$record" -x sh > /dev/null; do
	sleep 0.1
done
kill -INT "$record"
check "a child of the command ends with fltctl" gone "$target"
status=0
wait "$record" || status=$?
record='' target=''
check "fltctl says that it has killed a process" [ $status = 3 ]
check "the summary has the faults of the file" file_agrees
if [ "$(uname -m)" = x86_64 ] && [[ " ${options[*]} " != *" --no-grants "* ]]; then
	check "the kernel has filled pages" grep -q '^service.* by the kernel alone' err
fi

# The program is killed while it waits for room in the ring, because fltctl is stopped. It has not
# recorded the fault whose record it holds.
waits_for_room() {
	for _ in $(seq 200); do
		grep -q nanosleep "/proc/$target/wchan" && return 0
		sleep 0.1
	done
	return 1
}
rm -f pid trace.flt*
"$fltctl" record "${options[@]}" --inline -L 8 -o trace.flt -- "$build/tests/recorder/walk" > pid 2> err &
begun
kill -STOP "$record"
check "a program waits while its ring is full" waits_for_room
kill -KILL "$target"
check "the program ends" gone "$target"
kill -CONT "$record"
wait "$record" 2> /dev/null || true
record='' target=''
check "the summary does not count a fault that was not recorded" file_agrees

# The first run of a sweep is native.
rm -f pid
"$fltctl" record -q --sweep 50 -o sweep -- \
	sh -c 'echo $$ > pid.new; mv pid.new pid; exec sleep 60' > /dev/null 2> err &
begun
kill -TERM "$record"
check "the native run of a sweep ends with fltctl" gone "$target"
check "fltctl ends during the native run of a sweep" gone "$record"
wait "$record" 2> /dev/null || true
record='' target=''

# When the init of a PID namespace ends, fltctl must not report that it killed it.
status=0
timeout "$limit" unshare -p -f sh -c 'exit 5' 2> err || status=$?
if [ $status = 5 ]; then
	status=0
	# shellcheck disable=SC2016
	timeout "$limit" "$fltctl" record "${options[@]}" -L 8 -o trace.flt -- \
		unshare -p -f sh -c '"$0" mremap > /dev/null; echo finished; exit 5' \
		"$build/tests/recorder/cases" > out 2> err || status=$?
	check "a program in a PID namespace runs to its end" [ "$(cat out)" = finished ]
	check "fltctl returns the status of the PID namespace" [ $status = 5 ]
	check "fltctl reports no killed process" [ "$(grep -c killed err)" = 0 ]
	# Forked children find their parent, although its PID has another number for fltctl.
	"$build/tests/recorder/cases" fork > native
	status=0
	# shellcheck disable=SC2016
	timeout "$limit" "$fltctl" record "${options[@]}" -L 8 -o trace.flt -- \
		unshare -p -f sh -c '"$0" fork; exit 5' "$build/tests/recorder/cases" > out 2> err || status=$?
	check "forks in a PID namespace print the same as natively" cmp -s out native
	check "forks in a PID namespace do not escape" [ $status = 5 -a "$(grep -c 'not recorded' err)" = 0 ]
else
	echo "ok PID namespace # skip: no right to make one"
fi

# A full file system must end the recording with an error.
mkdir small
if mount -t tmpfs -o size=64k none small 2> /dev/null; then
	status=0
	"$build/tests/recorder/cases" fork > native
	timeout "$limit" "$fltctl" record "${options[@]}" -L 8 -o small/trace.flt -- \
		"$build/tests/recorder/cases" fork > out 2> err || status=$?
	umount small
	check "a full disk is a failure" [ $status = 1 ]
	check "the command runs to its end" cmp -s out native
	check "discarded faults are counted" grep -q 'discarded at least [1-9][0-9]* faults' err
	check "the failure is told" grep -q 'cannot write' err
else
	echo "ok a full disk # skip: no right to mount"
fi
finish
