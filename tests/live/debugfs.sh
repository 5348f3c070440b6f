#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1
# shellcheck disable=SC2119
# Promise: debugfs shows the same numbers as netlink, read-only, however it is read.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

load
kinds uffd 20 >/dev/null
fail sigbus 10 >/dev/null
tree fork 20 4
fltq machine >"$tmp/machine"
for what in minor major failed retried missed; do
	same "faults_$what" "$(field "debugfs.faults_$what" <"$tmp/machine")" \
		"$(field "all.$what" <"$tmp/machine")"
done
for what in lost_proc lost_task lost_busy lost_full; do
	same "$what" "$(field "debugfs.$what" <"$tmp/machine")" "$(field "$what" <"$tmp/machine")"
done

# Nothing there can be written, by root either.
while read -r file; do
	mode=$(stat -c %a "$file")
	checks=$((checks + 1))
	[ $((0$mode & 0222)) = 0 ] || bad "$file: mode $mode"
	if (echo 0 >"$file") 2>/dev/null; then
		bad "$file can be written"
	fi
done < <(find "$debugfs" -type f)
at_least "files" "$(find "$debugfs" -type f | wc -l)" 8

# In one piece, byte by byte, from the middle, past the end. failed holds still.
whole=$(cat "$debugfs/faults_failed")
same "byte by byte" "$(dd if="$debugfs/faults_failed" bs=1 status=none)" "$whole"
same "from the second byte" "$(tail -c +2 "$debugfs/faults_failed")" "${whole:1}"
same "past the end" "$(dd if="$debugfs/faults_failed" bs=1 skip=100 status=none 2>/dev/null | wc -c)" 0
cat "$debugfs/hooks" >"$tmp/hooks"
checks=$((checks + 1))
grep -q handle_mm_fault "$tmp/hooks" || bad "hooks does not name handle_mm_fault: $(cat "$tmp/hooks")"
dd if="$debugfs/hooks" bs=7 status=none >"$tmp/hooks.7"
same "hooks in small pieces: lines" "$(wc -l <"$tmp/hooks.7")" "$(wc -l <"$tmp/hooks")"

# The table as text: this shell is in it, with as many columns as the title has.
cat "$debugfs/procs" >"$tmp/procs"
dd if="$debugfs/procs" bs=13 status=none >"$tmp/procs.13"
for file in "$tmp/procs" "$tmp/procs.13"; do
	checks=$((checks + 1))
	grep -qw "$$" "$file" || bad "${file##*/}: no row for $$"
done
at_least "procs: rows" "$(wc -l <"$tmp/procs")" 20

# Many readers while the table changes.
storm 2 1 5 >/dev/null 2>&1 &
stormer=$!
for ((i = 0; i < 20; i++)); do
	cat "$debugfs"/* >/dev/null || bad "cat: $?"
done
wait "$stormer" || bad "the storm: status $?"
finish
