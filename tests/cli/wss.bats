#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of 'fltctl wss' with clear_refs and smaps, which exist on all machines.

# setup() creates $dir; teardown() kills $pid. Another shell expands the strings in '...'.
# shellcheck disable=SC2154,SC2016
load cli.bash

# Start a program that touches $2 of its $1 MiB, and wait until it is ready. A copy of it: pages of
# a file count as referenced if anybody reads the file, such as a guest that runs the same program.
working() {
	rm -f "$dir/ready"
	[ -e "$dir/wset" ] || cp "${FAULTRUN%/*}/wset" "$dir/wset"
	"$dir/wset" "$@" >"$dir/ready" &
	pid=$!
	until_true grep -q ready "$dir/ready"
}

# Run "fltctl wss ARGS" until CONDITION holds for its rows so far, and end it with end_wss. No
# number of windows is enough for sure: in some the program gets no CPU. The rows are in $dir/json.
end_wss() { kill -INT "$reader"; }
until_window() { # CONDITION ARGS...
	local condition=$1
	shift
	: >"$dir/rows"
	"$FLTCTL" wss --json "$@" >"$dir/rows" &
	reader=$!
	whole_lines() { head -n "$(wc -l <"$dir/rows")" "$dir/rows" >"$dir/json"; }
	met() { whole_lines && json "$dir/json" "$condition"; }
	until_true met && condition= || cat "$dir/rows"
	end_wss
	wait "$reader" || true
	whole_lines
	[ -z "$condition" ]
}

clear_refs() {
	[ -w /proc/self/clear_refs ] || skip "this kernel has no clear_refs"
}

@test "wss refuses invalid usage with an explanation" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" wss $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		1|missing target: give -p PID, --cgroup DIR
		-p 1 -- true|exclude each other
		-p 1 --cgroup /sys/fs/cgroup|exclude each other
		--cgroup /tmp|not a directory of cgroup2
		-p 1 5ms|expected at least 10ms
		-p 1 2h|expected at most 1h
		-p 1 banana|invalid interval
		-p 1 1 0|(expected a number of windows)
		-p 1 1 2 3|unexpected argument '3'
		-f -- true|--follow needs -p
		-p 1 -C -P 3|exclude each other
		-p 1 --compare --by=kind|--compare and --by exclude each other
		-p 1 -P 17|17
		-p 1 --compare -m refs|uses all methods
		-p 1 --compare --plot=/dev/null|one method
		-p 1 -P 3 0.1 5|--profile and COUNT exclude each other
		-p 1 -m refs -b 5|refs has no limit
		-p 1 -m guess|guess
		-p 1 -m refs --by=node|--method=scan
		-p 1 -m damon -f|one process at a time
	END
	run --separate-stderr -1 "$FLTCTL" wss --cgroup /nonexistent
	[[ -z $output && $stderr == *"/nonexistent: No such file"* ]]
}

@test "wss by a method of the module says how to load the module" {
	without_module
	for method in scan inject fault; do
		run --separate-stderr -5 "$FLTCTL" wss -m $method -p $$
		[ -z "$output" ]
		[[ $stderr == *"the flt module is not loaded; run as root: modprobe flt"* ]]
	done
}

@test "wss measures 8 MiB if a program touches 8 of its 32 MiB" {
	clear_refs
	working 32 8
	until_window "max(r['referenced_bytes'] for r in rows) >= 8 << 20" -m refs -p "$pid" 0.4
	json "$dir/json" "all(r['rss_bytes'] >= 32 << 20 for r in rows if r['record'] == 'sample')"
	json "$dir/json" "[r['quantile'] for r in rows if r['record'] == 'quantile'] == [0, .5, .9, .99, 1]"
	json "$dir/json" "len({r['method'] for r in rows}) == 1 and rows[0]['method'] == 'refs'"
	# The rest of the process is not exact: if reclaim takes a page of the program, a fault brings
	# 16 pages back.
	until_window "any(r['referenced_bytes'] == 8 << 20 for r in rows if r.get('rss_bytes') == 32 << 20)" \
		-m refs --by=vma -p "$pid" 0.4
	json "$dir/json" "all(r['referenced_bytes'] <= 8 << 20 for r in rows if r.get('rss_bytes') == 32 << 20)"
}

@test "wss prints the RSS and PSS of smaps_rollup" {
	clear_refs
	working -l 16 2
	"$FLTCTL" wss -m refs --json -p "$pid" 0.1 1 >"$dir/json"
	rss=$(awk '/^Rss:/ { print $2 * 1024 }' "/proc/$pid/smaps_rollup")
	json "$dir/json" "rows[0]['rss_bytes'] == $rss"
}

@test "a window begins when the referenced bits are cleared, not when reading begins" {
	clear_refs
	working 64 2
	"$FLTCTL" wss -m refs --json -p "$pid" 0.2 4 >"$dir/json"
	json "$dir/json" "all(b['time'] - b['window_ns'] / 1e9 >= a['time'] + a['cost_ns'] / 1e9 - 0.002 for a, b in zip(rows[:4], rows[1:4]))"
}

@test "wss without an interval measures one window of 1 s and prints method and window" {
	clear_refs
	working 8 2
	run --separate-stderr -0 "$FLTCTL" wss -m refs -p "$pid"
	[ "$(grep -c " $pid " <<<"$output")" = 1 ]
	[[ $output == *WINDOW*REFERENCED* && $output == *" refs "* ]]
}

@test "mappings add up to the working set of the process" {
	clear_refs
	working 16 4
	# The first window may have the end of the program's start.
	until_window "(lambda parts: any(4 << 20 <= sum(r['referenced_bytes'] for r in parts if r['time'] == end) <= (4 << 20) + 65536 for end in {r['time'] for r in parts}))([r for r in rows if r['record'] == 'sample'])" \
		-m refs --by=vma -p "$pid" 0.4
	json "$dir/json" "any(r['rss_bytes'] == 16 << 20 and r['referenced_bytes'] == 4 << 20 for r in rows if 'rss_bytes' in r)"
}

@test "cumulative windows grow, and windows of --profile double" {
	clear_refs
	working 16 4
	"$FLTCTL" wss -C --json -p "$pid" 0.2 3 >"$dir/json"
	json "$dir/json" "[r for r in rows if r['record'] == 'sample'] == sorted((r for r in rows if r['record'] == 'sample'), key=lambda r: r['window_ns'])"
	json "$dir/json" "(lambda begun: max(begun) - min(begun) < 0.005)([r['time'] - r['window_ns'] / 1e9 for r in rows[:3]])"
	"$FLTCTL" wss -m refs -P 3 --json -p "$pid" 0.1 >"$dir/json"
	json "$dir/json" "sum(r['record'] == 'sample' for r in rows) == 3"
	# 7 steps of 0.1 s, even if this process got the CPU late.
	json "$dir/json" "rows[2]['time'] - rows[0]['time'] + rows[0]['window_ns'] / 1e9 >= 0.69"
}

@test "wss says what to do if a process is not accessible or no window was complete" {
	run --separate-stderr -4 as_nobody wss -m refs -p $$ 0.1 1
	[[ $stderr == *"cannot "*" /proc/$$/"*"(run as root, or as the user of the process): Permission denied"* ]]
	run --separate-stderr -3 "$FLTCTL" wss -m refs 60 -- true
	[[ $stderr == *"first window was complete (give a shorter INTERVAL)"* ]]
}

@test "wss measures a command until its end and returns its exit status" {
	clear_refs
	run --separate-stderr -7 "$FLTCTL" wss -m refs 0.1 -- sh -c 'sleep 0.5; exit 7'
	[[ $output == *" refs "* ]]
	run --separate-stderr -127 "$FLTCTL" wss -m refs -- nonexistent-command
	[[ $stderr == *"cannot run nonexistent-command"* ]]
}

@test "wss measures children of a command, and new children with --follow" {
	clear_refs
	cp "${FAULTRUN%/*}/wset" "$dir/wset"
	end_wss() { pkill -f "^$dir/wset "; }
	until_window "max(r['referenced_bytes'] for r in rows if r['comm'] == 'wset') >= 4 << 20" \
		-m refs 0.3 -- sh -c "'$dir/wset' 16 4 >/dev/null; true"
	json "$dir/json" "{r['comm'] for r in rows if r['record'] == 'sample'} == {'sh', 'wset'}"
	# The process has two children before wss starts and two later. --follow adds the later two.
	mkfifo "$dir/go"
	rm -f "$dir/ready"
	sh -c "sleep 50 & sleep 51 & echo ready; read line; sleep 52 & sleep 53 & echo; wait" \
		<>"$dir/go" >"$dir/ready" &
	pid=$!
	until_true grep -q ready "$dir/ready"
	sleep 0.1
	"$FLTCTL" wss -m refs -f -p "$pid" 0.2 >"$dir/text" & reader=$!
	until_true grep -q " $pid " "$dir/text"
	echo >"$dir/go"
	sleeping() { awk '$3 == "sleep" { print $2 }' "$dir/text" | sort -u | wc -l; }
	both() { [ "$(sleeping)" = 2 ]; }
	until_true both
	kill -INT "$reader"
	wait "$reader"
	both
	pkill -P "$pid" || true
}

@test "wss ends with the process and reports a missing process" {
	clear_refs
	working -t 5 8 2
	run --separate-stderr -0 timeout 60 "$FLTCTL" wss -m refs -p "$pid" 0.2
	[[ $output == *" $pid "* ]]
	run --separate-stderr -1 "$FLTCTL" wss -m refs -p 4194300 0.1 1
	[[ $stderr == *"invalid PID 4194300: no such process"* ]] && [ -z "$output" ]
}

@test "a comparison adds up all processes and names missing methods" {
	clear_refs
	working 16 4
	first=$pid
	working 8 2
	"$FLTCTL" wss --compare --json -p "$first,$pid" 0.2 3 >"$dir/json" 2>"$dir/err"
	kill "$first"
	json "$dir/json" "sum(r['rss_bytes'] for r in rows if r.get('method') == 'refs' and r['record'] == 'sample') == 3 * [r for r in rows if r['record'] == 'method' and r['method'] == 'refs'][0]['rss_bytes']"
	json "$dir/json" "all(r['counts'] and r['windows'] == 3 for r in rows if r['record'] == 'method')"
	# Each value of a method is the median of three windows.
	python3 - "$dir/json" <<-'END'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1])]
		refs = [r for r in rows if r["method"] == "refs"]
		sums, method = [0, 0, 0], [r for r in refs if r["record"] == "method"][0]
		for n, r in enumerate(r for r in refs if r["record"] == "sample"):
		    sums[n // 2] += r["referenced_bytes"]
		assert method["referenced_bytes"] == sorted(sums)[1], (method, sums)
	END
	grep -q 'without damon: ' "$dir/err"
	run --separate-stderr -3 "$FLTCTL" wss --compare 5 -- true
	[[ $stderr == *"without refs: the run ended before its first window"* ]]
}

@test "the plot is one well-formed file without external resources" {
	clear_refs
	working 8 2
	"$FLTCTL" wss -m refs --plot="$dir/w.svg" -p "$pid" 0.1 5 >"$dir/text"
	python3 - "$dir/w.svg" <<-'END'
		import sys, xml.etree.ElementTree as tree
		root = tree.parse(sys.argv[1]).getroot()
		ns = "{http://www.w3.org/2000/svg}"
		assert root.tag == ns + "svg"
		lines = root.findall(ns + "polyline")
		assert [len(l.get("points").split()) for l in lines] == [5, 5], lines
		assert sum(g.get("class") == "at" for g in root.iter(ns + "g")) == 5
		text = open(sys.argv[1]).read()
		assert "href" not in text and "url(" not in text and "<script" not in text
	END
}

@test "a long run sums up every second window and reports it" {
	clear_refs
	sleepers=()
	for i in {1..60}; do
		sleep 300 &
		sleepers+=("$!")
	done
	list=$(IFS=,; echo "${sleepers[*]}")
	"$FLTCTL" wss -m refs --csv -p "$list" 0.01 150 >"$dir/csv" 2>"$dir/err" || true
	kill "${sleepers[@]}"
	[ "$(grep -c ^sample "$dir/csv")" = $((60 * 150)) ]
	[ "$(grep -c ^quantile "$dir/csv")" -ge $((60 * 5)) ]
	grep -q 'of one window in 2, because ' "$dir/err"
}

@test "wss without the module names the method used instead" {
	without_module
	clear_refs
	working 8 2
	run --separate-stderr -0 "$FLTCTL" wss -p "$pid" 0.1 1
	[[ $stderr == *"clear_refs and smaps instead"* && $output == *" refs "* ]]
	run --separate-stderr -5 "$FLTCTL" wss -m scan -p "$pid" 0.1 1
	[[ $stderr == *"flt module"* ]]
	run --separate-stderr -0 "$FLTCTL" wss -p $$ 0.2 1
	[[ $output == *REFERENCED* && $output != *1ST-TOUCH* && $output != *REFAULT* ]]
}

@test "-o writes rows to a file, and the command keeps standard output" {
	run --separate-stderr -0 "$FLTCTL" wss --json -o "$dir/rows" 0.1 -- sh -c 'echo hello; sleep 0.3'
	[ "$output" = hello ]
	[ "$(jq -s length "$dir/rows")" -gt 0 ]
	run --separate-stderr -1 "$FLTCTL" wss -o /nonexistent/rows -- echo hello
	[ -z "$output" ] && [[ $stderr == *"cannot write /nonexistent/rows"* ]]
	run --separate-stderr -1 "$FLTCTL" wss -o /dev/full 0.1 -- sh -c 'echo hello; sleep 0.3'
	[ "$output" = hello ] && [[ $stderr == *"cannot write /dev/full: No space left on device"* ]]
}
