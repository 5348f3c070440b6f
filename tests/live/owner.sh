#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=240 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: the owner of a session may be killed at any moment. Its session ends, and hooks
# that were not armed before the session are disarmed.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

rounds=$(sized 8 16 100)

no_sessions() { fltq info | grep -q ' sessions=0 '; }
# Print the number of armed hooks (state 2).
armed_hooks() { fltq hooks | awk '/state=2/ { n++ } END { print NR ? n + 0 : "no_input" }'; }

load accounting=0
same "armed hooks after loading" "$(armed_hooks)" 0
same "accounting after loading" "$(fltq info | field accounting)" 0

# Kill an idle owner.
mkfifo "$tmp/fifo"
fltq hold -f $$ <"$tmp/fifo" >"$tmp/session" 2>&1 &
holder=$!
exec 7>"$tmp/fifo"
until_true grep -q '^session' "$tmp/session" || bad "no session: $(cat "$tmp/session")"
same "sessions" "$(fltq info | field sessions)" 1
at_least "armed hooks during the session" "$(armed_hooks)" 2
same "accounting during the session" "$(fltq info | field accounting)" 1
# Only the owner may end its session.
rc=0
fltq del "$(field id <"$tmp/session")" 2>"$tmp/err" || rc=$?
same "ending the session of another process: status" "$rc" 1
checks=$((checks + 1))
grep -q 'EACCES: .' "$tmp/err" || bad "ending the session of another process: $(cat "$tmp/err")"
kill -9 "$holder"
wait "$holder" 2>/dev/null || true
exec 7>&-
checks=$((checks + 1))
until_true no_sessions || bad "the session of a killed owner is left: $(fltq info)"
same "armed hooks after the owner was killed" "$(armed_hooks)" 0
same "accounting after the owner was killed" "$(fltq info | field accounting)" 0

# The owner is in another network namespace. Nobody else opens or closes a socket meanwhile.
mkfifo "$tmp/netns"
unshare -n fltq hold -f $$ <"$tmp/netns" >"$tmp/elsewhere" 2>&1 &
holder=$!
exec 7>"$tmp/netns"
until_true grep -q '^session' "$tmp/elsewhere" || bad "no session: $(cat "$tmp/elsewhere")"
kill -9 "$holder"
wait "$holder" 2>/dev/null || true
exec 7>&-
unarmed() { ! grep -q ' armed ' "$debugfs/hooks"; }
checks=$((checks + 1))
until_true unarmed || bad "another network namespace: hooks are left: $(cat "$debugfs/hooks")"

# A dump whose session or tracker ends meanwhile says so. Else its reader would take the part that
# arrived for all.
same "dumps of what ended meanwhile" "$(sessions ended 3)" "sessions opened=3 ENOENT=6"

# Who waits for data of a relay file wakes up when the session ends.
mkfifo "$tmp/relay"
fltq hold -s $$ <"$tmp/relay" >"$tmp/streaming" 2>&1 &
holder=$!
exec 7>"$tmp/relay"
until_true grep -q '^session' "$tmp/streaming" || bad "no session: $(cat "$tmp/streaming")"
python3 -c '
import glob, os, select, sys
fd = os.open(glob.glob(sys.argv[1] + "/session-*/cpu0")[0], os.O_RDONLY)
poll = select.poll()
poll.register(fd, select.POLLIN)
while not poll.poll()[0][1] & select.POLLHUP:
    os.read(fd, 1 << 20)' "$debugfs" 7>&- &
reader=$!
until_true observes "$reader" || bad "the reader does not wait"
exec 7>&-
wait "$holder" || true
checks=$((checks + 1))
has_ended() { ! kill -0 "$reader" 2>/dev/null || [ "$(ps -o state= -p "$reader")" = Z ]; }
until_true has_ended || bad "a reader waits for the file of a session that has ended"
kill "$reader" 2>/dev/null || true
wait "$reader" || true

# Kill processes while they open sessions, dump in a loop or run a command.
storm 1 2 >/dev/null 2>&1 &
stormer=$!
victim() {
	case $(($1 % 4)) in
	0) exec fltq follow -o /dev/null -- tree fork 50 4;;
	1) exec fltq around -o /dev/null -- kinds anon 5000;;
	2) while :; do fltq procs >/dev/null; fltq tasks "$stormer" >/dev/null; done;;
	3) exec "$FLTCTL" stats -- tree fork 50 4;;
	esac
}
for ((i = 0; i < rounds; i++)); do
	victim "$i" >/dev/null 2>&1 &
	pid=$!
	sleep "0.$((i * 37 % 10))$((i * 13 % 10))"
	kill -9 "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
done
kill "$stormer"
wait "$stormer" || true
checks=$((checks + 1))
until_true no_sessions || bad "a session of a killed process is left: $(fltq info)"
same "armed hooks after the kills" "$(armed_hooks)" 0
unload

# Between two sessions faults are not counted. The row of a process that lives through both
# must not be marked "whole".
load accounting=0
mkfifo "$tmp/first" "$tmp/second"
fltq hold -f $$ <"$tmp/first" >"$tmp/held" & pid=$!
exec 7>"$tmp/first"
until_true grep -q session "$tmp/held"
storm 1 1 7>&- & stormer=$!
row() { fltq procs | grep "tgid=$stormer "; }
until_true row >/dev/null
same "first session: whole" "$(row | field whole)" 1
exec 7>&-
wait "$pid" || true
rm "$tmp/held"
fltq hold "$stormer" <"$tmp/second" >"$tmp/held" & pid=$!
exec 7>"$tmp/second"
until_true grep -q session "$tmp/held"
same "second session: whole" "$(row | field whole)" 0
kill "$stormer"
wait "$stormer" || true
exec 7>&-
wait "$pid" || true
unload

# Hooks that were armed before the session stay armed.
load accounting=latency
armed=$(armed_hooks)
at_least "armed hooks with accounting=latency" "$armed" 2
fltq follow -o /dev/null -- tree fork 20 2 &
pid=$!
sleep 0.3
kill -9 "$pid" 2>/dev/null || true
wait "$pid" 2>/dev/null || true
checks=$((checks + 1))
until_true no_sessions || bad "the session of a killed owner is left: $(fltq info)"
same "armed hooks after the session" "$(armed_hooks)" "$armed"
finish
