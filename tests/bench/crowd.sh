#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# crowd.sh - measure what many threads and rows cost, in a guest with -icount.
#
#   tests/vm/run -i -m 4096 -t 1200 -k 6.12 bash tests/bench/crowd.sh [THREADS [ROWS]]
#
# Prints the instructions per fault beside 10 and beside THREADS (20,000) threads that have
# faulted, without flt and with both modes of accounting; and the longest time without preemption
# while readers ask about those threads, and about ROWS (20,000) rows of processes that ended; and
# while the kernel arms a probe of its own, because a session that arms the return probe takes
# that time, too.
set -euo pipefail
: "${FLT_KO:?}" "${FLT_WORKLOAD:?}" "${FLTCTL:?}"
PATH=$FLT_WORKLOAD:$PATH:/usr/sbin:/sbin
threads=${1:-20000} rows=${2:-20000}
tmp=$(mktemp -d /tmp/crowd.XXXXXX)
echo 100000 >/proc/sys/kernel/threads-max
echo 100000 >/proc/sys/kernel/pid_max
echo 300000 >/proc/sys/vm/max_map_count
mkfifo "$tmp/open"

# beside THREADS COMMAND...: run COMMAND while a program of so many threads waits.
beside() {
	local n=$1
	shift
	crowd "$n" 1 <"$tmp/open" >"$tmp/crowd" &
	pid=$!
	exec 7>"$tmp/open"
	until [ -s "$tmp/crowd" ]; do sleep 1; done
	sleep 2
	"$@"
	exec 7>&-
	wait "$pid"
}

cost() { # NAME
	echo "$1: $(faultcost 4096 5 20)"
}

readers() {
	echo "tasks of $threads threads: $(gap fltq tasks "$pid")"
	echo "rows, one of them with $threads threads: $(gap fltq procs)"
	echo "session of a process with $threads threads: $(gap fltq hold "$pid" </dev/null)"
}

arm() {
	echo 'p:arm handle_mm_fault' >/sys/kernel/tracing/kprobe_events
	gap bash -c 'echo 1 >/sys/kernel/tracing/events/kprobes/arm/enable'
	echo 0 >/sys/kernel/tracing/events/kprobes/arm/enable
	echo >/sys/kernel/tracing/kprobe_events
}

sleep 30
echo "nothing: $(gap sleep 2)"
echo "the kernel arms a kprobe: $(arm)"
for n in 10 "$threads"; do
	beside "$n" cost "bare, $n threads"
done
for mode in counts latency; do
	insmod "$FLT_KO" accounting=$mode
	for n in 10 "$threads"; do
		beside "$n" cost "accounting=$mode, $n threads"
	done
	[ $mode = latency ] || echo "session that arms the return probe: $(gap fltq hold $$ </dev/null)"
	[ $mode = counts ] || beside "$threads" readers
	rmmod flt
done
insmod "$FLT_KO" "max_procs=$rows" accounting=latency
tree short "$rows" 8
echo "rows: $(fltq info | tr ' ' '\n' | grep '^procs=')"
echo "session, $rows rows: $(gap fltq hold $$ </dev/null)"
echo "rows, $rows rows: $(gap fltq procs)"
echo "stats, $rows rows: $(gap bash -c "$FLTCTL stats -a | sed -n 1,3p")"
rmmod flt
