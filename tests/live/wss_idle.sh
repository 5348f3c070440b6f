#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=debug timeout=120
# shellcheck disable=SC2119
# Promise: on a kernel with idle page tracking, the method idle reports a known working set. A
# scan at the same time does not reduce the result, because the scan marks a page as young when
# it clears an accessed bit.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

[ -e /sys/kernel/mm/page_idle/bitmap ] || skip "no CONFIG_IDLE_PAGE_TRACKING"

# Print the maximum over all windows. A window has less if the program did not get the CPU.
most() { # CSV
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] == "sample" && $at["referenced_bytes"] + 0 > most {
			most = $at["referenced_bytes"] + 0
		}
		END { print (NR > 1 ? most + 0 : "no_input") }' "$1"
}

check_size() { # WHAT CSV MIB
	at_least "$1" "$(most "$2")" $(($3 << 20))
	at_most "$1" "$(most "$2")" $((($3 << 20) + (256 << 10)))
	say "$1: $(most "$2") bytes"
}

load
wset 16 4 >"$tmp/out" & pid=$!
until_true grep -q ready "$tmp/out" || bad "wset does not become ready"
# Before its first pause, the program touches pages that it touches only at the start.
until_true sleeps_in "$pid" nanosleep || bad "wset does not reach its first pause"
"$FLTCTL" wss --csv -m idle -p "$pid" 2 3 >"$tmp/idle" || bad "idle: status $?"
check_size "idle" "$tmp/idle" 4

"$FLTCTL" wss --csv -b 100 -p "$pid" 0.1 >"$tmp/scan" & scanner=$!
"$FLTCTL" wss --csv -m idle -p "$pid" 2 3 >"$tmp/idle" || bad "idle during a scan: status $?"
check_size "idle during a scan" "$tmp/idle" 4
kill -INT "$scanner"
wait "$scanner" || bad "scan: status $?"
at_least "samples of the scan" "$(grep -c '^sample' "$tmp/scan")" 5
kill "$pid"
wait "$pid" || true
finish
