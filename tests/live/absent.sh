#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 cpus=2 numa=1 mem=1536 timeout=240 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: if the kernel lacks an optional hook of a ledger, exactly the counters that need the
# hook are unknown: absent from the replies of the module and from the reports of fltctl, which
# name the counters and the reason. All other counters stay exact.
#
# The kernel has all hooks, so the test loads copies of the module that look for other names.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

thp=/sys/kernel/mm/transparent_hugepage
has_thp || skip "no transparent huge pages"
! kernel_before 5.11 || skip "this kernel lacks hooks: the copies of the module would lack more"
echo madvise >$thp/enabled
echo madvise >$thp/defrag
echo 1 >$thp/use_zero_page
echo 3600000 >$thp/khugepaged/scan_sleep_millisecs
echo 0 2>/dev/null >/proc/sys/kernel/numa_balancing || skip "no NUMA balancing"

# Load a copy of the module in which the last letter of each SYMBOL is another one.
load_without() { # SYMBOL...
	local symbol script=
	for symbol; do script+="s/$symbol\\x00/${symbol%?}#\\x00/g;"; done
	LC_ALL=C sed "$script" "$FLT_KO" >"$tmp/flt.ko"
	FLT_KO=$tmp/flt.ko load
}

vmstat() { awk -v k="$1" '$1 == k { print $2; n = 1 } END { if (!n) print "no_input" }' /proc/vmstat; }
# Run a program with each kind of event in a session of the whole machine, and keep the
# row of the machine.
report() { # thp|numa
	"$FLTCTL" "$1" --json -a -- huge map=8 allow write free map=8 allow read last fill collapse \
		>"$tmp/json" 2>"$tmp/err" || bad "fltctl $1: $(tail -1 "$tmp/err")"
	jq -c 'select(.record == "machine" and .span == "total")' "$tmp/json" >"$tmp/row"
	jq -r 'keys[]' "$tmp/row" | sort >"$tmp/keys"
}

# Without the hooks, exactly the columns KEYS are missing. A hook is NAME:SYMBOL,...
lacks() { # thp|numa "HOOK..." "KEY..."
	local split hook name symbol symbols=
	for hook in $2; do symbols+=" ${hook#*:}"; done
	# shellcheck disable=SC2086 # words
	load_without ${symbols//,/ }
	split=$(vmstat thp_split_pmd)
	report "$1"
	same "without $2: columns that are missing" \
		"$(comm -13 "$tmp/keys" "$tmp/keys.$1" | xargs)" "$(xargs -n 1 <<<"$3" | sort | xargs)"
	same "without $2: columns that are new" "$(comm -23 "$tmp/keys" "$tmp/keys.$1" | wc -l)" 0
	"$FLTCTL" check --csv >"$tmp/check" || true
	for hook in $2; do
		name=${hook%:*}
		symbol=${hook#*:}
		symbol=${symbol%%,*}
		same "without $name: state" \
			"$(awk -v h="$name" '$1 == h { print $4 }' $debugfs/hooks)" absent
		same "without $name: lines on stderr with the symbol" \
			"$(lines "unknown: .*this kernel has no usable ${symbol%?}#" "$tmp/err")" 1
		same "without $name: findings of check" \
			"$(lines "^hook $name,warn,.*fltctl $1. cannot count " "$tmp/check")" 1
	done
	if [ "$1" = thp ] && [[ " $3 " != *" split_mappings "* ]]; then
		same "without $2: split_mappings" "$(jq .split_mappings "$tmp/row")" \
			$(($(vmstat thp_split_pmd) - split))
	fi
	unload
	say "without $2"
}

load
for ledger in thp numa; do
	report $ledger
	cp "$tmp/keys" "$tmp/keys.$ledger"
	same "$ledger: unknown counters" "$(fltq $ledger | grep -c unknown= || true)" 0
done
same "columns with all hooks" "$(grep -cxE 'huge|huge_ns|huge_p99_ns|small_ns|split_pages' \
	"$tmp/keys.thp")" 5
unload

# Neither a wrong count nor 0 may be in the reply.
load_without pgtable_trans_huge_deposit
mkfifo "$tmp/hold"
fltq hold -t <"$tmp/hold" >"$tmp/session" 2>&1 &
holder=$!
exec 7>"$tmp/hold"
until_true grep -q '^session' "$tmp/session" || bad "no session: $(cat "$tmp/session")"
fallback=$(vmstat thp_fault_fallback)
huge map=16 allow write punch &
pid=$!
wait $pid
fltq thp >"$tmp/thp"
grep "whose=1 tgid=$pid " "$tmp/thp" >"$tmp/row" || bad "no row of the process"
for key in filled late zero fill_ns; do
	same "reply without thp-deposit: $key" "$(lines "(^| )$key=" "$tmp/row")" 0
done
at_least "reply without thp-deposit: unknown" "$(field unknown <"$tmp/row")" 1
same "reply without thp-deposit: map_split" "$(field map_split <"$tmp/row")" 16
same "reply without thp-deposit: fallbacks" \
	"$(($(grep whose=2 "$tmp/thp" | field no_page) + $(grep whose=2 "$tmp/thp" | field no_charge)))" \
	$(($(vmstat thp_fault_fallback) - fallback))
exec 7>&-
wait $holder
"$FLTCTL" thp -a -- huge map=16 allow write >"$tmp/text" 2>"$tmp/err"
same "text without thp-deposit: huge" "$(awk '$2 == "(all)" { print $3 }' "$tmp/text")" -
same "text without thp-deposit: fell back" "$(awk '$2 == "(all)" { print $4 }' "$tmp/text")" 0
# Without a known event there is no row, but still no verdict.
"$FLTCTL" thp -- huge map=16 allow write >"$tmp/text" 2>"$tmp/err"
same "text without thp-deposit: verdict" "$(grep -c '^verdict: unknown' "$tmp/text")" 1
status=0
"$FLTCTL" thp --with lines -- echo 1 >/dev/null 2>"$tmp/err" || status=$?
same "--with without thp-deposit: exit status" $status 5
unload

huge_times="huge_ns huge_p99_ns small_ns"
lacks thp thp-deposit:pgtable_trans_huge_deposit "huge late zero $huge_times"
# Since 6.13 a write to the huge zero page fills a huge page, or fails to.
write_fills=
if ! kernel_before 6.13; then
	write_fills="late error fallback fallback_cgroup fallback_no_page"
	lacks thp thp-replace:pmdp_huge_clear_flush "huge late zero $huge_times"
fi
lacks thp "thp-zero:mm_get_huge_zero_folio,mm_get_huge_zero_page
	thp-write:do_huge_pmd_wp_page" \
	"huge zero $huge_times split_mappings $write_fills"
lacks thp "thp-charge:__mem_cgroup_charge collapse:mm_collapse_huge_page" \
	"fallback fallback_cgroup fallback_no_page collapsed collapsed_by_call collapse_tried"
lacks thp "split-map:split_huge_pmd_locked,__split_huge_pmd
	collapse-scan:mm_khugepaged_scan_pmd" \
	"split_mappings refused"
lacks thp "split-withdraw:pgtable_trans_huge_withdraw
	collapse-scan-file:mm_khugepaged_scan_file" \
	"split_mappings refused"
lacks thp "split-page:__folio_split,split_huge_page_to_list_to_order,split_huge_page_to_list
	collapse-file:collapse_file" \
	"split_failed split_pages collapsed collapsed_of_file collapse_tried"
lacks numa "numa-move:migrate_misplaced_folio,migrate_misplaced_page
	numa-task-stick:sched_stick_numa" \
	"moves_failed moves_not_made moves_tried spent_ns threads_stuck"
lacks numa "numa-migrate:mm_migrate_pages numa-task-move:sched_move_numa" \
	"pages_moved threads_moved"
lacks numa numa-task-swap:sched_swap_numa threads_swapped

# The wait for mmap_lock is unknown, not 0. The module also uses the tracepoint itself, whose
# symbol ends with the same name.
load_without '\x00mmap_lock_released'
"$FLTCTL" lat --why --json -- true >"$tmp/rows" || bad "lat --why without mmap-lock-released: status $?"
same "lat --why without mmap-lock-released: rows and values of the wait for mmap_lock" \
	"$(lines '"lock"\|lock_ns' "$tmp/rows")" 0
at_least "lat --why without mmap-lock-released: rows" "$(lines '"cause"' "$tmp/rows")" 5
unload

# Without the hook that a ledger is named after, the ledger does not exist.
for pair in thp:do_huge_pmd_anonymous_page numa:mpol_misplaced; do
	load_without "${pair#*:}"
	status=0
	"$FLTCTL" "${pair%:*}" -- true >"$tmp/text" 2>"$tmp/err" || status=$?
	same "without ${pair#*:}: exit status" $status 5
	unload
done

# Recordings say what they lack.
load_without mremap_userfaultfd_complete
"$FLTCTL" record -o "$tmp/data" -- true 2>"$tmp/err" >/dev/null
same "record without move: lines on stderr" \
	"$(lines "unknown: owners of pages .*(hook 'move')" "$tmp/err")" 1
unload
finish
