#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=240
# shellcheck disable=SC2119
# Promise: whoever listens may die at any moment; no session stays, and no probe
# that was not armed before.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

rounds=8
[ -z "$LONG" ] || rounds=100

quiet() { fltq info | grep -q ' sessions=0 '; }
# State 2 is armed; the row has it as a number.
armed() { fltq hooks | awk '/state=2/ { n++ } END { print NR ? n + 0 : "no_input" }'; }

load accounting=0
same "nothing is armed after loading" "$(armed)" 0
same "accounting" "$(fltq info | field accounting)" 0

# One that just sits there.
mkfifo "$tmp/fifo"
fltq hold -f $$ <"$tmp/fifo" >"$tmp/session" 2>&1 &
holder=$!
exec 7>"$tmp/fifo"
until_true grep -q '^session' "$tmp/session" || bad "no session: $(cat "$tmp/session")"
same "one session" "$(fltq info | field sessions)" 1
at_least "armed" "$(armed)" 2
same "accounting" "$(fltq info | field accounting)" 1
# Another's session may be looked at, not ended.
rc=0
fltq del "$(field id <"$tmp/session")" 2>"$tmp/err" || rc=$?
same "ending another's session: status" "$rc" 1
checks=$((checks + 1))
grep -q 'EACCES: .' "$tmp/err" || bad "ending another's session: $(cat "$tmp/err")"
kill -9 "$holder"
wait "$holder" 2>/dev/null || true
exec 7>&-
checks=$((checks + 1))
until_true quiet || bad "a session stayed: $(fltq info)"
same "nothing is armed after it died" "$(armed)" 0
same "accounting after it died" "$(fltq info | field accounting)" 0

# Ones that are killed in the middle of everything they do: opening, dumping in
# a loop, running a command.
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
until_true quiet || bad "a session stayed: $(fltq info)"
same "nothing is armed at the end" "$(armed)" 0
unload

# Between two sessions nobody counts: the row of a process that lived on is not whole.
load accounting=0
mkfifo "$tmp/first" "$tmp/second"
fltq hold -f $$ <"$tmp/first" >"$tmp/held" & pid=$!
exec 7>"$tmp/first"
until_true grep -q session "$tmp/held"
storm 1 1 7>&- & stormer=$!
row() { fltq procs | grep "tgid=$stormer "; }
until_true row >/dev/null
same "whole in the first session" "$(row | field whole)" 1
exec 7>&-
wait "$pid" || true
rm "$tmp/held"
fltq hold "$stormer" <"$tmp/second" >"$tmp/held" & pid=$!
exec 7>"$tmp/second"
until_true grep -q session "$tmp/held"
same "whole in the second" "$(row | field whole)" 0
kill "$stormer"
wait "$stormer" || true
exec 7>&-
wait "$pid" || true
unload

# What was armed before stays so.
load accounting=1
armed=$(armed)
at_least "armed with accounting" "$armed" 2
fltq follow -o /dev/null -- tree fork 20 2 &
pid=$!
sleep 0.3
kill -9 "$pid" 2>/dev/null || true
wait "$pid" 2>/dev/null || true
checks=$((checks + 1))
until_true quiet || bad "a session stayed: $(fltq info)"
same "armed as before" "$(armed)" "$armed"
finish
