#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fltctl wss by clear_refs and smaps, which every machine has.

# dir and pid are setup()'s and teardown()'s; what stands in '...' is for another shell.
# shellcheck disable=SC2154,SC2016
load cli.bash

# A program that touches $2 of $1 MiB, ready.
working() {
	rm -f "$dir/ready"
	"${FAULTRUN%/*}/wset" "$@" >"$dir/ready" &
	pid=$!
	until_true grep -q ready "$dir/ready"
}

clear_refs() {
	[ -w /proc/self/clear_refs ] || skip "this kernel has no clear_refs"
}

@test "bad usage of wss is refused with a reason" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" wss $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		1|missing target: give -p PID, --cgroup DIR
		-p 1 -- true|exclude each other
		-p 1 --cgroup /sys/fs/cgroup|exclude each other
		--cgroup /tmp|no directory of cgroup2
		-p 1 5ms|expected at least 10ms
		-p 1 2h|expected at most 1h
		-p 1 banana|invalid interval
		-p 1 1 0|(expected a number of windows)
		-p 1 1 2 3|unexpected argument '3'
		-f -- true|--follow needs -p
		-p 1 -C -P 3|exclude each other
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

@test "a program that touches 8 of 32 MiB has a working set of that" {
	clear_refs
	working 32 8
	"$FLTCTL" wss -m refs --json -p "$pid" 0.4 4 >"$dir/json"
	json "$dir/json" "all(r['referenced_bytes'] <= (8 << 20) + 65536 for r in rows[1:] if r['record'] == 'sample')"
	json "$dir/json" "max(r['referenced_bytes'] for r in rows) >= 8 << 20"
	json "$dir/json" "all(r['rss_bytes'] >= 32 << 20 for r in rows if r['record'] == 'sample')"
	json "$dir/json" "[r['quantile'] for r in rows if r['record'] == 'quantile'] == [0, .5, .9, .99, 1]"
	json "$dir/json" "len({r['method'] for r in rows}) == 1 and rows[0]['method'] == 'refs'"
}

@test "RSS and PSS are those of smaps_rollup" {
	clear_refs
	working 16 2
	"$FLTCTL" wss -m refs --json -p "$pid" 0.1 1 >"$dir/json"
	rss=$(awk '/^Rss:/ { print $2 * 1024 }' "/proc/$pid/smaps_rollup")
	json "$dir/json" "rows[0]['rss_bytes'] == $rss"
}

@test "a window begins when the marks are cleared, not before all was read" {
	clear_refs
	working 64 2
	"$FLTCTL" wss -m refs --json -p "$pid" 0.2 4 >"$dir/json"
	json "$dir/json" "all(b['time'] - b['window_ns'] / 1e9 >= a['time'] + a['cost_ns'] / 1e9 - 0.002 for a, b in zip(rows[:4], rows[1:4]))"
}

@test "without an interval: one window of a second; the text names method and window" {
	clear_refs
	working 8 2
	run --separate-stderr -0 "$FLTCTL" wss -m refs -p "$pid"
	[ "$(grep -c " $pid " <<<"$output")" = 1 ]
	[[ $output == *WINDOW*REFERENCED* && $output == *" refs "* ]]
}

@test "by mapping: the sum is the whole" {
	clear_refs
	working 16 4
	"$FLTCTL" wss -m refs --by=vma --json -p "$pid" 0.4 1 >"$dir/json"
	json "$dir/json" "4 << 20 <= sum(r['referenced_bytes'] for r in rows if r['record'] == 'sample') <= (4 << 20) + 65536"
	json "$dir/json" "any(r['rss_bytes'] == 16 << 20 and r['referenced_bytes'] == 4 << 20 for r in rows if 'rss_bytes' in r)"
}

@test "cumulative windows grow, a profile's double" {
	clear_refs
	working 16 4
	"$FLTCTL" wss -C --json -p "$pid" 0.2 3 >"$dir/json"
	json "$dir/json" "[r for r in rows if r['record'] == 'sample'] == sorted((r for r in rows if r['record'] == 'sample'), key=lambda r: r['window_ns'])"
	json "$dir/json" "(lambda begun: max(begun) - min(begun) < 0.005)([r['time'] - r['window_ns'] / 1e9 for r in rows[:3]])"
	"$FLTCTL" wss -m refs -P 3 --json -p "$pid" 0.1 >"$dir/json"
	json "$dir/json" "sum(r['record'] == 'sample' for r in rows) == 3"
	# Seven parts of a tenth of a second, whenever this got the CPU.
	json "$dir/json" "rows[2]['time'] - rows[0]['time'] + rows[0]['window_ns'] / 1e9 >= 0.69"
}

@test "a command's status is passed on, and it is watched until its end" {
	clear_refs
	run --separate-stderr -7 "$FLTCTL" wss -m refs 0.1 -- sh -c 'sleep 0.5; exit 7'
	[[ $output == *" refs "* ]]
	run --separate-stderr -127 "$FLTCTL" wss -m refs -- nonexistent-command
	[[ $stderr == *"cannot run nonexistent-command"* ]]
}

@test "children are watched, too: of a command, and from now on with --follow" {
	clear_refs
	"$FLTCTL" wss -m refs --json 0.3 -- sh -c "'${FAULTRUN%/*}/wset' -t 3 16 4 >/dev/null; true" >"$dir/json"
	json "$dir/json" "{r['comm'] for r in rows if r['record'] == 'sample'} == {'sh', 'wset'}"
	json "$dir/json" "max(r['referenced_bytes'] for r in rows if r['comm'] == 'wset') >= 4 << 20"
	# Of two it has when it is asked for, and two that come, those that come.
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

@test "it ends when the process does; one that is not there is said" {
	clear_refs
	working -t 5 8 2
	run --separate-stderr -0 timeout 60 "$FLTCTL" wss -m refs -p "$pid" 0.2
	[[ $output == *" $pid "* ]]
	run --separate-stderr -1 "$FLTCTL" wss -m refs -p 4194300 0.1 1
	[[ $stderr == *"invalid PID 4194300: no such process"* ]] && [ -z "$output" ]
}

@test "a comparison adds up the processes, and says which method is missing" {
	clear_refs
	working 16 4
	first=$pid
	working 8 2
	"$FLTCTL" wss --compare --json -p "$first,$pid" 0.2 3 >"$dir/json" 2>"$dir/err"
	kill "$first"
	json "$dir/json" "sum(r['rss_bytes'] for r in rows if r.get('method') == 'refs' and r['record'] == 'sample') == 3 * [r for r in rows if r['record'] == 'method' and r['method'] == 'refs'][0]['rss_bytes']"
	json "$dir/json" "all(r['counts'] and r['windows'] == 3 for r in rows if r['record'] == 'method')"
	json "$dir/json" "[r['referenced_bytes'] >> 20 for r in rows if r['record'] == 'method' and r['method'] == 'refs'][0] >= 6"
	grep -q 'without damon: ' "$dir/err"
	run --separate-stderr -3 "$FLTCTL" wss --compare 5 -- true
	[[ $stderr == *"without refs: the run ended before its first window"* ]]
}

@test "the plot is one well-formed file that loads nothing" {
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

@test "a long run sums up every second window, and says so" {
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

@test "without the module, what is used instead is said" {
	without_module
	clear_refs
	working 8 2
	run --separate-stderr -0 "$FLTCTL" wss -p "$pid" 0.1 1
	[[ $stderr == *"clear_refs and smaps instead"* && $output == *" refs "* ]]
	run --separate-stderr -5 "$FLTCTL" wss -m scan -p "$pid" 0.1 1
	[[ $stderr == *"flt module"* ]]
}
