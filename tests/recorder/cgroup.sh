#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record --engine=cgroup limits all memory of any program, records every fault, and leaves the
# machine as it was, however it ends.
#
# usage: cgroup.sh BUILD-DIR
# shellcheck disable=SC2016	# $1 is for the shells that are recorded, and for awk
set -euo pipefail

build=$(realpath "$1") here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/recorder/check.bash
. "$here/check.bash"
fltctl=$build/fltctl bin=$build/tests/recorder page=$(getconf PAGE_SIZE)
"$fltctl" check > out || true	# without the module it returns 5
if ! grep -q '^ok *cgroup' out || ! { [ -e /sys/class/zram-control ] || modprobe -q zram; }; then
	echo "ok cgroup # skip: needs root, a memory controller and zram"
	exit 0
fi

# What a run must restore. Other swap of the machine stays.
state() {
	cat /proc/sys/vm/page-cluster /proc/swaps
	find /sys/fs/cgroup -name 'flt-[0-9]*' -type d
	find /run/flt -name 'limit.*' 2> /dev/null || true
}
state > before
restored() { state > after; diff before after > err; }

# record OPTION... -- COMMAND...: set $status; the summary is in err, the output in out
record() {
	status=0
	timeout "$limit" "$fltctl" record --engine=cgroup -o trace.flt "$@" > out 2> err || status=$?
}
# Read a counter of this shell's own cgroup, inside a recorded command.
cat > counter << 'END_OF_SCRIPT'
dir=$(awk -F: '$2 ~ /(^|,)memory(,|$)/ { print $3; found = 1 } $1 == 0 && !found { last = $3 }
	END { if (!found) print last }' /proc/self/cgroup)
for top in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	[ ! -e "$top$dir/cgroup.procs" ] || break
done
case $1 in
peak) cat "$top$dir/memory.max_usage_in_bytes" 2> /dev/null || cat "$top$dir/memory.peak" 2> /dev/null || echo 0;;
dir) echo "$top$dir";;
esac
END_OF_SCRIPT

# ---- any program returns its native result, under the limit ----
"$bin/rounds" 24 3 > native
record -L 8 -- "$bin/rounds" 24 3
cp err summary
check "a program returns 0" [ $status = 0 ]
check "its output is the native one" cmp -s out native
check "its memory was limited" grep -q '^memory   peak 8MiB of -L 8MiB' err
check "nothing was lost" grep -q '^loss     none' err
# The figures are those of one moment: in memory at most the limit, with swap at most the program's
# 24 MiB and what its libraries have.
check "the summary tells where the memory was" awk '
	function mib(text) { return text ~ /GiB/ ? text * 1024 : text ~ /MiB/ ? text + 0 : text ~ /KiB/ ? text / 1024 : 0 }
	/^limited / { n++; anon = mib($2); files = mib($4); kernel = mib($6); swapped = mib($8)
		named = $0 ~ /; [^ ]+ swapped out( to zram[0-9]+)?$/ }
	END { exit !(n == 1 && anon + files + kernel <= 8.01 && anon > 4 && swapped > 0 &&
		anon + swapped < 26 && named) }' err
check "everything is as before" restored

# Sequential rounds over three times the limit evict every page before its next use.
"$fltctl" report --json trace.flt > sites
python3 - > err << 'END'
import json, os
pages = (24 << 20) // os.sysconf("SC_PAGESIZE")
rows = [json.loads(line) for line in open("sites")]
rows = [r for r in rows if r.get("function") == "main"]
alloc, again = sum(r["alloc"] for r in rows), sum(r["refault"] for r in rows)
print(alloc, again)
assert pages <= alloc <= pages + 16, "first touches"
assert again >= 3 * (pages - pages // 3), "refaults"
END
check "every first touch and every refault has its call site" [ $? = 0 ]

# The pictures have each fault of the recording.
all=$(sed -n 's/^recorded[^:]*: \([0-9]*\) faults.*/\1/p' summary)
"$fltctl" visualize --folded -o - trace.flt > folded 2> err
check "a flame graph of the cgroup's recording has all faults" \
	[ "$(awk '{ n += $NF } END { print n }' folded)" = "$all" ]
check "and those of the program" [ "$(grep -c 'rounds.*main' folded)" -gt 0 ]
"$fltctl" visualize --html -o page.html trace.flt > out 2> err
check "a page of the cgroup's recording is written" grep -q '</html>' page.html

# The kernel counts the faults of the cgroup, too. Only faults before the exec may differ.
majors=$(sed -n 's/^recorded.*; \([0-9]*\) major.*/\1/p' summary)
check "major faults equal the kernel's, but for 64 per CPU not yet summed up" awk -v mine="$majors" \
	-v cpus="$(nproc)" '/^cgroup/ { d = $4 - mine; ok = mine > 12000 && d >= -64 * cpus && d <= 64 * cpus }
	END { exit !ok }' summary

# The kernel merges the mappings of python's heap, and reports the whole again.
record -L 12 -- /usr/bin/python3 -c 'd = {i: str(i) for i in range(200000)}; print(len(d))'
check "major faults of a heap that grows by mmap are refaults" awk '/^recorded/ {
	for (i = 2; i <= NF; i++) n[$i] = $(i - 1) }
	END { exit !(n["major)"] > 1000 && n["refaults,"] >= n["major)"] * 9 / 10) }' err

# The kernel ends perf events at an exec with other credentials. The module follows the program.
install -g 65534 -m 2755 "$bin/rounds" setgid
record -L 8 -- ./setgid 24 3
check "a set-group-ID program prints the native output" cmp -s out native
if grep -q ' by perf events' err; then
	check "status 3: perf events do not follow a set-group-ID program" [ $status = 3 ]
	check "the summary says so" grep -q '^loss     all faults of 1 process after an exec' err
	check "the comparison counts them" grep -q 'more faults than recorded: those that are lost, ' err
else
	check "the module records a set-group-ID program" grep -q '^loss     none' err
fi

record -L 8 -- "$bin/static_program"
check "a static program runs" [ $status = 0 ]
record -L 16 -- sh -c '"$1" 24 1; "$1" 24 1 & wait; sh "$2" peak; exit 7' sh "$bin/rounds" counter
check "the exit status is the command's" [ $status = 7 ]
check "the cgroup's own peak is within the limit" awk 'NR == 3 && $1 <= 16777216 { ok = 1 } END { exit !ok }' out
check "all processes are recorded" [ "$("$fltctl" script --json trace.flt | grep -c '"comm":"rounds"')" -gt 24000 ]
record -L 3 -- "$bin/rounds" 1 1 /nonexistent/file
check "a small program runs in 3 MiB" [ $status = 0 ]
record -L 8 -- /nonexistent
check "a missing command is 127" [ $status = 127 ]
check "everything is as before" restored

# A process that outlives the command is limited and recorded until its end.
touch wait
record -q -L 8 -- sh -c '"$1" 24 1 "$2" > late & sleep 0.1; rm "$2"' sh "$bin/rounds" "$PWD/wait"
check "a process that outlives the command is waited for" [ -s late ]
check "everything is as before" restored

# ---- however it ends ----
# started: wait until the command under a limit runs; sets $group
started() {
	until [ -s started ]; do sleep 0.05; done
	group=$(cat started)
}
run_waiting() { # SECONDS: a command that writes its cgroup to `started`
	rm -f started
	touch wait
	"$fltctl" record -q --engine=cgroup -L 8 -o killed.flt -- sh -c \
		'sh "$1" dir > started.new; mv started.new started; exec "$2" 24 1 "$3"' sh counter \
		"$bin/rounds" "$PWD/wait" > late 2> err & runner=$!
	started
}
# The guard removes the journal last.
gone() { while [ -e "$1" ]; do sleep 0.05; done; }

run_waiting
kill -KILL $runner
wait $runner 2> err || true
gone /run/flt/limit.$runner
check "after SIGKILL of fltctl everything is as before" restored
rm wait
until [ -s late ]; do sleep 0.05; done
check "and the command goes on" cmp -s late <("$bin/rounds" 24 1)

run_waiting
guard=$(pgrep -P $runner -x fltctl-guard)
kill -KILL "$guard" $runner
wait $runner 2> err || true
while [ -d "/proc/$guard" ]; do sleep 0.05; done
check "after SIGKILL of fltctl and its guard the limit is left" [ -d "$group" ]
"$fltctl" check > out 2> err || true
check "fltctl check reports the leftover" grep -q '^warn *leftovers *1 killed run of' out
"$fltctl" check --repair > out 2> err || true
check "fltctl check --repair says what it did" grep -q '^ok *leftovers *1 killed run: undone' out
check "fltctl check --repair restores everything" restored
rm wait
until [ -s late ]; do sleep 0.05; done

run_waiting
kill -TERM $runner
status=0
wait $runner || status=$?
check "SIGTERM reaches the command" [ $status = 143 ]
check "after SIGTERM everything is as before" restored

# ---- two runs share swap and settings; the first end must not disturb the second ----
run_waiting
first=$runner
mv wait wait.first
rm -f started
"$fltctl" record -q --engine=cgroup -L 8 -o second.flt -- sh -c \
	'sh "$1" dir > started.new; mv started.new started; exec "$2" 24 3 "$3"' sh counter \
	"$bin/rounds" "$PWD/wait.first" > second 2> second.err & runner=$!
started
wait $first
check "the swap device stays for the second run" [ "$(wc -l < /proc/swaps)" = 2 ]
check "page-cluster stays for the second run" [ "$(cat /proc/sys/vm/page-cluster)" = 0 ]
# --engine=auto takes the swap that exists, and changes nothing.
status=0
"$fltctl" record -L 8 -o auto.flt -- "$bin/static_program" > out 2> err || status=$?
check "auto uses a cgroup for a static program" [ $status = 0 ]
check "auto says why" grep -q 'statically linked.*using a cgroup instead' err
rm wait.first
status=0
wait $runner || status=$?
check "the second run returns 0" [ $status = 0 ]
check "the second run has the native result" cmp -s second <("$bin/rounds" 24 3)
check "after both runs everything is as before" restored

# The swap device of the first run moves to the journal of the second. The guard of the second
# must lift the limit before it ends swapping, or the kernel kills the command.
run_waiting
first=$runner
rm -f started
"$fltctl" record -q --engine=cgroup -L 8 -o second.flt -- sh -c \
	'sh "$1" dir > started.new; mv started.new started; exec "$2" 24 3 "$3"' sh counter \
	"$bin/rounds" "$PWD/wait" > second 2> second.err & runner=$!
started
until [ "$(awk 'NR > 1 { kib += $4 } END { print kib + 0 }' /proc/swaps)" -gt 28000 ]; do sleep 0.05; done
for pid in $first $runner; do
	kill -KILL "$pid"
	wait "$pid" 2> err || true
	gone "/run/flt/limit.$pid"
done
check "after SIGKILL of both runs everything is as before" restored
rm wait
until [ -s late ] && [ -s second ]; do sleep 0.05; done
check "and the first command goes on" cmp -s late <("$bin/rounds" 24 1)
check "and the second command goes on" cmp -s second <("$bin/rounds" 24 3)

# ---- what cannot be done ----
if [ "$(wc -l < /proc/swaps)" = 1 ]; then
	status=0
	"$fltctl" record -L 8 -o auto.flt -- "$bin/static_program" > out 2> err || status=$?
	check "auto without swap returns 5" [ $status = 5 ]
	check "auto without swap prints the command" grep -q 'fltctl record --engine=cgroup -L 8MiB -- ' err
	check "auto without swap does not run the program" [ ! -s out ]
	"$fltctl" record -L 8 -o auto.flt -- "$bin/static_program" 'two words' > out 2> err || true
	sed -n 's/.*creating swap while it runs: sudo fltctl //p' err > line
	check "auto without swap prints words as a shell reads them" grep -q " 'two words'\$" line
	check "the printed command runs" eval "$fltctl $(cat line) > out 2> err"
	check "and limits the program" grep -q '^memory   peak .* of -L 8MiB' err
fi
# In a cgroup that forbids swap the kernel would kill the command.
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
	pen=/sys/fs/cgroup/flt-pen
	mkdir "$pen" && echo +memory > "$pen/cgroup.subtree_control" && mkdir "$pen/leaf"
	echo 0 > "$pen/memory.swap.max"
	for engine in auto cgroup; do
		status=0
		sh -c 'echo $$ > "$1/leaf/cgroup.procs"; shift; exec "$@"' - "$pen" "$fltctl" record \
			-L 8 --engine=$engine -o pen.flt -- "$bin/static_program" > out 2> err || status=$?
		check "$engine where swap is forbidden returns 5" [ $status = 5 ]
		check "$engine where swap is forbidden names the file" \
			grep -q "cannot swap: $pen/memory.swap.max is 0" err
	done
	sh -c 'echo $$ > "$1/leaf/cgroup.procs"; exec sleep 1000' - "$pen" & penned=$!
	until grep -q . "$pen/leaf/cgroup.procs"; do sleep 0.05; done
	status=0
	"$fltctl" record -L 8 --cgroup "$pen/leaf" -o pen.flt > out 2> err || status=$?
	check "a cgroup where swap is forbidden returns 5" [ $status = 5 ]
	kill $penned
	wait $penned || true
	rmdir "$pen/leaf" "$pen"
fi
for option in --latency=3us --bandwidth=1G --sample=100 --policy=clock --no-move --inline --no-inline; do
	record -L 8 $option -- true
	check "$option is refused" [ $status = 2 ]
done
record -L 8 --cgroup /tmp
check "a directory that is no cgroup is refused" grep -q "invalid cgroup '/tmp'" err
locker='import ctypes, mmap
m = mmap.mmap(-1, 16 << 20)
a = ctypes.addressof(ctypes.c_char.from_buffer(m))
ctypes.CDLL(None).mlock(ctypes.c_void_p(a), ctypes.c_size_t(16 << 20))'
record -L 3 -- sh -c 'python3 -c "$0" || true' "$locker"
check "a worker that the kernel kills makes the result incomplete" [ $status = 3 ]
check "and the message says so" grep -q 'incomplete: the kernel killed 1 process' err
record -L 3 -- python3 -c "$locker"
check "memory that cannot be evicted ends the command" [ $status = 137 ]
check "one line says so" [ "$(grep -c killed err)" = 1 ]
check "it is the last one" grep -q 'the kernel killed 1 process' <(tail -n 1 err)
if command -v setpriv > /dev/null; then
	chmod 755 . && cp "$fltctl" fltctl && chmod a+rx fltctl
	status=0
	setpriv --reuid=65534 --clear-groups ./fltctl record --engine=cgroup -L 8 -o /dev/null -- true \
		> out 2> err || status=$?
	check "without root it is refused with the remedy" grep -q 'run as root' err
	check "and returns 4" [ $status = 4 ]
fi
check "everything is as before" restored

# ---- a cgroup that exists ----
# The files of v1 and v2 differ. In v2 the parent must lend its children the controller.
own=$(sh counter dir)
if [ -e "$own/memory.limit_in_bytes" ]; then
	parent=$own max=memory.limit_in_bytes now=memory.usage_in_bytes
else
	parent=/sys/fs/cgroup max=memory.max now=memory.current
	lent=$(cat "$parent/cgroup.subtree_control")
	echo +memory > "$parent/cgroup.subtree_control"
fi
group=$parent/flt-test-$$
mkdir "$group"
record -L 8 --cgroup "$group"
check "an empty cgroup is refused" grep -q 'has no processes' err
touch wait
sh -c 'echo $$ > "$1/cgroup.procs"; exec "$2" 24 2 "$3"' sh "$group" "$bin/rounds" "$PWD/wait" \
	> late & runner=$!
until [ "$(cat "$group/$now")" -gt 25165824 ]; do sleep 0.05; done
old=$(cat "$group/$max")
"$fltctl" record --engine=cgroup -L 8 -o trace.flt --cgroup "$group" > out 2> summary & recorder=$!
until [ "$(cat "$group/$max")" = 8388608 ] && [ -s trace.flt ]; do sleep 0.05; done
# The file exists before the recording begins, and grows every second from then on.
size=$(stat -c %s trace.flt)
while [ "$(stat -c %s trace.flt)" = "$size" ]; do sleep 0.05; done
check "a running program is limited" [ "$(cat "$group/$now")" -le 8388608 ]
rm wait
wait $runner
status=0
wait $recorder || status=$?
check "recording ends with the last process" [ $status = 0 ]
check "the program has the native result" cmp -s late <("$bin/rounds" 24 2)
refaults=$(sed -n 's/^recorded.*, \([0-9]*\) refaults.*/\1/p' summary)
check "its refaults are recorded" [ "$refaults" -ge $(((32 << 20) / page)) ]
check "the old limit is back" [ "$(cat "$group/$max")" = "$old" ]
check "the summary says which processes were recorded" \
	grep -q '^loss     none of the processes that were recorded' summary

# A process that enters the cgroup while another one is recorded is not recorded.
enter() { # OUTPUT: start a process in the cgroup, which ends after `wait` is removed
	sh -c 'echo $$ > "$1/cgroup.procs"; exec "$2" 12 1 "$3"' sh "$group" "$bin/rounds" "$PWD/wait" \
		> "$1" & runner=$!
	until grep -qx $runner "$group/cgroup.procs"; do sleep 0.05; done
}
# Wait until the recording has been written twice, a second apart: the processes were listed before.
grown() {
	for _ in 1 2; do
		size=$(stat -c %s trace.flt)
		while [ "$(stat -c %s trace.flt)" = "$size" ]; do sleep 0.05; done
	done
}
touch wait
enter early
first=$runner
rm -f trace.flt*
"$fltctl" record --engine=cgroup -L 8 -o trace.flt --cgroup "$group" > out 2> summary & recorder=$!
until [ -s trace.flt ]; do sleep 0.05; done
grown
enter late
grown
rm wait
wait $first
wait $runner
status=0
wait $recorder || status=$?
check "a process that enters later makes the result incomplete" [ $status = 3 ]
check "the summary counts it" grep -q '^missed   1 process that entered' summary
check "the last line says so" grep -q 'incomplete: 1 process entered' <(tail -n 1 summary)
rmdir "$group"
case "${lent-memory}" in
*memory*) ;;
*) echo -memory > "$parent/cgroup.subtree_control" ;;
esac
check "everything is as before" restored

# ---- sweep ----
status=0
timeout "$limit" "$fltctl" record -q --engine=cgroup --sweep 25,100% -o sweep.flt --csv -- "$bin/rounds" 12 2 \
	> out 2> err || status=$?
check "a sweep returns 0" [ $status = 0 ]
check "a sweep has more refaults with less memory" awk -F, -v least=$(((12 << 20) / page - 72)) '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ again[$at["memory"]] = $at["refaults"] }
	END { exit !(again["25%"] > least && again["100%"] < again["25%"]) }' out
check "everything is as before" restored
finish
