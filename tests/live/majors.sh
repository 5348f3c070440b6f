#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 timeout=300
# shellcheck disable=SC2016,SC2119
# Promise: every major fault is in the stream, as often as the kernel counted it, with
# the file that it waited for and the page of it.
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
cold() { sync; echo 3 >/proc/sys/vm/drop_caches; }

traced() { # COMMAND...
	local status=0
	cold
	"$FLTCTL" trace -F maj --csv -- faultrun -o "$tmp/run" -- "$@" >"$tmp/trace.csv" || status=$?
	same "$1: exit status" $status 0
	same "$1: other than major" "$(faults '$7 != "major"')" 0
	same "$1: lost" "$(lines '^lost,')" 0
}

# Records per process against majflt.
per_process() { # WHAT
	local pid major
	while read -r _ pid _ _ _ major; do
		same "$1: majors of pid $pid" "$(faults "\$4 == $pid")" "$major"
	done < <(grep '^proc ' "$tmp/run")
	at_least "$1: processes" "$(lines '^proc ' "$tmp/run")" 1
}

of_file() { awk -F, -v i="$inode" -v d="$dev" '$1 == "fault" && $14 == i && $13 == d' "$tmp/trace.csv"; }

load
say "one page after the other, without read-ahead"
traced python3 -c '
import mmap, sys
f = open(sys.argv[1], "rb")
m = mmap.mmap(f.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ)
m.madvise(mmap.MADV_RANDOM)
for i in range(0, 256 * 8192, 8192):
    m[i]' "$file"
per_process python3
same "majors in the file" "$(of_file | wc -l)" 256
# Every second page from the first: the offsets are known.
same "at the pages touched" "$(of_file | cut -d, -f15 | sort -u | wc -l)" 256
of_file | cut -d, -f15 | while read -r o; do echo $((o % 8192)); done >"$tmp/rests"
same "and no others" "$(lines '^[^0]' "$tmp/rests")" 0

say "vmtouch"
if command -v vmtouch >/dev/null; then
	traced vmtouch -q -t "$file"
	per_process vmtouch
	at_least "majors in the file" "$(of_file | wc -l)" 1
fi

say "fio: mmap, randread"
if command -v fio >/dev/null; then
	traced fio --name=j --filename="$file" --ioengine=mmap --rw=randread --bs=4k --size=16m \
		--number_ios=1000 --invalidate=1 --randseed=1 --output="$tmp/fio"
	per_process fio
	at_least "majors in the file" "$(of_file | wc -l)" 100
	of_file | cut -d, -f15 | while read -r o; do echo $((o >= 16 << 20)); done >"$tmp/beyond"
	same "beyond the end of the file" "$(lines 1 "$tmp/beyond")" 0
fi
umount "$tmp/disk"
finish
