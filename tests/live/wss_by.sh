#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: mem=1536 disk=256 zram=1 cpus=2 numa=1 timeout=200 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2119
# Promise: the working set by node and by kind of mapping is where the program allocated it.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# Print the maximum of the referenced bytes of a kind or node.
most() { # BY
	awk -F, -v by="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["by"] != "" { n++ }
		$at["by"] == by && $at["referenced_bytes"] + 0 > most {
			most = $at["referenced_bytes"] + 0
		}
		END { print n ? most + 0 : "no_input" }' "$tmp/csv"
}

# A program touches all of its pages within half a second, except on the slow debug kernel.
window=0.5
[ "$KERNEL" != debug ] || window=4

# Measure one window after the other until one has BYTES in ROW. A window has less if the program
# did not get the CPU for a whole round, so this waits for a whole round. The limits apply to all
# windows of the measurement, including those before.
measure() { # METHOD BY ROW BYTES
	local reader
	rm -f "$tmp/csv"
	"$FLTCTL" wss --csv -b 100 -m "$1" --by="$2" -p "$pid" $window >"$tmp/csv" 2>"$tmp/err" &
	reader=$!
	until_true has_window "$3" "$4" || bad "$1 by $2: no window has $4 bytes in $3"
	kill -INT "$reader"
	wait "$reader" || bad "$1 by $2: status $?, $(cat "$tmp/err")"
	say "$1 by $2: $(most "$3") bytes in $3, $(grep -c '^sample' "$tmp/csv") windows"
}
has_window() { [ -s "$tmp/csv" ] && [ "$(most "$1")" -ge "$2" ] 2>/dev/null; }

# A page is allocated on the node of the CPU that writes to it first.
load
# Hint faults of NUMA balancing would disturb injection.
echo 0 >/proc/sys/kernel/numa_balancing
for node in 0 1; do
	taskset -c "$node" wset 32 8 >"$tmp/out$node" &
	pid=$!
	until_true grep -q ready "$tmp/out$node" || bad "wset does not become ready"
	# Pages of libraries may be on the other node.
	at_least "pages on node $node in numa_maps" \
		"$(grep -o "N$node=[0-9]*" "/proc/$pid/numa_maps" |
		awk -F= '{ n += $2 } END { print n + 0 }')" 8192
	for method in scan inject; do
		measure "$method" node "$node" $((8 << 20))
		at_least "$method: bytes on node $node" "$(most "$node")" $((8 << 20))
		at_most "$method: bytes on the other node" "$(most $((1 - node)))" $((1 << 20))
	done
	kill "$pid"
	wait "$pid" || true
done

wset -s 32 8 >"$tmp/out" &
pid=$!
until_true grep -q ready "$tmp/out" || bad "wset does not become ready"
for method in scan inject; do
	measure "$method" kind shmem $((8 << 20))
	same "$method: bytes of shared memory" "$(most shmem)" $((8 << 20))
	at_most "$method: bytes of the stack" "$(most stack)" $((64 << 10))
	at_least "$method: bytes of the stack" "$(most stack)" 4096
done

# The module does not support --by=vma. fltctl uses refs instead and prints a message.
"$FLTCTL" wss --csv --by=vma -p "$pid" 0.2 1 >"$tmp/csv" 2>"$tmp/err" || bad "--by=vma: status $?"
same "--by=vma: method" "$(awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "sample" { print $at["method"]; exit }' "$tmp/csv")" refs
same "--by=vma: reasons" "$(grep -c 'does not support mappings' "$tmp/err")" 1
same "--by=vma: replacements" "$(grep -c 'using clear_refs and smaps instead' "$tmp/err")" 1
kill "$pid"
wait "$pid" || true
finish
