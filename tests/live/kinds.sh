#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300 turns=6.1,6.12,7.3
# shellcheck disable=SC2016,SC2119
# Promise: N faults of a kind are counted as N faults of this kind, and not as other kinds.
#
# The section of the workload contains only these faults. fltq reads the counts of the process
# at the beginning and end of the section, while the process waits, so no other faults interfere.
# Other tests cover numa (numa.sh), because the scanner of the kernel determines the number of
# faults; spurious and migration (race.sh), which need two threads; unknown (exhaustion.sh).
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"
zram_swap_on 128M
few_huge 8 3 >/proc/sys/vm/nr_hugepages
huges=$(few_huge 8 3) hugetlbs=$(few_huge 6 2)

# expect_kind KIND N COMMAND...: all N faults are of this kind. KIND may also be a list of kinds
# with their numbers, like huge=7,anon=1.
expect_kind() {
	local kind=$1 n=$2 status=0
	shift 2
	fltq around -o "$tmp/sections" -- "$@" >"$tmp/out" 2>&1 || status=$?
	if [ $status != 0 ]; then
		bad "$*: got exit status $status, expected 0: $(tail -1 "$tmp/out")"
		return
	fi
	checks=$((checks + 1))
	[[ $kind == *=* ]] || kind+="=$n"
	awk -v what="$*" -v kinds="$kind" -v n="$n" '
		function wrong(text) { printf "BAD: %s: %s\n", what, text; failed = 1 }
		# Sum the counts of getrusage() for the same sections.
		$1 == "section" {
			split($3, a, "="); split($4, b, "=")
			minor += a[2]; major += b[2]
		}
		$1 == "sections" {
			for (i = 2; i <= NF; i++) {
				split($i, a, "=")
				v[a[1]] = a[2]
			}
			for (i = split(kinds, list, ","); i; i--) {
				split(list[i], a, "=")
				want["kind." a[1]] = a[2]
			}
			for (k in v)
				if (index(k, "kind.") == 1 && v[k] != want[k] + 0)
					wrong(k ": got " v[k] ", expected " want[k] + 0)
			for (k in want)
				if (!(k in v))
					wrong("missing count of " k)
			if (v["minor"] != minor || v["major"] != major || minor + major != n)
				wrong("flt counted " v["minor"] " minor + " v["major"] \
					" major faults, getrusage() " minor " + " major \
					", expected " n " in total")
			seen++
		}
		END { if (seen != 1) wrong("missing line of the sections"); exit failed }' \
		"$tmp/out" "$tmp/sections" || failures=$((failures + 1))
	say "$*: $n of $kind"
}

# A fault fills all entries of a folio, which are contiguous on arm64. Each write to one of its
# pages in a child copies this page.
expect_folios() {
	local before n
	before=$(folios_filled) n=$(few_huge 40 10)
	expect_kind anon "$n" kinds folio "$n"
	expect_kind cow 200 kinds cowfolio 200
	folios_off
	at_least "folios of kinds folio and cowfolio" $(($(folios_filled) - before)) \
		$((n + 200 * page / folio))
}

expect_all() {
	expect_kind anon 300 kinds anon 300
	expect_kind anon 300 kinds zero 300
	expect_kind anon 300 kinds populate 300
	! has_thp || expect_kind "$huge" "$huges" kinds huge "$huges"
	# ext4 has large folios since 6.16.
	! has_thp || kernel_before 6.16 || [ "$huge_page" -gt $((2 << 20)) ] ||
		expect_kind "$hugefile" "$huges" kinds hugefile "$huges" "$tmp/disk/file"
	expect_kind file 50 kinds file 50 "$tmp/file"
	expect_kind file 100 kinds major 100 "$tmp/disk/file"
	expect_kind shared 200 kinds shared 200 "$tmp/file"
	expect_kind cow 200 kinds cow 200 "$tmp/file"
	expect_kind cow 200 kinds cowfile 200 "$tmp/file"
	expect_kind cow 200 kinds cowfork 200
	! folios_on || expect_folios
	expect_kind wp 200 kinds wp 200 "$tmp/disk/file"
	# Run on one CPU. A page in the LRU batch of another CPU has an extra reference, so the kernel
	# would copy the page instead of reusing it.
	expect_kind wp 200 taskset -c 0 kinds reuse 200
	! has_uffd_wp || expect_kind wp 100 kinds uffdwp 100
	expect_kind swap 200 kinds swap 200
	expect_kind uffd 100 kinds uffd 100
	expect_kind hugetlb "$hugetlbs" kinds hugetlb "$hugetlbs"
	expect_kind device 10 kinds device 10
	expect_kind anon 100 gup readv 100
	same "process_vm_readv: remote faults" "$(field remote <"$tmp/sections")" 100
	expect_kind anon 100 gup poke 100
	same "ptrace poke: remote faults" "$(field remote <"$tmp/sections")" 100
	expect_kind anon 300 kinds anon 300
	same "memory of the process itself: remote faults" "$(field remote <"$tmp/sections")" 0
	expect_kind file 0 fail sigbus 50
	same "SIGBUS: $failed faults" "$(field "$failed" <"$tmp/sections")" "$failures_seen"
}

failed=failed failures_seen=50 huge=huge hugefile=huge
load accounting=latency
expect_all
unload
say "without probes on return"
load accounting=counts
# The thread has not faulted again. So the page table was not looked at after the last fault,
# and a fault that has failed looks like a fault in progress.
failed=unfinished failures_seen=49 huge="huge=$((huges - 1)),anon=1"
hugefile="huge=$((huges - 1)),file=1"
expect_all
unload

umount "$tmp/disk"
zram_swap_off
echo 0 >/proc/sys/vm/nr_hugepages
finish
