#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sample the memory of a recorded command: what its processes have, and what its cgroup is charged.

usage: charged.py PID, the process that runs fltctl record --engine=cgroup

Prints a line per sample: the KiB of private and swapped anonymous memory of all processes that
descend from fltctl, wherever they are; and the KiB of anonymous memory and swap that are charged to
the cgroup of the recording. The processes are stopped while they are read, so both are of the same
moment.
"""
import glob
import os
import signal
import sys
import time


def stat_of(pid):
    """Return the name and the parent of a process, or None."""
    try:
        with open(f"/proc/{pid}/stat", errors="replace") as f:
            text = f.read()
    except OSError:
        return None
    name, rest = text.split("(", 1)[1].rsplit(")", 1)
    return name, int(rest.split()[1])


def processes():
    """Return {parent: [(pid, name)]}."""
    children = {}
    for path in os.listdir("/proc"):
        stat = stat_of(path) if path.isdigit() else None
        if stat:
            children.setdefault(stat[1], []).append((int(path), stat[0]))
    return children


def command_of(runner):
    """Return fltctl's PID, and those of the processes of its command."""
    children = processes()
    tools = [pid for pid, name in children.get(runner, []) if name == "fltctl"]
    if not tools:
        return None, []
    found, todo = [], [pid for pid, name in children.get(tools[0], []) if name != "fltctl-guard"]
    while todo:
        pid = todo.pop()
        found.append(pid)
        todo += [child for child, _ in children.get(pid, [])]
    return tools[0], sorted(found)


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def stop(runner):
    """Stop all processes of the command, also those that appear meanwhile."""
    before, now = None, []
    while now != before:
        before = now
        now = command_of(runner)[1]
        send(now, signal.SIGSTOP)
    return now


def used(pids):
    kib = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup") as f:
                for line in f:
                    if line.startswith(("Pss_Anon:", "SwapPss:")):
                        kib += int(line.split()[1])
        except OSError:
            pass
    return kib


def number(*path):
    with open(os.path.join(*path)) as f:
        return int(f.read())


def charged(group):
    """Return the KiB that are charged for neither files nor the kernel."""
    with open(os.path.join(group, "memory.stat")) as f:
        stat = {key: int(value) for key, value in (line.split() for line in f)}
    if "/sys/fs/cgroup/memory/" in group:
        total = number(group, "memory.memsw.usage_in_bytes") - stat["total_cache"]
        kernel = number(group, "memory.kmem.usage_in_bytes")
    else:
        total = number(group, "memory.current") + number(group, "memory.swap.current") - stat["file"]
        kernel = stat["kernel"]
    return (total - kernel) // 1024


def main():
    runner = int(sys.argv[1])
    while os.path.exists(f"/proc/{runner}"):
        tool = command_of(runner)[0]
        groups = glob.glob(f"/sys/fs/cgroup/**/flt-{tool}", recursive=True) if tool else []
        if groups:
            pids = stop(runner)
            try:
                print(used(pids), charged(groups[0]), flush=True)
            except FileNotFoundError:
                pass    # The guard has removed the cgroup.
            finally:
                send(pids, signal.SIGCONT)
        time.sleep(0.3)


main()
