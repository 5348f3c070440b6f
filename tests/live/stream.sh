#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300 quick=1
# shellcheck disable=SC2016,SC2119
# Promise: a stream delivers every fault of its processes exactly once, or reports how many
# faults were lost and where. Streaming does not change any count.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

lost() {
	awk -F, '$1 == "lost" { n += $(NF - 1) } END { print NR ? n + 0 : "no_input" }' \
		"$tmp/trace.csv"
}
records() { lines '^fault,'; }

load
say "every fault, exactly once, in order"
trace_forking
same "lost" "$(lost)" 0

say "stopped reader and small buffers: delivered + lost = counted"
"$FLTCTL" trace -b 64KiB -B 2 --csv -- faultrun -o "$tmp/run" -- \
	taskset -c 0 storm 1 2 \
	>"$tmp/trace.csv" 2>"$tmp/err" & reader=$!
# Stop the reader after the storm began, because the command waits for its start signal.
until_true pgrep -x storm >/dev/null || bad "the storm does not start"
storm=$(pgrep -o -x storm)
# Set $stormed to the minor faults of the storm. A program would wait long for its turn here.
count_storm() {
	local line words
	read -r line <"/proc/$storm/stat"
	read -ra words <<<"${line##*) }"
	stormed=${words[7]}
}
kill -STOP "$reader"
count_storm
before=$stormed
# The two sub-buffers of the storm's CPU hold 2 * 1024 faults. After three times 1024, some are
# lost, however fast this machine is.
overflowed() {
	count_storm
	[ $((stormed - before)) -gt $((3 * 1024)) ]
}
until_true overflowed || bad "the storm does not fill the buffers"
kill -CONT "$reader"
until_true grep -q '^lost,' "$tmp/trace.csv" || bad "no row about lost faults"
pkill -x storm
status=0
wait "$reader" || status=$?
same "exit status" $status 3
at_least "lost" "$(lost)" 1
at_least "rows about lost faults" "$(grep -c '^lost,' "$tmp/trace.csv")" 1
same "rows about lost faults with an invalid time, CPU or number" "$(awk -F, '
	$1 == "lost" { gaps++; if (!$2 || $2 <= $(NF - 2) || $NF > 1 || $(NF - 1) < 1) n++ }
	END { print gaps ? n + 0 : "no_input" }' "$tmp/trace.csv")" 0
# The stream also has the faults of faultrun itself. faultrun counts only the other processes.
counted=$(awk '/^proc / { n += $5 + $6 } END { print n }' "$tmp/run")
end=$(sed -n 's/.*lost \([0-9]*\) faults at the end.*/\1/p' "$tmp/err")
total=$(sed -n 's/.*incomplete: buffers full: \([0-9]*\) of \([0-9]*\) faults.*/\2/p' "$tmp/err")
same "delivered + lost" "$(($(records) + $(lost) + ${end:-0}))" "$total"
at_least "delivered + lost, at least the kernel's count" "$total" "$counted"
at_most "faults of faultrun itself" "$((total - counted))" 400

# storm_for SECONDS OPTION...: stream a storm of 6400 faults or more, or in a long test of SECONDS.
storm_for() {
	fltstream "${@:2}" -- storm 2 2 "$(sized 0 "$1" "$1")" "$(sized 100 0 0)" >"$tmp/own"
}

say "a reader that never pauses: read = written, and written + lost = produced"
storm_for 23
same "read" "$(field read <"$tmp/own")" "$(field written <"$tmp/own")"
same "written + lost" "$(($(field written <"$tmp/own") + $(field lost <"$tmp/own")))" \
	"$(field produced <"$tmp/own")"
at_least "sub-buffers" "$(field heads <"$tmp/own")" 10

say "the same storm, buffers of the default size and a reader that only reads: nothing is lost"
storm_for 4 -b 262144 -B 8
same "lost" "$(field lost <"$tmp/own")" 0
at_least "faults" "$(field read <"$tmp/own")" 5000

say "a storm of one thread: trace loses nothing"
status=0
"$FLTCTL" trace --csv -- faultrun -o "$tmp/run" -- storm 1 1 1 >"$tmp/trace.csv" || status=$?
same "exit status" $status 0
same "lost" "$(lost)" 0

say "readers do not wait while sessions open and close, which takes grace periods"
tracing=/sys/kernel/tracing
echo 'stacktrace if (prev_comm=="fltctl" || prev_comm=="fltq") && prev_state==2' \
	>$tracing/events/sched/sched_switch/trigger
"$FLTCTL" trace --csv -- sh -c 'storm 1 1 1; until [ -e "$0" ]; do sleep 0.1; done' \
	"$tmp/enough" >"$tmp/trace.csv" 2>"$tmp/err" & reader=$!
until_true compgen -G "$debugfs/session-*" >/dev/null
(while [ ! -e "$tmp/enough" ]; do fltq machine; fltq info; done) >/dev/null & counts=$!
for ((i = 0; i < $(sized 1 3 3); i++)); do "$FLTCTL" lat -- true >/dev/null 2>&1; done
touch "$tmp/enough"
wait "$reader" || bad "trace: $?"
wait "$counts" || bad "fltq: $?"
echo '!stacktrace' >$tracing/events/sched/sched_switch/trigger
# The trigger works, because fltctl sleeps when it opens or closes a session.
cp $tracing/trace "$tmp/sleeps"
echo >$tracing/trace
at_least "sleeps of fltctl" "$(grep -c 'flt_session_open\|close_bit' "$tmp/sleeps")" 1
same "sleeps of a reader of the stream" "$(grep -c 'flt_session_pull' "$tmp/sleeps")" 0
same "sleeps of a reader of counts" \
	"$(grep -c 'flt_hook_report\|flt_hook_memory' "$tmp/sleeps")" 0

say "a fault has its own date, also if the machine pauses at any moment"
# As many faults as 39 or 195 MiB have pages.
dates=$(($(sized 10000 50000 50000) * 4096 / page))
"$FLTCTL" trace -B 32 -o "$tmp/trace.csv" --csv -- dates "$dates" >"$tmp/dates"
# A fault begins after the program's reading before it, and ends before the reading after it.
# flt_clock_date() may be off by 2048 ns (FLT_CLOCK_ERROR). awk has 53 bits for a number.
same "faults outside of their readings" "$(awk -v error=2048 -v dates="$dates" '
	FILENAME ~ /dates$/ { before[$1] = substr($2, 5); after[$1] = substr($3, 5); next }
	$1 == "record" { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$1 == "fault" && $at["address"] in before {
		n++
		address = $at["address"]
		begin = substr($at["time"], 5)
		end = begin + $at["latency"]
		if (begin < before[address] - error || end > after[address] + error)
			wrong++
	}
	END { print n == dates ? wrong + 0 : "faults: " n }' "$tmp/dates" FS=, "$tmp/trace.csv")" 0

say "command and trace write to the same file: no line is broken"
marks=$(sized 8 20 20)
"$FLTCTL" trace -B 32 --csv -- sh -c 'storm 1 1 >/dev/null &
	for i in $(seq "$0"); do echo mark; sleep 0.1; done
	until [ "$(sed "s/.*) //" /proc/$!/stat | cut -d " " -f 8)" -ge 1000 ]; do sleep 0.1; done
	kill $!; wait' "$marks" >"$tmp/trace.csv"
at_least "rows" "$(records)" 1000
same "lines of the command" "$(grep -c '^mark$' "$tmp/trace.csv")" "$marks"
same "broken lines" "$(awk -F, '$1 == "record" { n = NF } $0 != "mark" && NF != n { broken++ }
	END { print n ? broken + 0 : "no_input" }' "$tmp/trace.csv")" 0

say "-o writes to a separate file, and reports errors of that file"
"$FLTCTL" trace -o "$tmp/trace.csv" --csv -- echo mark >"$tmp/out"
same "output of the command" "$(cat "$tmp/out")" mark
# With larger pages, fewer pages have the same data.
at_least "rows" "$(records)" $((page > 4096 ? 25 : 50))
for file in /dev/full "$tmp/none/such"; do
	status=0
	"$FLTCTL" trace -o "$file" --csv -- echo mark >"$tmp/out" 2>"$tmp/err" || status=$?
	same "$file: exit status" "$status" 1
	same "$file: message" "$(grep -c "cannot write $file: " "$tmp/err")" 1
done

say "-n 10: ten lines, and the command continues"
status=0
"$FLTCTL" trace -B 32 -n 10 --csv -- storm 1 1 3 >"$tmp/trace.csv" 2>"$tmp/err" || status=$?
same "exit status" "$status" 0
same "lines" "$(records)" 10
same "messages about losses" "$(grep -c incomplete "$tmp/err" || true)" 0

say "a killed reader leaves no session"
"$FLTCTL" trace --csv >/dev/null & reader=$!
until_true compgen -G "$debugfs/session-*" >/dev/null
kill -9 "$reader"; wait "$reader" 2>/dev/null || true
until_true eval '! compgen -G "$debugfs/session-*" >/dev/null'
same "sessions left" "$(compgen -G "$debugfs/session-*" | wc -l)" 0

say "rmmod is refused while a stream is open; mmap, splice, short read and write are refused"
"$FLTCTL" trace --csv >/dev/null & reader=$!
until_true compgen -G "$debugfs/session-*/cpu0" >/dev/null
sleep 0.5
python3 - "$debugfs"/session-*/cpu0 >"$tmp/refused" <<'END'
import ctypes, errno, os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
ends = os.pipe()
libc = ctypes.CDLL(None, use_errno=True)
def map():
    # mmap() of libc, because mmap of Python would get the size of the file first.
    libc.mmap(None, ctypes.c_size_t(4096), 1, 1, fd, ctypes.c_long(0))
    raise OSError(ctypes.get_errno(), "mmap")
def splice(): # as os.splice(), which Python has since 3.10
    if libc.splice(fd, None, ends[1], None, ctypes.c_size_t(4096), 0) < 0:
        raise OSError(ctypes.get_errno(), "splice")
for what in (map, splice, lambda: os.read(fd, 63),
             lambda: os.write(fd, b"x")):
    try:
        print(what())
    except OSError as e:
        print(errno.errorcode[e.errno])
END
same "mmap, splice, read of 63 bytes, write" "$(tr '\n' ' ' <"$tmp/refused")" \
	"ENODEV EINVAL EINVAL EBADF "
refused=0; rmmod flt 2>"$tmp/err" || refused=1
same "rmmod refused" $refused 1
kill -INT "$reader"; wait "$reader" || true
finish
