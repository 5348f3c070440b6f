#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=200 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2016,SC2119
# Promise: a filter passes exactly the faults that match it.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

fault_lines() { lines '^fault,'; }
column_values() {
	awk -F, -v n="$1" '$1 == "fault" { print $n }' "$tmp/trace.csv" | sort -u | tr '\n' ' '
}

load
say "filters of kind, result, latency and file; sampling"
"$FLTCTL" trace -k cow,anon --csv -- cat /proc/self/status >"$tmp/trace.csv"
same "-k: faults of other kinds" "$(faults '$8 != "cow" && $8 != "anon"')" 0
at_least "-k: faults of these kinds" "$(fault_lines)" 10
"$FLTCTL" trace -F maj -l 1s --csv -- true >"$tmp/trace.csv"
same "-l: faults of 1 s or more" "$(fault_lines)" 0
# Do not use a file on overlayfs. Before 6.8, its mappings have the device and inode number
# of the lower layer.
head -c 1M /dev/urandom >"$tmp/file"
"$FLTCTL" trace --file "$tmp/file" --csv -- python3 -c '
import mmap, sys
f = open(sys.argv[1], "r+b")
m = mmap.mmap(f.fileno(), 0)
for i in range(0, len(m), 4096):
    m[i] = 1' "$tmp/file" >"$tmp/trace.csv"
same "--file: faults" "$(fault_lines)" 256
same "--file: faults of other inodes" "$(faults "\$14 != $(stat -c %i "$tmp/file")")" 0
# Faults that pass other filters also have their file. The module must read the VMA before a
# store to a shared mapping, because the kernel may drop the lock during the fault.
kind=$(column_values 8)
for filter in "-F min" "-k ${kind% }" "-A 1000-7ffffffff000" "-l 1ns"; do
	# shellcheck disable=SC2086
	"$FLTCTL" trace $filter --csv -- python3 -c '
import mmap, sys
f = open(sys.argv[1], "r+b")
m = mmap.mmap(f.fileno(), 0)
for i in range(0, len(m), 4096):
    m[i] = 1' "$tmp/file" >"$tmp/trace.csv"
	same "$filter: faults with the path of the file" \
		"$(grep '^fault,' "$tmp/trace.csv" | grep -c ",$tmp/file")" 256
done
"$FLTCTL" trace -s 10 --csv -- storm 1 1 1 >"$tmp/trace.csv"
same "-s: samples with a weight other than 10" "$(faults '$16 != 10')" 0

say "filter of the result; kind of a failed fault"
"$FLTCTL" trace -F failed --csv -- fail empty 5 >"$tmp/trace.csv"
same "-F failed: faults" "$(fault_lines)" 5
same "-F failed: results" "$(column_values 7)" "sigbus "
same "-F failed: kinds" "$(column_values 8)" "file "

say "filter of the address"
cat >"$tmp/at.py" <<'END'
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
p = libc.mmap(ctypes.c_void_p(0x100000000), ctypes.c_size_t(1 << 20), 3, 0x100032, -1,
              ctypes.c_long(0))
assert p == 0x100000000, p
libc.madvise(ctypes.c_void_p(p), ctypes.c_size_t(1 << 20), 15)
for i in range(0, 1 << 20, 4096):
    ctypes.memset(p + i, 1, 1)
END
"$FLTCTL" trace -A 100000000-100010000 --csv -- python3 "$tmp/at.py" >"$tmp/trace.csv"
same "-A: faults" "$(fault_lines)" 16
same "-A: faults at other addresses" "$(faults '$11 !~ /^0x10000[0-9a-f]000$/')" 0

say "filter of the user"
"$FLTCTL" trace -u 65534 --csv -- sh -c '
	cat /proc/self/status >/dev/null
	setpriv --reuid=65534 --clear-groups cat /proc/self/status >/dev/null' >"$tmp/trace.csv"
at_least "-u 65534: faults" "$(fault_lines)" 20
same "-u 65534: processes with faults" "$(column_values 4 | wc -w)" 1
"$FLTCTL" trace -u nobody --csv -- cat /proc/self/status >"$tmp/trace.csv"
same "-u nobody: faults" "$(fault_lines)" 0

say "filter of the process, with and without its children"
exec_on_go() { until_true test -e "$tmp/go"; exec sh -c 'cat /proc/self/status; true' >/dev/null; }
for follow in "" --follow; do
	rm -f "$tmp/go"
	exec_on_go & one=$!
	exec_on_go & two=$!
	exec_on_go & other=$!
	# shellcheck disable=SC2086
	"$FLTCTL" trace -p "$one,$two" $follow --csv >"$tmp/trace.csv" & reader=$!
	until_true observes "$reader" || bad "-p $follow: trace does not start"
	touch "$tmp/go"
	wait "$one" "$two" "$other"
	kill -INT "$reader"
	wait "$reader" || bad "-p $follow: got exit status $?, expected 0"
	for pid in "$one" "$two"; do
		at_least "-p $follow: faults of PID $pid" "$(faults "\$4 == $pid")" 20
	done
	same "-p $follow: faults of another process" "$(faults "\$4 == $other")" 0
	if [ -n "$follow" ]; then
		at_least "-p $follow: faults of children" "$(faults '$6 ~ /cat/')" 1
	else
		same "-p: faults of children" "$(faults '$6 ~ /cat/')" 0
	fi
done
finish
