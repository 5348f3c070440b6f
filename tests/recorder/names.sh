#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The report of a recording with limited memory has the names of code that a JIT compiler made and
# listed in perf-PID.map.
#
# usage: names.sh BUILD-DIR
set -euo pipefail

build=$(realpath "$1") here=$(dirname "$(realpath "$0")")
fltctl=$build/fltctl
# shellcheck source=tests/recorder/check.bash
. "$here/check.bash"
mine=()
trap 'rm -rf "$work" "${mine[@]}"' EXIT

# Run a command that prints its PID first. Write the call sites of its faults to rows.
record() { # OPTION... -- COMMAND...
	timeout "$limit" "$fltctl" record -q --engine=preload -o trace.flt "$@" > said 2> err || true
	mine+=("/tmp/perf-$(sed -n '1s/ .*//p' said).map")
	"$fltctl" report --json --by function trace.flt > rows 2> report.err
}

# Print the sum of a column over the functions whose names match.
sum_of() { # COLUMN PATTERN
	/usr/bin/python3 -c 'import json, re, sys
rows = map(json.loads, open("rows"))
print(sum(r[sys.argv[1]] for r in rows if re.search(sys.argv[2], r.get("function") or "")))' "$@"
}

# A program of ours touches 400 pages from code that it lists.
if [ "$(uname -m)" = x86_64 ]; then
	record -L 1 -- "$build/trace/nofile"
	check "a program with a perf map ends" [ -s said ]
	check "its code has a name" [ "$(sum_of alloc '^made at run time$')" = 400 ]
	check "code of jit-PID.dump has a name" [ "$(sum_of alloc '^dumped at run time$')" = 400 ]
fi

if /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then
	record -L 8 -- /usr/bin/python3 -X perf -c 'import os
print(os.getpid())
def make_words(): return [str(i) for i in range(300000)]
def read_words(words): return sum(len(w) for w in words)
print(read_words(make_words()))'
	check "python -X perf: functions that call have names" [ "$("$fltctl" script --json trace.flt |
		grep -c 'py::read_words')" -gt 1000 ]
else
	echo "ok python -X perf # skip: needs python3 3.12"
fi

if command -v javac > /dev/null; then
	javac -d classes "$here/programs/Heap.java"
	# A machine that ends writes the file. With -Xbatch main waits until it is compiled: on a busy
	# computer it would be interpreted for most of its time, or to its end.
	record -L 24 -- sh -c 'echo $$; exec java -XX:+UnlockDiagnosticVMOptions \
		-XX:+DumpPerfMapAtExit -Xbatch -XX:+UseSerialGC -Xmn16m -Xmx100m -cp classes Heap 40'
	check "java with a perf map ends" [ "$(wc -l < said)" = 2 ]
	named=$(sum_of refault 'Heap\.main')
	check "java: compiled methods have names: $named of $(sum_of refault '') refaults" \
		[ "$named" -gt 1000 ]
else
	echo "ok java # skip: missing package openjdk-17-jdk-headless"
fi
finish
