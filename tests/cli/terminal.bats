#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Output on a terminal: width and colors.

# setup() creates $dir.
# shellcheck disable=SC2154
load cli.bash

# on_terminal COMMAND: run the words of COMMAND on a terminal of unknown width.
on_terminal() { script -qec "$1" /dev/null </dev/null | tr -d '\r'; }

@test "rows fit a terminal; -w, files and pipes get all" {
	flt=$dir/t.flt
	"$GENERATE" "$flt" 20000 300 12 own >/dev/null
	for by in line function object thread vma address stack; do
		on_terminal "env -u COLUMNS $FLTCTL report --by=$by $flt 2>/dev/null" >"$dir/narrow"
		[ "$(wc -l <"$dir/narrow")" -gt 3 ]
		[ "$(awk 'length > 80' "$dir/narrow")" = "" ] || { cat "$dir/narrow"; false; }
		"$FLTCTL" report --by=$by "$flt" >"$dir/file" 2>/dev/null || [ $? = 3 ]
		on_terminal "$FLTCTL report -w --by=$by $flt 2>/dev/null" >"$dir/wide"
		cmp "$dir/file" "$dir/wide"
	done
}

@test "a terminal gets shorter trees" {
	flt=$dir/t.flt
	"$GENERATE" "$flt" 20000 300 12 own >/dev/null
	for tree in --callees --callers; do
		on_terminal "env COLUMNS=40 $FLTCTL report $tree $flt 2>/dev/null" >"$dir/narrow"
		[ "$(wc -l <"$dir/narrow")" -gt 3 ]
		[ "$(awk 'length > 40' "$dir/narrow")" = "" ] || { cat "$dir/narrow"; false; }
	done
}

@test "colors appear on a terminal, unless NO_COLOR, --color or TERM=dumb say no" {
	flt=$dir/t.flt
	"$GENERATE" "$flt" 20000 300 12 own >/dev/null
	map="$FLTCTL map --heat $flt"
	# Progress is erased by a sequence that is no color.
	colors() { grep -c "$(printf '\033\\[')[0-9;]*m" || true; }
	[ "$(on_terminal "env TERM=xterm $map" | colors)" -gt 0 ]
	[ "$(on_terminal "env TERM=xterm NO_COLOR=1 $map" | colors)" = 0 ]
	[ "$(on_terminal "env TERM=dumb $map" | colors)" = 0 ]
	[ "$(on_terminal "env TERM=xterm $map --color=never" | colors)" = 0 ]
	[ "$("$FLTCTL" map --heat "$flt" 2>/dev/null | colors)" = 0 ]
	[ "$("$FLTCTL" map --heat --color=always "$flt" 2>/dev/null | colors)" -gt 0 ]
	run --separate-stderr -2 "$FLTCTL" lat --color=blue
	[[ $stderr == *"expected one of auto, always, never"* ]]
}

@test "reading a large recording shows progress on a terminal only" {
	flt=$dir/t.flt
	# Progress begins after a while, so reading must take three times as long on this machine.
	for ((faults = 5000000, took = 0; took < 1500000; faults *= 2)); do
		"$GENERATE" "$flt" $faults 3000 12 own >/dev/null
		took=${EPOCHREALTIME/./}
		"$FLTCTL" report --no-symbols "$flt" >/dev/null
		took=$((${EPOCHREALTIME/./} - took))
	done
	for command in "report --no-symbols $flt" "map $flt" \
		"visualize --no-symbols --folded -o $dir/folded $flt"; do
		TERM=xterm script -qec "$FLTCTL $command" /dev/null </dev/null | tr '\r' '\n' >"$dir/shown"
		grep -q "^reading $flt: [0-9]* %" "$dir/shown" || { cat "$dir/shown"; false; }
	done
	# The line is erased before the rows.
	TERM=xterm script -qec "$FLTCTL report --no-symbols $flt" /dev/null </dev/null >"$dir/shown"
	head -n 1 "$dir/shown" | sed "s/.*$(printf '\033')\[K//" | grep -q '^ *%  *FAULTS'
	head -n 1 "$dir/shown" | grep -q "reading $flt"
	# A terminal that cannot erase lines gets no progress and no sequences.
	TERM=dumb script -qec "$FLTCTL report --no-symbols $flt" /dev/null </dev/null >"$dir/shown"
	[ "$(grep -c "$(printf '\033')" "$dir/shown")" = 0 ]
	# Rows are written while script reads.
	TERM=xterm script -qec "$FLTCTL script --json $flt | head -n 100000" /dev/null </dev/null >"$dir/shown"
	[ "$(grep -c "reading $flt" "$dir/shown")" = 0 ]
	"$FLTCTL" report --no-symbols "$flt" >/dev/null 2>"$dir/shown" || [ $? = 3 ]
	[ "$(grep -c reading "$dir/shown")" = 0 ]
}
