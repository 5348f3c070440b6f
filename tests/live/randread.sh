#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=1400 mem=640 timeout=600 long=1
# shellcheck disable=SC2016,SC2119
# Promise: while a program reads randomly in a mapped file larger than memory, the stream has
# every major fault, with the right file and page.
#
# The expected count is majflt of each process. The log shows the count of bpftrace as well.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

command -v fio >/dev/null || skip "no fio"
mkfs.ext4 -q /dev/vda
mkdir "$tmp/disk"
mount /dev/vda "$tmp/disk"
file=$tmp/disk/data
dd if=/dev/zero of="$file" bs=1M count=1024 status=none conv=fsync
inode=$(stat -c %i "$file")
echo 3 >/proc/sys/vm/drop_caches
say "file of 1 GiB, memory of $(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo) MiB"

load
# No check depends on the count of bpftrace, so BEGIN may print the line.
start_bpftrace 'BEGIN { printf("attached\n"); }
	software:major-faults:1 /comm == "fio"/ { @[pid] = count(); }'
"$FLTCTL" trace -F maj --csv -- faultrun -o "$tmp/run" -- fio --name=j --filename="$file" \
	--ioengine=mmap --rw=randread --bs=4k --size=1g --number_ios=20000 --invalidate=1 \
	--randseed=7 --output="$tmp/fio" >"$tmp/trace.csv" || bad "fio: status $?"
end_bpftrace
same "lost rows" "$(lines '^lost,')" 0
while read -r _ pid _ _ _ major; do
	traced=$(faults "\$4 == $pid")
	same "major faults of PID $pid" "$traced" "$major"
	say "PID $pid: $major by the kernel, $traced in the stream," \
		"$(sed -n "s/^@\[$pid\]: //p" "$tmp/bpf") by bpftrace"
done < <(grep '^proc ' "$tmp/run")
at_least "processes" "$(lines '^proc ' "$tmp/run")" 1
awk -F, -v i="$inode" '$1 == "fault" && $14 == i { print $15 }' "$tmp/trace.csv" >"$tmp/offsets"
at_least "major faults in the file" "$(wc -l <"$tmp/offsets")" 10000
at_least "different pages" "$(sort -u "$tmp/offsets" | wc -l)" 10000
same "offsets past the end of the file" \
	"$(awk '$1 >= 1073741824 { n++ } END { print NR ? n + 0 : "no_input" }' "$tmp/offsets")" 0
umount "$tmp/disk"
finish
