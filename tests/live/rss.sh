#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=480 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2119
# Promise: the rows of fltctl rss add up to smaps, to the page, by the module and by perf, and
# each page belongs to the function whose fault brought it in.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# Swap for the pages that `owned` gives out, and a file that is not in tmpfs.
zram_swap_on 64M
mkfs.ext4 -q /dev/vda
mkdir -p /mnt
mount /dev/vda /mnt
echo 4 >/proc/sys/vm/nr_hugepages
# Between rows and smaps khugepaged would add pages to a process that does not ask for huge pages.
thp=/sys/kernel/mm/transparent_hugepage
! has_thp || echo madvise >$thp/enabled

# agree WHAT LEAST ARGUMENT...: make the comparisons of rss.py, which are LEAST or more.
agree() {
	local name=$1 least=$2 what got want n=0
	while read -r what got want; do
		n=$((n + 1))
		[ "$want" = '?' ] || same "$name: $what" "$got" "$want"
	done < <(tests/live/rss.py "${@:3}")
	at_least "$name: comparisons" "$n" "$least"
}

# owners ENGINE [FUNCTION[=PAGES]...]: compare the rows of `owned` with its smaps and with the pages
# that it brought in. The FUNCTIONs have so many pages instead, because the ENGINE does not see
# their faults, or the kinds of their faults.
owners() {
	local engine=$1
	shift
	"$FLTCTL" rss --engine="$engine" --json --no-inline --by=function -- \
		owned /mnt/file "$tmp/smaps" >"$tmp/rows" || bad "$engine: status $?"
	agree "$engine" 22 "$tmp/rows" "$tmp/smaps" "$tmp/rows" "$@"
	same "$engine: pages of hugetlb" "$(lines '^tlb hugetlb' "$tmp/rows")" 1
	# Not the small pages that the kernel may use instead.
	! has_thp || at_least "$engine: pages of huge pages" "$(awk '$1 == "huge" { print $3 }' "$tmp/rows")" 512
	! has_thp || kernel_before 6.1 ||
		same "$engine: collapsed pages" "$(lines '^collapsed' "$tmp/rows")" 1
}

# rent ENGINE MODE [FUNCTION[=PAGES]...]: the same for a mode of `tenants`.
rent() {
	local engine=$1 mode=$2
	shift 2
	"$FLTCTL" rss --engine="$engine" --json --no-inline --by=function -- \
		tenants "$mode" "$tmp/smaps" /mnt/file >"$tmp/rows" || bad "$engine, $mode: status $?"
	agree "$engine, $mode" 12 "$tmp/rows" "$tmp/smaps" "$tmp/rows" "$@"
}

# Print the pages of a function of the last program.
pages_of() { awk -v name="$1" '$1 == name { print $3 }' "$tmp/rows"; }

# Shared memory in swap is told by Linux 6.5 and later.
shared() { # ENGINE
	! kernel_before 6.5 || swapoff /dev/zram0
	rent "$1" shared
	same "$1: swapped shared memory" "$(lines '^swaps swap' "$tmp/rows")" \
		"$(if kernel_before 6.5; then echo 0; else echo 1; fi)"
	! kernel_before 6.5 || swapon /dev/zram0
}

# A function fills folios that are smaller than a huge page, and has all their pages.
folios() { # ENGINE [FUNCTION[=PAGES]...]
	folios_on || return 0
	rent "$1" folios "${@:2}"
	same "$1: pages of folios" "$(pages_of folios)" $((4 * folio / page))
	folios_off
}

# khugepaged makes a huge page.
collapse() { # ENGINE [FUNCTION[=PAGES]...]
	has_thp || return 0
	echo 0 >$thp/khugepaged/scan_sleep_millisecs
	rent "$1" collapse "${@:2}"
	echo 10000 >$thp/khugepaged/scan_sleep_millisecs
}

# late ENGINE: pages from before the recording are unknown, and later ones have an owner.
late() {
	local engine=$1 program own
	rm -f "$tmp/gate"
	mkfifo "$tmp/gate"
	tenants late "$tmp/smaps" <"$tmp/gate" >"$tmp/expected" &
	program=$!
	exec 9>"$tmp/gate"
	until_true grep -q ready "$tmp/expected" || bad "$engine: the program does not start"
	"$FLTCTL" rss --engine="$engine" --json --no-inline --by=function -p $program >"$tmp/rows" \
		2>"$tmp/err" &
	own=$!
	until_true grep -q '^TracerPid:.*[1-9]' /proc/$program/status || bad "$engine: rss does not start"
	echo >&9
	wait $own || bad "$engine, late: status $?"
	exec 9>&-
	sed -i /ready/d "$tmp/expected"
	agree "$engine, late" 12 "$tmp/rows" "$tmp/smaps" "$tmp/expected"
	at_least "$engine, late: pages from before" \
		"$(jq -s 'map(select(.unknown) | .rss_bytes) | add' "$tmp/rows")" $((300 * page))
	same "$engine, late: message: $(cat "$tmp/err")" \
		"$(grep -c 'unknown includes all that was resident before the recording' "$tmp/err")" 1
}

# rows_by BY: write the rows of `owned` to $tmp/json, and compare them with its smaps.
rows_by() {
	"$FLTCTL" rss --engine=module --json --no-inline --by="$1" -- \
		owned /mnt/file "$tmp/smaps" >"$tmp/rows" || bad "--by=$1: status $?"
	agree "--by=$1" 10 "$tmp/rows" "$tmp/smaps"
	grep '^{' "$tmp/rows" >"$tmp/json" || bad "--by=$1: no rows"
}

# Print the sum of the pages that rows of $tmp/json have.
rows_pages() { # CONDITION KIND
	jq -s "map(select($1) | .$2_bytes) | if . == [] then null else add / $page end" "$tmp/json"
}

# The line of owner.h that writes to pages, in the function that asked for them.
by_line() {
	local line
	line=$(sed -n '/^static.* write_to(/,/^}/ { / = 1;$/ = }' tests/workload/owner.h)
	rows_by line
	same "--by=line: pages of a line" "$(rows_pages ".function == \"once\" and .line == $line and
		(.file | endswith(\"/owner.h\"))" anon)" 100
}

by_object() {
	rows_by object
	at_least "--by=object: pages of the program" \
		"$(rows_pages '.object and (.object | endswith("/owned"))' rss)" \
		"$(awk '$2 ~ /anon|file|shmem/ && $1 != "[collapse]" { n += $3 } END { print n }' "$tmp/rows")"
}

# Each mapping has the pages that smaps counts there.
by_vma() {
	rows_by vma
	jq -r 'select(.rss_bytes > 0) | "\(.address) \(.rss_bytes / 1024)"' "$tmp/json" |
		sort >"$tmp/got"
	awk '$1 ~ /^[0-9a-f]+-[0-9a-f]+$/ { sub("-.*", "", $1); sub("^0*", "0x", $1); start = $1 }
		$1 == "Rss:" && $2 { print start, $2 }' "$tmp/smaps" | sort >"$tmp/want"
	at_least "--by=vma: mappings" "$(lines . "$tmp/want")" 20
	same "--by=vma: mappings that differ from smaps" "$(diff "$tmp/got" "$tmp/want" |
		awk '/^[<>]/ { n++ } END { print n + 0 }')" 0
}

# Of the threads that are not the first of their process, one has pages of its own.
by_thread() {
	rows_by thread
	same "--by=thread: pages of a thread" "$(jq -s "map(.pid) as \$pids | map(select(.tid) |
		select([.tid] | inside(\$pids) | not) | .anon_bytes / $page) | max" "$tmp/json")" 50
}

# The stacks of a function have its pages, and the cgroup of the process has all.
by_stack_and_cgroup() {
	rows_by stack
	same "--by=stack: pages of a function" "$(rows_pages '.function == "once"' anon)" 100
	at_least "--by=stack: callers" \
		"$(jq -s 'map(select(.function == "once") | .callers | length) | max' "$tmp/json")" 1
	rows_by cgroup
	same "--by=cgroup: pages of all cgroups" "$(rows_pages '.cgroup' rss)" \
		"$(rows_pages true rss)"
}

# At the limit of memory, the sums stay exact.
limited() {
	local status=0
	"$FLTCTL" rss --engine=module --json --memory=4KiB -- \
		tenants exec "$tmp/smaps" /mnt/file >"$tmp/rows" 2>"$tmp/err" || status=$?
	same "memory bound: status" $status 3
	same "memory bound: message: $(cat "$tmp/err")" \
		"$(grep -c 'exit: the memory for pages is full: [0-9]* pages are in the row unknown' "$tmp/err")" 1
	agree "memory bound" 10 "$tmp/rows" "$tmp/smaps"
}

say "by perf events"
owners perf populates locks moves collapsed=512 '[collapse]'
shared perf
rent perf faultfd protects unprotects=20
rent perf exec populates
rent perf replaced populates stale=20
folios perf drops=1 refills=$((folio / page - 1))
collapse perf gathers=512 '[collapse]'
late perf

say "by the module"
load
owners module
shared module
rent module faultfd
rent module exec
rent module replaced
folios module
collapse module
late module

say "by each kind of row"
by_line
by_object
by_vma
by_thread
by_stack_and_cgroup
limited

# A thread that ends with its process must not be taken for one that survives the first thread.
say "many threads at the exit"
for ((i = 0; i < $(sized 4 40 400); i++)); do
	status=0
	"$FLTCTL" rss --engine=module --json -- crowd 64 1 </dev/null >"$tmp/rows" 2>"$tmp/err" ||
		status=$?
	same "64 threads: status ($(cat "$tmp/err"))" $status 0
done

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
until_true sleeps_in $sleeper nanosleep || bad "the process does not sleep"
"$FLTCTL" rss -p $sleeper --json 0s >"$tmp/rows" || bad "-p: status $?"
cat "/proc/$sleeper/smaps" >"$tmp/smaps"
# Another process may map or unmap the same libraries.
BUT=shared,private agree -p 8 "$tmp/rows" "$tmp/smaps"
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
! has_thp || echo always >$thp/enabled
umount /mnt
zram_swap_off
finish
