#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# crowd.sh - measure what many threads and rows cost, in a guest with -icount.
#
#   tests/vm/run -i -m 4096 -t 1200 -k 6.12 bash tests/bench/crowd.sh [THREADS [ROWS]]
#
# Prints the instructions per fault beside 10 and beside THREADS (20,000) threads that have
# faulted, without flt and with accounting; and the longest time without preemption while
# readers ask about those threads, and about ROWS (20,000) rows of processes that ended.
set -euo pipefail
: "${FLT_KO:?}" "${FLT_WORKLOAD:?}"
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

sleep 30
for n in 10 "$threads"; do
	beside "$n" cost "bare, $n threads"
done
insmod "$FLT_KO"
for n in 10 "$threads"; do
	beside "$n" cost "accounting, $n threads"
done
beside "$threads" readers
rmmod flt
echo "nothing: $(gap sleep 2)"
insmod "$FLT_KO" "max_procs=$rows"
tree short "$rows" 8
echo "rows: $(fltq info | tr ' ' '\n' | grep '^procs=')"
echo "session, $rows rows: $(gap fltq hold $$ </dev/null)"
echo "rows, $rows rows: $(gap fltq procs)"
rmmod flt
