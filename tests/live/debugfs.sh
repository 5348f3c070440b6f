#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: debugfs shows the same numbers as netlink. Its files are read-only, and the size
# of a read does not change their content.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

load accounting=latency
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

# Not even root can write to a file.
while read -r file; do
	mode=$(stat -c %a "$file")
	checks=$((checks + 1))
	[ $((0$mode & 0222)) = 0 ] || bad "$file: got mode $mode, expected no write permission"
	if (echo 0 >"$file") 2>/dev/null; then
		bad "$file: root can write to the file"
	fi
done < <(find "$debugfs" -type f)
at_least "number of files" "$(find "$debugfs" -type f | wc -l)" 8

# Read a file at once, byte by byte, from an offset and past its end. The number of failed
# faults does not change meanwhile.
whole=$(cat "$debugfs/faults_failed")
same "faults_failed, read byte by byte" \
	"$(dd if="$debugfs/faults_failed" bs=1 status=none)" "$whole"
same "faults_failed, read from the second byte" \
	"$(tail -c +2 "$debugfs/faults_failed")" "${whole:1}"
same "faults_failed, bytes past the end" \
	"$(dd if="$debugfs/faults_failed" bs=1 skip=100 status=none 2>/dev/null | wc -c)" 0
cat "$debugfs/hooks" >"$tmp/hooks"
checks=$((checks + 1))
grep -q handle_mm_fault "$tmp/hooks" ||
	bad "hooks: missing handle_mm_fault: $(cat "$tmp/hooks")"
dd if="$debugfs/hooks" bs=7 status=none >"$tmp/hooks.7"
same "hooks, lines if read 7 bytes at a time" "$(wc -l <"$tmp/hooks.7")" \
	"$(wc -l <"$tmp/hooks")"

# The table of processes as text contains this shell.
cat "$debugfs/procs" >"$tmp/procs"
dd if="$debugfs/procs" bs=13 status=none >"$tmp/procs.13"
for file in "$tmp/procs" "$tmp/procs.13"; do
	checks=$((checks + 1))
	grep -qw "$$" "$file" || bad "${file##*/}: missing row of PID $$"
done
at_least "procs, number of lines" "$(wc -l <"$tmp/procs")" 20

# Read all files repeatedly while the table changes.
storm 2 1 5 >/dev/null 2>&1 &
stormer=$!
for ((i = 0; i < 20; i++)); do
	cat "$debugfs"/* >/dev/null || bad "cat: exit status $?"
done
wait "$stormer" || bad "storm: exit status $?"
finish
