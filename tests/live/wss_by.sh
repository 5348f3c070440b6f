#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 numa=1 timeout=200
# shellcheck disable=SC2119
# Promise: by node and by kind of mapping, a working set lies where the program has it.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# The largest of a kind or node.
most() { # BY
	awk -F, -v by="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["by"] != "" { n++ }
		$at["by"] == by && $at["referenced_bytes"] + 0 > most { most = $at["referenced_bytes"] + 0 }
		END { print n ? most + 0 : "no_input" }' "$tmp/csv"
}

# In half a second a program has got through all of its pages, but where the kernel checks
# each of its faults.
window=0.5
[ "$KERNEL" != debug ] || window=4

# METHOD BY ROW BYTES: windows, until one of them has all of it. That of a program that
# did not get the CPU for a whole round has less; none may ever have more.
look() {
	local try
	rm -f "$tmp/csv"
	for ((try = 0; try < 10; try++)); do
		"$FLTCTL" wss --csv -b 100 -m "$1" --by="$2" -p "$pid" $window 3 >>"$tmp/csv" 2>"$tmp/err" ||
			bad "$1 by $2: status $?, $(cat "$tmp/err")"
		[ "$(most "$3")" -lt "$4" ] || break
	done
	say "$1 by $2: $(most "$3") bytes are $3"
}

# Pages come from the node of the CPU that first writes to them.
load
# Its own hints would be in the way.
echo 0 >/proc/sys/kernel/numa_balancing
for node in 0 1; do
	taskset -c "$node" wset 32 8 >"$tmp/out$node" &
	pid=$!
	until_true grep -q ready "$tmp/out$node" || bad "wset does not get ready"
	# The kernel's own count; its libraries may lie elsewhere.
	at_least "pages on node $node, by numa_maps" \
		"$(grep -o "N$node=[0-9]*" "/proc/$pid/numa_maps" | awk -F= '{ n += $2 } END { print n + 0 }')" 8192
	for method in scan inject; do
		look "$method" node "$node" $((8 << 20))
		at_least "$method on node $node" "$(most "$node")" $((8 << 20))
		at_most "$method on the other node" "$(most $((1 - node)))" $((1 << 20))
	done
	kill "$pid"
	wait "$pid" || true
done

wset -s 32 8 >"$tmp/out" &
pid=$!
until_true grep -q ready "$tmp/out" || bad "wset does not get ready"
for method in scan inject; do
	look "$method" kind shmem $((8 << 20))
	same "$method, shared memory" "$(most shmem)" $((8 << 20))
	at_most "$method, stack" "$(most stack)" $((64 << 10))
	at_least "$method, stack" "$(most stack)" 4096
done

# By mapping it is not the module that tells, and that is said.
"$FLTCTL" wss --csv --by=vma -p "$pid" 0.2 1 >"$tmp/csv" 2>"$tmp/err" || bad "by mapping: status $?"
same "by mapping: method" "$(awk -F, '/^sample/ { print $5; exit }' "$tmp/csv")" refs
same "by mapping: what is said" "$(grep -c 'does not support mappings.*clear_refs and smaps' "$tmp/err")" 1
kill "$pid"
wait "$pid" || true
finish
