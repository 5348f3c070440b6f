#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=240
# shellcheck disable=SC2016,SC2034,SC2119
# Promise: a stream over netlink has the same content as a stream over relay files. Each fault
# is in the stream once or is counted as lost. The stream needs no debugfs. It ends when its
# reader ends.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

sessions_are() { [ "$(fltq info | field sessions)" = "$1" ]; }
# Check that fltstream read each fault that the kernel wrote, and that each fault was either
# written or lost.
stream_is_complete() { # WHAT
	same "$1: faults read" "$(field read <"$tmp/own")" "$(field written <"$tmp/own")"
	same "$1: faults written + lost" \
		"$(($(field written <"$tmp/own") + $(field lost <"$tmp/own")))" \
		"$(field produced <"$tmp/own")"
}

load
say "each fault of a process tree is in the stream once"
trace_forking --channel netlink
at_least "faults with a path" "$(faults '/python3/ && $17 ~ /^\//')" 1

say "small buffers and a reader that never pauses"
fltstream -n -- storm 2 2 2 >"$tmp/own"
stream_is_complete "small buffers"
at_least "small buffers: number of sub-buffers" "$(field heads <"$tmp/own")" 4
at_least "small buffers: horizons without a later fault before them" \
	"$(field horizons <"$tmp/own")" 2

say "a reader that reads only at the end: the buffers fill"
# The buffers of both CPUs hold 2048 faults. Take as many faults as 117 MiB have pages.
fltstream -n -a -b 16384 -B 4 -- sh -c 'exec kinds anon "$0" >/dev/null' \
	$((30000 * 4096 / page)) >"$tmp/own"
stream_is_complete "full buffers"
at_least "full buffers: lost faults" "$(field lost <"$tmp/own")" 1

say "large buffers: nothing is lost"
fltstream -n -a -b 1048576 -B 4 -- sh -c 'exec kinds anon 10000 >/dev/null' >"$tmp/own"
stream_is_complete "large buffers"
same "large buffers: lost faults" "$(field lost <"$tmp/own")" 0

say "without debugfs, fltctl uses netlink, or fails if it was told to use relay files"
without_debugfs() { unshare -m sh -c 'umount -l /sys/kernel/debug && exec "$@"' sh "$@"; }
status=0
without_debugfs "$FLTCTL" trace --csv -- true >"$tmp/trace.csv" || status=$?
same "trace without debugfs: exit status" $status 0
at_least "trace without debugfs: faults" "$(grep -c '^fault,' "$tmp/trace.csv")" 10
status=0
without_debugfs "$FLTCTL" trace --channel relay -- true >"$tmp/out" 2>&1 || status=$?
same "trace --channel relay without debugfs: exit status" $status 1
checks=$((checks + 1))
grep -q 'cannot reach /sys/kernel/debug' "$tmp/out" ||
	bad "trace --channel relay without debugfs: missing error: $(cat "$tmp/out")"
status=0
without_debugfs "$FLTCTL" map -- true >/dev/null || status=$?
same "map without debugfs: exit status" $status 0

say "a session blocks rmmod and ends when its reader is killed"
same "sessions before the reader" "$(fltq info | field sessions)" 0
"$FLTCTL" trace --channel netlink --csv >/dev/null & reader=$!
until_true sessions_are 1
refused=0; rmmod flt 2>/dev/null || refused=1
same "rmmod was refused" $refused 1
kill -9 "$reader"
wait "$reader" 2>/dev/null || true
until_true sessions_are 0
same "sessions after the reader" "$(fltq info | field sessions)" 0
finish
