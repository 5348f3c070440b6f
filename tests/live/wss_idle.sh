#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=debug timeout=120
# shellcheck disable=SC2119
# Promise: where the kernel tracks idle pages, that finds a known working set, too; and
# a scan at the same time takes nothing away from it: an accessed bit that it clears it
# hands on, to whoever asks the page, as reclaim does.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

[ -e /sys/kernel/mm/page_idle/bitmap ] || skip "no CONFIG_IDLE_PAGE_TRACKING"

# Of the windows of a program, the most: in one it may not have got the CPU.
most() {
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] == "sample" && $at["referenced_bytes"] + 0 > most { most = $at["referenced_bytes"] + 0 }
		END { print NR > 1 ? most + 0 : "no_input" }' "$1"
}

found() { # WHAT CSV MIB
	at_least "$1" "$(most "$2")" $(($3 << 20))
	at_most "$1" "$(most "$2")" $((($3 << 20) + (256 << 10)))
	say "$1: $(most "$2") bytes"
}

load
wset 16 4 >"$tmp/out" & pid=$!
until_true grep -q ready "$tmp/out" || bad "wset does not get ready"
# What it touched before it was ready is past.
sleep 1
"$FLTCTL" wss --csv -m idle -p "$pid" 2 3 >"$tmp/idle" || bad "idle: status $?"
found "idle" "$tmp/idle" 4

"$FLTCTL" wss --csv -b 100 -p "$pid" 0.1 >"$tmp/scan" & scanner=$!
"$FLTCTL" wss --csv -m idle -p "$pid" 2 3 >"$tmp/idle" || bad "idle beside a scan: status $?"
found "idle beside a scan" "$tmp/idle" 4
kill -INT "$scanner"
wait "$scanner" || bad "scan: status $?"
at_least "samples of the scan" "$(grep -c '^sample' "$tmp/scan")" 5
kill "$pid"
wait "$pid" || true
finish
