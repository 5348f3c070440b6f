#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# smp.sh - compare the cost of faults on two CPUs at once with one CPU, in a guest.
#
#   FLT_TCG_THREAD=multi tests/vm/run -t 900 -k 6.12 bash tests/bench/smp.sh
#
# One process causes faults, or one process per CPU. Each row is compared with bare runs before
# and after it. The table shows the median, minimum and maximum of ROUNDS ratios, to show their
# precision. The unit is CPU time of the guest, not instructions. QEMU's thread=single runs one
# CPU at a time, so it cannot show contention.
set -euo pipefail
: "${FLT_KO:?}" "${FLTCTL:?}" "${FLT_WORKLOAD:?}" "${KERNEL:?}"
PATH=$FLT_WORKLOAD:$PATH:/usr/sbin:/sbin
pages=${PAGES:-4096} reps=${REPS:-5} rounds=${ROUNDS:-7}
tmp=$(mktemp -d /tmp/smp.XXXXXX)
[ "$(nproc)" -ge 2 ] || { echo "smp.sh: one CPU only" >&2; exit 2; }

# Print the nanoseconds per fault, the mean of all processes.
cost() { # one | two
	case $1 in
	one) taskset -c 0 faultcost "$pages" "$reps" 20 ;;
	two)
		taskset -c 0 faultcost "$pages" "$reps" 20 &
		taskset -c 1 faultcost "$pages" "$reps" 20
		wait $!
		;;
	esac | awk '{ for (i = 1; i <= NF; i++) if (sub(/^cpu=/, "", $i)) { n++; sum += $i } }
		END { printf "%.1f\n", sum / n }'
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)], v[1], v[NR] }'; }

row() { # NAME BEGIN END
	local how i before with after middle least most
	for how in one two; do
		: >"$tmp/ratios"
		before=$(cost $how)
		for ((i = 0; i < rounds; i++)); do
			$2
			with=$(cost $how)
			$3
			after=$(cost $how)
			awk -v a="$before" -v b="$with" -v c="$after" 'BEGIN { printf "%.3f\n", 2 * b / (a + c) }' \
				>>"$tmp/ratios"
			before=$after
		done
		read -r middle least most < <(median <"$tmp/ratios")
		printf '| %s | %s | %s | %s to %s |\n' "$1" "$how" "$middle" "$least" "$most"
	done
}

nothing() { :; }
count() { insmod "$FLT_KO" accounting=latency; }
end_count() { rmmod flt; }
stream() {
	insmod "$FLT_KO" accounting=0
	"$FLTCTL" trace --csv >/dev/null 2>&1 & reader=$!
	for _ in $(seq 100); do
		! compgen -G "/sys/kernel/debug/flt/session-*" >/dev/null || return 0
		sleep 0.1
	done
	echo "no stream" >&2
	exit 1
}
end_stream() {
	kill -INT "$reader"
	wait "$reader" || true
	rmmod flt
}
perf_on() {
	perf stat -e page-faults,minor-faults,major-faults -a >/dev/null 2>&1 & reader=$!
	sleep 1
}
perf_off() {
	kill -INT "$reader"
	wait "$reader" || true
}

sleep 10
echo "bare: one $(cost one) ns a fault, two $(cost two) ns each"
echo "| | CPUs | of bare | from to |"
echo "|---|---|--:|---|"
row "nothing" nothing nothing
row "flt, accounting" count end_count
row "flt, a stream of every fault, read" stream end_stream
! command -v perf >/dev/null || row "perf stat, three counters" perf_on perf_off
rm -rf "$tmp"
