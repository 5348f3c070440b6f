#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=700 turns=6.1,6.12,7.3,none,none,none debug=0
# shellcheck disable=SC2016,SC2119
# Promise: in a PID namespace fltctl shows the processes of that namespace, under the PIDs they
# have there, and no others. Its counts are exact. Network namespaces do not matter.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

inner=(unshare --pid --fork --mount-proc --net)

# A process outside that faults all the time, and one in each namespace that waits for $tmp/go.
cp "$(command -v python3)" "$tmp/outsider"
cp "$(command -v python3)" "$tmp/insider"
cat >"$tmp/fault.py" <<'END'
import mmap, time
while True:
    with mmap.mmap(-1, 1 << 20) as m:
        m.write(bytes(1 << 20))
    time.sleep(0.01)
END
cat >"$tmp/wait.py" <<'END'
import signal
bytearray(3 << 20)
signal.pause()
END

# Wait until the process of $tmp/wait.py sleeps.
settled() { [ -e "/proc/$1/wchan" ] && sleeps_in "$1" pause; }

json() { jq -s "$1" "$tmp/stats.json"; }

# inside FUNCTION: run a function of this file in namespaces of its own, as PID 1.
inside() {
	{
		sed "s|^tmp=.*|tmp=$tmp|; /^trap on_exit/d" tests/live/live.bash
		declare -f json settled counts streams sums watched rights nested
		declare -p inner outside session
	} >"$tmp/functions"
	"${inner[@]}" bash -c '. "$1"; "$2"; echo "$checks $failures"' bash "$tmp/functions" \
		"$1" >"$tmp/$1.log" 2>&1 || true
}

# Add the checks that a function made inside to those of this test.
collect() { # FUNCTION
	local made failed
	sed '$d' "$tmp/$1.log"
	if read -r made failed < <(tail -n 1 "$tmp/$1.log") && [[ $made$failed =~ ^[0-9]+$ ]]; then
		checks=$((checks + made)) failures=$((failures + failed))
	else
		bad "$1 did not end: $(tail -n 1 "$tmp/$1.log")"
	fi
}

counts() {
	local pid got
	same "PID of the shell" $$ 1
	"$tmp/insider" "$tmp/wait.py" &
	pid=$!
	until_true settled $pid || bad "the process inside does not settle"
	"$FLTCTL" stats --json >"$tmp/stats.json"
	same "rows of processes outside" "$(json '[.[] | select(.comm == "outsider")] | length')" 0
	same "rows of the process inside" "$(json '[.[] | select(.comm == "insider")] | length')" 1
	same "its PID" "$(json '.[] | select(.comm == "insider") | .pid')" $pid
	same "its faults" "$(json '.[] | select(.comm == "insider") | .minor + .major')" \
		"$(faults_of $pid)"
	got=$("$FLTCTL" stats --json -p $pid | jq -s 'map(select(.record == "process"))[0] | .minor + .major')
	same "faults by -p" "$got" "$(faults_of $pid)"
	got=$("$FLTCTL" stats --json -a | jq -s 'map(select(.record == "machine"))[0].minor')
	at_least "faults of the namespace" "$got" "$(faults_of $pid)"
	at_most "faults of the namespace, of $outside outside" "$got" $((outside / 2))
	same "its thread" "$("$FLTCTL" stats --json -t -p $pid | jq -s 'map(select(.record == "thread"))[0].tid')" $pid
	same "PID of a process outside" \
		"$("$FLTCTL" stats -p 4194303 2>&1 | grep -c 'no such process')" 1
	echo $pid >"$tmp/pid"
	# The host reads the same counts.
	touch "$tmp/ready"
	until_true test -e "$tmp/compared" || bad "no comparison from outside"
	kill $pid
	wait $pid || true
	same "an ended process" "$(fltq proc $pid | field ended)" 1
}

streams() {
	local pid status=0
	trace_forking --stacks
	"$FLTCTL" trace --csv >"$tmp/all.csv" 2>"$tmp/err" &
	pid=$!
	until_true observes $pid || bad "trace does not start"
	faultrun -o "$tmp/run" -- "${forking[@]}"
	kill -INT $pid
	wait $pid || status=$?
	same "exit status of trace" $status 0
	cp "$tmp/all.csv" "$tmp/trace.csv"
	traced "all processes"
	same "notes and faults of processes outside" "$(lines outsider)" 0
	same "PIDs above those of the namespace" "$(faults '$4 < 1 || $4 > 1000')" 0
	"$FLTCTL" map --json -- "${forking[@]}" >"$tmp/map.json" || bad "map: status $?"
	at_least "regions of map" "$(jq -s length "$tmp/map.json")" 5
}

sums() {
	"$FLTCTL" lat --json -- "${forking[@]}" >"$tmp/lat.json" || bad "lat: status $?"
	at_least "faults of lat" "$(jq -s '[.[] | .faults? // 0] | max' "$tmp/lat.json")" 700
	same "status of lat without target" "$("$FLTCTL" lat >"$tmp/out" 2>&1; echo $?)" 5
	same "remedy of lat" "$(grep -c 'in a PID namespace; give -p PID' "$tmp/out")" 1
	equal "children" "${forking[@]}"
	"$FLTCTL" thp --json -- "${forking[@]}" >"$tmp/thp.json" || bad "thp: status $?"
	same "processes of thp outside" "$(grep -c outsider "$tmp/thp.json")" 0
	fltq thp >"$tmp/thp"
	same "processes of the ledger outside" "$(grep -c outsider "$tmp/thp")" 0
	"$FLTCTL" wss --json -p 1 1 2 >"$tmp/wss.json" || bad "wss: status $?"
	same "PIDs of wss" "$(jq -s '[.[] | .pid? // empty] | unique | tostring' "$tmp/wss.json")" '"[1]"'
	same "session of the host" "$(fltq del "$session" 2>&1 | grep -c ENOENT)" 1
	same "latencies of the machine" "$(fltq latency 2>&1 | grep -c EOPNOTSUPP)" 1
}

# Observe a process inside until the host has looked.
watched() {
	local pid lat wss
	"$tmp/insider" "$tmp/fault.py" & pid=$!
	"$FLTCTL" lat --why -p $pid 0.1 >"$tmp/lat" 2>&1 & lat=$!
	"$FLTCTL" wss -p $pid 0.1 >"$tmp/wss" 2>&1 & wss=$!
	checks=$((checks + 2))
	until_true grep -q insider "$tmp/lat" || bad "no slow fault of $pid: $(cat "$tmp/lat")"
	until_true grep -q "^ *[0-9].* $pid " "$tmp/wss" || bad "no sample of $pid: $(cat "$tmp/wss")"
	touch "$tmp/watched"
	until_true test -e "$tmp/looked" || bad "the host does not look"
	kill $pid
	wait $pid $lat $wss || true
}

rights() {
	local nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all
		--inh-caps -all)
	same "status without capability" "$("${nobody[@]}" "$FLTCTL" stats --source=module -a \
		>"$tmp/out" 2>&1; echo $?)" 4
	same "the missing capability is named" "$(grep -c CAP_PERFMON "$tmp/out")" 1
	# Enough, and no more: CAP_PERFMON alone.
	same "CAP_PERFMON" "$(setpriv --bounding-set -all,+perfmon --inh-caps -all "$FLTCTL" stats \
		--source=module -a >"$tmp/out" 2>&1; echo $?)" 0
	same "root of a user namespace" "$(unshare -U -r "$FLTCTL" stats --source=module -a \
		>"$tmp/out" 2>&1; echo $?)" 4
}

# A namespace in a namespace, and one that is nested too deep.
nested() {
	"$tmp/insider" "$tmp/wait.py" &
	until_true settled $! || bad "the process inside does not settle"
	"${inner[@]}" "$FLTCTL" stats --json >"$tmp/stats.json"
	same "rows of the outer namespace" "$(json '[.[] | select(.comm == "insider")] | length')" 0
	at_least "rows of the inner one" "$(json length)" 1
	"${inner[@]}" "${inner[@]}" "${inner[@]}" "$FLTCTL" stats -a >"$tmp/out" 2>&1 ||
		bad "level 4: status $?: $(cat "$tmp/out")"
	same "level 5" "$("${inner[@]}" "${inner[@]}" "${inner[@]}" "${inner[@]}" \
		"$FLTCTL" stats --source=module -a 2>&1 | grep -c 'nested deeper than 4')" 1
	kill %1
}

# Print the inode number of a new namespace, and run a process in it that has a row afterwards.
ghost() {
	"${inner[@]}" sh -c 'readlink /proc/self/ns/pid; "$0" -c "bytearray(1 << 20)"' "$tmp/ghost"
}

load
"$tmp/outsider" "$tmp/fault.py" &
outsider=$!
faulted() {
	outside=$(faults_of $outsider)
	[ "$outside" -ge 20000 ]
}
until_true faulted || bad "the process outside does not fault"
session=1

say "counts, from inside and from outside"
inside counts &
inner_shell=$!
until_true test -e "$tmp/ready" || bad "nothing runs inside"
host=$(pgrep -x insider)
same "PID inside" "$(awk '/^NSpid/ { print $3 }' "/proc/$host/status")" "$(cat "$tmp/pid")"
same "counts from outside" "$("$FLTCTL" stats --json -p "$host" |
	jq -s 'map(select(.record == "process"))[0] | .minor + .major')" "$(faults_of "$host")"
touch "$tmp/compared"
wait $inner_shell
collect counts

say "streams of a command and of all processes"
inside streams
collect streams

say "latencies, ledgers, working sets; sessions of the host"
mkfifo "$tmp/hold"
fltq hold $outsider <"$tmp/hold" >"$tmp/session" &
exec 3>"$tmp/hold"
until_true test -s "$tmp/session" || bad "no session"
session=$(field id <"$tmp/session")
inside sums
collect sums
exec 3>&-

say "the host reads a session and a tracker of a namespace: it sees its own PIDs"
fltq hold $outsider <"$tmp/hold" >"$tmp/held" &
exec 3>"$tmp/hold"
until_true grep -q session "$tmp/held" || bad "no session"
# Print the slowest faults of the session that is opened next and has causes.
slowest() {
	local id first
	first=$(field id <"$tmp/held")
	for ((id = first + 1; id < first + 10; id++)); do
		fltq slowest $id 2>/dev/null || true
	done
}
inside watched &
inner_shell=$!
until_true test -e "$tmp/watched" || bad "nothing is watched inside"
host=$(pgrep -x insider)
same "PID of the working set" "$(awk '$NF == "insider" { print $2 }' $debugfs/wss)" "$host"
same "PIDs of slow faults" \
	"$(slowest | sed -n 's/.* tgid=\([0-9]*\).*/\1/p' | sort -u)" "$host"
touch "$tmp/looked"
wait $inner_shell
collect watched
exec 3>&-

say "rights"
inside rights
collect rights

say "nested namespaces"
inside nested
collect nested

say "a namespace that has the number of an earlier one"
cp "$tmp/insider" "$tmp/ghost"
for ((i = 0; i < 50; i++)); do
	before=$(ghost)
	"${inner[@]}" sh -c 'readlink /proc/self/ns/pid; "$0" stats --json' "$FLTCTL" >"$tmp/next"
	[ "$before" != "$(head -n 1 "$tmp/next")" ] || break
done
same "the number was used again" "$(head -n 1 "$tmp/next")" "$before"
at_least "rows of the host with that name" "$(fltq procs | grep -c comm=ghost)" 1
at_least "rows of the new namespace" "$(wc -l <"$tmp/next")" 2
same "rows of the earlier namespace" "$(grep -c ghost "$tmp/next")" 0

finish
