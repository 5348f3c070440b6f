#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=200 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2016,SC2119
# Promise: with --compare all methods measure the same processes, and each reports a known
# working set within the limits of the method:
#
#   scan, inject   the used pages, plus up to 128 KiB for libraries and stack
#   refs           possibly a little more, because file pages used by other processes count;
#                  possibly less, down to 0, because the CPU does not set an accessed bit again
#                  while the translation is in its TLB
#   fault          only pages that were not present before, so nothing of resident memory
#   damon          an estimate by regions: more than 0, at most the mapped size
#
# Each method reports what it counts. A method without a result reports the reason.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# A program touches all of its pages within a second, except on the slow debug kernel.
window=1
[ "$KERNEL" != debug ] || window=4

# Print a column of the row of a method.
value() { # METHOD COLUMN
	awk -F, -v method="$1" -v column="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] == "method" && $at["method"] == method { print $at[column] }' \
		"$tmp/csv"
}

exactly() { # METHOD MIB
	local got slack=131072
	got=$(value "$1" referenced_bytes)
	at_least "$1" "$got" $((($2 << 20) - slack))
	at_most "$1" "$got" $((($2 << 20) + slack))
}

load
# Hint faults of NUMA balancing would disturb injection.
echo 0 >/proc/sys/kernel/numa_balancing
now() { echo "${EPOCHREALTIME/[.,]/}"; } # microseconds
begin=$(now)
wset 32 8 >"$tmp/out" &
pid=$!
until_true grep -q ready "$tmp/out" || bad "wset does not become ready"
# How many windows a program takes to become ready on this machine.
slow=$((($(now) - begin) / (window * 1000000) + 1))
# Since 6.17 the kernel itself may use DAMON, which has one user.
stat=/sys/module/damon_stat/parameters/enabled
if grep -q Y $stat 2>/dev/null; then
	"$FLTCTL" wss --csv --compare -p "$pid" $window 1 >"$tmp/csv" 2>"$tmp/err" ||
		bad "damon in use: $(cat "$tmp/err")"
	same "damon in use: remedy" "$(lines "without damon: .*echo N > $stat" "$tmp/err")" 1
	echo N >$stat
fi
"$FLTCTL" wss --csv -b 100 --compare -p "$pid" $window 5 >"$tmp/csv" 2>"$tmp/err" ||
	bad "one process: $(cat "$tmp/err")"
cat "$tmp/err"
grep ^method "$tmp/csv"
exactly scan 8
exactly inject 8
same "fault" "$(value fault referenced_bytes)" 0
at_most "refs" "$(value refs referenced_bytes)" $((12 << 20))
if [ -d /sys/kernel/mm/damon/admin ]; then
	at_least "damon" "$(value damon referenced_bytes)" 4096
	at_most "damon" "$(value damon referenced_bytes)" \
		"$(awk '/^VmSize/ { print $2 * 1024 }' "/proc/$pid/status")"
else
	same "reasons for the absence of damon" "$(grep -c 'without damon: ' "$tmp/err")" 1
fi
same "idle: reason or result" "$(($(grep -c 'without idle: ' "$tmp/err" || true) +
	$(value idle referenced_bytes | wc -l)))" 1
at_least "methods with a result" "$(grep -c '^method' "$tmp/csv")" 4
same "methods that report what they count" \
	"$(grep -c '^method.*[a-z)]"\?,,$' "$tmp/csv")" "$(grep -c '^method' "$tmp/csv")"
same "windows of scan, inject, fault and refs" "$(value scan windows) $(value inject windows) \
$(value fault windows) $(value refs windows)" "5 5 5 5"
"$FLTCTL" wss --compare -p "$pid" 0.2 2 2>/dev/null || bad "text output: status $?"
kill "$pid"
wait "$pid" || true

# A command with two children: every method reports the sum. The children live longer than the last
# window, and write at their end when each round over their pages began and ended. On a slow machine they are not ready in the first windows, and the sum over a window is
# only known after that. So there are more windows on a slow machine.
windows=$((1 + 4 * slow))
seconds=$((8 * windows * window))
both_ready() { grep -qs ready "$tmp/one" && grep -qs ready "$tmp/two"; }
(
	until_true both_ready
	date +%s.%N >"$tmp/ready"
) &
"$FLTCTL" wss --csv -b 100 --compare $window $windows -- sh -c \
	'wset -t "$1" -T "$2/rounds.one" 8 2 >"$2/one" &
	wset -t "$1" -T "$2/rounds.two" 16 6 >"$2/two"; wait' sh "$seconds" "$tmp" \
	>"$tmp/csv" 2>"$tmp/err" || bad "children: status $?"
wait $!
no_wset() { ! pgrep -x wset >/dev/null; }
pkill -x wset || true
until_true no_wset || bad "the children do not end"
cat "$tmp/err"
grep ^method "$tmp/csv"

# Print the sums over all processes of their least and of their most referenced bytes in windows
# that began when both children were ready. If the machine takes the CPU away from a child for a
# second, the child does not use all of its pages in a window. So a window of a child counts if a
# whole round is in the window, after the scan that began it.
ready_windows() { # METHOD
	awk -F, -v method="$1" -v ready="$(cat "$tmp/ready")" '
		FILENAME ~ /rounds/ {
			split($0, word, " ")
			n = ++count[word[1]]
			begin[word[1], n] = word[2]
			end[word[1], n] = word[3]
			next
		}
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] != "sample" || $at["method"] != method { next }
		{
			pid = $at["pid"]
			until = $at["time"]
			from = until - $at["window_ns"] / 1e9
			if (from < ready)
				next
			from += $at["cost_ns"] / 1e9
			bytes = $at["referenced_bytes"]
			whole = !(pid in count) # the shell
			for (i = 1; !whole && i <= count[pid]; i++)
				whole = begin[pid, i] >= from && end[pid, i] <= until
			if (!whole) {
				print "no whole round of", pid, "in a window:", bytes, "bytes" >"/dev/stderr"
				next
			}
			if (!(pid in least) || bytes < least[pid])
				least[pid] = bytes
			if (bytes > most[pid])
				most[pid] = bytes
		}
		END {
			for (pid in least) {
				seen++
				low += least[pid]
				high += most[pid]
			}
			if (seen == 3 && length(count) == 2)
				print low, high
			else
				print "missing", seen + 0, "processes,", length(count), "with rounds"
		}' "$tmp/rounds.one" "$tmp/rounds.two" "$tmp/csv"
}
for method in scan inject; do
	read -r low high _ < <(ready_windows $method)
	at_least "$method, children: least" "$low" $(((8 << 20) - 131072))
	at_most "$method, children: most" "$high" $(((8 << 20) + 131072))
done
at_most "refs, children" "$(value refs referenced_bytes)" $((20 << 20))
at_most "fault, children" "$(value fault referenced_bytes)" 65536
same "processes of scan, inject, fault and refs" "$(awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "sample" { seen[$at["method"] " " $at["pid"]] = 1 }
	END { for (i in seen) { split(i, word, " "); n[word[1]]++ }
		print n["scan"], n["inject"], n["fault"], n["refs"] }' "$tmp/csv")" "3 3 3 3"
finish
