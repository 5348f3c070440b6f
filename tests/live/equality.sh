#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300 quick=1
# shellcheck disable=SC2119
# Promise: the minor and major faults of each process equal the counts of the kernel exactly.
# Failed and retried faults have counters of their own.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

scale=$(sized 1 3 8)

mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"
zram_swap_on 128M
few_huge 8 3 >/proc/sys/vm/nr_hugepages
cgroup=/sys/fs/cgroup/flt-equality
mkdir "$cgroup"
echo 16M >"$cgroup/memory.max"
echo 0 >"$cgroup/memory.swap.max"

session_field() { awk '$1 == "session"' "$tmp/rows" | field "$1"; }

compare_all() {
	equal "anonymous memory" kinds anon $((500 * scale))
	equal "zero page" kinds zero 300
	equal "huge pages" kinds huge "$(few_huge 8 3)"
	equal "populate" kinds populate 300
	equal "mapped file" kinds file 100 "$tmp/file"
	equal "shared file" kinds shared 200 "$tmp/file"
	equal "private copy of a file" kinds cowfile 200 "$tmp/file"
	equal "copy on write after fork" kinds cowfork 300
	equal "write protection" kinds wp 200 "$tmp/disk/wp"
	equal "64 threads" tree threads 64 $((8 * scale))
	equal "leader thread ends first" tree leaderfirst 8 8
	# ptrace sees a thread before such a fault.
	equal "faults of threads that end" -w tree robust 50
	equal "fork tree of 200 processes" tree fork 200 4
	equal "orphans" tree orphan 8 8
	equal "exec" tree exec 20
	equal "exec by another thread" tree execthread 8
	equal "vfork" tree vfork 20
	equal "posix_spawn" tree spawn 20
	equal "MADV_DONTNEED loop" tree loop 100 $((20 * scale))
	equal "process_vm_readv" gup readv 100
	equal "process_vm_writev" gup writev 100
	equal "/proc/PID/mem" gup procmem 100
	# gup uses ptrace itself, so faultrun cannot trace it.
	equal "ptrace poke" -w gup poke 100
	equal "userfaultfd" kinds uffd 200
	at_least "userfaultfd: faults with a retry" "$(session_field stitched)" 202
	! has_uffd_wp || equal "userfaultfd write protection" kinds uffdwp 100
	equal "major faults of a file" kinds major 200 "$tmp/disk/major"
	at_least "major faults of a file: major" "$(session_field major)" 200
	equal "swap-in" kinds swap 500
	at_least "swap-in: major" "$(session_field major)" 500
	equal "hugetlb" kinds hugetlb "$(few_huge 6 2)"
	equal "SIGBUS past the end of a file" fail sigbus 50
	same "SIGBUS past the end of a file: failed" "$(session_field $failed)" 54
	equal "process killed during a fault" fail kill 10
	same "process killed during a fault: unfinished" "$(session_field $dropped)" 10
	WANT_STATUS=137 equal "memory cgroup OOM" \
		sh -c "echo \$\$ >$cgroup/cgroup.procs; exec fail oom 64"
	# Compare the sum of the tree, not only the processes that faultrun sees by ptrace.
	equal "fork tree without ptrace" -w tree fork 200 4
}

failed=failed dropped=dropped
load accounting=latency
compare_all
unload
say "without probes on return"
load accounting=counts
COUNTS=1
# Entries do not tell a fault that failed from one that was given up.
failed=unfinished dropped=unfinished
compare_all
unset COUNTS
unload

load accounting=latency
fltq machine >"$tmp/before"
tree fork 50 8
kinds uffd 50 >/dev/null
fail sigbus 20 >/dev/null
fltq machine >"$tmp/after"
same_as_vmstat "machine" all.failed
for what in minor major failed retried; do
	same "machine: $what, compared with rows + retired + other" \
		"$(field all.$what <"$tmp/after")" \
		$(($(field rows.$what <"$tmp/after") + $(field retired.$what <"$tmp/after") + \
		$(field other.$what <"$tmp/after")))
done
unload

# Start accounting with the session. It counts processes forked in the session completely.
load accounting=0
LATE=1 equal "accounting on demand: fork tree" tree fork 50 4
LATE=1 equal "accounting on demand: threads" tree threads 16 8
LATE=1 equal "accounting on demand: exec by another thread" tree execthread 8
unload

umount "$tmp/disk"
zram_swap_off
rmdir "$cgroup"
echo 0 >/proc/sys/vm/nr_hugepages
finish
