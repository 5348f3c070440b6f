#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# Promise: counts stay exact while memory is added to the machine and removed. Memory is added to
# the zone of movable pages, so processes use it at once, and the kernel moves their pages when
# tests/machine/check takes the memory away.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# find would fail when a block goes away between reading the directory and looking at the block.
blocks() { set -- /sys/devices/system/memory/memory[0-9]*; echo $#; }

# Note each change of the number of memory blocks.
watch_memory() {
	local now before
	before=$(blocks)
	while sleep 0.1; do
		now=$(blocks)
		[ "$now" = "$before" ] || echo "$before to $now"
		before=$now
	done >"$tmp/changes"
}

# Run a command once, and again until memory was added and removed.
during_changes() { # COMMAND...
	local before
	before=$(wc -l <"$tmp/changes")
	while "$@" && [ "$(wc -l <"$tmp/changes")" -lt $((before + 2)) ]; do :; done
}

load
fltq machine >"$tmp/before"
storm 1 2 >/dev/null 2>&1 &
stormer=$!
: >"$tmp/changes"
watch_memory &
watcher=$!
during_changes equal "fork tree" tree fork 60 8
say "fork trees"
during_changes equal "threads" tree threads 32 16
say "threads"
during_changes equal "userfaultfd" kinds uffd 50
say "userfaultfd"
during_changes equal "memory in use" wset -t 3 64 64
say "memory in use"
kill $watcher $stormer
wait $watcher $stormer 2>/dev/null || true
say "blocks of memory: $(tr '\n' ',' <"$tmp/changes")"
fltq machine >"$tmp/after"
same_as_vmstat "machine" all.failed
same "missed faults" "$(delta all.missed)" 0
finish
