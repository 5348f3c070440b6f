#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300 quick=1
# shellcheck disable=SC2119
# Promise: the module can always be unloaded with 1,000 tasks asleep in the probed function. The long
# size unloads it 50 times, with 100 tasks.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

rounds=$(sized 2 50 50) sleepers=$(sized 1000 100 1000)

# Each round wakes the threads without their pages, so that they enter the function again, now with
# the probe armed, and sleep there.
mkfifo "$tmp/fifo"
asleep hold "$sleepers" <"$tmp/fifo" >"$tmp/asleep" 2>&1 &
holder=$!
exec 7>"$tmp/fifo"
until_true grep -q asleep "$tmp/asleep" ||
	bad "the threads do not fall asleep: $(cat "$tmp/asleep")"
for ((i = 1; i <= rounds; i++)); do
	load accounting=latency
	echo >&7
	asleep_again() { [ "$(grep -c asleep "$tmp/asleep")" = $((i + 1)) ]; }
	until_true asleep_again || bad "round $i: the threads do not fall asleep again"
	at_least "round $i: probe hits" "$(fltq machine | field hits)" "$sleepers"
	unload
	checks=$((checks + 1))
	! loaded || bad "round $i: the module is still loaded"
	say "round $i"
done
exec 7>&-
wait "$holder" || bad "the sleeping threads: status $?"
same "last line of the sleeping threads" "$(tail -1 "$tmp/asleep")" "done"
rm "$tmp/fifo"

finish
