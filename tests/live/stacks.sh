#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=300 turns=6.1,6.12,7.3
# Promise: the stack of a fault has every frame of the program, or a reason why frames are
# missing. A stack is sent once per session, and no stack is lost if the stack table is full.
# Faults that do not fit into the channel are counted.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

trace_stacks() { # OPTION... -- frames WHAT [N]
	local status=0
	"$FLTCTL" trace --json --stacks "$@" >"$tmp/out.all" 2>"$tmp/err" || status=$?
	grep '^{' "$tmp/out.all" >"$tmp/trace" || true
	grep -v '^{' "$tmp/out.all" >"$tmp/out" || true
	same "trace $*: exit status" $status 0
}

check() { # WHAT [N]
	checks=$((checks + 1))
	python3 tests/live/faults.py "$tmp/trace" "$1" "$tmp/out" "${@:2}" || bad "$*"
}

cp "$(command -v frames)" "$tmp/flooder"
chmod 755 "$tmp" "$tmp/flooder"
load
many=$(sized 100 200 2000)

say "depth"
trace_stacks -- frames deep 130
check deep 127
trace_stacks --max-stack 20 -- frames deep 30
check deep 20
cases=(signal sort noframe wild)
[ "$(uname -m)" != x86_64 ] || cases+=(narrow)
for what in "${cases[@]}"; do
	say "$what"
	trace_stacks -- frames "$what"
	check "$what"
done
# Where the frame pointer of "wild" points, a handler faults.
same "calls that the probe missed" "$(fltq hooks | grep ' name=fault ' | field missed_busy)" 0

say "full stack table"
trace_stacks -- frames many "$many"
check many
unload
load max_stacks=16
trace_stacks -- frames many "$many"
check many
checks=$((checks + 1))
grep -q "because the module's table of stacks had no room" "$tmp/err" ||
	bad "no message about the full stack table: $(cat "$tmp/err")"

say "one user cannot fill the table"
unload
load max_stacks=64
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
for user in "" "unshare -U"; do
	# The table lives as long as a session with stacks does.
	"$FLTCTL" trace --json --stacks -c flooder -o "$tmp/flood" >/dev/null 2>"$tmp/flooded" &
	pid=$!
	until_true observes $pid || bad "trace does not start: $(cat "$tmp/flooded")"
	# shellcheck disable=SC2086
	"${nobody[@]}" $user "$tmp/flooder" many "$many" >/dev/null
	trace_stacks -- frames deep 3
	same "flood by nobody, $user: messages about the other program" \
		"$(grep -c "table of stacks" "$tmp/err")" 0
	kill -INT $pid
	wait $pid || true
	same "flood by nobody, $user: messages about the flood" \
		"$(grep -c "table of stacks" "$tmp/flooded")" 1
done

say "unwind tables"
trace_stacks --unwind dwarf -- frames sort
check whole touch,compare,__qsort_r,main
trace_stacks --unwind dwarf -- frames library
# On x86-64 the compiler inlines memset(). Elsewhere libc has several, and the processor decides.
inlined=''
[ "$(uname -m)" = x86_64 ] || inlined=$(grep -o -m 1 '__memset_[a-z0-9_]*' "$tmp/trace" | head -n 1),
check whole "${inlined}toucher,main"
trace_stacks --unwind dwarf --max-stack 5 -- frames deep 10
check deep 5

say "netlink channel: a slice continues in the next message"
trace_stacks --channel netlink -- frames deep 40
check deep 127
trace_stacks --channel netlink --unwind dwarf -- frames sort
check whole touch,compare,__qsort_r,main

say "two sessions: each gets all stacks"
"$FLTCTL" trace --json --stacks --max-stack 5 -c frames >"$tmp/second" 2>"$tmp/err2" & second=$!
until_true compgen -G "$debugfs/session-*/cpu0" >/dev/null
trace_stacks -- frames deep 20
check deep 127
kill -INT $second
wait $second || true
cp "$tmp/second" "$tmp/trace"
check deep 5

# The command stops the reader, its parent, while it takes 3,000 faults. The buffers hold at
# most 250 faults.
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
	lost=$(sed -n 's/.*incomplete: buffers full: \([0-9]*\) of .*/\1/p' "$tmp/err")
	at_least "$how: lost" "$lost" 1
	at_least "$how: delivered" "$delivered" 1
	same "$how: delivered + lost" $((delivered + lost)) 3000
done

say "symbols of a dynamically linked program that has ended"
"$FLTCTL" trace --json --stacks -- true >"$tmp/trace"
same "instructions without a symbol" "$(python3 - "$tmp/trace" <<'PY'
import json, mmap, sys
faults = [json.loads(line) for line in open(sys.argv[1])]
faults = [f for f in faults if f["record"] == "fault" and f.get("comm") == "true"]
user = [f for f in faults if f["access"] in "wrx"]
# With larger pages, fewer pages have the same data.
least = 20 if mmap.PAGESIZE == 4096 else 10
print(sum(f["stack"][0].startswith("0x") for f in user) if len(user) > least else "too few faults")
PY
)" 0

say "invalid options"
status=0; "$FLTCTL" trace --stacks --max-stack 128 -- true 2>"$tmp/err" || status=$?
same "--max-stack 128: status" $status 2
status=0; "$FLTCTL" trace --unwind dwarf -b 4KiB -- true 2>"$tmp/err" || status=$?
same "sub-buffers smaller than a slice: status" $status 1
checks=$((checks + 1))
grep -q "invalid SLICE: too large for SUBBUF_SIZE" "$tmp/err" ||
	bad "sub-buffers smaller than a slice: $(cat "$tmp/err")"
finish
