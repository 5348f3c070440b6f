#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: zram=1 disk=512 timeout=300 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2016,SC2119
# Promise: the stream contains each major fault that the kernel counted, once, with the file
# and the offset of the page that the fault read.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q /dev/vda
mkdir "$tmp/disk"
mount /dev/vda "$tmp/disk"
file=$tmp/disk/data
head -c 16M /dev/urandom >"$file"
sync
inode=$(stat -c %i "$file") dev=$(stat -c %Hd:%Ld "$file")
drop_caches() { sync; echo 3 >/proc/sys/vm/drop_caches; }

trace_majors() { # COMMAND...
	local status=0
	drop_caches
	"$FLTCTL" trace -F maj --csv -- faultrun -o "$tmp/run" -- "$@" >"$tmp/trace.csv" ||
		status=$?
	same "$1: exit status" $status 0
	same "$1: faults that are not major" "$(faults '$7 != "major"')" 0
	same "$1: lines of lost faults" "$(lines '^lost,')" 0
}

# Compare the faults of each process with the majflt of the kernel.
compare_processes() { # WHAT
	local pid major
	while read -r _ pid _ _ _ major; do
		same "$1: major faults of PID $pid" "$(faults "\$4 == $pid")" "$major"
	done < <(grep '^proc ' "$tmp/run")
	at_least "$1: number of processes" "$(lines '^proc ' "$tmp/run")" 1
}

faults_of_file() {
	awk -F, -v i="$inode" -v d="$dev" '$1 == "fault" && $14 == i && $13 == d' "$tmp/trace.csv"
}

load
say "sequential access without read-ahead"
trace_majors python3 -c '
import mmap, sys
f = open(sys.argv[1], "rb")
m = mmap.mmap(f.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ)
m.madvise(mmap.MADV_RANDOM)
for i in range(0, 256 * 8192, 8192):
    m[i]' "$file"
compare_processes python3
same "python3: major faults of the file" "$(faults_of_file | wc -l)" 256
# The program touches each second page, beginning with the first.
same "python3: distinct offsets" "$(faults_of_file | cut -d, -f15 | sort -u | wc -l)" 256
faults_of_file | cut -d, -f15 | while read -r o; do echo $((o % 8192)); done >"$tmp/remainders"
same "python3: offsets of other pages" "$(lines '^[^0]' "$tmp/remainders")" 0

say "vmtouch"
trace_majors vmtouch -q -t "$file"
compare_processes vmtouch
at_least "vmtouch: major faults of the file" "$(faults_of_file | wc -l)" 1

say "fio: mmap, randread"
trace_majors fio --name=j --filename="$file" --ioengine=mmap --rw=randread --bs=4k \
	--size=16m --number_ios=1000 --invalidate=1 --randseed=1 --output="$tmp/fio"
compare_processes fio
at_least "fio: major faults of the file" "$(faults_of_file | wc -l)" 100
faults_of_file | cut -d, -f15 | while read -r o; do echo $((o >= 16 << 20)); done >"$tmp/beyond"
same "fio: offsets beyond the end of the file" "$(lines 1 "$tmp/beyond")" 0
umount "$tmp/disk"
finish
