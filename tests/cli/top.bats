#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of 'fltctl top' in a terminal (tmux) and without a terminal. On the host it counts
# with /proc. tests/live/top.sh tests it with the module.

# shellcheck disable=SC2154
load cli.bash

# Use one tmux server per session, because a server that is exiting still accepts requests.
sessions=0
term() { tmux -L "flt-$BATS_ROOT_PID-$BATS_TEST_NUMBER-$sessions" -f /dev/null "$@"; }

teardown() {
	[ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
	[ -z "${target:-}" ] || kill -9 "$target" 2>/dev/null || true
	term kill-server 2>/dev/null || true
	rm -f "${TMUX_TMPDIR:-/tmp}/tmux-$UID/flt-$BATS_ROOT_PID-"*
}

# Run top in a shell that prints the exit status of top and the state of the terminal after it.
start_top() { # COLUMNS ROWS TOP-ARGUMENTS
	local cols=$1 rows=$2
	shift 2
	term kill-server 2>/dev/null || true
	sessions=$((sessions + 1))
	rm -f "$dir/status" "$dir/stty.before" "$dir/stty.after"
	cat >"$dir/run" <<-END
		trap : INT
		export TERM="${FORCED_TERM-screen}"
		stty -g >"$dir/stty.before"
		"$FLTCTL" top $* 2>"$dir/err"
		echo "status \$?" >"$dir/status"
		stty -g >"$dir/stty.after"
		echo ended
		sleep 60
	END
	term new-session -d -x "$cols" -y "$rows" "bash $dir/run"
}

screen_has() { # PATTERN: wait up to ten seconds for it
	local i
	for ((i = 0; i < 100; i++)); do
		term capture-pane -p >"$dir/screen"
		! grep -qE -- "$1" "$dir/screen" || return 0
		sleep 0.1
	done
	cat "$dir/screen"
	return 1
}

rows_are() { # N PATTERN
	term capture-pane -p >"$dir/screen"
	[ "$(grep -cE "^ +[0-9]+ $2" "$dir/screen")" = "$1" ]
}

ended() { # STATUS
	screen_has '^ended'
	[ "$(cat "$dir/status")" = "status $1" ]
	cmp "$dir/stty.before" "$dir/stty.after"
}

@test "top refuses invalid usage with an explanation" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" top $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		--by=nothing|one of process, thread
		--sort=tid|no column 'tid'
		--by=file --sort=read|no column 'read'
		--by=kind --sort=faults|no column 'faults'
		--by=kind -p 1 --sort=p99|no column 'p99'
		--by=file --files=none|exclude each other
		-p 1 --cgroup /sys|exclude each other
		x|invalid interval 'x'
		1ms|at least 100ms
		1 0|(expected a number of reports)
		1 2 3|unexpected argument '3'
		-- true|runs no command
	END
}

@test "top refuses a PID that does not exist" {
	run --separate-stderr -1 "$FLTCTL" top -b -p 4194303 100ms 1
	[ -z "$output" ]
	[ "$stderr" = "fltctl top: invalid PID 4194303: no such process" ]
}

@test "top without a terminal prints plain text or data" {
	run --separate-stderr -0 "$FLTCTL" top -p $$ 100ms 2
	[[ $output == *"by process"*"PID  COMM"* && $output != *$'\033'* ]]
	"$FLTCTL" top --json 100ms 2 2>/dev/null | jq -es 'map(.by) | unique == ["process"]'
	run --separate-stderr -0 "$FLTCTL" top --csv --by=cgroup -p $$ 100ms 1
	[[ ${lines[0]} == *name,minor_per_second* ]]
	[ -e /sys/module/flt ] || run --separate-stderr -5 "$FLTCTL" top --by=kind 100ms 1
}

@test "top refuses to sort by a column that is unknown without the module" {
	without_module
	run --separate-stderr -5 "$FLTCTL" top -b -s time 100ms 1
	[[ $stderr == "fltctl top: cannot sort by 'time': "* ]]
	run --separate-stderr -2 "$FLTCTL" top -b --by=thread -s rss 100ms 1
	[[ $stderr == *"--by=thread has no column 'rss'"* ]]
	run --separate-stderr -0 "$FLTCTL" top -b -p $$ 100ms 1
	[[ $output != *TIME%* && $output != *FAIL/s* && $output != *"MAJORS IN"* ]]
}

@test "top -p shows the given processes only, also in its title" {
	without_module
	start_faulting 5 0.01
	sleep 600 3>&- &
	target=$!
	until_true grep -q sleep /proc/$target/comm
	run --separate-stderr -0 "$FLTCTL" top -b -p $target 1s 2
	[ "$(grep -c 'minor 0/s, major 0/s$' <<<"$output")" = 2 ]
	kill "$pid" "$target"
	wait "$pid" "$target" || true
}

@test "top without the module says that a process ended between two snapshots" {
	without_module
	sleep 600 3>&- &
	pid=$!
	"$FLTCTL" top -b -p $pid 200ms >"$dir/out" 2>"$dir/err" 3>&- &
	top=$!
	until_true test -s "$dir/out"
	kill $pid
	wait $pid || true
	lines=$(wc -l <"$dir/out")
	more_reports() { [ "$(wc -l <"$dir/out")" -gt $((lines + 4)) ]; }
	until_true more_reports
	kill -INT $top
	status=0
	wait $top || status=$?
	[ $status = 3 ]
	grep -qx "fltctl top: incomplete: ended between two snapshots: 1 process (.*)" "$dir/err"
}

@test "top draws the heading, obeys keys, adapts to the terminal size and quits" {
	start_top 100 20 200ms
	# Without the module, what it alone knows has no column.
	screen_has '^ +PID COMM +MINOR/s +MAJOR/s +RSS +READ/s$'
	grep -qE '^[0-9:]+ by process, [0-9.]+ms: minor [0-9]+/s, major [0-9]+/s' "$dir/screen"
	grep -qE '^h help  q quit' "$dir/screen"
	term send-keys h
	screen_has '^fltctl top: keys'
	term send-keys x t
	screen_has '^ +PID +TID COMM'
	term send-keys c
	screen_has '^CGROUP'
	term send-keys p Space
	screen_has '^paused'
	term send-keys Space /
	term send-keys -l 'no such name'
	term send-keys Enter
	screen_has 'only: no such name'
	screen_has '^no faults'
	term send-keys Escape
	term resize-window -x 20 -y 5
	screen_has '^.{19}\+$'
	[ "$(awk 'length > 20 { n++ } END { print NR ? n + 0 : "no input" }' "$dir/screen")" = 0 ]
	term resize-window -x 120 -y 30
	screen_has 'READ/s$'
	term send-keys q
	ended 0
}

# Start N processes that fault forever. The name of each contains its number.
start_faulting() { # N SECONDS-BETWEEN
	python3 -c '
import ctypes, mmap, os, sys, time
for i in range(int(sys.argv[1])):
    if os.fork():
        continue
    ctypes.CDLL(None).prctl(1, 9)
    ctypes.CDLL(None).prctl(15, b"faulting%d" % i)
    while True:
        m = mmap.mmap(-1, 1 << 16)
        for i in range(0, 1 << 16, 4096): m[i] = 1
        m.close(); time.sleep(float(sys.argv[2]))
time.sleep(600)' "$1" "$2" 3>&- &
	pid=$!
}

children_are() { [ "$(pgrep -cP "$pid" "$2")" = "$1" ]; } # N NAME

@test "clearing a filter shows all rows again, and scrolling stops at the last row" {
	start_faulting 20 0.01
	until_true children_are 20 faulting
	start_top 100 12 "-f faulting 2s"
	screen_has 'faulting[0-9]'
	# Sorted by name: 0, 1, 10 to 19, 2 to 9.
	term send-keys '<' Space
	screen_has '^paused  only: faulting'
	term send-keys NPage NPage NPage NPage NPage NPage
	screen_has 'faulting9'
	until_true rows_are 8 faulting
	# Fewer rows remain than were scrolled.
	term send-keys /
	term send-keys -l '1'
	screen_has 'only: faulting1_'
	until_true rows_are 8 faulting1
	term send-keys -l 'x'
	screen_has '^no faults'
	term send-keys BSpace
	screen_has ' faulting10 '
	term send-keys Escape /
	term send-keys -l 'faulting2'
	screen_has ' faulting2 '
	kill "$pid"
	wait "$pid" || true
	term send-keys Enter q
	ended 0
}

@test "top restores the terminal on Ctrl-C and SIGTERM" {
	start_top 80 20 200ms
	screen_has 'by process'
	term send-keys C-c
	ended 0
	start_top 80 20 200ms
	screen_has 'by process'
	pkill -TERM -P "$(term list-panes -F '#{pane_pid}')"
	ended 0
}

@test "top escapes hostile process names" {
	python3 -c '
import ctypes, mmap, time
ctypes.CDLL(None).prctl(15, b"\x1b[2J\n\xe2\x80\xae\xcc\x81x", 0, 0, 0)
while True:
    m = mmap.mmap(-1, 1 << 22)
    for i in range(0, 1 << 22, 4096): m[i] = 1
    m.close(); time.sleep(0.01)' 3>&- &
	pid=$!
	start_top 120 20 "-p $pid 200ms"
	screen_has "^ +$pid .*x1b\[2J"
	grep -qE '^[0-9:]+ by process' "$dir/screen"
	kill "$pid"
	wait "$pid" || true
	term send-keys q
	ended 0
}

@test "top prints plain text if TERM is missing or unknown" {
	for name in "" nonsense dumb; do
		FORCED_TERM=$name start_top 80 20 "-p $$ 100ms 1"
		ended 0
		grep -q 'plain text instead' "$dir/err"
	done
}

# Check that the faults of all rows do not exceed the faults that the kernel counted since
# top began. Faults that a thread had before must be missing.
adds_up() { # PID FAULTS-BEFORE; reads $dir/json
	local now
	now=$(minor "$1")
	jq -es --argjson pid "$1" --argjson most $((now - $2)) \
		'map(select(.pid == $pid) | .minor_per_second * .seconds) | length > 0 and add <= $most + 1' \
		"$dir/json" || { echo "at most $((now - $2)) of $1:"; grep "\"pid\":$1," "$dir/json"; false; }
}

minor() { cut -d' ' -f10 "/proc/$1/stat"; }

@test "top by thread does not show faults from before its start" {
	without_module
	# Start more older threads than top examines per interval.
	python3 -c '
import ctypes, os, time
for i in range(270):
    if not os.fork():
        ctypes.CDLL(None).prctl(1, 9)
        time.sleep(600)
time.sleep(600)' 3>&- &
	pid=$!
	until_true children_are 270 python3
	python3 -c '
import mmap, time
m = mmap.mmap(-1, 1 << 27)
for i in range(0, 1 << 27, 4096): m[i] = 1
print(flush=True)
while True:
    m = mmap.mmap(-1, 1 << 16)
    for i in range(0, 1 << 16, 4096): m[i] = 1
    m.close(); time.sleep(0.05)' 3>&- >"$dir/ready" &
	target=$!
	until_true test -s "$dir/ready"
	for which in "-p $target" ""; do
		before=$(minor $target)
		[ "$before" -ge 32768 ]
		# shellcheck disable=SC2086
		# Other processes may end meanwhile.
		"$FLTCTL" top -b --json --by=thread $which 500ms 3 >"$dir/json" 2>/dev/null ||
			[ $? = 3 ]
		adds_up $target "$before"
	done
	kill "$target" "$pid"
	wait "$target" "$pid" || true
}

@test "top by thread works with more processes than it examines per interval" {
	without_module
	start_faulting 300 0.5
	until_true children_are 300 faulting
	run --separate-stderr -3 "$FLTCTL" top -b -n 0 --by=thread -f faulting 5s 2
	[[ $output == *"incomplete: threads not shown"* ]]
	[[ $stderr == *"incomplete: threads not shown"* ]]
	[ "$(grep -c faulting <<<"$output")" -le 512 ]
	kill "$pid"
	wait "$pid" || true
}

@test "top shows the bytes that a process reads in each interval" {
	without_module
	[ -r /proc/self/io ] || skip "no /proc/PID/io"
	# The process faults in each interval and reads a file that is not cached.
	head -c 4M /dev/zero >"$dir/data"
	sync "$dir/data"
	python3 -c '
import mmap, os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY)
while True:
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.pread(fd, 1 << 20, 0)
    m = mmap.mmap(-1, 1 << 16)
    for i in range(0, 1 << 16, 4096): m[i] = 1
    m.close(); time.sleep(0.05)' "$dir/data" 3>&- &
	pid=$!
	until_true grep -q 'read_bytes: [1-9]' /proc/$pid/io || skip "nothing is read from storage here"
	before=$(sed -n 's/^read_bytes: //p' /proc/$pid/io)
	"$FLTCTL" top -b --json -p $pid 500ms 4 >"$dir/json" 2>/dev/null
	now=$(sed -n 's/^read_bytes: //p' /proc/$pid/io)
	# The first interval has no snapshot of its begin.
	jq -es --argjson most $((now - before)) '.[0].read_per_second == null and
		(map(select(.read_per_second) | .read_per_second * .seconds) | length > 0 and add <= $most + 1000)' \
		"$dir/json"
	kill "$pid"
	wait "$pid" || true
}
