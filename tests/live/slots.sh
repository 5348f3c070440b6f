#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 mem=2048 timeout=300 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: threads of one user, however many, leave every other thread its own row and
# its process exact counts; a thread without a slot is counted in its process; memory
# grows with the number of threads and shrinks again.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

many=9000
[ "$KERNEL" != debug ] || many=1500

memory() { fltq info | field memory; }

echo 100000 >/proc/sys/kernel/threads-max
echo 100000 >/proc/sys/kernel/pid_max

inputs=()
# hold NAME COMMAND... - run a command that waits for the end of its input; print its PID.
hold() {
	local name=$1
	shift
	mkfifo "$tmp/$name"
	"$@" <"$tmp/$name" >"$tmp/$name.out" 2>&1 &
	pid=$!
	exec {fd}>"$tmp/$name"
	inputs+=("$fd")
	until_true test -s "$tmp/$name.out" || bad "$*: nothing printed"
	say "$(tail -1 "$tmp/$name.out")"
}

# Few rows of ended processes are kept, so the processes of this test do not add to the memory.
load max_procs=256
small=$(memory)
hold crowd crowd "$many" 1
crowd_pid=$pid
same "the crowd" "$(tail -1 "$tmp/crowd.out")" "crowd $many"
same "rows of its threads" "$(fltq tasks "$crowd_pid" | lines '^task' -)" $((many + 1))
at_least "memory of the crowd" $(($(memory) - small)) $((many * 500))
at_most "memory of the crowd" $(($(memory) - small)) $((many * 1500))
fltq machine >"$tmp/before"
equal "after the crowd: threads" tree threads 64 8
equal "after the crowd: fork tree" tree fork 50 8
hold later crowd 100 8
fltq tasks "$pid" >"$tmp/tasks"
same "after the crowd: rows of threads" "$(lines '^task' "$tmp/tasks")" 101
at_least "after the crowd: threads with all their faults" \
	"$(awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^minor=/ && substr($i, 7) >= 8) n++ }
		END { print n + 0 }' "$tmp/tasks")" 100
fltq machine >"$tmp/after"
same "after the crowd: threads without a row" "$(delta lost_task)" 0
same "after the crowd: missed" "$(delta all.missed)" 0
for what in minor major failed retried; do
	same "$what = rows + retired + other" "$(field all.$what <"$tmp/after")" \
		$(($(field rows.$what <"$tmp/after") + $(field retired.$what <"$tmp/after") + \
		$(field other.$what <"$tmp/after")))
done
for fd in "${inputs[@]}"; do
	exec {fd}>&-
done
wait
# 256 rows take less than the slots of 500 threads.
shrunk() { [ $(($(memory) - small)) -lt 350000 ]; }
checks=$((checks + 1))
until_true shrunk || bad "memory after the crowd: $(memory), was $small"
unload

# Without slots: counts and kinds of processes stay exact.
load max_tasks=16
fltq machine >"$tmp/before"
equal "16 slots: threads" tree threads 64 8
equal "16 slots: fork tree" tree fork 50 8
equal "16 slots: userfaultfd" kinds uffd 50
fltq machine >"$tmp/after"
at_least "16 slots: threads without a row" "$(delta lost_task)" 1
unload

# While only entries are probed, these faults are missing, and the module says how many entries.
load accounting=counts max_tasks=16
fltq machine >"$tmp/before"
tree threads 64 8
tree fork 50 8
fltq machine >"$tmp/after"
lost=$(delta lost_task)
missing=$(($(delta pgfault) - $(delta all.minor) - $(delta all.major) - $(delta all.unfinished)))
say "16 slots, entries: $missing faults are missing, $lost entries are lost"
at_least "16 slots, entries: entries without a row" "$lost" 1
at_least "16 slots, entries: lost entries, as many as faults are missing" "$lost" "$missing"
at_least "16 slots, entries: faults that are missing" "$missing" $((lost * 9 / 10))
finish
