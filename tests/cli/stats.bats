#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of 'fltctl stats' with the kernel's own counters, which exist on all machines.

# setup() creates $dir. Another shell expands the strings in '...'.
# shellcheck disable=SC2154,SC2016
load cli.bash

@test "stats counts a command, its children and threads exactly like the kernel" {
	for cmd in 'true' 'ls / >/dev/null; ls / | wc -l' \
		'for i in 1 2 3; do (ls / >/dev/null) & done; wait' \
		'python3 -c "import threading
x=[threading.Thread(target=lambda: bytearray(3<<20)) for i in range(8)]
[t.start() for t in x]; [t.join() for t in x]"'; do
		# Disable the leak checker, because it traces the process and only one tracer is possible.
		ASAN_OPTIONS=detect_leaks=0 "$FAULTRUN" -o "$dir/judge" -- \
			"$FLTCTL" stats --source=kernel --json -o "$dir/json" -- sh -c "$cmd"
		json "$dir/json" "rows[-1]['minor'] == $(judged "$dir/judge" minor)"
		json "$dir/json" "rows[-1]['major'] == $(judged "$dir/judge" major)"
		json "$dir/json" "rows[-1]['complete'] and rows[-1]['record'] == 'command'"
	done
}

@test "stats returns the exit status of the command" {
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel -- true
	run --separate-stderr -1 "$FLTCTL" stats --source=kernel -- false
	run --separate-stderr -77 "$FLTCTL" stats --source=kernel -- sh -c 'exit 77'
	run --separate-stderr -137 "$FLTCTL" stats --source=kernel -- sh -c 'kill -9 $$'
	[[ $output == *elapsed* ]]
	run --separate-stderr -127 "$FLTCTL" stats --source=kernel -- nonexistent-command
	[[ $stderr == *"cannot run nonexistent-command: No such file"* ]] && [ -z "$output" ]
	run --separate-stderr -126 "$FLTCTL" stats --source=kernel -- /etc/passwd
	[[ $stderr == *"Permission denied"* ]]
	run --separate-stderr -127 "$FLTCTL" stats --source=kernel -- ''
}

@test "options after -- belong to the command" {
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel -o "$dir/out" -- \
		printf '%s %s\n' --json -a
	[ "$output" = "--json -a" ]
}

@test "the command inherits standard input, output and error only" {
	ls /proc/self/fd >"$dir/bare"
	"$FLTCTL" stats --source=kernel -o "$dir/out" -- ls /proc/self/fd >"$dir/counted"
	cmp "$dir/bare" "$dir/counted"
	run --separate-stderr -0 bash -c \
		'"$1" stats --source=kernel -o "$2" -- sh -c "[ ! -e /proc/self/fd/0 ]" <&-' \
		- "$FLTCTL" "$dir/out"
}

@test "the command inherits the original signal mask and handlers" {
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel -o "$dir/out" -- \
		grep -E '^Sig(Blk|Ign)' /proc/self/status
	expected=$(grep -E '^Sig(Blk|Ign)' /proc/self/status)
	[ "$output" = "$expected" ]
}

@test "stats forwards SIGINT and SIGTERM and still prints the summary" {
	for signal in INT TERM; do
		rm -f "$dir/out"
		"$FLTCTL" stats --source=kernel --json -o "$dir/json" -- \
			python3 -c 'import signal, sys, time
for s in (signal.SIGINT, signal.SIGTERM):
    signal.signal(s, lambda n, f: sys.exit(40 + n))
print("ready", flush=True)
time.sleep(60)' >"$dir/out" &
		pid=$!
		until_true grep -q ready "$dir/out"
		kill -$signal $pid
		status=0
		wait $pid || status=$?
		[ $status = $((40 + $(kill -l $signal))) ]
		json "$dir/json" "rows[-1]['record'] == 'command' and rows[-1]['status'] == $status"
	done
}

@test "kill -9 of fltctl at any time leaves no command waiting for its start" {
	for delay in 0.001 0.01 0.03; do
		"$FLTCTL" stats --source=kernel -- sleep 0.5 >/dev/null &
		pid=$!
		sleep $delay
		kill -9 $pid 2>/dev/null || true
		wait $pid || true
	done
	until_true nobody_runs "$FLTCTL stats"
}

@test "stats reports an incomplete result if descendants are not waited for" {
	run --separate-stderr "$FLTCTL" stats --source=kernel -- python3 -c '
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for i in range(3):
    if os.fork() == 0:
        x = bytearray(8 << 20)
        os._exit(0)
time.sleep(1)'
	[ "$status" = 3 ]
	[[ $stderr == *"nobody waited for"* && ${lines[-1]} == *incomplete* ]]
}

@test "Ctrl-C ends stats and prints the totals" {
	"$FLTCTL" stats --source=kernel -p $$ 50ms >"$dir/out" &
	pid=$!
	until_true grep -q minor "$dir/out"
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ $status = 0 ]
	tail -2 "$dir/out" | grep -q '^total  minor [0-9]*'
	tail -1 "$dir/out" | grep -q '^lost   nothing'
}

@test "-p counts like /proc/PID/stat and ends with the process" {
	python3 -c 'import time
x = bytearray(4 << 20)
print("ready", flush=True)
time.sleep(60)' >"$dir/out" &
	pid=$!
	until_true grep -q ready "$dir/out"
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel --json -p $pid
	echo "$output" >"$dir/json"
	read -r minor major < <(sed 's/.*) //' /proc/$pid/stat | cut -d' ' -f8,10)
	json "$dir/json" "rows[0]['minor'] == $minor and rows[0]['major'] == $major"
	json "$dir/json" "rows[0]['pid'] == $pid and rows[0]['record'] == 'process'"
	(sleep 1; kill $pid) &
	run --separate-stderr timeout 60 "$FLTCTL" stats --source=kernel -p $pid 100ms
	# Bash may reap the process before the last snapshot. Then stats reports an incomplete result.
	[[ $status = 0 && ${lines[-1]} == *nothing || $status = 3 && ${lines[-1]} == *incomplete ]]
}

@test "-p --threads prints a row per thread" {
	python3 -c 'import threading, time
for i in range(3): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print("ready", flush=True)
time.sleep(60)' >"$dir/out" &
	pid=$!
	until_true grep -q ready "$dir/out"
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel --json --threads -p $pid
	kill $pid
	echo "$output" >"$dir/json"
	json "$dir/json" "len({r['tid'] for r in rows if r['record'] == 'thread'}) == 4"
}

@test "stats refuses a PID that does not exist" {
	run --separate-stderr -1 "$FLTCTL" stats --source=kernel -p 4194303
	[[ $stderr == *4194303* ]] && [ -z "$output" ]
}

@test "stats reports a wrong cgroup or metric before it asks the module" {
	run --separate-stderr -1 "$FLTCTL" stats --cgroup /nonexistent
	[ -z "$output" ]
	[ "$stderr" = "fltctl stats: cannot find cgroup /nonexistent: No such file or directory" ]
	run --separate-stderr -2 "$FLTCTL" stats --cgroup /
	[[ $stderr == *"invalid cgroup '/': not a directory of cgroup2"* ]]
	run --separate-stderr -2 "$FLTCTL" stats --with '(' -- true
	[[ ${stderr_lines[0]} == "fltctl stats: --with: "* ]]
}

@test "stats refuses a TID given as PID" {
	python3 -c 'import threading, time
t = threading.Thread(target=time.sleep, args=(60,), daemon=True)
t.start()
print(t.native_id, flush=True)
time.sleep(60)' >"$dir/out" &
	pid=$!
	until_true [ -s "$dir/out" ]
	run --separate-stderr -1 "$FLTCTL" stats --source=kernel -p "$(cat "$dir/out")"
	kill $pid
	[[ $stderr == *": a thread of process $pid (give -p $pid --threads)"* ]]
}

@test "--top limits text output but not data output" {
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel --top=1
	[ "$(grep -c '(others)' <<<"$output")" = 1 ] && [ ${#lines[@]} = 6 ]
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel --top=1 --csv
	[ ${#lines[@]} -gt 6 ]
}

@test "-a prints one row of /proc/vmstat per interval" {
	before=$(awk '/^pgfault /{print $2}' /proc/vmstat)
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel --json -a 50ms 3
	after=$(awk '/^pgfault /{print $2}' /proc/vmstat)
	echo "$output" >"$dir/json"
	json "$dir/json" "[r['record'] for r in rows] == ['machine'] * 3 + ['total']"
	json "$dir/json" "[r['span'] for r in rows] == ['begin', 'interval', 'interval', 'total']"
	json "$dir/json" "$before <= rows[0]['minor'] + rows[0]['major'] <= $after"
	json "$dir/json" "sum(r['minor'] for r in rows[:3]) == rows[3]['minor']"
}

@test "rows per process are sorted by faults and add up to the total" {
	run --separate-stderr "$FLTCTL" stats --source=kernel --json
	[ "$status" = 0 ]
	echo "$output" >"$dir/json"
	json "$dir/json" "sum(r['minor'] for r in rows[:-1]) == rows[-1]['minor']"
	json "$dir/json" "[r['minor'] + r['major'] for r in rows[:-1]] == \
		sorted((r['minor'] + r['major'] for r in rows[:-1]), reverse=True)"
}

@test "CSV has one heading and the same number of fields in each line" {
	"$FLTCTL" stats --source=kernel --csv 50ms 2 >"$dir/csv" || [ $? = 3 ]
	python3 -c 'import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
assert rows[0][0] == "record" and len({len(r) for r in rows}) == 1, rows
assert all(r[0] != "record" for r in rows[1:]) and rows[-1][0] == "total"' "$dir/csv"
}

@test "stats escapes hostile process names in text and data" {
	program=$dir/$'e\033[2J",\n\xff'
	cp /bin/sleep "$program"
	"$program" 20 &
	pid=$!
	until_true grep -q '^e' /proc/$pid/comm
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel -p $pid
	[[ $output != *$'\033'* && $output == *'e\x1b[2J",\n\xff'* ]]
	"$FLTCTL" stats --source=kernel --json -p $pid >"$dir/json"
	json "$dir/json" "rows[0]['comm'] == 'e\\x1b[2J\",\\n\\ufffd'"
	"$FLTCTL" stats --source=kernel --csv -p $pid >"$dir/csv"
	kill $pid
	python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert rows[0]["comm"] == r"""e\x1b[2J",\n\xff""", rows' "$dir/csv"
}

@test "stats without the module reports missing features once and prints the rest" {
	without_module
	run --separate-stderr -0 "$FLTCTL" stats -- true
	[[ $stderr == *"modprobe flt"* && $stderr == *"without failed faults, retries, kinds and latency"* ]]
	run --separate-stderr -5 "$FLTCTL" stats --source=module -a
	[[ $stderr == *"modprobe flt"* ]] && [ -z "$output" ]
	run --separate-stderr -5 "$FLTCTL" stats --kinds -- true
	[[ $stderr == *"cannot count kinds of faults without the flt module"* ]] && [ -z "$output" ]
	run --separate-stderr -5 "$FLTCTL" stats --by=kind
}

@test "stats without the module has no columns for counts that only the module knows" {
	for args in "--top=3" "-a" "-p $$" "--threads -p $$" "0.1 -- sleep 0.3" "-- true"; do
		# shellcheck disable=SC2086
		run --separate-stderr -0 "$FLTCTL" stats --source=kernel $args
		[[ $output == *minor*major* ]] || { echo "$args: $output"; false; }
		[[ $output != *failed* && $output != *retrie* && $output != *missed* ]] ||
			{ echo "$args: $output"; false; }
		# shellcheck disable=SC2086
		"$FLTCTL" stats --source=kernel --json -o "$dir/json" $args
		json "$dir/json" "rows and not any({'failed', 'failed_per_second', 'retries', 'missed'} & \
			set(r) for r in rows)"
	done
}

@test "stats counts a command without any capability" {
	is_root
	run --separate-stderr -0 as_nobody stats --source=kernel --json -- true
	echo "$output" >"$dir/json"
	json "$dir/json" "rows[-1]['minor'] == rows[-1]['wait4_minor'] > 0"
}

@test "stats shows progress on a terminal only" {
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel -- sleep 2.8
	[ -z "$stderr" ]
	run -0 env TERM=xterm script -qec "$FLTCTL stats --source=kernel -o $dir/out -- sleep 1.2" /dev/null
	[[ $output == *$'\r'*" s: minor "* ]]
}

@test "-o writes to the file or reports the error" {
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel -a -o "$dir/file"
	[ -z "$output" ] && grep -q ^total "$dir/file"
	run --separate-stderr -1 "$FLTCTL" stats --source=kernel -a -o "$dir/no/file"
	[[ $stderr == *"cannot write $dir/no/file: "*" (create its directory first)"* ]]
	for args in "-a" "-a 0.1 2" "--json -a" "-- true" "--csv -- true" "0.1 -- sleep 0.3"; do
		# shellcheck disable=SC2086
		run --separate-stderr -1 "$FLTCTL" stats --source=kernel -o /dev/full $args
		[[ $stderr == *"cannot write /dev/full: No space"* ]] || { echo "$args: $stderr"; false; }
	done
}

@test "a long run of stats leaks neither files nor memory" {
	ASAN_OPTIONS=quarantine_size_mb=1 "$FLTCTL" stats --source=kernel 10ms >/dev/null &
	pid=$!
	sleep 2
	fds=$(find /proc/$pid/fd -mindepth 1 | wc -l)
	kb=$(awk '/^VmRSS/ { print $2 }' /proc/$pid/status)
	sleep 2
	more=$(find /proc/$pid/fd -mindepth 1 | wc -l)
	kb=$(($(awk '/^VmRSS/ { print $2 }' /proc/$pid/status) - kb))
	kill -INT $pid
	status=0
	wait $pid || status=$?
	# The sanitizer exits with 1 and a report if memory leaked.
	[ $status = 0 ] || [ $status = 3 ]
	# Each snapshot closes its files. During a snapshot at most two more are open.
	[ "$more" -le $((fds + 2)) ]
	[ "$kb" -lt 4096 ]
}

@test "--with passes on all output of the command and prints its progress next to the faults" {
	run --separate-stderr -0 bash -c '"$1" stats --source=kernel -o "$2" --with lines -- seq 100000 | md5sum' - \
		"$FLTCTL" "$dir/out"
	[ "$output" = "$(seq 100000 | md5sum)" ]
	grep -q '^with   lines/s against faults/s: not defined, too few samples' "$dir/out"

	# The command alternates between faults and progress, so the correlation is negative.
	"$FLTCTL" stats --source=kernel --json -o "$dir/json" --with 'at ([0-9]+)' --plot "$dir/plot.svg" -- python3 -c '
import mmap, time
n = 0
for i in range(60):
    if i // 15 % 2:
        m = mmap.mmap(-1, 4 << 20)
        for k in range(0, 4 << 20, 4096):
            m[k] = 1
        m.close()
    else:
        n += 50
    print("at", n, flush=True)
    time.sleep(0.05)' >"$dir/printed"
	[ "$(wc -l <"$dir/printed")" = 60 ]
	json "$dir/json" 'rows[-1]["record"] == "correlation" and rows[-1]["lag"] == 0 and rows[-1]["n"] >= 15'
	json "$dir/json" '-1 <= rows[-1]["pearson"] < -0.3 and rows[-1]["spearman"] < -0.3'
	json "$dir/json" 'sum(r["record"] == "sample" for r in rows) == rows[-1]["n"]'
	python3 -c 'import sys, xml.dom.minidom as d
assert d.parse(sys.argv[1]).getElementsByTagName("polyline")' "$dir/plot.svg"
}

@test "--with reads progress from a file and reports errors" {
	"$FLTCTL" stats --source=kernel --json -o "$dir/json" --with 'n=([0-9]+)' --with-file "$dir/log" -- sh -c '
		for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "n=$i" >>"$0"; sleep 0.1; done' "$dir/log"
	json "$dir/json" 'max(r["value"] for r in rows if r["record"] == "sample") > 0'
	run --separate-stderr -2 "$FLTCTL" stats --with lines -p 1
	[[ $stderr == *"needs a command after"* ]]
	run --separate-stderr -2 "$FLTCTL" stats --with '(' -- true
	[[ $stderr == *"--with: "* ]]
	run --separate-stderr -2 "$FLTCTL" stats --plot x.svg -- true
	[[ $stderr == *"needs --with"* ]]
	run --separate-stderr -2 "$FLTCTL" stats --with lines --csv -- true
	[[ $stderr == *"use --json"* ]]
}

# Run a program that may not open perf events. 298: perf_event_open() on x86-64.
without_perf() {
	python3 -c '
import ctypes, os, struct, sys
code = b"".join(struct.pack("HBBI", *i) for i in (
    (0x20, 0, 0, 0), (0x15, 0, 1, 298), (6, 0, 0, 0x5000d), (6, 0, 0, 0x7fff0000)))
class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_char_p)]
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(Program(4, code))):
    sys.exit("no seccomp")
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}

@test "without perf events, a command has no reports in between, and none of other processes" {
	without_module
	[ "$(uname -m)" = x86_64 ] || skip "the number of the system call is that of x86-64"
	run --separate-stderr -0 without_perf "$FLTCTL" stats --json 100ms -- sleep 0.5
	[[ $stderr == *"cannot show progress"* ]]
	[ "$(wc -l <<<"$output")" = 1 ]
	[[ $output == *'"record":"command"'* ]]
}
