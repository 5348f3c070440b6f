#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300 half=6.12 debug=0
# shellcheck disable=SC2119
# Promise: the rows of fltctl rss add up to smaps, to the page, by the module and by perf, and
# each page belongs to the function whose fault brought it in.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# Swap for the pages that `owned` gives out, and a file that is not in tmpfs.
echo 64M >/sys/block/zram0/disksize
mkswap -q /dev/zram0
swapon /dev/zram0
mkfs.ext4 -q /dev/vda
mkdir -p /mnt
mount /dev/vda /mnt
echo 4 >/proc/sys/vm/nr_hugepages

# owners ENGINE [FUNCTION[=PAGES]...]: compare the rows of `owned` with its smaps and with the pages
# that it brought in. The FUNCTIONs have so many pages instead, because the ENGINE does not see
# their faults, or the kinds of their faults.
owners() {
	local engine=$1 what got want n=0
	shift
	"$FLTCTL" rss --engine="$engine" --json --no-inline --by=function -- \
		owned /mnt/file "$tmp/smaps" >"$tmp/rows" || bad "$engine: status $?"
	while read -r what got want; do
		n=$((n + 1))
		[ "$want" = '?' ] || same "$engine: $what" "$got" "$want"
	done < <(tests/live/rss.py "$tmp/rows" "$tmp/smaps" "$tmp/rows" "$@")
	at_least "$engine: comparisons" "$n" 22
	same "$engine: pages of hugetlb" "$(lines '^tlb hugetlb' "$tmp/rows")" 1
	! has_thp || kernel_before 6.1 ||
		same "$engine: collapsed pages" "$(lines '^collapsed' "$tmp/rows")" 1
}

say "by perf events"
owners perf populates locks moves collapsed=512 '[collapse]'

say "by the module"
load
owners module

say "a running process"
has_pages() { [ -s "$tmp/ready" ]; }
python3 -c '
import mmap, sys, time
m = mmap.mmap(-1, 4096 * 512)
for i in range(0, len(m), 4096): m[i] = 1
open(sys.argv[1], "w").write("ready")
time.sleep(1000)' "$tmp/ready" &
sleeper=$!
until_true has_pages || bad "the process does not start"
until_true sleeps_in_nanosleep $sleeper || bad "the process does not sleep"
"$FLTCTL" rss -p $sleeper --json 0s >"$tmp/rows" || bad "-p: status $?"
cat "/proc/$sleeper/smaps" >"$tmp/smaps"
while read -r what got want; do
	# Another process may map or unmap the same libraries.
	case $what in sum_of_shared | sum_of_private) continue ;; esac
	same "-p: $what" "$got" "$want"
done < <(tests/live/rss.py "$tmp/rows" "$tmp/smaps")
same "-p: pages without a fault that was seen" \
	"$(jq -s 'map(select(.unknown) | .rss_bytes) | add' "$tmp/rows")" \
	"$(jq -s 'map(.rss_bytes) | add' "$tmp/rows")"
kill $sleeper

say "more children than a session takes"
bash -c 'for _ in $(seq 70); do sleep 1000 & done; echo ready >"$0"; wait' "$tmp/parent" & parent=$!
until_true test -s "$tmp/parent" || bad "the children do not start"
status=0
"$FLTCTL" rss -p $parent --json 0s >"$tmp/rows" 2>"$tmp/err" || status=$?
same "more children: status" $status 3
# A session takes 64 processes, of which one is the parent.
same "more children: message: $(cat "$tmp/err")" "$(grep -c 'incomplete: 7 children are missing' "$tmp/err")" 1
pkill -P $parent
umount /mnt
swapoff /dev/zram0
finish
