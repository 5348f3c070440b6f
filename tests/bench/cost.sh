#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cost.sh - measure the instructions added per anonymous minor fault, in a guest with -icount.
#
#   tests/vm/run -i -t 1200 -k 6.12 bash tests/bench/cost.sh [file | shared]
#
# With "file" the fault is a read of a cached page of a file, with "shared" a write to it.
# ONLY: an extended regular expression for the names of rows; the others are left out.
# All rows come from one boot. Each row is measured between two bare runs and compared with
# their mean, because the bare cost can change within a boot. A row notes unequal bare runs.
# Prints a markdown table. tests/bench/README.md explains its rows.
set -euo pipefail
: "${FLT_KO:?}" "${FLTCTL:?}" "${FLT_WORKLOAD:?}" "${KERNEL:?}"
PATH=$FLT_WORKLOAD:$PATH:/usr/sbin:/sbin
pages=${PAGES:-8192} reps=${REPS:-5}
price=${FLT_KO%/*/*}/price-$KERNEL/price.ko	# from tests/bench/price/build
tmp=$(mktemp -d /tmp/cost.XXXXXX)

file=() write=()
[ -z "${1:-}" ] || file=("$tmp/file")
[ "${1:-}" != shared ] || write=(write)

row() { # NAME
	echo "$1|$(faultcost "$pages" "$reps" 20 "${file[@]}" "${write[@]}")" | tee -a "$tmp/rows" >&2
}

wanted() { [[ $1 =~ ${ONLY:-} ]]; } # NAME

with_module() { # NAME PARAM=VALUE...
	local name=$1
	shift
	wanted "$name" || return 0
	insmod "$FLT_KO" "$@"
	row "$name"
	fltq hooks | sed 's/^/  /' >&2
	rmmod flt
	row bare
}

# NAME READY-PATTERN COMMAND...: measure a row while COMMAND runs. COMMAND is ready when its
# output matches the pattern, or after five seconds without a pattern.
with_tool() {
	local name=$1 ready=$2 pid i
	shift 2
	wanted "$name" || return 0
	"$@" >"$tmp/tool" 2>&1 &
	pid=$!
	for ((i = 0; i < 120; i++)); do
		sleep 1
		if [ -n "$ready" ]; then
			! grep -q "$ready" "$tmp/tool" || break
		elif [ $i -ge 5 ]; then
			break
		fi
	done
	if ! kill -0 "$pid" 2>/dev/null; then
		echo "$name: $(tail -1 "$tmp/tool")" >&2
		return
	fi
	row "$name"
	kill -INT "$pid"
	for ((i = 0; i < 60; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		sleep 1
	done
	kill "$pid" 2>/dev/null || true
	wait "$pid" || true
	# The module removes the probes of a session that has ended in the background.
	for ((i = 0; i < 120; i++)); do
		fltq hooks 2>/dev/null | grep -q state=2 || break
		sleep 1
	done
	row bare
}

# Wait for tasks left from boot, because they would be counted. Idle time is not counted.
sleep 30
faultcost calibrate >&2
if [ ${#file[@]} -gt 0 ]; then
	echo 4096 >/sys/kernel/debug/fault_around_bytes
	dd if=/dev/zero of="${file[0]}" bs=4k count="$pages" 2>/dev/null
	cat "${file[0]}" >/dev/null
fi
row bare
parts=("kprobe on entry" "kretprobe" "kretprobe, clock" "kretprobe, clock, kind"
	"kretprobe, clock, kind, tally")
if [ -e "$price" ] && [ ${#file[@]} = 0 ]; then
	for part in "${!parts[@]}"; do
		wanted "part: ${parts[part]}" || continue
		insmod "$price" "part=$part"
		row "part: ${parts[part]}"
		rmmod price
		row bare
	done
fi
with_module "flt loaded, accounting=0" accounting=0
with_module "flt, accounting=counts" accounting=counts
with_module "flt, accounting=latency" accounting=latency
insmod "$FLT_KO" accounting=0
mkfifo "$tmp/open"
exec 7<>"$tmp/open"
# shellcheck disable=SC2016 # the inner shell expands them
with_tool "flt, accounting=0, a following session" session \
	bash -c 'exec fltq hold -f "$1" <"$2"' bash $$ "$tmp/open"
# shellcheck disable=SC2016
with_tool "flt, accounting=0, a session with thp and numa" session \
	bash -c 'exec fltq hold -t -n <"$1"' bash "$tmp/open"
with_tool "flt, lat of the machine" "" "$FLTCTL" lat 1000
with_tool "flt, lat --why of the machine" "" "$FLTCTL" lat --why 1000
# A fault in a cgroup costs the kernel more, so these rows have a bare row of their own.
mkdir /sys/fs/cgroup/bench
echo $$ >/sys/fs/cgroup/bench/cgroup.procs
row bare
with_tool "flt, lat of a cgroup" "" "$FLTCTL" lat --cgroup /sys/fs/cgroup/bench 1000
with_tool "flt, lat --why of a cgroup" "" "$FLTCTL" lat --why --cgroup /sys/fs/cgroup/bench 1000
echo $$ >/sys/fs/cgroup/cgroup.procs
row bare
with_tool "flt, a stream that wants no fault that happens" "" "$FLTCTL" trace -l 1000s
with_tool "flt, a stream that wants none by result" "" "$FLTCTL" trace -F maj
with_tool "flt, a stream that wants none by address" "" "$FLTCTL" trace -A 1000-2000
with_tool "flt, a stream of every fault" "" "$FLTCTL" trace --csv
with_tool "flt, a stream of every fault, stacks of 16 frames" "" \
	"$FLTCTL" trace --csv --stacks --max-stack 16
with_tool "flt, a stream of every fault, stacks of 20 frames and more" "" \
	"$FLTCTL" trace --csv --stacks
with_tool "flt, a stream with stacks that wants no fault that happens" "" \
	"$FLTCTL" trace --stacks -l 1000s
# Processes and their children, which is what rss and record can observe. Without a moment at the
# exit, rss does not trace the shell.
with_tool "flt, trace --stacks of a process and its children" "" \
	"$FLTCTL" trace --csv --stacks --follow -p $$
with_tool "flt, record of a process and its children" "" "$FLTCTL" record -o "$tmp/data" -p $$
with_tool "flt, rss of a process and its children" "" "$FLTCTL" rss --at=1000s -p $$
rmmod flt
if command -v perf >/dev/null; then
	with_tool "perf stat -e page-faults,minor-faults,major-faults -a" "" \
		perf stat -e page-faults,minor-faults,major-faults -a
fi
if command -v bpftrace >/dev/null; then
	with_tool "bpftrace, fentry, count" ready \
		bpftrace -e 'BEGIN { printf("ready\n"); }
			kfunc:vmlinux:handle_mm_fault { @ = count(); }'
	with_tool "bpftrace, fentry + fexit, latency histogram" ready \
		bpftrace -e 'BEGIN { printf("ready\n"); }
			kfunc:vmlinux:handle_mm_fault { @start[tid] = nsecs; }
			kretfunc:vmlinux:handle_mm_fault /@start[tid]/ {
				@ns = hist(nsecs - @start[tid]); delete(@start[tid]); }'
	with_tool "bpftrace, kprobe + kretprobe, latency histogram" ready \
		bpftrace -e 'BEGIN { printf("ready\n"); }
			kprobe:handle_mm_fault { @start[tid] = nsecs; }
			kretprobe:handle_mm_fault /@start[tid]/ {
				@ns = hist(nsecs - @start[tid]); delete(@start[tid]); }'
fi
echo "| kernel $(uname -r) | instructions per fault | added | of bare | added, others on the CPU included |"
echo "|---|--:|--:|--:|--:|"
awk -F'[| ]' '
function value(key,   i, a) {
	for (i = 1; i <= NF; i++) {
		split($i, a, "=")
		if (a[1] == key)
			return a[2] + 0
	}
}
$1 == "bare" {
	cpu = value("cpu"); wall = value("wall")
	if (name == "" && !printed++)
		printf "| bare | %.0f | | | |\n", cpu
	if (name != "") {
		b = (cpu + bare_cpu) / 2
		printf "| %s | %.0f | %+.0f | %+.1f %% | %+.0f |%s\n", name, row_cpu, row_cpu - b,
			100 * (row_cpu - b) / b, row_wall - (wall + bare_wall) / 2,
			(cpu - bare_cpu > 5 || bare_cpu - cpu > 5) ? " bare before " bare_cpu ", after " cpu : ""
	}
	name = ""; bare_cpu = cpu; bare_wall = wall
	next
}
{ name = $0; sub(/\|.*/, "", name); row_cpu = value("cpu"); row_wall = value("wall") }
' "$tmp/rows"
rm -rf "$tmp"
