#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=1024 disk=256 timeout=400
# shellcheck disable=SC2119
# Promise: of a program with a known working set, scanning finds that and no more,
# to 2 % or 64 KiB; its RSS is the kernel's, to the byte; and nothing stays behind
# a reader that dies.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"

start() { # WSET-ARGUMENTS...
	rm -f "$tmp/out"
	wset "$@" >"$tmp/out" 2>&1 &
	pid=$!
	until_true grep -q ready "$tmp/out" || bad "wset $*: $(cat "$tmp/out")"
}

stop() {
	kill "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
}

# JSON rows into columns: referenced rss window anon file shmem huge flags
samples() {
	python3 -c '
import json, sys
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r["record"] == "sample":
        print(*(r.get(k, 0) for k in ("referenced_bytes", "rss_bytes", "window_ns", "anon_bytes",
            "file_bytes", "shmem_bytes", "rss_huge_bytes")), r.get("flags", "-").replace(" ", ","))
' "$tmp/json"
}

# No sample may have more than the program touched; most must have all of it: a
# window in which the program did not get the CPU for a whole round may have less.
judge() { # WHAT MIB KIND-COLUMN HUGE-MIB
	checks=$((checks + 1))
	samples | awk -v what="$1" -v mib="$2" -v column="$3" -v huge="$4" '
		function wrong(text) { printf "BAD: %s: %s\n", what, text; failed = 1 }
		BEGIN { want = mib * 1048576; slack = want / 50 > 65536 ? want / 50 : 65536 }
		{
			n++
			if ($1 > want + slack) wrong($1 " bytes referenced, should be " want)
			if ($1 < want - slack) less++
			if ($column < $1 - slack) wrong("of the wrong kind: " $0)
			if ($1 > $2) wrong("more referenced than resident: " $0)
			if ($7 != huge * 1048576) wrong($7 " bytes of huge pages")
		}
		END {
			if (n < 5) wrong(n + 0 " samples")
			if (less > 1) wrong(less " of " n " samples have less than " want)
			exit failed
		}' || { failures=$((failures + 1)); samples; }
}

known() { # WHAT MIB KIND-COLUMN HUGE-MIB WSET-ARGUMENTS...
	local what=$1 mib=$2 column=$3 huge=$4 rss
	shift 4
	start "$@"
	# Once for nothing: what it touched since it was ready is then over.
	"$FLTCTL" wss -p "$pid" 0.3 1 >/dev/null
	"$FLTCTL" wss --json -p "$pid" 0.4 5 >"$tmp/json" || bad "$what: status $?"
	judge "$what" "$mib" "$column" "$huge"
	rss=$(awk '/^Rss:/ { print $2 * 1024 }' "/proc/$pid/smaps_rollup")
	same "$what: RSS" "$(samples | awk 'END { print $2 }')" "$rss"
	stop
	say "$what: $(samples | awk '{ printf "%s ", $1 }')"
}

load
known "2 of 64 MiB" 2 4 0 64 2
known "8 of 64 MiB" 8 4 0 64 8
known "64 of 128 MiB" 64 4 0 128 64
known "8 of 64 MiB, huge pages" 8 4 64 -H 64 8
known "8 of 64 MiB, shared memory" 8 6 0 -s 64 8
known "8 of 64 MiB, a file" 8 5 0 -f "$tmp/disk/file" 64 8
[ -z "$LONG" ] || known "512 of 600 MiB" 512 4 0 600 512

# Phases of a second: windows well within one show it alone.
start 64 4,32
"$FLTCTL" wss --json -p "$pid" 0.25 24 >"$tmp/json" || bad "phases: status $?"
checks=$((checks + 1))
samples | awk '
	NR == 1 { least = most = $1 }
	{ if ($1 < least) least = $1; if ($1 > most) most = $1 }
	END {
		if (least > 4.07 * 1048576 || most < 31.3 * 1048576 || most > 32.7 * 1048576)
			{ printf "BAD: phases of 4 and 32 MiB: %d to %d\n", least, most; exit 1 }
	}' || failures=$((failures + 1))
stop

# A window that slides 4 MiB on every second: what lies in it, and what it left.
start -S 4 64 8
"$FLTCTL" wss --json -p "$pid" 1 5 >"$tmp/json" || bad "sliding: status $?"
checks=$((checks + 1))
samples | awk '
	# The first jump back from the end to the beginning is far away.
	{ steps = int($3 / 1e9) + 1; if ($1 > (8 + 4 * steps) * 1048576 + 65536) bad = 1; sum += $1 }
	END { if (bad || sum < 5 * 10 * 1048576) { print "BAD: sliding window"; exit 1 } }' ||
	{ failures=$((failures + 1)); samples; }
stop

# A command from its first instruction on: all it fills is touched once.
"$FLTCTL" wss --json 0.2 -- sh -c 'exec wset -t 3 32 2 >/dev/null' >"$tmp/json" 2>"$tmp/err" ||
	bad "command: $(cat "$tmp/err")"
touched=$(python3 -c '
import json, sys
print(sum(r.get("first_touch_bytes", 0) for r in map(json.loads, open(sys.argv[1]))))
' "$tmp/json")
at_least "first touch of a command with 32 MiB" "$touched" $((32 << 20))
at_most "first touch of a command with 32 MiB" "$touched" $((33 << 20))

# One reader at a time, said so; and none left when it dies.
start 16 2
"$FLTCTL" wss -p "$pid" 1 100 >"$tmp/first" 2>&1 & first=$!
until_true grep -q "^[0-9]* $pid live" "$debugfs/wss" || bad "no row in debugfs: $(cat "$debugfs/wss")"
rc=0
"$FLTCTL" wss -p "$pid" 1 1 >"$tmp/second" 2>&1 || rc=$?
same "a second reader: status" "$rc" 1
checks=$((checks + 1))
grep -q 'tracked already' "$tmp/second" || bad "a second reader: $(cat "$tmp/second")"
kill -9 "$first"
wait "$first" 2>/dev/null || true
gone() { [ "$(wc -l <"$debugfs/wss")" = 1 ]; }
checks=$((checks + 1))
until_true gone || bad "left behind: $(cat "$debugfs/wss")"
"$FLTCTL" wss -p "$pid" 0.2 1 >"$tmp/third" 2>&1 || bad "after it died: $(cat "$tmp/third")"
stop

# A process that ends ends it; so does one that was never there.
start -t 2 16 2
rc=0
timeout 60 "$FLTCTL" wss -p "$pid" 0.3 >"$tmp/out2" 2>&1 || rc=$?
same "the process ended: status" "$rc" 0
stop
rc=0
"$FLTCTL" wss -p 4194300 >"$tmp/out2" 2>&1 || rc=$?
same "no such process: status" "$rc" 1
umount "$tmp/disk"
finish
