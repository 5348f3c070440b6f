#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300
# shellcheck disable=SC2016,SC2119
# Promise: N faults of a kind are counted as N of that kind, and as nothing else.
#
# The workload's section holds these faults only, and its process is looked at
# with the section's first and last fault settled: no background to allow for.
# Not here: numa (numa.sh), where the kernel's scanner decides how many there are;
# spurious and migration (race.sh), which take two threads; unknown (exhaustion.sh).
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"
echo 128M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null
swapon /dev/zram0
echo 8 >/proc/sys/vm/nr_hugepages

kind() { # KIND N COMMAND...
	local kind=$1 n=$2 status=0
	shift 2
	fltq around -o "$tmp/sections" -- "$@" >"$tmp/out" 2>&1 || status=$?
	if [ $status != 0 ]; then
		bad "$*: $(tail -1 "$tmp/out")"
		return
	fi
	checks=$((checks + 1))
	awk -v what="$*" -v kind="kind.$kind" -v n="$n" '
		function wrong(text) { printf "BAD: %s: %s\n", what, text; failed = 1 }
		# What getrusage() saw in the same sections.
		$1 == "section" { split($3, a, "="); split($4, b, "="); minor += a[2]; major += b[2] }
		$1 == "sections" {
			for (i = 2; i <= NF; i++) {
				split($i, a, "=")
				v[a[1]] = a[2]
			}
			for (k in v)
				if (index(k, "kind.") == 1 && v[k] != (k == kind ? n : 0))
					wrong(v[k] " of " k ", should be " (k == kind ? n : 0))
			if (!(kind in v))
				wrong("no number for " kind)
			if (v["minor"] != minor || v["major"] != major || minor + major != n)
				wrong(v["minor"] " + " v["major"] " of " n ", getrusage " minor " + " major)
			seen++
		}
		END { if (seen != 1) wrong("no sections"); exit failed }' \
		"$tmp/out" "$tmp/sections" || failures=$((failures + 1))
	say "$*: $n of $kind"
}

load
kind anon 300 kinds anon 300
kind anon 300 kinds zero 300
kind anon 300 kinds populate 300
kind huge 8 kinds huge 8
kind file 50 kinds file 50 "$tmp/file"
kind file 100 kinds major 100 "$tmp/disk/file"
kind shared 200 kinds shared 200 "$tmp/file"
kind cow 200 kinds cow 200 "$tmp/file"
kind cow 200 kinds cowfile 200 "$tmp/file"
kind cow 200 kinds cowfork 200
kind wp 200 kinds wp 200 "$tmp/disk/file"
# On one CPU: a page that still waits in another's list of pages to be put on the
# LRU has one user too many for the kernel, which then does copy it.
kind wp 200 taskset -c 0 kinds reuse 200
kind wp 100 kinds uffdwp 100
kind swap 200 kinds swap 200
kind uffd 100 kinds uffd 100
kind hugetlb 6 kinds hugetlb 6
kind device 10 kinds device 10
kind anon 100 gup readv 100
same "process_vm_readv: remote" "$(field remote <"$tmp/sections")" 100
kind anon 100 gup poke 100
same "ptrace poke: remote" "$(field remote <"$tmp/sections")" 100
kind anon 300 kinds anon 300
same "its own memory: remote" "$(field remote <"$tmp/sections")" 0
kind file 0 fail sigbus 50
same "SIGBUS: failed" "$(field failed <"$tmp/sections")" 50

umount "$tmp/disk"
swapoff /dev/zram0
echo 1 >/sys/block/zram0/reset
echo 0 >/proc/sys/vm/nr_hugepages
finish
