#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: a process that has exited gets no live row, whoever asks for it; accounting may
# stop while threads exit and somebody reads.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

rounds=$(sized 10 25 200)

live_rows() { fltq procs | awk -v key="tgid=$1" '$2 == key && !/ ended=1/ { n++ } END { print NR ? n + 0 : "no_input" }'; }

# A child that is a zombie before the module sees it, until the shell reads on.
mkfifo "$tmp/fifo"
python3 -c '
import os, sys
child = os.fork()
if child == 0:
    os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
print(child, flush=True)
sys.stdin.read()' <"$tmp/fifo" >"$tmp/zombie" &
parent=$!
exec 7>"$tmp/fifo"
until_true test -s "$tmp/zombie" || bad "no zombie"
zombie=$(cat "$tmp/zombie")
same "a zombie" "$(awk '{ print $3 }' "/proc/$zombie/stat")" Z

load
rc=0
fltq hold "$zombie" </dev/null >"$tmp/out" 2>&1 || rc=$?
same "a session on a zombie: status" "$rc" 1
checks=$((checks + 1))
grep -q 'ESRCH: .' "$tmp/out" || bad "a session on a zombie: $(cat "$tmp/out")"
same "live rows of the zombie" "$(live_rows "$zombie")" 0
exec 7>&-
wait "$parent"
same "live rows after it was reaped" "$(live_rows "$zombie")" 0

# A zombie with a row: its counts can be summed up, and its row stays ended.
mkfifo "$tmp/fifo2"
python3 -c '
import os, sys
child = os.fork()
if child == 0:
    bytearray(1 << 20)
    os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
print(child, flush=True)
sys.stdin.read()' <"$tmp/fifo2" >"$tmp/zombie" &
parent=$!
exec 7>"$tmp/fifo2"
until_true test -s "$tmp/zombie" || bad "no zombie"
zombie=$(cat "$tmp/zombie")
same "a zombie with a row: live rows" "$(live_rows "$zombie")" 0
fltq hold "$zombie" </dev/null >"$tmp/out" 2>&1 || true
same "a zombie with a row: live rows after a session" "$(live_rows "$zombie")" 0
exec 7>&-
wait "$parent"
unload

# Threads exit while accounting stops and while rows are read.
load accounting=0
storm 2 2 >"$tmp/storm" 2>&1 &
stormer=$!
tree short 1000000 8 >/dev/null 2>&1 &
short=$!
(set +e; while :; do fltq procs; fltq tasks "$stormer"; done) >/dev/null 2>&1 &
reader=$!
for ((i = 0; i < rounds; i++)); do
	fltq hold $$ </dev/null >"$tmp/session" || bad "round $i: $(cat "$tmp/session")"
done
kill "$reader" "$short"
wait "$reader" "$short" || true
kill "$stormer"
wait "$stormer" || bad "the storm: status $?"
same "slots after the last session" "$(fltq info | field tasks)" 0
same "rows of processes that have not ended" "$(fltq procs | lines ' ended=1' -)" \
	"$(fltq procs | lines '^proc' -)"
finish
