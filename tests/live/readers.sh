#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=300 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2016,SC2119
# Promise: readers are independent. Each gets the faults that pass its own filter, and a
# stopped or killed reader does not affect other readers.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
records() { lines '^fault,' "$1"; }
sessions() { compgen -G "$debugfs/session-*" | wc -l; }
both_observe() { observes "$a" && observes "$b"; }
sessions_are() { [ "$(sessions)" = "$1" ]; }
# Touch N fresh pages after a line on standard input.
toucher='import mmap, sys
n = int(sys.argv[1])
m = mmap.mmap(-1, n * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(mmap.MADV_NOHUGEPAGE)
sys.stdin.readline()
for i in range(n):
    m[i * 4096] = 1'

load
say "two sessions with different filters"
"$FLTCTL" trace -c storm --csv >"$tmp/a.csv" & a=$!
"$FLTCTL" trace -c python3 -k anon --csv >"$tmp/b.csv" & b=$!
until_true both_observe || bad "the readers do not start"
storm 1 1 1
python3 -c "$toucher" 300 <<<go >/dev/null
kill -INT "$a" "$b"
status=0; wait "$a" || status=$?
same "status of the first" $status 0
status=0; wait "$b" || status=$?
same "status of the second" $status 0
# exec faults between setting the new thread name, which the filter matches, and reporting the
# name to the stream. These faults are shown with the old name.
say "first session: other names: $(awk -F, '$1 == "fault" && $6 != "storm" { print $6 }' \
	"$tmp/a.csv" | sort | uniq -c | tr '\n' ' ')"
at_most "first session: faults not of storm" "$(faults '$6 != "storm"' "$tmp/a.csv")" 12
at_least "first session: faults" "$(records "$tmp/a.csv")" 1000
same "second session: faults not of kind anon" "$(faults '$8 != "anon"' "$tmp/b.csv")" 0
at_least "second session: faults" "$(records "$tmp/b.csv")" 300

if [ -n "$cgroups" ]; then
	say "a cgroup and its descendants"
	mkdir -p "$cgroups/flt-in/below" "$cgroups/flt-out"
	"$FLTCTL" trace --cgroup "$cgroups/flt-in" --csv >"$tmp/trace.csv" & a=$!
	until_true observes "$a" || bad "the reader does not start"
	for place in flt-in flt-in/below flt-out; do
		# The shell moves itself, then becomes the command.
		bash -c 'echo $$ >"$0/cgroup.procs"; exec faultrun -o "$1" -- storm 1 1 1' \
			"$cgroups/$place" "$tmp/run-${place//\//-}"
	done
	kill -INT "$a"
	status=0; wait "$a" || status=$?
	same "status of the reader" $status 0
	traced "flt-in" "$tmp/run-flt-in"
	traced "flt-in-below" "$tmp/run-flt-in-below"
	traced "flt-out" "$tmp/run-flt-out" 0
	status=0
	"$FLTCTL" trace --cgroup "$tmp" -- true 2>/dev/null || status=$?
	same "--cgroup with a directory that is not a cgroup: status" $status 2
	rmdir "$cgroups/flt-in/below" "$cgroups/flt-in" "$cgroups/flt-out"
fi

say "one reader is stopped for 10 s and reports its losses; the other loses nothing"
"$FLTCTL" trace -c storm -b 4KiB -B 2 --csv >"$tmp/a.csv" 2>"$tmp/a.err" & a=$!
"$FLTCTL" trace -c storm --csv >"$tmp/b.csv" 2>"$tmp/b.err" & b=$!
until_true both_observe || bad "the readers do not start"
kill -STOP "$a"
storm 1 1 1
# The promise is about a long stop. The faults and their losses are complete without it.
sleep 10
kill -CONT "$a"
kill -INT "$a" "$b"
status=0; wait "$a" || status=$?
same "status of the stopped reader" $status 3
status=0; wait "$b" || status=$?
same "status of the other reader" $status 0
whole=$(records "$tmp/b.csv")
lost=$(awk -F, '$1 == "lost" { n += $(NF - 1) } END { print NR ? n + 0 : "no_input" }' "$tmp/a.csv")
end=$(sed -n 's/.*lost \([0-9]*\) faults at the end.*/\1/p' "$tmp/a.err")
same "delivered + lost of the stopped reader, and delivered of the other" \
	"$(($(records "$tmp/a.csv") + lost + ${end:-0}))" "$whole"

say "a killed reader leaves no session"
"$FLTCTL" trace --csv >/dev/null & a=$!
until_true sessions_are 1
kill -9 "$a"
wait "$a" 2>/dev/null || true
until_true sessions_are 0
same "sessions left" "$(sessions)" 0
finish
