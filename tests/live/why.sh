#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 mem=2048 zram=1 timeout=1000 turns=6.1,6.12,7.3,none,none,none
# shellcheck disable=SC2016,SC2119
# Promise: lat --why names what each slow fault waited for, and trace --why what every fault did. The
# parts of a fault and of a histogram add up to its latency. delayacct.sh tests when delay accounting is
# on.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash
# shellcheck source=tests/live/why.bash
. tests/live/why.bash

knob=/proc/sys/kernel/task_delayacct

# Run lat --why. Check that the parts add up exactly: of each slow fault, and of all faults
# together, to their mean latency. In each bucket the sum of the latencies is unknown, but they are
# between the edges of the bucket.
why() { # WHAT COMMAND...
	local what=$1 status=0 got
	shift
	"$FLTCTL" lat --why --json -n 1000 -- "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	same "$what: exit status: $(tail -n 1 "$tmp/err")" $status 0
	grep '^{' "$tmp/out" >"$tmp/json" || bad "$what: no rows"
	mapfile -t got < <(rows_jq '
		(map(select(.record == "slowest"))) as $slowest |
		(map(select(.record == "bucket" and .group == "all"))) as $buckets |
		(map(select(.record == "cause_bucket" and .name != "lock"))) as $cause_buckets |
		($slowest | length > 0 and all(.latency_ns == .other_ns + .io_ns + .swap_ns +
			.reclaim_ns + .thrashing_ns + .copy_ns + .queue_ns + .userfaultfd_ns +
			.unmeasured_ns + (.compaction_ns // 0))),
		(($cause_buckets | group_by(.from_ns) |
			map({ key: (.[0].from_ns | tostring), value: (map(.spent_ns) | add) }) |
			from_entries) as $spent |
		$buckets | map(select(.from_ns > 0)) | length > 0 and
			all($spent[.from_ns | tostring] as $s |
			$s >= .faults * .from_ns and $s < .faults * .to_ns)),
		($cause_buckets | map(.from_ns) | unique | if length > 0 then
			. - ($buckets | map(.from_ns)) | length else "no_input" end),
		(($buckets | map(.faults) | add) as $faults |
		map(select(.record == "cause" and .name != "lock").spent_ns) | add / $faults | floor),
		(map(select(.record == "latency" and .group == "all"))[0].mean_ns),
		($slowest | map(. as $row | select(.cause == null or
			$row[(.cause | split(" ")[0]) + "_ns"] < ([to_entries[] |
			select(.key | test("^(other|io|swap|reclaim|compaction|thrashing|copy|queue|" +
				"userfaultfd|unmeasured)_ns")).value] | max))) | length),
		.[-1].complete')
	same "$what: slow faults with parts that add up to their latency" "${got[0]:-}" true
	same "$what: buckets with parts that add up to their latencies" "${got[1]:-}" true
	same "$what: buckets with parts and without faults" "${got[2]:-}" 0
	same "$what: mean latency, by the parts" "${got[3]:-no_input}" "${got[4]:-}"
	same "$what: slow faults whose largest part is not their cause" "${got[5]:-}" 0
	same "$what: complete" "${got[6]:-}" true
}

# Return the number of slow faults that fulfil a condition.
slow() { rows_jq "map(select(.record == \"slowest\" and ($1))) | length"; } # CONDITION

# Check that at least N slow faults spent MS milliseconds or more on a cause. A fault may have spent
# even more time on another one, such as waiting for a CPU of this machine.
some() { # WHAT N CONDITION CAUSE MS
	at_least "$1: slow faults with $5 ms of $4" \
		"$(slow "($3) and .$4_ns > 0 and .$4_ns >= $5 * 1000000")" "$2"
}

# The same, and that no slow fault that fulfils the condition spent less.
planted() { # WHAT N CONDITION CAUSE MS
	some "$@"
	same "$1: slow faults with less than $5 ms of $4" \
		"$(slow "($3) and (.$4_ns == 0 or .$4_ns < $5 * 1000000)")" 0
}

spent() { rows_jq "map(select(.record == \"cause\" and .name == \"$1\"))[0].spent_ns"; } # CAUSE

n=$(sized 5 100 100)
mkfs.ext4 -q /dev/vda
mkdir "$tmp/disk"
mount /dev/vda "$tmp/disk"
file=$tmp/disk/data
head -c 4M /dev/urandom >"$file"
zram_swap_on 256M -p 1
dd if=/dev/zero of="$tmp/disk/swap" bs=1M count=64 status=none
chmod 600 "$tmp/disk/swap"
mkswap "$tmp/disk/swap" >/dev/null
sync
mkdir /sys/fs/cgroup/slow
load
before=none
[ ! -e $knob ] || { echo 0 >$knob && before=0; }

enable_kernel_trace

# Before 5.17 compaction was no delay. First, while memory is as it was after the boot.
if has_thp && ! kernel_before 5.17; then
	say "compaction"
	fragment_memory 64
	# So many huge pages are free. Further ones need compaction. Not every further fault compacts:
	# the kernel defers compaction after a failure, and kcompactd makes huge pages meanwhile: 2 of
	# 15 have been seen. How many do is the kernel's choice, so all sizes are alike.
	left=$(awk '{ n += $14 + 2 * $15 } END { print n }' /proc/buddyinfo)
	compaction=(compaction/mm_compaction_begin compaction/mm_compaction_end)
	[ ! "$tracing" ] || kernel_trace "${compaction[@]}"
	trace_why "compaction" huge map=$((left + 60)) allow write
	if [ "$tracing" ]; then
		kernel_spans "${compaction[@]}"
		each "compaction" 5 '.kernel_ns > 0' compaction 0
	else
		at_least "compaction, traced: faults" "$(traced '.compaction_ns > 0')" 5
	fi
	release_memory
fi

say "userfaultfd"
why "userfaultfd" late 20 50 0
planted "userfaultfd" 8 '.kind == "uffd"' userfaultfd 50
trace_why "userfaultfd" late "$n" 50 0
each "userfaultfd" "$n" '.kind == "uffd"' userfaultfd 50
named "userfaultfd" '.kind == "uffd"' userfaultfd

if has_thp; then
	say "huge pages"
	why "huge pages" huge map=40 allow write
	planted "huge pages" 1 '.kind == "huge"' copy 0
	trace_why "huge pages" huge map="$n" allow write
	each "huge pages" "$n" '.kind == "huge"' copy 0
fi

say "copies"
why "copies" kinds cowfork 300
# Before 6.0 copying was no delay.
kernel_before 6.0 || at_least "copies: time" "$(spent copy)" 1
trace_why "copies" kinds cowfork 300
# The child writes to 300 pages, and to a few others of its parent. The module subtracts waits for a
# CPU from the time of a copy, because the sums do not tell which were inside. Such a fault may have
# no time of a copy left.
parent=$(rows_jq 'map(select(.record == "fault"))[0].pid')
copied=".pid != $parent and .kind == \"cow\""
if ! kernel_before 6.0; then
	at_least "copies, traced: faults" "$(traced "$copied")" 300
	each "copies" 150 "$copied and .queue_ns == 0" copy 0
fi

say "reclaim"
echo 12M >/sys/fs/cgroup/slow/memory.max
why "reclaim" "${slowly[@]}" lru 4 24 1
some "reclaim" 1 '.kind == "anon"' reclaim 1
# Before 5.17 only waits for the device of swap were counted, and memory needs none.
kernel_before 5.17 || at_least "swap in memory: time" "$(spent swap)" 1
if [ "$tracing" ]; then
	reclaim=(vmscan/mm_vmscan_memcg_reclaim_begin vmscan/mm_vmscan_memcg_reclaim_end)
	kernel_trace "${reclaim[@]}"
	# The kernel charges a cgroup for 64 pages at once.
	trace_why "reclaim" "${slowly[@]}" lru 4 $((8 + n / 2)) 0
	kernel_spans "${reclaim[@]}"
	# A fault that reads a page itself may wait for the device inside reclaim: that is io.
	each "reclaim" "$n" '.kernel_ns > 0 and .result != "major"' reclaim 0
fi

say "a disk that takes 200 ms to read"
# Only reads are slow. The time is long, because a fault waits only for what is left when it begins
# to wait, and the host may have stopped the virtual CPU before.
slow_table="0 $(cat /sys/block/vda/size) delay /dev/vda 0 200 /dev/vda 0 0"
if modprobe -q dm_mod && modprobe -q dm_delay; then
	umount "$tmp/disk"
	echo "$slow_table" | DM_DISABLE_UDEV=1 dmsetup create slow
	mount /dev/mapper/slow "$tmp/disk"
	why "slow reads" kinds major "$n" "$file"
	some "slow reads" 5 '.kind == "file" and .result == "major"' io 50
	trace_why "slow reads" kinds major "$n" "$file"
	each "slow reads" "$n" ".result == \"major\" and .path == \"$file\"" io 50
	named "slow reads" ".result == \"major\" and .path == \"$file\"" io
	# Only on the disk: the kernel uses slots of several areas, whatever their priorities.
	swapoff /dev/zram0
	cluster=$(cat /proc/sys/vm/page-cluster)
	echo 0 >/proc/sys/vm/page-cluster
	swapon -p 10 "$tmp/disk/swap"
	# Random pages of 14 MiB, in a cgroup of 12 MiB.
	slow_swap='.result == "major" and .kind == "swap"'
	why "slow swap" "${slowly[@]}" lru 0 14 1
	planted "slow swap" 5 "$slow_swap" swap 50
	trace_why "slow swap" "${slowly[@]}" lru 0 14 $((1 + n / 40))
	each "slow swap" "$n" "$slow_swap" swap 50
	named "slow swap" "$slow_swap" swap
	swapoff "$tmp/disk/swap"
	echo "$cluster" >/proc/sys/vm/page-cluster
	swapon -p 1 /dev/zram0
	umount "$tmp/disk"
	DM_DISABLE_UDEV=1 dmsetup remove slow
	mount /dev/vda "$tmp/disk"
else
	[ "$KERNEL" = debug ] || bad "missing module dm_delay"
fi

# The process of higher priority interrupts faults that clear pages.
if has_thp; then
	say "a busy CPU"
	hog 1 20 20
	why "a busy CPU" taskset -c 1 huge map=200 allow write
	kill $hog
	wait $hog 2>/dev/null || true
	some "a busy CPU" 3 '.kind == "huge"' queue 10
fi
if has_thp && [ "$tracing" ]; then
	hog 1 60 4
	kernel_trace sched/sched_switch='prev_comm == "huge" || next_comm == "huge"'
	# The process interrupts one fault in 64 ms. The faster the faults, the fewer it interrupts.
	trace_why "a busy CPU" taskset -c 1 bash -c 'for ((i = 0; i < $1; i += 10)); do
		huge map=150 allow write
	done' - "$n"
	kernel_spans sched/sched_switch
	kill $hog
	wait $hog 2>/dev/null || true
	each "a busy CPU" "$n" '.kernel_queue_ns >= 50000000' queue 25
fi

# Each wait that the kernel traces belongs to the next fault. A hypervisor may stop the CPU between
# the probe of the trace and ours, so the lengths of single waits are not compared.
if [ "$tracing" ] && ! kernel_before 6.4; then
	say "mmap_lock"
	lock=(mmap_lock/mmap_lock_{start_locking,acquire_returned,released})
	kernel_trace "${lock[@]}"
	trace_why "mmap_lock" mmap_wait $((20 * n))
	kernel_spans "${lock[@]}"
	tid=$(tail -n 1 "$tmp/out")
	waited=$(traced ".tid == $tid and .kernel_lock_ns > 0")
	at_least "mmap_lock: faults before which the kernel saw a wait" "$waited" "$n"
	same "mmap_lock: of these, those with a wait" \
		"$(traced ".tid == $tid and .kernel_lock_ns > 0 and .lock_ns > 0")" "$waited"
	same "mmap_lock: further faults with a wait" \
		"$(traced ".tid == $tid and .kernel_lock_ns == 0 and .lock_ns > 1000")" 0
	same "mmap_lock: half of the long waits differ by less than a tenth" "$(rows_jq "
		map(select(.tid == $tid and .kernel_lock_ns > 1000000) |
			.lock_ns / .kernel_lock_ns - 1 | fabs) | sort |
		length > 0 and .[length / 2 | floor] < 0.1")" true
	why "mmap_lock" mmap_wait $((20 * n))
	at_least "mmap_lock: ns" "$(spent lock)" 1
fi

[ $before = none ] || same "delay accounting afterwards" "$(cat $knob)" $before

say "all processes"
"$FLTCTL" lat --why --json 300ms 2 >"$tmp/json" &
pid=$!
kinds anon 2000 >/dev/null
kinds anon 2000 >/dev/null
wait $pid
at_least "time of the second report" "$(rows_jq '
	map(select(.record == "cause" and .span == "interval").spent_ns) | add')" 1
same "causes of the first report" "$(rows_jq '
	map(select(.record == "cause" and .span == "begin")) | length')" 0

status=0
"$FLTCTL" lat --why 2>"$tmp/err" || status=$?
same "--why without an interval: exit status" $status 2
"$FLTCTL" trace --why -w -o "$tmp/text" -- kinds cowfork 300
same "trace --why as text: heading" "$(lines '^ *TIME.* WHY ' "$tmp/text")" 1
at_least "trace --why as text: faults with a cause" "$(lines ' [a-z]* [0-9]*% ' "$tmp/text")" 300
"$FLTCTL" trace -o "$tmp/text" -- true
same "trace without --why: heading with a cause" "$(lines ' WHY ' "$tmp/text")" 0
"$FLTCTL" lat --why -- kinds cowfork 300 >"$tmp/text"
at_least "text: lines of causes" "$(lines '% ' "$tmp/text")" 2
at_least "text: a bar" "$(lines '[.c][.c][.c][.c][.c]' "$tmp/text")" 1
"$FLTCTL" lat --why --plot "$tmp/why.svg" -H -o "$tmp/text" -- kinds cowfork 300 2>"$tmp/err"
same "--plot: messages" "$(lines "wrote $tmp/why.svg" "$tmp/err")" 1
at_least "--plot: shares" "$(grep -c 'class="share"' "$tmp/why.svg")" 2
at_least "--plot: shares of copying" "$(grep -c ': copying or clearing [0-9]' "$tmp/why.svg")" \
	"$(if kernel_before 6.0; then echo 0; else echo 1; fi)"
status=0
"$FLTCTL" lat --why --plot /dev/full -- true >"$tmp/out" 2>"$tmp/err" || status=$?
same "--plot to a full disk: exit status" $status 1
same "--plot to a full disk: messages" "$(lines 'cannot write /dev/full: No space' "$tmp/err")" 1
zram_swap_off
umount "$tmp/disk"
[ ! "$tracing" ] || rmdir "$tracing"
finish
