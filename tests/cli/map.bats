#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of 'fltctl map' with recordings, and of its usage.

# setup() creates $dir. Another shell expands the strings in '...'.
# shellcheck disable=SC2154,SC2016
load cli.bash

# Generate a recording of 20000 faults in three processes, and a recording with hostile names.
record() {
	: "${GENERATE:?}"
	[ -e "$BATS_FILE_TMPDIR/own.flt" ] || "$GENERATE" "$BATS_FILE_TMPDIR/own.flt" 20000 300 12 own
	[ -e "$BATS_FILE_TMPDIR/hostile.flt" ] || "$GENERATE" "$BATS_FILE_TMPDIR/hostile.flt" 20000 300 12 hostile
	flt=$BATS_FILE_TMPDIR/own.flt
	hostile=$BATS_FILE_TMPDIR/hostile.flt
}

@test "map refuses invalid usage with an explanation" {
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
		-p 1 --cgroup /sys|exclude each other
		--cgroup /sys -- true|exclude each other
		a.flt -- true|exclude each other
		--follow -- true|needs -p
		a.flt --for 1s|--for and a recording exclude each other
		-p 1 -b 5KiB|a power of two
		--sort=size a.flt|one of faults, latency, majors, refaults, address
	END
}

@test "map without the module reads recordings only" {
	without_module
	run --separate-stderr -5 "$FLTCTL" map -- true
	[ -z "$output" ] && [[ $stderr == *module* ]]
}

@test "map refuses a file that is not a recording" {
	run --separate-stderr -1 "$FLTCTL" map /etc/passwd
	[[ $stderr == *"not a recording made by 'fltctl record'"* ]] && [ -z "$output" ]
}

@test "regions add up to the total in JSON, CSV and text" {
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

@test "--top merges the remaining regions into one row without losing faults" {
	record
	run -0 "$FLTCTL" map -n 1 "$flt"
	[[ $output == *"others)"* ]]
	sum=$(awk '$NF != "REGION" && $3 ~ /^[0-9]+$/ && !/total/ { n += $3 } END { print n }' <<<"$output")
	[ "$sum" = 20000 ]
}

@test "the heat map contains all faults, as blocks and as rows" {
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

# The two recordings differ in the size of their pages only. Their pages have the same numbers.
@test "a recording of a machine with pages of 16 KiB is read with that size" {
	"$GENERATE" "$dir/4k" 20000 300 12 plain 4096
	"$GENERATE" "$dir/16k" 20000 300 12 plain 16384
	for size in 4k 16k; do
		"$FLTCTL" map --json --heat --plot "$dir/$size.svg" "$dir/$size" >"$dir/$size.map"
		"$FLTCTL" report --json "$dir/$size" >"$dir/$size.report"
		"$FLTCTL" report --json --by=address "$dir/$size" >"$dir/$size.pages"
		"$FLTCTL" visualize --html -o "$dir/$size.html" "$dir/$size"
	done
	cmp "$dir/4k.report" "$dir/16k.report"
	python3 - "$dir" <<-'END'
		import json, re, sys
		def rows(size, kind="map"):
		    with open(f"{sys.argv[1]}/{size}.{kind}", encoding="utf-8") as f:
		        return [json.loads(line) for line in f]
		def pages(size, page):
		    return sorted(((int(r["address"], 16) - heap) / page, r["pid"], r["faults"]) for r in rows(size, "pages"))
		heap = 0x7f0000000000
		small, large = rows("4k"), rows("16k")
		assert len(small) == len(large) > 50
		for a, b in zip(small, large):
		    for key in ("bytes", "distinct_bytes"):
		        if a.get(key) is not None:
		            assert b[key] == 4 * a[key] > 0, (key, a, b)
		    for key in ("start", "end"):
		        if a.get(key) is not None:
		            assert int(b[key], 16) - heap == 4 * (int(a[key], 16) - heap), (key, a, b)
		    same = set(a) - {"bytes", "distinct_bytes", "start", "end"}
		    assert all(a[key] == b[key] for key in same), (a, b)
		assert pages("4k", 4096) == pages("16k", 16384) and len(pages("4k", 4096)) > 1000
		for kind in ("svg", "html"):
		    def bands(size):
		        with open(f"{sys.argv[1]}/{size}.{kind}", encoding="utf-8") as f:
		            return [int(n) for n in re.findall(r'data-bytes="(\d+)"', f.read())]
		    assert bands("4k") and bands("16k") == [4 * n for n in bands("4k")], kind
	END
}

@test "the plot is valid XML and escapes hostile names" {
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

@test "map reports refaults of a program with limited memory and gives advice" {
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

@test "the heat map shows the regions with most faults, even if many have equal counts" {
	cat >"$dir/ties.py" <<-'END'
		import mmap, sys
		keep = []
		# Later mappings have lower addresses.
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

@test "the plot begins with the regions that fault most, and has one strip of others per process" {
	flt=$dir/t.flt
	"$RECORDER" record -q -o "$flt" -- sh -c '/usr/bin/python3 -c "bytes(3000000)"; ls /' \
		>"$dir/out" 2>&1 || skip "cannot record here"
	"$FLTCTL" map --json --top 0 --plot "$dir/plot.svg" "$flt" >"$dir/rows" 2>"$dir/err"
	/usr/bin/python3 - "$dir/plot.svg" "$dir/rows" <<-'END'
		import html, json, re, sys
		text = html.unescape(open(sys.argv[1]).read())
		drawn = [int(n) for n in re.findall(r"(\d+) faults, ", text)]
		rows = [json.loads(line) for line in open(sys.argv[2])]
		faults = [r["faults"] for r in rows if r["record"] == "region"]
		big = sorted((n for n in faults if n * 100 >= sum(faults)), reverse=True)
		assert drawn[:len(big)] == big[:80], (drawn, big)
		strips = re.findall(r"\d+ small regions?", text)
		small = {r["pid"] for r in rows if r["record"] == "region" and
			 0 < r["faults"] * 100 < sum(faults)}
		assert len(small) > 1 and len(set(strips)) == len(small), (strips, small)
	END
}

@test "-o writes the regions to a file" {
	flt=$dir/t.flt
	"$GENERATE" "$flt" 20000 300 12 own >/dev/null
	"$FLTCTL" map --json "$flt" >"$dir/want" 2>/dev/null || [ $? = 3 ]
	run --separate-stderr "$FLTCTL" map --json -o "$dir/got" "$flt"
	[ -z "$output" ]
	cmp "$dir/want" "$dir/got"
}

@test "the heat map writes no control characters of a program's name" {
	without_module
	local name=$'\e]0;x\a'
	cp "$(command -v perl)" "$dir/$name"
	"$FLTCTL" record -q -o "$dir/name.flt" -- "$dir/$name" -e '$x = "a" x 4000000'
	"$FLTCTL" map --heat --color=never "$dir/name.flt" >"$dir/out"
	grep -q 'x1b]0;x' "$dir/out"
	[ "$(grep -c $'\e' "$dir/out")" = 0 ]
}
