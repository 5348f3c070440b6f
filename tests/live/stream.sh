#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300
# shellcheck disable=SC2016,SC2119
# Promise: a stream carries every fault of its processes, once, or says how many
# it lost and where; and it changes no count.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

lost() { awk -F, '$1 == "lost" { n += $(NF - 1) } END { print NR ? n + 0 : "no_input" }' "$tmp/trace.csv"; }
records() { lines '^fault,'; }

load
say "every fault, once, in order"
trace_forking
same "lost" "$(lost)" 0

say "a stopped reader and small buffers: delivered + lost = counted"
"$FLTCTL" trace -b 64KiB -B 2 --csv -- faultrun -o "$tmp/run" -- storm 2 2 \
	>"$tmp/trace.csv" 2>"$tmp/err" & reader=$!
storm_faults() { # the minor faults of all running storm processes
	local pid
	for pid in $(pgrep -x storm); do
		sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null || true
	done | awk '{ n += $8 } END { print n + 0 }'
}
# Stop the reader after the storm began, because the command waits for its start signal.
until_true pgrep -x storm >/dev/null || bad "the storm does not start"
kill -STOP "$reader"
before=$(storm_faults)
# Each CPU's two sub-buffers hold 2 * 1024 faults. After three times 1024 per CPU, at least
# one CPU has lost some, however fast this machine is.
overflowed() { [ $(($(storm_faults) - before)) -gt $(($(nproc) * 3 * 1024)) ]; }
until_true overflowed || bad "the storm does not fill the buffers"
kill -CONT "$reader"
until_true grep -q '^lost,' "$tmp/trace.csv" || bad "no gap in the rows"
pkill -x storm
status=0
wait "$reader" || status=$?
same "exit status" $status 3
at_least "lost" "$(lost)" 1
at_least "gaps told in their place" "$(grep -c '^lost,' "$tmp/trace.csv")" 1
same "gaps without a place" "$(awk -F, '
	$1 == "lost" { gaps++; if (!$2 || $2 <= $(NF - 2) || $NF > 1 || $(NF - 1) < 1) n++ }
	END { print gaps ? n + 0 : "no_input" }' "$tmp/trace.csv")" 0
# faultrun's own faults are in the stream as well: those of processes it reports are not.
counted=$(awk '/^proc / { n += $5 + $6 } END { print n }' "$tmp/run")
end=$(sed -n 's/.*lost \([0-9]*\) faults at the end.*/\1/p' "$tmp/err")
total=$(sed -n 's/.*incomplete: buffers full: \([0-9]*\) of \([0-9]*\) faults.*/\2/p' "$tmp/err")
same "delivered + lost" "$(($(records) + $(lost) + ${end:-0}))" "$total"
at_least "delivered + lost against the kernel's count" "$total" "$counted"
at_most "the difference is faultrun's own" "$((total - counted))" 400

say "a reader that never pauses: what was written is read, and the accounts agree"
fltstream -- storm 2 2 "${LONG:+2}3" >"$tmp/own"
same "read" "$(field read <"$tmp/own")" "$(field written <"$tmp/own")"
same "written + lost" "$(($(field written <"$tmp/own") + $(field lost <"$tmp/own")))" "$(field produced <"$tmp/own")"
at_least "sub-buffers" "$(field heads <"$tmp/own")" 10

say "the same flood, buffers of the default size and a reader that does nothing else: nothing is lost"
fltstream -b 262144 -B 8 -- storm 2 2 8 >"$tmp/own"
same "lost" "$(field lost <"$tmp/own")" 0
at_least "faults" "$(field read <"$tmp/own")" 10000

say "and trace, of one that leaves it time to write"
status=0
"$FLTCTL" trace --csv -- faultrun -o "$tmp/run" -- storm 1 1 1 >"$tmp/trace.csv" || status=$?
same "exit status" $status 0
same "lost" "$(lost)" 0

say "a command that writes to the same file: its lines and the rows are all whole"
"$FLTCTL" trace --csv -- sh -c 'storm 1 1 2 >/dev/null & for i in $(seq 20); do echo mark; sleep 0.1; done; wait' \
	>"$tmp/trace.csv"
at_least "rows" "$(records)" 1000
same "lines of the command" "$(grep -c '^mark$' "$tmp/trace.csv")" 20
same "pieces" "$(awk -F, '$1 == "record" { n = NF } $0 != "mark" && NF != n { pieces++ }
	END { print n ? pieces + 0 : "no_input" }' "$tmp/trace.csv")" 0

say "and in a file of their own, which is told where it cannot be written"
"$FLTCTL" trace -o "$tmp/trace.csv" --csv -- echo mark >"$tmp/out"
same "the command's" "$(cat "$tmp/out")" mark
at_least "rows" "$(records)" 50
for file in /dev/full "$tmp/none/such"; do
	status=0
	"$FLTCTL" trace -o "$file" --csv -- echo mark >"$tmp/out" 2>"$tmp/err" || status=$?
	same "$file: exit status" "$status" 1
	same "$file: why" "$(grep -c "cannot write $file: " "$tmp/err")" 1
done

say "as many lines as asked for, and the command goes on alone"
status=0
"$FLTCTL" trace -n 10 --csv -- storm 1 1 3 >"$tmp/trace.csv" 2>"$tmp/err" || status=$?
same "exit status" "$status" 0
same "lines" "$(records)" 10
same "nothing said of loss" "$(grep -c lost "$tmp/err" || true)" 0

say "a pid means nothing in another PID namespace"
for command in "trace" "map" "record -o $tmp/never.flt --engine module"; do
	status=0
	# shellcheck disable=SC2086
	unshare -pf --mount-proc "$FLTCTL" $command -- true >"$tmp/out" 2>"$tmp/err" || status=$?
	same "$command: exit status" "$status" 5
	same "$command: why" "$(grep -c 'initial PID namespace' "$tmp/err" || true)" 1
done

say "a reader that is killed leaves nothing; one that sleeps loses, and says so"
"$FLTCTL" trace --csv >/dev/null & reader=$!
until_true compgen -G "$debugfs/session-*" >/dev/null
kill -9 "$reader"; wait "$reader" 2>/dev/null || true
until_true eval '! compgen -G "$debugfs/session-*" >/dev/null'
same "sessions left" "$(compgen -G "$debugfs/session-*" | wc -l)" 0

say "rmmod with a stream open is refused; so are mmap and splice"
"$FLTCTL" trace --csv >/dev/null & reader=$!
until_true compgen -G "$debugfs/session-*/cpu0" >/dev/null
sleep 0.5
python3 - "$debugfs"/session-*/cpu0 >"$tmp/refused" <<'END'
import ctypes, errno, os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
ends = os.pipe()
libc = ctypes.CDLL(None, use_errno=True)
def map():
    # Not by Python's own mmap, which asks for the size first.
    libc.mmap(None, ctypes.c_size_t(4096), 1, 1, fd, ctypes.c_long(0))
    raise OSError(ctypes.get_errno(), "mmap")
for what in (map, lambda: os.splice(fd, ends[1], 4096), lambda: os.read(fd, 63),
             lambda: os.write(fd, b"x")):
    try:
        print(what())
    except OSError as e:
        print(errno.errorcode[e.errno])
END
same "mmap, splice, half a slot, write" "$(tr '\n' ' ' <"$tmp/refused")" "ENODEV EINVAL EINVAL EBADF "
refused=0; rmmod flt 2>"$tmp/err" || refused=1
same "refused" $refused 1
kill -INT "$reader"; wait "$reader" || true
finish
