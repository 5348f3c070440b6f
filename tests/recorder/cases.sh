#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each case of cases.c must print the same with a quarter of its memory as natively, and the
# recording must contain each fault that was served.
#
# usage: cases.sh BUILD-DIR quick|all|"CASE..." [OPTION-OF-RECORD...]
set -euo pipefail

build=$(realpath "$1") depth=$2
shift 2
fltctl=$build/fltctl cases=$build/tests/recorder/cases
limit=${FLT_TEST_LIMIT:-60}
page=$(getconf PAGESIZE)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

case $depth in
quick)
	names="heap reserve reserve_mixed reserve_fork commit populate trim seccomp seccomp_threads seccomp_strict seccomp_exec seccomp_probe seccomp_raw seccomp_fork_threads seccomp_unmap seccomp_create seccomp_reserved seccomp_limit seccomp_exec_calls fork fork_raw fork_drop fork_stacks fork_descriptors fork_no_space fork_strange fork_raw_threads fork_hidden_threads fork_mixed spawn shared protect protect_between io direct_threads mremap mremap_over dropped sparse madvise cancel cancel_unwinds signals signals_reset blocked handlers brk file
	big_stack limits address_limit shm_at advise_self reuse unmapped clone_word altstack_small close close_raw dup_over setstack robust futex mutex userfaultfd advise_mixed noreplace onstack c11_thread stack_edge lock_raw no_signals words exec_many
	end_exit end_kill end_abort end_segv end_exec end_exec_thread end_main"
	;;
all) names=$("$cases") ;;
*) names=$depth ;;
esac

failed=0 ran=0
fail() {
	echo "not ok $1: $2"
	[ ! -e record.err ] || sed 's/^/    /' record.err | tail -4
	failed=$((failed + 1))
}

# Print the number of pages that an end_* case touches first. Each is touched by a store.
touched() {
	case $1 in
	end_exec | end_exec_thread) echo $(((64 << 20) / page)) ;;
	*) echo $(((32 << 20) / page)) ;;
	esac
}

bytes() {
	awk -v t="$1" 'BEGIN { u = substr(t, length(t) - 2); split("B KiB MiB GiB", n, " ")
		for (i = 2; i <= 4; i++) if (u == n[i]) f = 1024 ^ (i - 1)
		printf "%d", t * (f ? f : 1) }'
}

for c in $names; do
	ran=$((ran + 1))
	native=0 status=0
	if ! "$cases" | grep -qx "$c"; then
		fail "$c" "no such case"
		continue
	fi
	{ timeout "$limit" time -q -f %M -o native.kib "$cases" "$c" 'a b' '"c' \
		> native.out 2> native.err || native=$?; } 2> /dev/null
	rm -f trace.flt*
	timeout "$limit" "$fltctl" record -L 8 -M=200 "$@" -o trace.flt -- \
		"$cases" "$c" 'a b' '"c' > record.out 2> record.err || status=$?
	if [ $status = 124 ] && [ $native != 124 ]; then
		fail "$c" "did not end within $limit s"
		continue
	fi
	case $c in
	fork_raw | fork_drop | fork_no_space | spawn | seccomp_raw | seccomp_exec_calls) escape=1 ;;
	fork_descriptors) escape=4 ;;
	seccomp_fork_threads) escape=40 ;;
	fork_strange) escape=8 ;;	# four children, and a child of each
	fork_raw_threads | fork_hidden_threads | fork_mixed) escape=20 ;;
	seccomp_exec) escape=2 ;;	# the grandchild, and the program
	*) escape=0 ;;
	esac
	if [ $escape != 0 ]; then
		if [ $status != 3 ] || ! tail -1 record.err | grep -qE "not recorded: $escape process(es)?\$"; then
			fail "$c" "status $status, or not all processes that escaped are reported"
			continue
		fi
		status=0
	fi
	# The heap of a process is part of the memory at its peak, however short the process lived.
	heap=$(sed -n 's/^memory   peak \([^ ]*\) of heap.*/\1/p' record.err)
	memory=$(sed -n 's/^coverage [^ ]* of \([^ ]*\) at.*/\1/p' record.err)
	# Sizes have three digits.
	if [ "$memory" ] && [ $(($(bytes "$memory") * 100)) -lt $(($(bytes "$heap") * 99)) ]; then
		fail "$c" "a heap of $heap, but $memory of memory"
		continue
	fi
	# A process that is larger than the limit, with less than half of its memory under the limit,
	# makes the recording incomplete. The peak of the summary is no measure of one process: it
	# adds all processes, and at exec the old image and the new one.
	share=$(sed -n 's/^coverage \([0-9]*\).*/\1/p' record.err)
	if grep -q 'less than half of the memory' record.err; then
		reported=1
	else
		reported=0
	fi
	if [ "${share:-100}" -lt 50 ] && [ "$(tail -1 native.kib)" -gt $((8 << 10)) ] &&
		[ $native = 0 ] && [ $reported = 0 ]; then
		fail "$c" "the coverage of $share % is not reported"
		continue
	fi
	if [ $reported = 1 ] && [ $native = 0 ]; then
		if [ $status != 3 ]; then
			fail "$c" "status $status, but the coverage of $share % is reported"
			continue
		fi
		status=0
	fi
	if [ $status != $native ]; then
		fail "$c" "status $status, natively $native"
		continue
	elif [ "$c" = direct_threads ] && grep -qE '^copied   [1-9]' record.err; then
		# Pages that are evicted by copying may lose what a device writes, and the summary says so.
		echo "ok $c: pages were copied, so $(cat record.out)"
		continue
	elif ! cmp -s native.out record.out; then
		diff native.out record.out | head -5 || true
		fail "$c" "output differs"
		continue
	fi
	# compare the recording with the counters of the pagers
	"$fltctl" script --csv --no-stack trace.flt > script.csv
	seen=$(sed -n 's/.*: \([0-9]*\) faults (\([0-9]*\) first touches, \([0-9]*\) refaults.*/\2 \3/p' record.err)
	filed="$(grep -c '[,"]alloc[,"]' script.csv || true)"
	filed+=" $(grep -c '[,"]refault[,"]' script.csv || true)"
	if [ "$seen" != "$filed" ]; then
		fail "$c" "served $seen faults (first touches, refaults), recorded $filed"
		continue
	fi
	case $c in
	end_* | blocked | handlers)
		if [ "${filed% *}" -lt "$(touched "$c")" ]; then
			fail "$c" "recorded ${filed% *} first touches, expected at least $(touched "$c")"
			continue
		fi
		;;
	esac
	if [ "$c" = c11_thread ] && grep '^unplaced' record.err; then
		fail "$c" "faults of the thread have no call site"
		continue
	fi
	if [ "$c" = stack_edge ] && ! grep -q '^rescued  [1-9]' record.err; then
		fail "$c" "faults of the recorder itself are not reported"
		continue
	fi
	# At most L plus one batch of evictions, 256 pages, is resident. More was used, so pages were
	# evicted.
	read -r used resident evicted < <(sed -n 's/^memory *peak \([^ ]*\) of heap used, \([^ ]*\) resident of .*; \([0-9]*\) pages evicted.*/\1 \2 \3/p' record.err)
	if [ "$(bytes "$resident")" -gt $(((8 << 20) + 256 * page)) ]; then
		fail "$c" "$resident were resident"
		continue
	elif [ "$(bytes "$used")" -gt $((12 << 20)) ] && [ "$evicted" = 0 ]; then
		fail "$c" "$used used, but no page was evicted"
		continue
	fi
	# The coverage must exclude memory that cannot be limited, and no other memory.
	case $c in
	brk | file) least=0 most=60 ;;
	reserve | commit | reserve_fork) least=80 most=100 ;;
	trim) least=70 most=100 ;;
	*) least=0 most=100 ;;
	esac
	if [ -z "$share" ] || [ "$share" -gt $most ] || [ "$share" -lt $least ]; then
		fail "$c" "wrong coverage '$share' %"
		continue
	fi
	echo "ok $c"
done
echo "$((ran - failed)) of $ran cases print the same as natively"
[ $failed = 0 ] && [ $ran -gt 0 ]
