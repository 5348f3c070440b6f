#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: icount=1 cpus=1 disk=256 mem=1536 zram=1 timeout=600 long=1
# shellcheck disable=SC2016,SC2119
# Promise: trace --why names the planted cause of each fault. A nanosecond of this guest is an
# instruction, so no program of this machine delays a fault. why.sh tests the causes that last so
# long that they are named on every machine: slow disks, slow swap and userfaultfd.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash
# shellcheck source=tests/live/why.bash
. tests/live/why.bash

n=$(sized 10 100 100)
# Faults in which the kernel's trace shows for more than half of the time a span, or that the thread
# did not get the CPU, which can also happen in the span.
mostly_span='(.kernel_ns - .kernel_queue_ns) * 2 > .latency_ns'
mostly_queue='.kernel_queue_ns * 2 > .latency_ns'

# Check that at least N faults fulfil a condition, and that all of them have the cause.
all_named() { # WHAT N CONDITION CAUSE
	local planted
	planted=$(traced "$3")
	say "$1: $planted planted faults"
	at_least "$1: planted faults" "$planted" "$2"
	named "$1" "$3" "$4"
	jq -c "select(.record == \"fault\" and ($3) and (.cause | split(\" \")[0]) != \"$4\")" \
		"$tmp/json" | sed -n 1,3p
}

zram_swap_on 256M -p 1
mkdir /sys/fs/cgroup/slow
enable_kernel_trace
load

compaction=(compaction/mm_compaction_begin compaction/mm_compaction_end)
fragment_memory 64
left=$(awk '{ n += $14 + 2 * $15 } END { print n }' /proc/buddyinfo)
kernel_trace "${compaction[@]}" sched/sched_switch
trace_why "compaction" huge map=$((left + 3 * n)) allow write
kernel_spans "${compaction[@]}" sched/sched_switch
all_named "compaction" "$n" "$mostly_span" compaction
release_memory

# A few of these faults wait for the CPU, because fltctl runs.
kernel_trace sched/sched_switch
trace_why "clearing" huge map=$((n + n / 2)) allow write
kernel_spans sched/sched_switch
all_named "clearing" "$n" '.kind == "huge" and .kernel_queue_ns == 0' copy

echo $((3 * n + 4)) >/proc/sys/vm/nr_hugepages
kernel_trace sched/sched_switch
trace_why "copying" kinds cowhuge $((n + n / 2))
kernel_spans sched/sched_switch
parent=$(rows_jq 'map(select(.record == "fault"))[0].pid')
all_named "copying" "$n" \
	".pid != $parent and .kind == \"hugetlb\" and .kernel_queue_ns == 0" copy
echo 0 >/proc/sys/vm/nr_hugepages

# The copy of a small page: the time includes that the kernel gets and charges the new page. An
# interrupt in such a short fault may last longer, so not every fault is named.
kernel_trace sched/sched_switch
trace_why "copying small pages" kinds cowfork $((2 * n))
kernel_spans sched/sched_switch
parent=$(rows_jq 'map(select(.record == "fault"))[0].pid')
at_least "copying small pages: faults that are named copy" "$(traced ".pid != $parent and
	.kind == \"cow\" and .kernel_queue_ns == 0 and (.cause | split(\" \")[0]) == \"copy\"")" "$n"

reclaim=(vmscan/mm_vmscan_memcg_reclaim_begin vmscan/mm_vmscan_memcg_reclaim_end)
echo 12M >/sys/fs/cgroup/slow/memory.max
kernel_trace "${reclaim[@]}" sched/sched_switch
trace_why "reclaim" "${slowly[@]}" lru 4 $((8 + n / 2)) 0
kernel_spans "${reclaim[@]}" sched/sched_switch
all_named "reclaim" "$n" "$mostly_span" reclaim

# A program of higher priority takes the CPU for 20 ms in turns. Clearing a page takes less.
hog 0 20 1
kernel_trace sched/sched_switch
trace_why "a busy CPU" bash -c 'for ((i = 0; i < $1; i += 10)); do
	huge map=200 allow write
done' - "$n"
kernel_spans sched/sched_switch
kill $hog
wait $hog 2>/dev/null || true
all_named "a busy CPU" "$n" "$mostly_queue" queue

zram_swap_off
rmdir "$tracing"
finish
