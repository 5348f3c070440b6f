#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1
# shellcheck disable=SC2016,SC2119
# Promise: a fault that the kernel attempts three times is one fault with three attempts, and
# its latency covers all attempts.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

load accounting=latency
# The server wakes each fault once without its page. The faulting thread attempts the fault
# again, waits, is woken with its page and makes the third attempt.
fltq around -o "$tmp/sections" -- asleep attempts 5 1 40 >"$tmp/out"
line=$(cat "$tmp/sections")
elapsed=$(awk '$1 == "elapsed" { print $2 }' "$tmp/out")
same "faults" $(($(field minor <<<"$line") + $(field major <<<"$line"))) 5
same "retried" "$(field retried <<<"$line")" 10
same "stitched" "$(field stitched <<<"$line")" 5
same "attempts" "$(field attempts <<<"$line")" 3
same "dropped" "$(field dropped <<<"$line")" 0
same "faults of kind uffd" "$(field kind.uffd <<<"$line")" 5
# Each fault sleeps twice for 40 ms. All faults together take less time than the section.
at_least "latency_sum" "$(field latency_sum <<<"$line")" 400000000
at_most "latency_sum" "$(field latency_sum <<<"$line")" "$elapsed"
at_least "latency_max" "$(field latency_max <<<"$line")" 80000000
fltq latency | awk '$2 == "kind=10"' >"$tmp/latency"
same "histogram: faults of 80 ms and more" "$(awk '{ for (i = 1; i <= NF; i++)
	if (match($i, /^bucket\./)) {
		split(substr($i, 8), a, "=")
		if (a[1] * 1.25 >= 80000000)
			n += a[2]
	} }
	END { print n + 0 }' "$tmp/latency")" 6

# Wake each fault four times without its page.
fltq around -o "$tmp/sections" -- asleep attempts 2 4 10 >"$tmp/out"
line=$(cat "$tmp/sections")
same "six attempts" "$(field attempts <<<"$line")" 6
same "six attempts: retried" "$(field retried <<<"$line")" 10
same "six attempts: stitched" "$(field stitched <<<"$line")" 2

# Without such a wake-up every fault waits once.
fltq around -o "$tmp/sections" -- kinds uffd 20 >"$tmp/out"
line=$(cat "$tmp/sections")
same "one wait: attempts" "$(field attempts <<<"$line")" 2
same "one wait: stitched" "$(field stitched <<<"$line")" 20

# A signal interrupts each fault, and the thread faults next at the same address in the
# memory of another process: that is another fault.
fltq around -o "$tmp/sections" -- giveup 20 >"$tmp/out"
line=$(cat "$tmp/sections")
same "given up: minor" "$(field minor <<<"$line")" 20
same "given up: remote" "$(field remote <<<"$line")" 20
same "given up: retried" "$(field retried <<<"$line")" 20
same "given up: dropped" "$(field dropped <<<"$line")" 20
same "given up: stitched" "$(field stitched <<<"$line")" 0
finish
