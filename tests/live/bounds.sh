#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: mem=2048 disk=256 zram=1 timeout=600 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: rows of ended processes are bounded, and live processes, however many, leave every
# other process its own row. Totals stay exact when rows are retired, or when no row is left. A
# reused PID is a new process.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

many=$(sized 600 3000 100000) crowd=$(sized 800 4200 4200) table=(max_procs=512)
[ "$crowd" = 800 ] || table=()
[ "$KERNEL" != debug ] || crowd=600 table=(max_procs=512)

# Check for each counter that the tally is the sum of rows, retired and other.
totals_add_up() { # WHEN
	local what
	for what in minor major failed retried missed remote; do
		same "$1: $what of the tally" "$(field "all.$what" <"$tmp/after")" \
			$(($(field "rows.$what" <"$tmp/after") + \
			$(field "retired.$what" <"$tmp/after") + \
			$(field "other.$what" <"$tmp/after")))
	done
}

kernel_memory_kb() {
	awk '/^(Percpu|VmallocUsed|SUnreclaim):/ { kb += $2 } END { print kb }' /proc/meminfo
}

# Run many short-lived processes with few rows.
memory_before_load=$(kernel_memory_kb)
load max_procs=128
memory=$(fltq info | field memory)
same "size of the table" "$(fltq info | field procs_max)" 128
fltq machine >"$tmp/before"
fltq follow -o "$tmp/rows" -- faultrun -w -o "$tmp/oracle" -- tree short "$many" 8
fltq machine >"$tmp/after"
read -r _ _ tree_minor tree_major < <(grep '^tree' "$tmp/oracle")
read -r _ _ _ root_minor root_major < <(grep '^root' "$tmp/rows")
session=$(grep '^session' "$tmp/rows")
same "short-lived: minor of the session" "$(field minor <<<"$session")" \
	$((tree_minor + root_minor))
same "short-lived: major of the session" "$(field major <<<"$session")" \
	$((tree_major + root_major))
same "short-lived: processes of the session" "$(field procs <<<"$session")" $((many + 2))
same "short-lived: untracked processes" "$(field untracked <<<"$session")" 0
at_least "short-lived: rows created" "$(delta procs_seen)" $((many + 2))
at_least "short-lived: rows retired" "$(delta procs_retired)" $((many - 128))
same "short-lived: faults without a row" "$(delta lost_proc)" 0
totals_add_up "short-lived"
say "$many short-lived processes"
at_most "rows of ended processes" "$(lines '^[0-9]+ ended ' $debugfs/procs)" 128
at_least "rows in use, those of live processes included" "$(fltq info | field procs)" 129
# Slots of threads that have exited are freed after a grace period. 128 rows are kept.
settled() { [ "$(fltq info | field memory)" -le $((memory + 65536 + 128 * 1024)) ]; }
checks=$((checks + 1))
until_true settled || bad "the tables have grown from $memory to $(fltq info | field memory)"
# The tables, the probe instances, the module and noise of other kernel memory. KASAN keeps freed
# objects in a quarantine of up to 1/32 of the memory, whoever freed them.
[ "$KERNEL" = debug ] ||
	at_most "growth of kernel memory in kB" $(($(kernel_memory_kb) - memory_before_load)) \
		$((memory / 1024 + 8192))
unload

# fltctl prints how many processes there were, and the names of processes without a row.
load max_procs=128
"$FLTCTL" stats --json -- tree short "$many" 8 >"$tmp/json"
jq -s '.' "$tmp/json" >"$tmp/rows.json"
sum() { # RECORDS EXPRESSION
	jq "[.[] | select(.record | test(\"^($1)$\")) | $2] | add" "$tmp/rows.json"
}
same "names: processes" "$(sum command .processes)" $((many + 1))
at_least "names: without a row" "$(sum retired .processes)" $((many - 128))
same "names: with and without a row" \
	$(($(sum process 1) + $(sum retired .processes))) $((many + 1))
same "names: length of the only one" "$(sum retired '.comm | length')" 4
for what in minor major failed; do
	same "names: $what of rows and names" "$(sum "process|retired" ".$what")" \
		"$(sum command ".$what")"
done
"$FLTCTL" stats -- tree short "$many" 8 >"$tmp/text"
checks=$((checks + 1))
grep -q "^(others): .* of $((many + 1)) processes" "$tmp/text" ||
	bad "names: $(tail -3 "$tmp/text")"
unload

# Rows without faults are retired before older rows with faults.
load max_procs=128
tree short 60 8
tree quiet 400
at_least "quiet processes: rows retired" "$(fltq tally | field procs_retired)" 334
same "quiet processes: older rows with faults" \
	"$(lines '^[0-9]+ ended [0-9]+ [1-9].* tree$' $debugfs/procs)" 62
unload

# More processes live than rows are kept. Each has a row, and new processes get rows, too.
load "${table[@]}"
memory=$(fltq info | field memory)
mkfifo "$tmp/crowd"
crowd -p "$crowd" 1 <"$tmp/crowd" >"$tmp/crowded" &
crowd_pid=$!
exec 6>"$tmp/crowd"
until_true test -s "$tmp/crowded" || bad "the crowd does not start"
same "crowd of processes" "$(cat "$tmp/crowded")" "crowd $crowd"
fltq machine >"$tmp/before"
equal "beside the crowd: fork tree" tree fork 50 8
equal "beside the crowd: threads" tree threads 16 8
fltq machine >"$tmp/after"
same "beside the crowd: faults without a row" "$(delta lost_proc)" 0
same "beside the crowd: missed" "$(delta all.missed)" 0
totals_add_up "beside the crowd"
at_least "rows of the crowd" "$(lines '^[0-9]+ live 1 [1-9].* crowd$' $debugfs/procs)" "$crowd"
at_least "memory of the crowd" $(($(fltq info | field memory) - memory)) $((crowd * 1000))
at_most "memory of the crowd" $(($(fltq info | field memory) - memory)) $((crowd * 2500))
say "$crowd live processes"
exec 6>&-
wait "$crowd_pid"
kept() { [ "$(lines '^[0-9]+ live .* crowd$' $debugfs/procs)" = 0 ]; }
checks=$((checks + 1))
until_true kept || bad "rows of the crowd stay live"
at_most "rows after the crowd" "$(lines '^[0-9]+ ended ' $debugfs/procs)" \
	"$(fltq info | field procs_max)"
fltq machine >"$tmp/after"
totals_add_up "after the crowd"
unload

# Run more processes than there may be rows. The module counts the rest as "other".
load max_procs=32 max_live=32
fltq machine >"$tmp/before"
sleepers=()
for ((i = 0; i < 80; i++)); do
	sleep 300 &
	sleepers+=($!)
done
tree fork 40 8
fltq machine >"$tmp/after"
at_least "full table: faults without a row" "$(delta lost_proc)" 1
at_least "full table: minor faults of other" "$(field other.minor <"$tmp/after")" 1
same "full table: lost_proc of debugfs" "$(field debugfs.lost_proc <"$tmp/after")" \
	"$(field lost_proc <"$tmp/after")"
totals_add_up "full table"
say "full table of processes"
same_as_vmstat "full table" all.failed
kill "${sleepers[@]}"
wait "${sleepers[@]}" 2>/dev/null || true
unload

# As many threads as a kernel can have: slots take memory when threads come.
load max_tasks=4194304
at_most "memory with 4194304 slots" "$(fltq info | field memory)" 100000000
unload

# Run more threads than there are slots. Their faults still count for the process.
load accounting=latency max_tasks=64
fltq machine >"$tmp/before"
tree threads 100 8
fltq machine >"$tmp/after"
totals_add_up "full table of threads"
say "full table of threads"
same_as_vmstat "full table of threads" all.failed
unload

# Start more processes than there are PIDs, so that PIDs are reused.
pid_max=$(cat /proc/sys/kernel/pid_max)
load accounting=latency
echo 400 >/proc/sys/kernel/pid_max
for i in 1 2 3; do
	equal "reused PIDs, round $i" tree fork 60 2
	tree short 120 4
done
echo "$pid_max" >/proc/sys/kernel/pid_max
finish
