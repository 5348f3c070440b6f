#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""spans.py TRACE FAULTS - add to the faults of 'trace --json' what the kernel's own trace says.

TRACE is text of tracefs with the clock "mono". A span of a thread is from an event NAME_begin to
the next NAME_end. Prints FAULTS with .spans, how many spans have their middle in the fault, and
.kernel_ns, their sum in nanoseconds. .kernel_queue_ns is the same sum of the times in which the
thread could run and did not, from a sched_switch away from it to the next one to it.

A wait of a thread is from mmap_lock_start_locking to mmap_lock_acquire_returned, for reading.
.kernel_lock_ns is the wait for the lock that the thread holds when a fault begins; 0: there was
none, or the thread has released the lock (mmap_lock_released)."""
import json
import re
import sys
import time

LINE = re.compile(r"^ *(?P<comm>.+)-(?P<tid>\d+) +.*\[\d+\] +\S+ +(?P<time>\d+\.\d+): "
                  r"(?P<event>\w+): (?P<rest>.*)$")
SWITCH = re.compile(r"prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+)")


def wall_offset():
    """Return nanoseconds since 1970 minus the monotonic clock, from the quickest of 100 readings."""
    def reading():
        before = time.monotonic_ns()
        wall = time.time_ns()
        after = time.monotonic_ns()
        return after - before, wall - (before + after) // 2
    return min(reading() for _ in range(100))[1]


def spans_of(path):
    """Return spans, queues and waits of each thread in nanoseconds of the monotonic clock.

    A span and a queue are (begin, end). A wait is [begin, end, time of the release]."""
    spans, queues, waits, began, queued, asked = {}, {}, {}, {}, {}, {}

    def end(open_ones, into, tid, at):
        if tid in open_ones:
            into.setdefault(tid, []).append((open_ones.pop(tid), at))

    def lock(tid, at, event):
        if event.endswith("_start_locking"):
            asked[tid] = at
        elif event.endswith("_acquire_returned") and tid in asked:
            waits.setdefault(tid, []).append([asked.pop(tid), at, float("inf")])
        elif event.endswith("_released") and tid in waits:
            waits[tid][-1][2] = min(waits[tid][-1][2], at)

    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = LINE.match(line)
            if not match:
                continue
            at = round(float(match["time"]) * 1e6) * 1000
            if match["event"] == "sched_switch":
                before, state, after = SWITCH.search(match["rest"]).groups()
                end(queued, queues, int(after), at)
                if state.startswith("R"):
                    queued[int(before)] = at
            elif match["event"].startswith("mmap_lock_"):
                if "write=false" in match["rest"]:
                    lock(int(match["tid"]), at, match["event"])
            elif match["event"].endswith("_begin"):
                began[int(match["tid"])] = at
            elif match["event"].endswith("_end"):
                end(began, spans, int(match["tid"]), at)
    return spans, queues, waits


def wait_before(waits, begin):
    """Remove the waits before a time. Return that for the lock which is held then, or 0."""
    length = 0
    while waits and (waits[0][0] + waits[0][1]) / 2 < begin:
        before, after, released = waits.pop(0)
        length = after - before if released > begin else 0
    return length


def lengths_inside(spans, begin, end):
    """Return the lengths of the spans that have their middle between two times."""
    return [b - a for a, b in spans if begin < (a + b) / 2 < end]


def main():
    """Print the faults with their spans and waits."""
    spans, queues, waits = spans_of(sys.argv[1])
    offset = wall_offset()
    with open(sys.argv[2], encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if row["record"] == "fault":
                to = row["time"] - offset
                inside = [lengths_inside(of.get(row["tid"], ()), to - row["latency_ns"], to)
                          for of in (spans, queues)]
                row["spans"], row["kernel_ns"] = len(inside[0]), sum(inside[0])
                row["kernel_queue_ns"] = sum(inside[1])
                row["kernel_lock_ns"] = wait_before(waits.get(row["tid"], []),
                                                    to - row["latency_ns"])
            print(json.dumps(row))


main()
