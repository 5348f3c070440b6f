#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4 mem=1024 disk=256 zram=1 timeout=300 turns=6.1,6.12,7.3
# shellcheck disable=SC2016,SC2119
# Promise: scanning and injecting work during fork, exec, exit, munmap, huge page collapse and
# split, swap-out and NUMA hints, with many processes and with trackers that are created and
# killed all the time. There is no kernel splat (any splat fails the run), and no tracker is left.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

seconds=$(sized 6 15 120) step=0.01
# On the debug kernel a scan takes longer than 10 ms, so trackers with a budget of 100 % would
# use a whole CPU.
[ "$KERNEL" != debug ] || step=0.2

zram_swap_on 128M
mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"

# Map, fill, advise, fork and unmap for the given number of seconds.
cat >"$tmp/maps.py" <<'END'
import mmap, os, random, sys, time
end = time.monotonic() + float(sys.argv[1])
fd = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT)
os.ftruncate(fd, 8 << 20)

def advise(m, what):
    try:
        m.madvise(what)
    except OSError:              # not supported by this mapping or kernel
        pass

while time.monotonic() < end:
    maps = [mmap.mmap(-1, 4 << 20),
            mmap.mmap(-1, 4 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS),
            mmap.mmap(fd, 8 << 20)]
    for m in maps:
        for i in range(0, len(m), 4096 * random.choice((1, 3, 7))):
            m[i] = 1
    advise(maps[1], mmap.MADV_HUGEPAGE)
    advise(maps[1], mmap.MADV_DONTNEED)
    maps[1][0] = 1
    advise(maps[0], 21)          # MADV_PAGEOUT
    advise(maps[0], 25)          # MADV_COLLAPSE, if the kernel has it
    advise(maps[2], 25)
    if os.fork() == 0:
        maps[1][1 << 20] = 2
        if random.random() < 0.5:
            os.execv("/bin/true", ["true"])
        os._exit(0)
    os.wait()
    for m in maps:
        m.close()
END

load
{ python3 "$tmp/maps.py" "$seconds" "$tmp/disk/a" || true; } >/dev/null 2>&1 & maps=$!
until_true pgrep -P "$maps" >/dev/null || bad "the mapping process does not start"
storm 1 1 >/dev/null 2>&1 & stormer=$!
wset -H 32 16 >/dev/null & huge=$!

# One tracker with -f and one of a command run all the time. Others are started and killed.
"$FLTCTL" wss --json -b 100 -f -p "$maps,$huge" $step >"$tmp/stays" 2>"$tmp/stays.err" & stays=$!
"$FLTCTL" wss --json -m inject -b 100 $step -- python3 "$tmp/maps.py" "$seconds" "$tmp/disk/b" \
	>"$tmp/command" 2>"$tmp/command.err" & command=$!
methods=(scan inject)
n=0
end=$((SECONDS + seconds))
while [ $SECONDS -lt $end ]; do
	"$FLTCTL" wss -m "${methods[n / 2 % 2]}" -b 100 -p "$stormer" $step 100 \
		>/dev/null 2>&1 & one=$!
	cat "$debugfs/wss" >/dev/null
	sleep 0.3
	# Not SIGINT, because a background command ignores it until it has set up its signals.
	kill -"$([ $((n % 2)) = 1 ] && echo KILL || echo TERM)" "$one" 2>/dev/null || true
	wait "$one" 2>/dev/null || true
	n=$((n + 1))
done
rc=0
wait "$command" || rc=$?
checks=$((checks + 1))
# Status 3 is accepted with a message, because a fork may find no memory for a row.
[ "$rc" = 0 ] || { [ "$rc" = 3 ] && grep -q incomplete "$tmp/command.err"; } ||
	bad "wss of a command: status $rc, $(tail -3 "$tmp/command.err")"
kill "$stays"
wait "$stays" || true
kill "$huge" "$stormer"
wait "$maps" "$huge" "$stormer" 2>/dev/null || true
# The number of samples depends on the available CPU time.
at_least "samples of a command and its children" "$(grep -c '"sample"' "$tmp/command")" 5
at_least "samples of the tracker with -f" "$(grep -c '"sample"' "$tmp/stays")" 5
say "$n trackers were killed; $(grep -c '"sample"' "$tmp/command") samples of the command," \
	"$(grep -c '"sample"' "$tmp/stays") of the tracker with -f"
gone() { [ "$(wc -l <"$debugfs/wss")" = 1 ]; }
checks=$((checks + 1))
until_true gone || bad "trackers are left: $(cat "$debugfs/wss")"

# Unload the module while a tracker runs. Its reader gets an error and ends.
wset 64 32 >/dev/null & pid=$!
"$FLTCTL" wss -m inject -b 100 -f -p "$pid" $step >"$tmp/last" 2>&1 & reader=$!
until_true grep -q "$pid live" "$debugfs/wss" || bad "no sample before unloading"
# A dump in progress prevents unloading for a moment.
until_true rmmod flt 2>/dev/null || { bad "rmmod fails while tracking"; kill "$reader"; }
wait "$reader" || true
kill "$pid"
wait "$pid" 2>/dev/null || true
umount "$tmp/disk"
zram_swap_off
finish
