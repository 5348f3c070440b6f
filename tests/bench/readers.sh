#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# readers.sh - measure the instructions per anonymous minor fault of recording every fault: those
# added in the faulting thread, and those of the program that records, in a guest with -icount.
#
#   tests/vm/run -i -t 1200 -k 6.12 bash tests/bench/readers.sh
#
# The CPU time of a recording program is counted from the moment at which it is ready to its end,
# minus that of a run without faults. Prints a markdown table. tests/bench/README.md explains its
# rows.
set -euo pipefail
: "${FLT_KO:?}" "${FLTCTL:?}" "${FLT_WORKLOAD:?}"
export PATH=$FLT_WORKLOAD:$PATH:/usr/sbin:/sbin

# Let perf take every event: the limits are rates by a clock that counts instructions.
sysctl -q kernel.perf_event_max_sample_rate=100000000 kernel.perf_cpu_time_max_percent=0
# Wait for tasks left from boot.
sleep 30
python3 - "$FLT_KO" "$FLTCTL" "${PAGES:-8192}" "${REPS:-20}" "${ONLY:-}" <<'END'
import glob, os, re, shutil, signal, subprocess, sys, tempfile, time

module, fltctl, pages, reps, only = sys.argv[1:]
faults = int(pages) * (int(reps) + 1)

def fault():
    """Return the nanoseconds per fault of the faulting thread."""
    out = subprocess.check_output(["faultcost", pages, reps, "20"], text=True)
    return float(re.search(r"cpu=([0-9.]+)", out).group(1))

def spent(pid):
    """Return the CPU time of a process up to now."""
    tasks = "/proc/%d/task/" % pid
    return sum(int(open(tasks + t + "/schedstat").read().split()[0]) for t in os.listdir(tasks))

def wait_ready(program, folder):
    """Wait until the command records. The clock runs on while the command waits for files of the
    host, so a pause alone is not enough."""
    if program == "perf":
        with open(folder + "/control", "w") as control:
            control.write("enable\n")
        with open(folder + "/ack") as ack:
            ack.readline()
    else:
        while not glob.glob("/sys/kernel/debug/flt/session-*"):
            time.sleep(0.1)
    time.sleep(5)

def run(command, folder, with_faults):
    """Return the time per fault of the faulting thread, and the CPU time of the command from
    the moment at which it is ready to its end."""
    if command[0] == "perf":
        os.mkfifo(folder + "/control")
        os.mkfifo(folder + "/ack")
    with open(folder + "/out", "w") as out:
        tool = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
        wait_ready(command[0], folder)
        start = spent(tool.pid)
        cost = fault() if with_faults else 0
        time.sleep(1)
        tool.send_signal(signal.SIGINT)
        _, status, use = os.wait4(tool.pid, 0)
        tool.returncode = os.waitstatus_to_exitcode(status)
    return cost, (use.ru_utime + use.ru_stime) * 1e9 - start, tool.returncode

def lines(folder):
    with open(folder + "/out", errors="replace") as out:
        return [line.rstrip() for line in out]

def measure(name, command):
    """Print the row of a command."""
    if only and not re.search(only, name):
        return
    with tempfile.TemporaryDirectory(prefix="readers.") as folder:
        _, idle, _ = run(command, folder, False)
        shutil.rmtree(folder)
        os.mkdir(folder)
        cost, busy, status = run(command, folder, True)
        last = [line for line in lines(folder)[-3:] if not line.startswith("fault,")]
        size = sum(os.path.getsize(folder + "/" + f) for f in os.listdir(folder))
    reader = (busy - idle) / faults
    print("| %s | %+.0f | %.0f | %.0f |" % (name, cost - bare, reader, cost - bare + reader),
          flush=True)
    print("%s: %d faults, %d bytes, exit %d, idle %.1f M: %s" % (name, faults, size, status,
          idle / 1e6, " / ".join(last)), file=sys.stderr, flush=True)

flt = {
    "fltctl record -a": [fltctl, "record", "-a", "-o", "a.flt"],
    "fltctl record -a --no-stack": [fltctl, "record", "-a", "--no-stack", "-o", "a.flt"],
    "fltctl trace --csv": [fltctl, "trace", "--csv"],
}
perf = ["perf", "record", "-a", "-e", "page-faults", "-c", "1", "-o", "perf.data", "-N", "-D", "-1",
        "--control", "fifo:control,ack"]
bare = fault()
print("| kernel %s, bare fault %.0f | added to the fault | recording | sum |" % (
      os.uname().release, bare))
print("|---|--:|--:|--:|", flush=True)
subprocess.run(["insmod", module], check=True)
for name, command in flt.items():
    measure(name, command)
subprocess.run(["rmmod", "flt"], check=True)
if shutil.which("perf"):
    measure("perf record -c 1 -g", perf + ["-g"])
    measure("perf record -c 1", perf)
print("bare %.1f before, %.1f after" % (bare, fault()), file=sys.stderr)
END
