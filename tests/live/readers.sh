#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
# shellcheck disable=SC2016,SC2119
# Promise: readers do not see each other, each gets what its filter lets through, and
# one that is stopped or killed costs nobody but itself.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
records() { lines '^fault,' "$1"; }
sessions() { compgen -G "$debugfs/session-*" | wc -l; }
sessions_are() { [ "$(sessions)" = "$1" ]; }
# Touches N pages that nobody touched before, once told to.
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
until_true sessions_are 1
"$FLTCTL" trace -c python3 -k anon --csv >"$tmp/b.csv" & b=$!
until_true sessions_are 2
storm 1 1 1
python3 -c "$toucher" 300 <<<go >/dev/null
sleep 1
kill -INT "$a" "$b"
status=0; wait "$a" || status=$?
same "status of the first" $status 0
status=0; wait "$b" || status=$?
same "status of the second" $status 0
# exec gives the thread its new name, then faults a little, then tells of it.
at_most "the first has storm's only" "$(faults '$6 != "storm"' "$tmp/a.csv")" 12
at_least "the first has them" "$(records "$tmp/a.csv")" 1000
same "the second has anon only" "$(faults '$8 != "anon"' "$tmp/b.csv")" 0
at_least "the second has them" "$(records "$tmp/b.csv")" 300

if [ -n "$cgroups" ]; then
	say "a cgroup, and those below it"
	mkdir -p "$cgroups/flt-in/below" "$cgroups/flt-out"
	"$FLTCTL" trace --cgroup "$cgroups/flt-in" --csv >"$tmp/trace.csv" & a=$!
	until_true sessions_are 1
	for place in flt-in flt-in/below flt-out; do
		# The shell moves itself, then becomes the command.
		bash -c 'echo $$ >"$0/cgroup.procs"; exec faultrun -o "$1" -- storm 1 1 1' \
			"$cgroups/$place" "$tmp/run-${place//\//-}"
	done
	sleep 1
	kill -INT "$a"
	wait "$a" || true
	for place in flt-in flt-in-below flt-out; do
		while read -r _ pid _ _ minor major; do
			want=$((minor + major))
			[ "$place" != flt-out ] || want=0
			same "$place: pid $pid" "$(faults "\$4 == $pid && \$7 ~ /minor|major/")" "$want"
		done < <(grep '^proc ' "$tmp/run-$place")
		at_least "$place: processes" "$(lines '^proc ' "$tmp/run-$place")" 1
	done
	status=0
	"$FLTCTL" trace --cgroup "$tmp" -- true 2>/dev/null || status=$?
	same "a directory that is no cgroup" $status 2
	rmdir "$cgroups/flt-in/below" "$cgroups/flt-in" "$cgroups/flt-out"
fi

say "one reader stopped for 10 s, the other goes on; what it lost it says"
"$FLTCTL" trace -c storm -b 4KiB -B 2 --csv >"$tmp/a.csv" 2>"$tmp/a.err" & a=$!
"$FLTCTL" trace -c storm --csv >"$tmp/b.csv" 2>"$tmp/b.err" & b=$!
until_true sessions_are 2
kill -STOP "$a"
storm 1 1 1
sleep 10
kill -CONT "$a"
sleep 1
kill -INT "$a" "$b"
status=0; wait "$a" || status=$?
same "status of the stopped one" $status 3
status=0; wait "$b" || status=$?
same "status of the other" $status 0
whole=$(records "$tmp/b.csv")
lost=$(awk -F, '$1 == "lost" { n += $(NF - 1) } END { print NR ? n + 0 : "no_input" }' "$tmp/a.csv")
end=$(sed -n 's/.*lost \([0-9]*\) faults at the end.*/\1/p' "$tmp/a.err")
same "delivered + lost of one is what the other has" "$(($(records "$tmp/a.csv") + lost + ${end:-0}))" "$whole"

say "a reader killed leaves nothing"
"$FLTCTL" trace --csv >/dev/null & a=$!
until_true sessions_are 1
kill -9 "$a"
wait "$a" 2>/dev/null || true
until_true sessions_are 0
same "sessions left" "$(sessions)" 0
finish
