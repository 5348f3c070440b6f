#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300
# shellcheck disable=SC2119
# Promise: memory is fixed at load, whatever comes; totals stay exact when rows
# are retired or not to be had; a PID that returns is another process.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

many=600
[ -z "$LONG" ] || many=100000

delta() { echo $(($(field "$1" <"$tmp/after") - $(field "$1" <"$tmp/before"))); }

# tally = rows + retired + other, for everything that is counted.
whole() { # WHEN
	local what
	for what in minor major failed retried missed remote; do
		same "$1: $what" "$(field "all.$what" <"$tmp/after")" \
			$(($(field "rows.$what" <"$tmp/after") + $(field "retired.$what" <"$tmp/after") + \
			$(field "other.$what" <"$tmp/after")))
	done
}

memory() { awk '/^(Percpu|VmallocUsed|SUnreclaim):/ { kb += $2 } END { print kb }' /proc/meminfo; }

# Many that come and go, and rows for few.
free=$(memory)
load max_procs=128
memory=$(fltq info | field memory)
same "rows at most" "$(fltq info | field procs_max)" 128
fltq machine >"$tmp/before"
fltq follow -o "$tmp/rows" -- faultrun -w -o "$tmp/oracle" -- tree short "$many" 8
fltq machine >"$tmp/after"
read -r _ _ tree_minor tree_major < <(grep '^tree' "$tmp/oracle")
read -r _ _ _ root_minor root_major < <(grep '^root' "$tmp/rows")
session=$(grep '^session' "$tmp/rows")
same "short-lived: minor of the session" "$(field minor <<<"$session")" $((tree_minor + root_minor))
same "short-lived: major of the session" "$(field major <<<"$session")" $((tree_major + root_major))
same "short-lived: processes" "$(field procs <<<"$session")" $((many + 2))
same "short-lived: untracked" "$(field untracked <<<"$session")" 0
at_least "short-lived: rows made" "$(delta procs_seen)" $((many + 2))
at_least "short-lived: rows retired" "$(delta procs_retired)" $((many - 128))
same "short-lived: nothing went to other" "$(delta lost_proc)" 0
whole "short-lived"
say "$many short-lived processes"
at_most "rows in use" "$(fltq info | field procs)" 128
same "the tables did not grow" "$(fltq info | field memory)" "$memory"
# What the machine says of it: the tables, the probe's instances, the module, noise.
at_most "memory of the machine, kB" $(($(memory) - free)) $((memory / 1024 + 8192))
unload

# More alive than there are rows: the rest is counted as "other", and said so.
load max_procs=64
fltq machine >"$tmp/before"
crowd=()
for ((i = 0; i < 80; i++)); do
	sleep 300 &
	crowd+=($!)
done
tree fork 40 8
fltq machine >"$tmp/after"
at_least "crowd: lost for want of a row" "$(delta lost_proc)" 1
at_least "crowd: other" "$(field other.minor <"$tmp/after")" 1
same "crowd: debugfs" "$(field debugfs.lost_proc <"$tmp/after")" "$(field lost_proc <"$tmp/after")"
whole "crowd"
say "a crowd"
ended=$(($(delta all.minor) + $(delta all.major) + $(delta all.failed)))
[ "$KERNEL" != 6.1 ] || ended=$((ended + $(delta all.retried)))
same "crowd: pgfault of /proc/vmstat" "$ended" "$(delta pgfault)"
kill "${crowd[@]}"
wait "${crowd[@]}" 2>/dev/null || true
unload

# More threads than there are slots: the process still has all its faults.
load max_tasks=64
fltq machine >"$tmp/before"
tree threads 100 8
fltq machine >"$tmp/after"
whole "threads"
say "threads"
ended=$(($(delta all.minor) + $(delta all.major) + $(delta all.failed)))
[ "$KERNEL" != 6.1 ] || ended=$((ended + $(delta all.retried)))
same "threads: pgfault of /proc/vmstat" "$ended" "$(delta pgfault)"
unload

# PIDs that return: more processes than there are PIDs.
pid_max=$(cat /proc/sys/kernel/pid_max)
load accounting=1
echo 400 >/proc/sys/kernel/pid_max
for i in 1 2 3; do
	equal "PIDs return, $i" tree fork 60 2
	tree short 120 4
done
echo "$pid_max" >/proc/sys/kernel/pid_max
finish
