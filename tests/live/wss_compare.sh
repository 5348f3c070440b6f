#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=200
# shellcheck disable=SC2119
# Promise: side by side, all methods look at the same processes, and each finds a known
# working set within what it can know of it:
#
#   scan, inject   the pages used: 128 KiB, for what its libraries and its stack take
#   refs           no more, but for file pages that others used, of which a small program
#                  maps some; less, down to nothing, where the CPU never forgets what it has
#                  cached of the page table, as it does when processes take turns
#   fault          what was not there before: none of memory that stays
#   damon          an estimate by regions: something, and no more than is mapped
#
# Each method says what it counts, and one that has nothing to show says why.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# In this time a program has got through all of its pages, but where the kernel checks
# each of its faults.
window=1
[ "$KERNEL" != debug ] || window=4

of() { # METHOD COLUMN
	awk -F, -v method="$1" -v column="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] == "method" && $at["method"] == method { print $at[column] }' "$tmp/csv"
}

exactly() { # METHOD MIB
	local got slack=131072
	got=$(of "$1" referenced_bytes)
	at_least "$1" "$got" $((($2 << 20) - slack))
	at_most "$1" "$got" $((($2 << 20) + slack))
}

load
# Its own hints would be in the way.
echo 0 >/proc/sys/kernel/numa_balancing
wset 32 8 >"$tmp/out" &
pid=$!
until_true grep -q ready "$tmp/out" || bad "wset does not get ready"
"$FLTCTL" wss --csv -b 100 --compare -p "$pid" $window 5 >"$tmp/csv" 2>"$tmp/err" || bad "one: $(cat "$tmp/err")"
cat "$tmp/err"
grep ^method "$tmp/csv"
exactly scan 8
exactly inject 8
same "fault" "$(of fault referenced_bytes)" 0
at_most "refs" "$(of refs referenced_bytes)" $((12 << 20))
if [ -d /sys/kernel/mm/damon/admin ]; then
	at_least "damon" "$(of damon referenced_bytes)" 4096
	at_most "damon" "$(of damon referenced_bytes)" \
		"$(awk '/^VmSize/ { print $2 * 1024 }' "/proc/$pid/status")"
else
	same "damon's reason" "$(grep -c 'without damon: ' "$tmp/err")" 1
fi
same "idle's reason, or figure" "$(($(grep -c 'without idle: ' "$tmp/err" || true) +
	$(of idle referenced_bytes | wc -l)))" 1
same "methods that say what they count" "$(grep -c '^method.*[a-z)]"\?,,$' "$tmp/csv")" "$(grep -c '^method' "$tmp/csv")"
same "windows of all" "$(of scan windows) $(of inject windows) $(of fault windows) $(of refs windows)" "5 5 5 5"
"$FLTCTL" wss --compare -p "$pid" 0.2 2 2>/dev/null || bad "as text: status $?"
kill "$pid"
wait "$pid" || true

# Two, a large and a small one, and both are a command's children: all methods have the sum.
# They begin within the first two windows of five, and outlive the last.
seconds=$([ "$KERNEL" = debug ] && echo 200 || echo 40)
"$FLTCTL" wss --csv -b 100 --compare $window 5 -- sh -c \
	"wset -t $seconds 8 2 >/dev/null & wset -t $seconds 16 6 >/dev/null; wait" >"$tmp/csv" 2>"$tmp/err" ||
	bad "children: status $?"
cat "$tmp/err"
grep ^method "$tmp/csv"
exactly scan 8
exactly inject 8
at_most "refs, children" "$(of refs referenced_bytes)" $((20 << 20))
at_most "fault, children" "$(of fault referenced_bytes)" 65536
same "processes of all" "$(awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "sample" { seen[$at["method"] " " $at["pid"]] = 1 }
	END { for (i in seen) { split(i, word, " "); n[word[1]]++ }
		print n["scan"], n["inject"], n["fault"], n["refs"] }' "$tmp/csv")" "3 3 3 3"
finish
