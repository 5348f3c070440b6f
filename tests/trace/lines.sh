#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lines.sh FLTCTL BUILD - record and report faults at known lines.
#
# The program, its PIE and its stripped form with a separate debug file must all report each
# marked line with exactly PAGES faults, or one more if the code or data of the line faults.
set -euo pipefail

fltctl=$1 build=$2
here=$(dirname "$(readlink -f "$0")")
pages=$(sed -n 's/^#define PAGES //p' "$here/lines.h")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

fail() {
	echo "lines: $*" >&2
	failed=1
}

# mark NAME FILE: print the number of the marked line
mark() {
	grep -n "MARK $1 " "$here/$2" | cut -d: -f1
}

# count FUNCTION FILE LINE < CSV of --by line
count() {
	python3 -c '
import csv, os, sys
want = tuple(sys.argv[1:4])
print(sum(int(r["faults"]) for r in csv.DictReader(sys.stdin)
          if (r["function"], os.path.basename(r["file"]), r["line"]) == want))' "$@"
}

expect() {
	local name=$1 function=$2 file=$3 n
	n=$(count "$function" "$file" "$(mark "$name" "$file")" <"$tmp/rows.csv")
	if ((n < pages || n > pages + 1)); then
		fail "$variant: $function at $file:$(mark "$name" "$file") has $n faults, not $pages"
	fi
}

try() {
	variant=$1
	"$fltctl" record -q -o "$tmp/t.flt" -- "$2" "$3"
	"$fltctl" report --by line --csv "$tmp/t.flt" >"$tmp/rows.csv"
	expect recursion recursion lines.c
	expect inlined innermost lines.c
	expect frameless frameless lines.c
	expect callback compare lines.c
	expect library lines_touch lineslib.c
	"$fltctl" script --json "$tmp/t.flt" >"$tmp/faults.json"
}

if ! "$fltctl" record -q -o "$tmp/t.flt" -- true 2>"$tmp/err"; then
	echo "lines: SKIP: no perf events here: $(cat "$tmp/err")"
	exit 0
fi

try "no PIE" "$build/lines" "$build/lineslib.so"

# All inlined calls are named, outermost last, and the depth of the recursion is correct.
# Frame pointers can miss the caller of a function without a frame.
line() {
	mark "$1" lines.c
}
chain="innermost (lines.c:$(line inlined)) < between (lines.c:$(line between)) < inlined (lines.c:$(line outer))"
grep -cF "$chain" "$tmp/faults.json" >"$tmp/n" || true
(($(cat "$tmp/n") >= pages)) || fail "inlined functions: $(cat "$tmp/n") faults with '$chain', not $pages"
python3 - "$tmp/faults.json" "$(line recursion)" "$pages" <<'PY' || fail "depth of the recursion"
import json, sys
deep = [f["stack"].count("recursion (lines.c") for f in map(json.loads, open(sys.argv[1]))
        if f["stack"].startswith("recursion (lines.c:%s)" % sys.argv[2])]
sys.exit(not (len(deep) >= int(sys.argv[3]) and all(d in (20, 21) for d in deep)))
PY

try "PIE" "$build/lines-pie" "$build/lineslib.so"

# A stripped program has its debug information in a file named by .gnu_debuglink.
mkdir "$tmp/.debug"
cp "$build/lines-pie" "$tmp/lines-stripped"
objcopy --only-keep-debug "$tmp/lines-stripped" "$tmp/.debug/lines-stripped.debug"
objcopy --strip-all "$tmp/lines-stripped"
(cd "$tmp/.debug" && objcopy --add-gnu-debuglink=lines-stripped.debug ../lines-stripped)
try "stripped with a debug file" "$tmp/lines-stripped" "$build/lineslib.so"

# Without the debug file, faults have no names but an object, and none is lost.
rm -r "$tmp/.debug"
"$fltctl" report --by object --csv "$tmp/t.flt" >"$tmp/objects.csv"
n=$(python3 -c '
import csv, sys
print(sum(int(r["faults"]) for r in csv.DictReader(sys.stdin) if r["object"].endswith("/lines-stripped")))' <"$tmp/objects.csv")
((n >= 4 * pages)) || fail "stripped: $n faults in the object, at least $((4 * pages)) were made"
"$fltctl" report "$tmp/t.flt" | grep -c 'lines-stripped+0x' >/dev/null || fail "stripped: no object+offset"

# Unwind tables find all callers up to _start, including the caller of a function without a
# frame, the caller of qsort() and all 21 recursive calls.
"$fltctl" record -q --unwind dwarf -o "$tmp/t.flt" -- "$build/lines-pie" "$build/lineslib.so"
"$fltctl" script --json "$tmp/t.flt" >"$tmp/faults.json"
python3 - "$tmp/faults.json" "$pages" <<'PY' || fail "unwind tables: callers missing"
import json, re, sys
stacks = [re.findall(r"([^ ]+) \(", f["stack"]) for f in map(json.loads, open(sys.argv[1]))]
pages, bad = int(sys.argv[2]), 0
for name, callers in (("recursion", ["recursion"] * 20 + ["main"]), ("innermost", ["between", "inlined", "main"]),
                      ("frameless", ["main"]), ("lines_touch", ["main"]), ("compare", None)):
    mine = [s for s in stacks if s and s[0] == name]
    if callers:
        good = [s for s in mine if s[1:len(callers) + 1] == callers and s[-1] == "_start"]
    else:
        good = [s for s in mine if "sorted" in s and s[s.index("sorted") + 1] == "main" and s[-1] == "_start"]
    if len(good) < pages:
        print("lines: %s: %d of %d stacks whole; one of them: %s" % (name, len(good), len(mine), (mine or [None])[0]))
        bad = 1
sys.exit(bad)
PY

# The number of faults equals the kernel's count for a native run. vfork() excludes faults of
# the parent. perf misses one or two GUP faults of exec.
counted=$(python3 - "$build/lines" "$build/lineslib.so" <<'PY'
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
usage = os.wait4(pid, 0)[2]
print(usage.ru_minflt + usage.ru_majflt)
PY
)
seen=$("$fltctl" record -o "$tmp/t.flt" -- "$build/lines" "$build/lineslib.so" 2>&1 | sed -n 's/.*: \([0-9]*\) faults (.*/\1/p')
((seen <= counted + 8 && seen + 8 >= counted)) || fail "recorded $seen faults, wait4() of a run alone says $counted"

# Wait until the recorder RECORDER has written events to FILE twice. A signal may end the recorder
# before it has opened its events, and the first events tell of processes that exist.
events_written() { # RECORDER FILE
	local size=64 now writes=0 # the header has 64 bytes
	while ((writes < 2)) && kill -0 "$1" 2>/dev/null; do
		sleep 0.1
		now=$(stat -c %s "$2" 2>/dev/null || echo 0)
		if ((now > size)); then
			size=$now
			writes=$((writes + 1))
		fi
	done
}

# Record a running process, and the whole machine, until a signal. The status is 0, or 3 if a
# busy machine loses faults. The recording contains the process.
python3 -c 'import time
end, x = time.time() + 60, []
while time.time() < end:
    x.append(bytearray(8192))
    time.sleep(0.001)' &
running=$!
for mode in "-p $running" -a; do
	rc=0
	rm -f "$tmp/t.flt"
	# shellcheck disable=SC2086 # two words
	"$fltctl" record -q $mode -o "$tmp/t.flt" 2>"$tmp/err" &
	recorder=$!
	events_written "$recorder" "$tmp/t.flt"
	kill -INT "$recorder"
	wait "$recorder" || rc=$?
	((rc == 0 || rc == 3)) || fail "record $mode: status $rc: $(cat "$tmp/err")"
	n=$("$fltctl" script --no-symbols --json -p "$running" "$tmp/t.flt" 2>/dev/null | wc -l) || true
	((n > 10)) || fail "record $mode: $n faults of the process"
done
kill "$running"

# A recorder that is killed leaves an undamaged file.
rm -f "$tmp/t.flt"
"$fltctl" record -q -o "$tmp/t.flt" -- sh -c 'while :; do /bin/true; done' &
recorder=$!
events_written "$recorder" "$tmp/t.flt"
child=$(pgrep -P "$recorder" || true)
kill -KILL "$recorder" ${child:+$child}
rc=0
"$fltctl" script --check "$tmp/t.flt" >"$tmp/check" 2>&1 || rc=$?
((rc == 3)) || fail "killed recorder: --check returns $rc"
grep -q 'damaged places  *0$' "$tmp/check" || fail "killed recorder: $(cat "$tmp/check")"
n=$(sed -n 's/^faults  *//p' "$tmp/check")
((n > 0)) || fail "killed recorder: no faults in the file"

exit $failed
