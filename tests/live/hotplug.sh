#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=240 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: counts stay exact while CPUs go offline and online under load.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

cpu=/sys/devices/system/cpu/cpu1/online
[ -w "$cpu" ] || skip "CPU 1 cannot be taken offline"
rounds=$(sized 1 5 30)

load
fltq machine >"$tmp/before"
storm 1 2 >/dev/null 2>&1 &
stormer=$!
while :; do
	echo 0 >"$cpu"
	sleep 0.2
	echo 1 >"$cpu"
	sleep 0.2
	echo x >>"$tmp/cycles"
done &
plugger=$!
for ((i = 1; i <= rounds; i++)); do
	equal "round $i: fork tree" tree fork 60 8
	equal "round $i: threads" tree threads 32 16
	equal "round $i: userfaultfd" kinds uffd 50
done
# A stream that is opened while CPU 1 may be offline also contains the faults of CPU 1.
status=0
"$FLTCTL" trace -B 64 --csv -- faultrun -o "$tmp/run" -- tree fork 120 8 \
	>"$tmp/trace.csv" 2>"$tmp/err" || status=$?
same "trace: exit status" "$status" 0
traced "trace"
kill "$plugger" "$stormer"
wait "$plugger" "$stormer" 2>/dev/null || true
at_least "times that CPU 1 went offline" "$(wc -l <"$tmp/cycles")" 2

# The record of a fault can be read as soon as the fault has ended, from each CPU, even if the
# CPU of the fault is offline. No flush is necessary, and the sub-buffer need not be full.
cat >"$tmp/target.py" <<'END'
import mmap, sys
for line in sys.stdin:
    m = mmap.mmap(-1, 3 * 4096)
    for i in range(3):
        m[i * 4096] = 1
    print("done", flush=True)
END
cat >"$tmp/read.py" <<'END'
# Print the number of faults of a process in the unread part of the relay files of a session.
import glob, struct, sys
count = 0
for name in glob.glob(sys.argv[1] + "/cpu*"):
    with open(name, "rb", buffering=0) as f:
        data = b"".join(iter(lambda: f.read(1 << 16), b""))
    at = 0
    while at < len(data):
        kind, more = data[at + 56], struct.unpack_from("<H", data, at + 62)[0]
        if kind == 1:
            count += struct.unpack_from("<I", data, at + 36)[0] == int(sys.argv[2])
        at += 64 * (1 + (more if kind > 1 else 0))
print(count)
END
echo 1 >"$cpu"
mkfifo "$tmp/ask" "$tmp/answer"
taskset -c 1 python3 "$tmp/target.py" <"$tmp/ask" >"$tmp/answer" & target=$!
exec 8>"$tmp/ask" 9<"$tmp/answer"
target_sleeps() { grep -q '^State:.S' "/proc/$target/status"; }
fault() { echo >&8; read -r -u 9; until_true target_sleeps; }
minflt() { awk '{ sub(/.*\) /, ""); print $8 }' "/proc/$target/stat"; }
fault
"$FLTCTL" trace --csv -p "$target" >/dev/null 2>&1 & holder=$!
until_true compgen -G "$debugfs/session-*/cpu1" >/dev/null
kill -STOP "$holder"
session=$(compgen -G "$debugfs/session-*")
unread_faults() { taskset -c 0 python3 "$tmp/read.py" "$session" "$target"; }
unread_faults >/dev/null
for offline in 0 1 0 1; do
	before=$(minflt)
	fault
	[ $offline = 0 ] || echo 0 >"$cpu"
	same "offline=$offline: faults readable at once" "$(unread_faults)" \
		"$(($(minflt) - before))"
	# If CPU 1 is offline, the target now runs on another CPU.
	before=$(minflt)
	fault
	same "offline=$offline: next faults" "$(unread_faults)" "$(($(minflt) - before))"
	echo 1 >"$cpu"
	taskset -p -c 1 "$target" >/dev/null
done
kill -KILL "$holder"
exec 8>&- 9<&-
wait "$holder" "$target" 2>/dev/null || true

# The counts of an offline CPU are kept.
echo 0 >"$cpu"
fltq machine >"$tmp/after"
echo 1 >"$cpu"
same_as_vmstat "CPU 1 offline" all.failed
same "CPU 1 offline: missed faults" "$(delta all.missed)" 0
finish
