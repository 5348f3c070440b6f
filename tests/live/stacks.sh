#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
# Promise: a fault's stack is the one its program had: every frame, or a reason why
# not; a stack is sent once to each session, and a full table loses none; what the
# channel has no room for is counted.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

cat >"$tmp/check.py" <<'PY'
import json, sys
# check.py TRACE OUT WHAT [N]: the faults in the pages that frames says, and their stacks.
trace, out, what = sys.argv[1:4]
pages, area = open(out).read().split()
n, area = int(pages), int(area, 16)
faults = [json.loads(line) for line in open(trace)]
mine = [f for f in faults if f["record"] == "fault" and
        area <= int(f["address"], 16) < area + (n + 16) * 4096]
mine.sort(key=lambda f: int(f["address"], 16))
def names(f):
    return [s.split(" ")[0] for s in f.get("stack", [])]
bad = 0
def expect(ok, text):
    global bad
    if not ok:
        bad += 1
        if bad < 4:
            print("BAD:", text)
if what == "deep":
    limit = int(sys.argv[4])
    expect(len(mine) == n, f"{len(mine)} faults, should be {n}")
    for i, f in enumerate(mine):
        got, want = names(f), ["touch"] + ["down"] * (i + 1) + ["main"]
        cut = f.get("cut")
        if len(want) > limit:
            expect(got == want[:limit] and cut == "depth", f"depth {i}: {got}, cut {cut}")
        else:
            expect(got[:len(want)] == want, f"depth {i}: {got}")
            expect(cut != "memory", f"depth {i}: cut {cut}")
elif what == "signal":
    expect(len(mine) == 1 and names(mine[0])[:2] == ["touch", "on_signal"], f"{[names(f) for f in mine]}")
elif what == "sort":
    expect(len(mine) == 4 and all(names(f)[:2] == ["touch", "compare"] for f in mine),
           f"{[names(f) for f in mine]}")
elif what == "whole":
    # By unwind tables: through the C library, which has no frame pointers.
    want = sys.argv[4].split(",")
    for f in mine:
        got = [n for n in names(f) if n in want]
        expect(got == want, f"{names(f)}")
        expect(names(f)[0] == want[0] and not f.get("cut"), f"{names(f)}, cut {f.get('cut')}")
elif what == "narrow":
    expect(len(mine) == 1 and names(mine[0]) == ["narrow_touch"] and mine[0].get("cut") == "mode",
           f"{[(names(f), f.get('cut')) for f in mine]}")
elif what == "noframe":
    expect(len(mine) == 1 and names(mine[0]) == ["unframed_touch"] and mine[0].get("cut") == "order",
           f"{[(names(f), f.get('cut')) for f in mine]}")
elif what == "wild":
    expect(len(mine) == 1 and names(mine[0]) == ["unframed_touch"] and mine[0].get("cut") == "memory",
           f"{[(names(f), f.get('cut')) for f in mine]}")
elif what == "many":
    expect(len(mine) == n, f"{len(mine)} faults, should be {n}")
    for i, f in enumerate(mine):
        want = ["touch"]
        for bit in reversed(range(16)):
            want += ["path", "one" if i >> bit & 1 else "zero"]
        want += ["path", "main"]
        # Outermost last: the lowest bit was gone through first.
        expect(names(f)[:len(want)] == want, f"stack {i}: {names(f)}")
expect(bool(mine), "no faults")
expect(all(f.get("stack") for f in mine), "faults without a stack")
sys.exit(bad > 0)
PY

traced() { # OPTION... -- frames WHAT [N]
	local status=0
	"$FLTCTL" trace --json --stacks "$@" >"$tmp/out.all" 2>"$tmp/err" || status=$?
	grep '^{' "$tmp/out.all" >"$tmp/trace" || true
	grep -v '^{' "$tmp/out.all" >"$tmp/out" || true
	same "trace $*: exit status" $status 0
}

check() { # WHAT [N]
	checks=$((checks + 1))
	python3 "$tmp/check.py" "$tmp/trace" "$tmp/out" "$@" || bad "$*"
}

load
many=100
[ -z "$LONG" ] || many=2000

say "depth"
traced -- frames deep 130
check deep 127
traced --max-stack 20 -- frames deep 30
check deep 20
for what in signal sort noframe wild narrow; do
	say "$what"
	traced -- frames $what
	check $what
done

say "more stacks than the table holds"
traced -- frames many $many
check many
unload
load max_stacks=16
traced -- frames many $many
check many

grep -q "stacks found the module's table of them full" "$tmp/err" || bad "a full table is not told: $(cat "$tmp/err")"

say "by unwind tables"
traced --unwind dwarf -- frames sort
check whole touch,compare,__qsort_r,main
traced --unwind dwarf -- frames library
check whole toucher,main
traced --unwind dwarf --max-stack 5 -- frames deep 10
check deep 5

say "by netlink, where a slice goes on in the next message"
traced --channel netlink -- frames deep 40
check deep 127
traced --channel netlink --unwind dwarf -- frames sort
check whole touch,compare,__qsort_r,main

say "two sessions: each has the stacks"
"$FLTCTL" trace --json --stacks --max-stack 5 -c frames >"$tmp/second" 2>"$tmp/err2" & second=$!
until_true compgen -G "$debugfs/session-*/cpu0" >/dev/null
traced -- frames deep 20
check deep 127
kill -INT $second
wait $second || true
cp "$tmp/second" "$tmp/trace"
check deep 5

# The command stops the reader, its parent, while it faults: 3,000 faults in
# buffers for 250 at most.
say "small buffers: delivered + lost = faults"
for how in fp dwarf; do
	size=4KiB
	[ $how = fp ] || size=16KiB
	status=0
	# shellcheck disable=SC2016 # for the inner shell
	"$FLTCTL" trace --json --stacks --unwind $how -b $size -B 2 -A 10000000000-20000000000 -- \
		sh -c 'kill -STOP $PPID; frames flood 3000 >/dev/null; kill -CONT $PPID' \
		>"$tmp/trace" 2>"$tmp/err" || status=$?
	same "$how: exit status" $status 3
	delivered=$(grep -c '"record":"fault"' "$tmp/trace" || true)
	lost=$(sed -n 's/.*incomplete: \([0-9]*\) faults lost of .*/\1/p' "$tmp/err")
	at_least "$how: lost" "$lost" 1
	at_least "$how: delivered" "$delivered" 1
	same "$how: delivered + lost" $((delivered + lost)) 3000
done

say "code of a dynamically linked program that is gone"
"$FLTCTL" trace --json --stacks -- true >"$tmp/trace"
same "instructions without a name" "$(python3 - "$tmp/trace" <<'PY'
import json, sys
faults = [json.loads(line) for line in open(sys.argv[1])]
faults = [f for f in faults if f["record"] == "fault" and f.get("comm") == "true"]
user = [f for f in faults if f["access"] in "wrx"]
print(sum(f["stack"][0].startswith("0x") for f in user) if len(user) > 20 else "too few faults")
PY
)" 0

say "bad requests"
status=0; "$FLTCTL" trace --stacks --max-stack 128 -- true 2>"$tmp/err" || status=$?
same "128 frames" $status 2
status=0; "$FLTCTL" trace --unwind dwarf -b 4KiB -- true 2>"$tmp/err" || status=$?
same "no room for a slice" $status 1
grep -q "no room" "$tmp/err" || bad "$(cat "$tmp/err")"
finish
