#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: zram=1 disk=512 timeout=300 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2016,SC2119
# Promise: fltctl top names the file of major faults and counts every fault. Each view adds up
# to the kernel's count for the same command.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"

# Print the sum of RATE times the length of its interval, over the rows of $tmp/json that match.
sum() { # RATE MATCH
	jq -s "if . == [] then \"no_input\" else map(select($2) | .$1 * .seconds) | add // 0 | round
		end" "$tmp/json"
}

# Start top with OPTIONS and its output in $tmp/json. Return after its first snapshot, which is
# the base of the first interval.
start_top() { # OPTION...
	rm -f "$tmp/json"
	"$FLTCTL" top -b --json "$@" 500ms >"$tmp/json" & top=$!
	until_true observes $top || bad "top $*: does not start"
}

stop_top() { # WHAT [STATUS]
	local status=0
	kill -INT $top
	wait $top || status=$?
	same "$1: status" "$status" "${2:-0}"
}

# Wait until top reports an interval. It reports the faults of the commands that this runs.
has_lines() { [ "$(wc -l <"$tmp/json")" -gt "$1" ]; }
wait_for_report() { until_true has_lines "$(wc -l <"$tmp/json")" || bad "top does not report"; }

# Write the output of top with the option $view to $tmp/json while COMMAND runs. The snapshot of
# the first report after COMMAND may be older than its end, but not that of the second.
during() { # COMMAND...
	local ended
	start_top "$view"
	"$@" >"$tmp/out"
	wait_for_report
	wait_for_report
	# The module has the threads of the COMMAND no more when it has ended.
	[ "$view" = --by=thread ] && ended=3 || ended=0
	stop_top "$view" $ended
}

load
say "by file"
start_top --by=file
faultrun -o "$tmp/run" -- kinds major 40 "$tmp/disk/file" >"$tmp/out"
# top reads faults in their order, so the row of a later fault shows that it has read all.
kinds major 1 "$tmp/disk/later" >"$tmp/out"
until_true grep -q "$tmp/disk/later" "$tmp/json" || bad "by file: no report of a later fault"
stop_top "by file"
# The file has a name even if the process ends before its faults are read.
same "major faults in the file" "$(sum major_per_second '.name == "'"$tmp/disk/file"'"')" 40

say "by process, with the file that has most major faults"
view="--by=process"
during faultrun -o "$tmp/run" -- kinds major 40 "$tmp/disk/file2"
major=$(awk '$1 == "proc" && $4 == "kinds" { print $6 }' "$tmp/run")
at_least "major faults of the process" "$(sum major_per_second '.name == "kinds"')" "$((major - 1))"
at_most "major faults of the process" "$(sum major_per_second '.name == "kinds"')" "$((major + 1))"
at_least "rows with the file" \
	"$(jq -s 'map(select(.file == "'"$tmp/disk/file2"'")) | length' "$tmp/json")" 1

say "by kind, thread, cgroup"
view="--by=kind"
during late 20 5 0
# It depends on the kernel whether uffd faults are minor or major.
same "uffd: minor + major" "$(($(sum minor_per_second '.name == "uffd"') +
	$(sum major_per_second '.name == "uffd"')))" 20
at_least "uffd: p99_ns" "$(jq -s 'map(select(.name == "uffd").p99_ns) | max' "$tmp/json")" 5000000
for view in --by=thread --by=cgroup; do
	during storm 1 2 1
	at_least "$view: rows with minor faults" \
		"$(jq -s 'map(select(.minor_per_second > 100)) | length' "$tmp/json")" 1
done

say "full buffers of a stopped reader"
"$FLTCTL" top -b --json --by=file --files=all 500ms >"$tmp/json" 2>"$tmp/err" & top=$!
until_true compgen -G "$debugfs/session-*/cpu0" >/dev/null
# The shell starts background commands with SIGINT ignored. Wait until top has blocked SIGINT,
# which it receives through a signalfd.
takes_int() { grep -qE '^SigBlk:.*[2367abef]$' "/proc/$top/status"; }
until_true takes_int
kill -STOP $top
for _ in 1 2 3 4 5; do kinds anon 20000 >/dev/null; done
kill -CONT $top
kill -INT $top
status=0
wait $top || status=$?
same "status" "$status" 3
same "lines about full buffers" \
	"$(grep -cE 'incomplete: buffers full: [0-9]+ faults of the stream' "$tmp/err")" 1

say "by kind, for one process"
mkfifo "$tmp/go"
exec 9<>"$tmp/go"
python3 -u -c '
import mmap
print("up")
input()
m = mmap.mmap(-1, 1 << 22, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(mmap.MADV_NOHUGEPAGE)
for i in range(0, 1 << 22, 4096): m[i] = 1
print("done")
input()' <&9 >"$tmp/target" & target=$!
until_true grep -q up "$tmp/target"
is_idle() { sleeps_in $target pipe_read; }
until_true is_idle || bad "the target does not wait for input"
before=$(faults_of $target)
start_top --by=kind -p $target
storm 1 2 1
echo >&9
until_true grep -q "done" "$tmp/target"
until_true is_idle || bad "the target does not wait for input again"
# A report with too many faults would also end this wait.
is_reported() { [ "$(sum faults_per_second true)" -ge $(($(faults_of $target) - before)) ]; }
until_true is_reported || bad "top does not report all faults of the target"
stop_top "by kind, for one process"
same "faults of the target, and of no other process" \
	"$(sum faults_per_second true)" "$(($(faults_of $target) - before))"
at_least "anon" "$(sum faults_per_second '.name == "anon"')" 1024
"$FLTCTL" top -b -p $target 300ms 2 >"$tmp/text"
same "titles without faults, because the target is idle" \
	"$(grep -c 'minor 0/s, major 0/s, failed 0/s, p99 -, time 0.0%$' "$tmp/text")" 2
echo >&9
wait $target
unload

say "faults that the probe missed"
load accounting=latency maxactive=16
(exec asleep hold 100 <"$tmp/go" >"$tmp/asleep" 9>&-) & asleep=$!
until_true grep -q asleep "$tmp/asleep"
kinds anon 100 >/dev/null
status=0
"$FLTCTL" top -b --json 300ms 3 >/dev/null 2>"$tmp/err" || status=$?
same "probe misses calls: status" "$status" 3
same "probe misses calls: messages" "$(grep -c 'probe missed: [0-9]* calls' "$tmp/err")" 1
exec 9>&-
wait $asleep
at_least "missed calls in the tally" "$(fltq tally | field all.missed)" 100
# The missed calls of a thread are reported with its next fault, which may come later.
none_missed() { "$FLTCTL" top -b --json 300ms 3 >/dev/null 2>&1; }
checks=$((checks + 1))
until_true none_missed || bad "top still reports calls that were missed before it started"
umount "$tmp/disk"
rmdir "$tmp/disk"
finish
