#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 timeout=300
# shellcheck disable=SC2016,SC2119
# Promise: fltctl top names the file that major faults are in and counts every one
# of them; each of its views adds up to what the kernel counted of the same command.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"

# The rate of an interval times its length, summed up, of the rows that match.
sum() { # RATE MATCH; reads $tmp/json
	jq -s "if . == [] then \"no_input\" else map(select($2) | .$1 * .seconds) | add // 0 | round end" "$tmp/json"
}

during() { # COMMAND...: what top says while it runs; $view has options
	rm -f "$tmp/json"
	# shellcheck disable=SC2086
	"$FLTCTL" top -b --json $view 500ms >"$tmp/json" & top=$!
	until_true test -s "$tmp/json" || sleep 1
	"$@" >"$tmp/out"
	sleep 2
	kill -INT $top
	wait $top || bad "$view: status $?"
}

load
say "by file"
view="--by=file"
("$FLTCTL" stats -- true >/dev/null)
"$FLTCTL" top -b --json $view 500ms >"$tmp/json" & top=$!
until_true compgen -G "$debugfs/session-*/cpu0" >/dev/null
sleep 1.5
faultrun -o "$tmp/run" -- kinds major 40 "$tmp/disk/file" >"$tmp/out"
sleep 1.5
kill -INT $top
wait $top || bad "by file: status $?"
# By name, although the process may be gone when its faults are read.
same "majors in the file" "$(sum major_per_second '.name == "'"$tmp/disk/file"'"')" 40

say "by process, and the file of most"
view="--by=process"
during faultrun -o "$tmp/run" -- kinds major 40 "$tmp/disk/file2"
major=$(awk '$1 == "proc" && $4 == "kinds" { print $6 }' "$tmp/run")
at_least "majors of the process" "$(sum major_per_second '.name == "kinds"')" "$((major - 1))"
at_most "majors of the process" "$(sum major_per_second '.name == "kinds"')" "$((major + 1))"
at_least "the file" "$(jq -s 'map(select(.file == "'"$tmp/disk/file2"'")) | length' "$tmp/json")" 1

say "by kind, thread, cgroup"
view="--by=kind"
during late 20 5 0
# Minor or major, as the kernel would have them.
same "uffd" "$(($(sum minor_per_second '.name == "uffd"') + $(sum major_per_second '.name == "uffd"')))" 20
at_least "uffd, p99" "$(jq -s 'map(select(.name == "uffd").p99_ns) | max' "$tmp/json")" 5000000
for view in --by=thread --by=cgroup; do
	during storm 1 2 1
	at_least "$view, rows" "$(jq -s 'map(select(.minor_per_second > 100)) | length' "$tmp/json")" 1
done

say "faults that found no room, until the end"
"$FLTCTL" top -b --json --by=file --files=all 500ms >"$tmp/json" 2>"$tmp/err" & top=$!
until_true compgen -G "$debugfs/session-*/cpu0" >/dev/null
# Before it takes SIGINT, what the shell started in the background ignores it.
takes_int() { grep -qE '^SigBlk:.*[2367abef]$' "/proc/$top/status"; }
until_true takes_int
kill -STOP $top
for _ in 1 2 3 4 5; do kinds anon 20000 >/dev/null; done
kill -CONT $top
kill -INT $top
status=0
wait $top || status=$?
same "status" "$status" 3
same "said" "$(grep -cE 'incomplete: buffers full: [0-9]+ faults of the stream' "$tmp/err")" 1

say "by kind, of one process"
faults() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $8 + $10 }'; }
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
"$FLTCTL" top -b --json --by=kind -p $target 500ms >"$tmp/json" & top=$!
until_true compgen -G "$debugfs/session-*/cpu0" >/dev/null
sleep 1.5
before=$(faults $target)
storm 1 2 1
echo >&9
until_true grep -q "done" "$tmp/target"
sleep 1.5
kill -INT $top
wait $top || bad "by kind, of one process: status $?"
same "its faults, and nobody else's" "$(sum faults_per_second true)" "$(($(faults $target) - before))"
at_least "anon" "$(sum faults_per_second '.name == "anon"')" 1024
"$FLTCTL" top -b -p $target 300ms 2 >"$tmp/text"
same "nothing of others in the title" "$(grep -c 'minor 0/s, major 0/s, failed 0/s, p99 -, time 0.0%$' "$tmp/text")" 2
echo >&9
wait $target
unload

say "missed"
load maxactive=16
(exec asleep hold 100 <"$tmp/go" >"$tmp/asleep" 9>&-) & asleep=$!
until_true grep -q asleep "$tmp/asleep"
kinds anon 100 >/dev/null
status=0
"$FLTCTL" top -b --json 300ms 3 >/dev/null 2>"$tmp/err" || status=$?
same "while there are such: status" "$status" 3
same "why" "$(grep -c 'probe missed: [0-9]* calls' "$tmp/err")" 1
exec 9>&-
wait $asleep
at_least "missed until then" "$(fltq tally | field all.missed)" 100
# A thread tells of those that it missed with its next fault, whenever that is.
none_missed() { "$FLTCTL" top -b --json 300ms 3 >/dev/null 2>&1; }
checks=$((checks + 1))
until_true none_missed || bad "incomplete by what was missed before it began"
umount "$tmp/disk"
rmdir "$tmp/disk"
finish
