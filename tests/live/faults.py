#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
faults.py FAULTS WHAT FILE [WANT]

Check FAULTS, which `fltctl trace --json` or `fltctl script --json` wrote. WHAT selects the check:

judged        each process has as many faults as faultrun counted in FILE
pid           all faults are of the process with PID FILE and the name WANT
named         each instruction of the program named FILE has a symbol

The other checks compare the faults of the pages that the workload `frames` touched. FILE is its
output:

first         each fault is a first touch with a plausible latency
deep          the stacks of `frames deep`, truncated at WANT frames
many          the stacks of `frames many`
sort          the stacks of `frames sort`
whole         each complete stack contains the functions WANT, which are separated by commas
signal        the complete stack of `frames signal`
narrow, noframe, wild
              the stack of this mode of `frames` is truncated for the right reason
"""
import json
import mmap
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


def truncation(f):
    """Return the reason why the stack of fault f is truncated, or None."""
    return f["cut"] if "cut" in f else "depth" if "flags" in f and flag(f, "deeper") else None


def faults_of_frames():
    """Return the number of pages that `frames` touched, and their faults sorted by address."""
    n, area = open(other).read().split()
    n, area = int(n), int(area, 16)
    end = area + (n + 16) * mmap.PAGESIZE
    mine = [f for f in faults if area <= int(f["address"], 16) < end]
    mine.sort(key=lambda f: int(f["address"], 16))
    expect(mine, "no fault of the pages of frames")
    expect(all(f.get("stack") for f in mine), "faults without a stack")
    return n, mine


def expect_one(stack, reason=None):
    """
    Check that there is one fault. Its stack must begin with `stack` or, if there is a reason for
    truncation, be equal to `stack`.
    """
    _, mine = faults_of_frames()
    expect(len(mine) == 1 and names(mine[0])[:len(stack) if not reason else None] == stack and
           (not reason or truncation(mine[0]) == reason),
           f"got {[(names(f), truncation(f)) for f in mine]}, expected one fault with the stack "
           f"{stack}, truncation {reason}")


if what == "judged":
    processes = [line.split() for line in open(other) if line.startswith("proc ")]
    expect(len(processes) > 3, f"got {len(processes)} processes, expected more than 3")
    for p in processes:
        own = [f for f in faults if f["pid"] == int(p[1]) and not flag(f, "failed")]
        major = sum(flag(f, "major") for f in own)
        expect((len(own) - major, major) == (int(p[4]), int(p[5])),
               f"PID {p[1]}: got {len(own) - major} minor and {major} major faults, "
               f"expected {p[4]} and {p[5]}")
elif what == "pid":
    pids = {f["pid"] for f in faults}
    comms = {f["comm"] for f in faults}
    expect(len(faults) > 100 and pids == {int(other)},
           f"got {len(faults)} faults of PIDs {pids}, expected more than 100 of PID {other}")
    expect(comms == {wanted}, f"got faults of {comms}, expected only {wanted}")
elif what == "named":
    user = [f for f in faults if f["comm"] == other and not flag(f, "kernel")]
    expect(len(user) > 20, f"got {len(user)} faults of {other}, expected more than 20")
    expect(not [f for f in user if names(f)[0].startswith("[unknown]")],
           "instructions without a symbol")
elif what == "first":
    for f in faults_of_frames()[1]:
        expect(f["kind"] == "anon" and flag(f, "alloc") and flag(f, "write"),
               f"not a first write to an anonymous page: {f}")
        expect(0 < f["latency_ns"] < 60e9, f"implausible latency {f.get('latency_ns')} ns")
elif what == "deep":
    limit = int(wanted)
    n, mine = faults_of_frames()
    expect(len(mine) == n, f"got {len(mine)} faults, expected {n}")
    for i, f in enumerate(mine):
        got, full = names(f), ["touch"] + ["down"] * (i + 1) + ["main"]
        if len(full) > limit:
            expect(got == full[:limit] and truncation(f) == "depth",
                   f"depth {i}: got {got}, truncation {truncation(f)}, "
                   f"expected {full[:limit]}, truncation depth")
        else:
            expect(got[:len(full)] == full, f"depth {i}: got {got}, expected {full}")
            expect(truncation(f) != "memory", f"depth {i}: truncated by missing memory")
elif what == "many":
    n, mine = faults_of_frames()
    expect(len(mine) == n, f"got {len(mine)} faults, expected {n}")
    for i, f in enumerate(mine):
        full = ["touch"]
        for bit in reversed(range(16)):
            full += ["path", "one" if i >> bit & 1 else "zero"]
        full += ["path", "main"]
        # The stack lists the innermost frame first. The outermost call is for the lowest bit.
        expect(names(f)[:len(full)] == full, f"stack {i}: got {names(f)}, expected {full}")
elif what == "sort":
    _, mine = faults_of_frames()
    expect(len(mine) == 4 and all(names(f)[:2] == ["touch", "compare"] for f in mine),
           f"got {[names(f) for f in mine]}, expected 4 stacks that begin with touch, compare")
elif what == "whole":
    # Unwind tables give the complete stack, although the C library has no frame pointers.
    full = wanted.split(",")
    for f in faults_of_frames()[1]:
        expect([name for name in names(f) if name in full] == full,
               f"got {names(f)}, expected {full} in this order")
        expect(names(f)[0] == full[0] and not truncation(f),
               f"got {names(f)}, truncation {truncation(f)}, expected {full[0]} first")
elif what == "signal":
    expect_one(["touch", "on_signal"])
elif what == "narrow":
    expect_one(["narrow_touch"], "mode")
elif what == "noframe":
    expect_one(["unframed_touch"], "order")
elif what == "wild":
    expect_one(["unframed_touch"], "memory")
else:
    sys.exit(f"faults.py: invalid check '{what}'")
sys.exit(bad > 0)
