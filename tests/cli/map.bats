#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fltctl map from recordings, and its usage.

# dir is made by setup(); what stands in '...' is for another shell.
# shellcheck disable=SC2154,SC2016
load cli.bash

# A made-up recording of 20000 faults in three processes, and one with hostile names.
record() {
	: "${GENERATE:?}"
	[ -e "$BATS_FILE_TMPDIR/own.flt" ] || "$GENERATE" "$BATS_FILE_TMPDIR/own.flt" 20000 300 12 own
	[ -e "$BATS_FILE_TMPDIR/hostile.flt" ] || "$GENERATE" "$BATS_FILE_TMPDIR/hostile.flt" 20000 300 12 hostile
	flt=$BATS_FILE_TMPDIR/own.flt
	hostile=$BATS_FILE_TMPDIR/hostile.flt
}

@test "bad usage of map is refused with a reason" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" map $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		|missing target: give -p PID
		a.flt b.flt|unexpected argument 'b.flt'
		a.flt -p 1|exclude each other
		-p 1 -- true|exclude each other
		a.flt -- true|exclude each other
		--follow -- true|needs -p
		a.flt --for 1s|--for and a recording exclude each other
		-p 1 -b 5KiB|a power of two
		--sort=size a.flt|one of faults, latency, majors, refaults, address
	END
}

@test "without the module only recordings are mapped" {
	without_module
	run --separate-stderr -5 "$FLTCTL" map -- true
	[ -z "$output" ] && [[ $stderr == *module* ]]
}

@test "what is no recording is refused" {
	run --separate-stderr -1 "$FLTCTL" map /etc/passwd
	[[ $stderr == *"no trace file"* ]] && [ -z "$output" ]
}

@test "the sum over regions is the total, in JSON, CSV and text" {
	record
	"$FLTCTL" map --json "$flt" >"$dir/json"
	json "$dir/json" 'sum(r["faults"] for r in rows if r["record"] == "region") == rows[-1]["faults"] == 20000'
	json "$dir/json" 'rows[-1]["record"] == "total" and all(r["minor"] + r["major"] == r["faults"] for r in rows)'
	json "$dir/json" 'abs(sum(r["share"] for r in rows[:-1]) - 100) < 1'
	json "$dir/json" 'all(r["pattern"] in ("sequential", "strided", "random", "thrashing", "one pass", "mixed", "few")
		for r in rows[:-1])'
	"$FLTCTL" map --csv "$flt" | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
assert rows[-1]["record"] == "total" and rows[-1]["faults"] == "20000", rows'
	run -0 "$FLTCTL" map "$flt"
	[[ ${lines[0]} == *FAULTS*PATTERN*REGION ]]
	[[ $output == *"100.0"*"(total)"* ]]
}

@test "--top folds the rest into one row, and nothing is missing" {
	record
	run -0 "$FLTCTL" map -n 1 "$flt"
	[[ $output == *"others)"* ]]
	sum=$(awk '$NF != "REGION" && $3 ~ /^[0-9]+$/ && !/total/ { n += $3 } END { print n }' <<<"$output")
	[ "$sum" = 20000 ]
}

@test "the heat map has every fault, as blocks and as rows" {
	record
	"$FLTCTL" map --json --heat "$flt" >"$dir/json"
	json "$dir/json" 'sum(r["faults"] for r in rows if r["record"] == "cell") == 20000'
	json "$dir/json" 'all(r["from_ns"] < r["until_ns"] for r in rows if r["record"] == "cell")'
	run -0 env LC_ALL=C COLUMNS=60 "$FLTCTL" map --heat "$flt"
	[ "$(grep -c '^|.*|$' <<<"$output")" -ge 3 ]
	[ "$(grep '^|' <<<"$output" | awk 'length != 60' | wc -l)" = 0 ]
	[[ $output != *$'\033'* ]]
	run -0 "$FLTCTL" map --heat --color=always "$flt"
	[[ $output == *$'\033[48;5;'* ]]
	run -0 env NO_COLOR=1 "$FLTCTL" map --heat "$flt"
	[[ $output != *$'\033'* ]]
	run -0 "$FLTCTL" map "$flt"
	[[ $output != *'|'* ]]
}

@test "the plot is XML, and a name in it does no harm" {
	record
	for file in "$flt" "$hostile"; do
		run --separate-stderr -0 "$FLTCTL" map --plot "$dir/plot.svg" "$file"
		python3 -c '
import sys, xml.dom.minidom
d = xml.dom.minidom.parse(sys.argv[1])
assert len(d.getElementsByTagName("script")) == 1 and not d.getElementsByTagName("img")
assert len(d.getElementsByTagName("path")) > 3' "$dir/plot.svg"
		[[ $output != *$'\033'* ]]
	done
	run --separate-stderr -1 "$FLTCTL" map --plot /nonexistent/plot.svg "$flt"
	[[ $stderr == *"cannot write /nonexistent/plot.svg"* ]]
}

@test "a real program under a limit: what does not fit comes back, and the advice says so" {
	: "${RECORDER:?}"
	"$RECORDER" record -L 4 -M 64 -o "$dir/r.flt" -- python3 -c '
import mmap
m = mmap.mmap(-1, 16 << 20)
for i in range(3):
    for at in range(0, len(m), 4096):
        m[at] = 1' || skip "cannot record here"
	"$FLTCTL" map --json "$dir/r.flt" >"$dir/json"
	json "$dir/json" 'rows[0]["pattern"] == "thrashing" and rows[0]["remedy"] == "limit"'
	json "$dir/json" 'rows[0]["refaults"] > 6000'
}

@test "the heat map shows the regions with most faults, whatever others have alike" {
	cat >"$dir/ties.py" <<-'END'
		import mmap, sys
		keep = []
		# Later ones lie below.
		for name, pages in [("big", 2000)] + [("small%d" % i, 100) for i in range(30)]:
		    with open("%s/%s" % (sys.argv[1], name), "w+b") as f:
		        f.truncate(pages * 4096)
		        m = mmap.mmap(f.fileno(), pages * 4096)
		        for i in range(pages):
		            m[i * 4096] = 1
		        keep.append(m)
	END
	"$FLTCTL" record --engine=perf -o "$dir/ties.flt" -- python3 "$dir/ties.py" "$dir" 2>"$dir/err" ||
		{ grep -q perf_event "$dir/err" && skip "no perf events here"; cat "$dir/err"; false; }
	run -0 "$FLTCTL" map --heat "$dir/ties.flt"
	[[ $output == *"/big  python3"*" faults, "* ]]
}
