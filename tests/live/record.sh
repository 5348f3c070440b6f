#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
# shellcheck disable=SC2016,SC2119
# Promise: a recording by the module holds every fault of the command, of the process
# it happened in, with its kind and stack, or says how many it lost.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

cat >"$tmp/check.py" <<'PY'
import json, sys
# check.py SCRIPT WHAT FILE [N]: what `fltctl script --json` says against FILE.
script, what, other = sys.argv[1:4]
faults = [json.loads(line) for line in open(script)]
bad = 0
def expect(ok, text):
    global bad
    if not ok:
        bad += 1
        if bad < 6:
            print("BAD:", text)
def names(f):
    return [frame.split(" ")[0] for frame in f.get("stack", "").split(" < ")]
def flag(f, name):
    return name in f["flags"].split(",")
if what == "judged":
    judged = [line.split() for line in open(other) if line.startswith("proc ")]
    expect(len(judged) > 3, f"{len(judged)} processes judged")
    for p in judged:
        mine = [f for f in faults if f["pid"] == int(p[1]) and not flag(f, "failed")]
        major = sum(flag(f, "major") for f in mine)
        expect((len(mine) - major, major) == (int(p[4]), int(p[5])),
               f"pid {p[1]}: {len(mine) - major} minor {major} major, should be {p[4]} {p[5]}")
elif what == "stacks":
    n, start = open(other).read().split()
    n, start = int(n), int(start, 16)
    mine = sorted((f for f in faults if start <= int(f["address"], 16) < start + n * 4096),
                  key=lambda f: int(f["address"], 16))
    expect(len(mine) == n, f"{len(mine)} faults, should be {n}")
    want = sys.argv[4].split(",")
    for i, f in enumerate(mine):
        expect(f["kind"] == "anon" and flag(f, "alloc") and flag(f, "write"), f"{f}")
        expect(0 < f["latency_ns"] < 60e9, f"latency {f.get('latency_ns')}")
        full = [w for w in want for _ in range(i + 1 if w == "down" else 1)]
        got = [name for name in names(f) if name in want]
        expect(got == full, f"{i}: {names(f)}")
elif what == "cut":
    start = int(open(other).read().split()[1], 16)
    for f in faults:
        expect(not flag(f, "deeper") or len(names(f)) == 4, f"cut at {names(f)}")
        expect(flag(f, "deeper") or not start + 2 * 4096 <= int(f["address"], 16) < start + 10 * 4096,
               f"not cut: {names(f)}")
elif what == "named":
    user = [f for f in faults if f["comm"] == "true" and not flag(f, "kernel")]
    expect(len(user) > 20, f"{len(user)} faults of true")
    expect(not [f for f in user if names(f)[0].startswith("[unknown]")], "instructions without a name")
elif what == "swap":
    again = [f for f in faults if f["kind"] == "swap"]
    expect(again and all(flag(f, "refault") and not flag(f, "alloc") for f in again), "refaults")
elif what == "pid":
    pid = int(other)
    expect(len(faults) > 100 and {f["pid"] for f in faults} == {pid}, f"pids {({f['pid'] for f in faults})}")
    expect({f["comm"] for f in faults} == {sys.argv[4]}, f"comms {({f['comm'] for f in faults})}")
sys.exit(bad > 0)
PY

status=0
record() {
	status=0
	"$FLTCTL" record -q -o "$tmp/t.flt" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ $status = 0 ] || sed "s/^/exit $status: /" "$tmp/err"
}

check() { # WHAT FILE [N]
	checks=$((checks + 1))
	"$FLTCTL" script --json "$tmp/t.flt" >"$tmp/script"
	python3 "$tmp/check.py" "$tmp/script" "$@" || bad "$*: $(cat "$tmp/err")"
}

told() { # KEY: of script --check
	"$FLTCTL" script --check "$tmp/t.flt" | awk -v k="$1" 'index($0, k) == 1 { print $NF }'
}

say "without the module: perf's events, or a reason"
record -- true
same "engine" "$(told engine)" perf
record --engine=module -- true
same "exit status" $status 5
load

say "every fault of a tree, in its process"
record -- faultrun -o "$tmp/run" -- python3 -c '
import os, subprocess
for i in range(4):
    if os.fork() == 0:
        bytearray(1 << 20)
        os._exit(0)
for i in range(4):
    os.wait()
subprocess.run(["sh", "-c", "true; ls / >/dev/null"])
bytearray(2 << 20)'
same "exit status" $status 0
same "engine" "$(told engine)" module
same "whole" "$(told finished)" yes
same "damaged" "$(told "damaged places")" 0
same "without sense" "$(told "records without sense")" 0
check judged "$tmp/run"
"$FLTCTL" report "$tmp/t.flt" >"$tmp/report"
at_least "lines of report" "$(wc -l <"$tmp/report")" 10
"$FLTCTL" map --json "$tmp/t.flt" >"$tmp/map"
at_least "heaps in the map" "$(grep -c '"of":"heap".*"area":"\[heap\]"' "$tmp/map" || true)" 1
# fltctl's own child, before it executed, is no part of it.
same "processes called fltctl" "$("$FLTCTL" script --json "$tmp/t.flt" | grep -c '"comm":"fltctl"' || true)" 0

say "stacks"
record -- frames deep 60
check stacks "$tmp/out" touch,down,main
record --unwind dwarf -- frames deep 60
check stacks "$tmp/out" touch,down,main
record --max-stack 3 -- frames deep 10
check cut "$tmp/out"
record --no-stack -- frames deep 10
same "stacks" "$(told "stack nodes")" 0
record --unwind dwarf -- true
check named -
record -- true
check named -

say "a process that runs, and everybody"
asleep >/dev/null 2>&1 & idle=$!
python3 -c '
import mmap, time
while True:
    m = mmap.mmap(-1, 1 << 20)
    for i in range(0, 1 << 20, 4096): m[i] = 1
    m.close(); time.sleep(0.05)' & busy=$!
# It has to be python before it is looked at.
until_true grep -q python /proc/$busy/comm
sleep 1
"$FLTCTL" record -q -o "$tmp/t.flt" -p $busy 2>"$tmp/err" & recorder=$!
sleep 2
kill -INT $recorder
wait $recorder || status=$?
check pid $busy python3
"$FLTCTL" record -q -o "$tmp/t.flt" -a 2>"$tmp/err" & recorder=$!
sleep 1
tree fork 3 1 >/dev/null
sleep 1
kill -INT $recorder
wait $recorder || status=$?
at_least "processes seen" "$("$FLTCTL" script --json "$tmp/t.flt" | jq .pid | sort -u | wc -l)" 4
kill $busy $idle 2>/dev/null || true

say "more than the buffers hold: faults + lost = produced"
record -b 4KiB -B 2 -- sh -c 'kill -STOP $PPID; frames flood 3000 >/dev/null; kill -CONT $PPID'
same "exit status" $status 3
at_least "lost" "$(told "lost: buffer")" 1
at_least "faults" "$(told faults)" 10
at_least "faults and losses" $(($(told faults) + $(told "lost: buffer"))) 3000

say "ends as the command does"
record -- sh -c 'exit 7'
same "exit status" $status 7
record -- /nonexistent
same "exit status" $status 127
record -o /dev/full -- true
same "no regular file" $status 1
record -p 1 -- true
same "both" $status 2
finish
