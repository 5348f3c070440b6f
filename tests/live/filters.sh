#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=200
# shellcheck disable=SC2016,SC2119
# Promise: a filter lets through exactly the faults that it names.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

records() { lines '^fault,'; }
column() { awk -F, -v n="$1" '$1 == "fault" { print $n }' "$tmp/trace.csv" | sort -u | tr '\n' ' '; }

load
say "kind, latency, file, sample"
"$FLTCTL" trace -k cow,anon --csv -- cat /proc/self/status >"$tmp/trace.csv"
same "other kinds" "$(faults '$8 != "cow" && $8 != "anon"')" 0
at_least "those asked for" "$(records)" 10
"$FLTCTL" trace -F maj -l 1s --csv -- true >"$tmp/trace.csv"
same "none that slow" "$(records)" 0
# Not on overlayfs: before 6.8 a mapping there has the numbers of the layer beneath.
head -c 1M /dev/urandom >"$tmp/file"
"$FLTCTL" trace --file "$tmp/file" --csv -- python3 -c '
import mmap, sys
f = open(sys.argv[1], "r+b")
m = mmap.mmap(f.fileno(), 0)
for i in range(0, len(m), 4096):
    m[i] = 1' "$tmp/file" >"$tmp/trace.csv"
same "of one file" "$(records)" 256
same "all of its inode" "$(faults "\$14 != $(stat -c %i "$tmp/file")")" 0
# What passes has its file, though only the beginning of a shared store sees that.
kind=$(column 8)
for filter in "-F min" "-k ${kind% }" "-A 1000-7ffffffff000" "-l 1ns"; do
	# shellcheck disable=SC2086
	"$FLTCTL" trace $filter --csv -- python3 -c '
import mmap, sys
f = open(sys.argv[1], "r+b")
m = mmap.mmap(f.fileno(), 0)
for i in range(0, len(m), 4096):
    m[i] = 1' "$tmp/file" >"$tmp/trace.csv"
	same "$filter: stores to the file" "$(grep '^fault,' "$tmp/trace.csv" | grep -c ",$tmp/file")" 256
done
"$FLTCTL" trace -s 10 --csv -- storm 1 1 1 >"$tmp/trace.csv"
same "weight of a sample" "$(faults '$16 != 10')" 0

say "results, and what kind a fault is that failed"
"$FLTCTL" trace -F failed --csv -- fail empty 5 >"$tmp/trace.csv"
same "failed" "$(records)" 5
same "how" "$(column 7)" "sigbus "
same "of what kind" "$(column 8)" "file "

say "addresses"
cat >"$tmp/at.py" <<'END'
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
p = libc.mmap(ctypes.c_void_p(0x100000000), ctypes.c_size_t(1 << 20), 3, 0x100032, -1, ctypes.c_long(0))
assert p == 0x100000000, p
libc.madvise(ctypes.c_void_p(p), ctypes.c_size_t(1 << 20), 15)
for i in range(0, 1 << 20, 4096):
    ctypes.memset(p + i, 1, 1)
END
"$FLTCTL" trace -A 100000000-100010000 --csv -- python3 "$tmp/at.py" >"$tmp/trace.csv"
same "64 KiB of a MiB" "$(records)" 16
same "none elsewhere" "$(faults '$11 !~ /^0x10000[0-9a-f]000$/')" 0

say "users"
"$FLTCTL" trace -u 65534 --csv -- sh -c '
	cat /proc/self/status >/dev/null
	setpriv --reuid=65534 --clear-groups cat /proc/self/status >/dev/null' >"$tmp/trace.csv"
at_least "of that user" "$(records)" 20
same "one process" "$(column 4 | wc -w)" 1
"$FLTCTL" trace -u nobody --csv -- cat /proc/self/status >"$tmp/trace.csv"
same "of nobody" "$(records)" 0

say "processes, and those they start"
late() { until_true test -e "$tmp/go"; exec sh -c 'cat /proc/self/status; true' >/dev/null; }
for follow in "" --follow; do
	rm -f "$tmp/go"
	late & one=$!
	late & two=$!
	late & other=$!
	# shellcheck disable=SC2086
	"$FLTCTL" trace -p "$one,$two" $follow --csv >"$tmp/trace.csv" & reader=$!
	until_true compgen -G "$debugfs/session-*/cpu0" >/dev/null
	sleep 0.5
	touch "$tmp/go"
	wait "$one" "$two" "$other"
	sleep 1
	kill -INT "$reader"
	wait "$reader" || bad "-p $follow: status $?"
	for pid in "$one" "$two"; do
		at_least "-p $follow, $pid" "$(faults "\$4 == $pid")" 20
	done
	same "-p $follow, another" "$(faults "\$4 == $other")" 0
	if [ -n "$follow" ]; then
		at_least "-p $follow, children" "$(faults '$6 ~ /cat/')" 1
	else
		same "-p, children" "$(faults '$6 ~ /cat/')" 0
	fi
done
finish
