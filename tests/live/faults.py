#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
faults.py FAULTS WHAT FILE [WANT]

Faults as `fltctl trace --json` or `fltctl script --json` wrote them, against FILE: what
faultrun counted (judged), a process (pid, which is FILE itself), or else the pages that `frames`
says it touched.
"""
import json
import sys

faults, what, other = sys.argv[1:4]
wanted = sys.argv[4] if len(sys.argv) > 4 else ""
faults = [json.loads(line) for line in open(faults)]
faults = [f for f in faults if f.get("record", "fault") == "fault"]
bad = 0


def expect(ok, text):
    global bad
    if not ok:
        bad += 1
        if bad < 6:
            print("BAD:", text)


def names(f):
    stack = f.get("stack", [])
    if isinstance(stack, str):
        stack = stack.split(" < ")
    return [frame.split(" ")[0] for frame in stack]


def flag(f, name):
    return name in f["flags"].split(",")


def cut(f):
    return f["cut"] if "cut" in f else "depth" if "flags" in f and flag(f, "deeper") else None


def by_frames():
    n, area = open(other).read().split()
    n, area = int(n), int(area, 16)
    mine = [f for f in faults if area <= int(f["address"], 16) < area + (n + 16) * 4096]
    mine.sort(key=lambda f: int(f["address"], 16))
    expect(mine, "no faults")
    expect(all(f.get("stack") for f in mine), "faults without a stack")
    return n, mine


def alone(stack, reason=None):
    """One fault, with this stack or the beginning of it."""
    _, mine = by_frames()
    expect(len(mine) == 1 and names(mine[0])[:len(stack) if not reason else None] == stack and
           (not reason or cut(mine[0]) == reason), f"{[(names(f), cut(f)) for f in mine]}")


if what == "judged":
    judged = [line.split() for line in open(other) if line.startswith("proc ")]
    expect(len(judged) > 3, f"{len(judged)} processes judged")
    for p in judged:
        of_it = [f for f in faults if f["pid"] == int(p[1]) and not flag(f, "failed")]
        major = sum(flag(f, "major") for f in of_it)
        expect((len(of_it) - major, major) == (int(p[4]), int(p[5])),
               f"pid {p[1]}: {len(of_it) - major} minor {major} major, should be {p[4]} {p[5]}")
elif what == "pid":
    expect(len(faults) > 100 and {f["pid"] for f in faults} == {int(other)}, f"pids {({f['pid'] for f in faults})}")
    expect({f["comm"] for f in faults} == {wanted}, f"comms {({f['comm'] for f in faults})}")
elif what == "named":
    user = [f for f in faults if f["comm"] == other and not flag(f, "kernel")]
    expect(len(user) > 20, f"{len(user)} faults of {other}")
    expect(not [f for f in user if names(f)[0].startswith("[unknown]")], "instructions without a name")
elif what == "first":
    for f in by_frames()[1]:
        expect(f["kind"] == "anon" and flag(f, "alloc") and flag(f, "write"), f"{f}")
        expect(0 < f["latency_ns"] < 60e9, f"latency {f.get('latency_ns')}")
elif what == "deep":
    limit = int(wanted)
    n, mine = by_frames()
    expect(len(mine) == n, f"{len(mine)} faults, should be {n}")
    for i, f in enumerate(mine):
        got, full = names(f), ["touch"] + ["down"] * (i + 1) + ["main"]
        if len(full) > limit:
            expect(got == full[:limit] and cut(f) == "depth", f"depth {i}: {got}, cut {cut(f)}")
        else:
            expect(got[:len(full)] == full, f"depth {i}: {got}")
            expect(cut(f) != "memory", f"depth {i}: cut {cut(f)}")
elif what == "many":
    n, mine = by_frames()
    expect(len(mine) == n, f"{len(mine)} faults, should be {n}")
    for i, f in enumerate(mine):
        full = ["touch"]
        for bit in reversed(range(16)):
            full += ["path", "one" if i >> bit & 1 else "zero"]
        full += ["path", "main"]
        # Outermost last: the lowest bit was gone through first.
        expect(names(f)[:len(full)] == full, f"stack {i}: {names(f)}")
elif what == "sort":
    _, mine = by_frames()
    expect(len(mine) == 4 and all(names(f)[:2] == ["touch", "compare"] for f in mine),
           f"{[names(f) for f in mine]}")
elif what == "whole":
    # By unwind tables: through the C library, which has no frame pointers.
    full = wanted.split(",")
    for f in by_frames()[1]:
        expect([name for name in names(f) if name in full] == full, f"{names(f)}")
        expect(names(f)[0] == full[0] and not cut(f), f"{names(f)}, cut {cut(f)}")
elif what == "signal":
    alone(["touch", "on_signal"])
elif what == "narrow":
    alone(["narrow_touch"], "mode")
elif what == "noframe":
    alone(["unframed_touch"], "order")
elif what == "wild":
    alone(["unframed_touch"], "memory")
else:
    sys.exit(f"faults.py: {what}?")
sys.exit(bad > 0)
