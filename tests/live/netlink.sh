#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=240
# shellcheck disable=SC2016,SC2034,SC2119
# Promise: a stream by netlink is the stream by relay: every fault once, or counted as
# lost; it takes no debugfs, and ends with its reader.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

sessions_are() { [ "$(fltq info | field sessions)" = "$1" ]; }
# What the kernel did and what came of it.
balanced() { # WHAT
	same "$1: read" "$(field read <"$tmp/own")" "$(field written <"$tmp/own")"
	same "$1: written + lost" "$(($(field written <"$tmp/own") + $(field lost <"$tmp/own")))" \
		"$(field produced <"$tmp/own")"
}

load
say "every fault of a tree, once"
trace_forking --channel netlink
at_least "faults with a path" "$(faults '/python3/ && $17 ~ /^\//')" 1

say "small buffers, and a reader that never pauses"
fltstream -n -- storm 2 2 2 >"$tmp/own"
balanced "small buffers"
at_least "sub-buffers" "$(field heads <"$tmp/own")" 4
at_least "horizons, and nothing that came too late for one" "$(field horizons <"$tmp/own")" 2

say "a reader that looks away: its socket is full, then the buffers are"
fltstream -n -a -b 16384 -B 4 -- sh -c 'kinds anon 30000 >/dev/null; sleep 2' >"$tmp/own"
balanced "looking away"
at_least "overruns of the socket" "$(field overruns <"$tmp/own")" 1
at_least "lost" "$(field lost <"$tmp/own")" 1

say "room for all of it in the buffers: nothing is lost by the socket"
fltstream -n -a -b 1048576 -B 4 -- sh -c 'kinds anon 10000 >/dev/null; sleep 2' >"$tmp/own"
balanced "a full socket"
same "lost" "$(field lost <"$tmp/own")" 0
at_least "overruns of the socket" "$(field overruns <"$tmp/own")" 1

say "no debugfs: who can, takes netlink; who was told otherwise, says so"
bare() { unshare -m sh -c 'umount -l /sys/kernel/debug && exec "$@"' sh "$@"; }
status=0
bare "$FLTCTL" trace --csv -- true >"$tmp/trace.csv" || status=$?
same "trace: status" $status 0
at_least "trace: faults" "$(grep -c '^fault,' "$tmp/trace.csv")" 10
status=0
bare "$FLTCTL" trace --channel relay -- true >"$tmp/out" 2>&1 || status=$?
same "trace by relay: status" $status 1
checks=$((checks + 1))
grep -q 'cannot reach /sys/kernel/debug' "$tmp/out" || bad "no word of it: $(cat "$tmp/out")"
status=0
bare "$FLTCTL" map -- true >/dev/null || status=$?
same "map: status" $status 0

say "its reader is killed; before, the module cannot be unloaded"
same "sessions left" "$(fltq info | field sessions)" 0
"$FLTCTL" trace --channel netlink --csv >/dev/null & reader=$!
until_true sessions_are 1
refused=0; rmmod flt 2>/dev/null || refused=1
same "refused" $refused 1
kill -9 "$reader"
wait "$reader" 2>/dev/null || true
until_true sessions_are 0
same "sessions left" "$(fltq info | field sessions)" 0
finish
