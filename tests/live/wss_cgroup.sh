#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=400 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2119
# Promise: the working set of a cgroup is that of all processes in it and its descendants:
# existing processes and processes that are forked or moved into it, but not processes that
# were moved out or are in other cgroups. This holds with and without the module.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

cgroup=/sys/fs/cgroup/flt-wss
mkdir -p "$cgroup/below/deep" "$cgroup-beside"

# Start wset in CGROUP and set pid.
start() { # CGROUP WSET-ARGUMENTS...
	local into=$1
	shift
	rm -f "$tmp/out"
	sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec wset "$@"' sh "$into" "$@" >"$tmp/out" &
	pid=$!
	until_true grep -q ready "$tmp/out" || bad "wset $* does not become ready"
}

# Print "BYTES COUNT": the maximum of the referenced bytes of a process, and its samples.
maximum() { # PID
	awk -F, -v pid="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] == "sample" { all++ }
		$at["record"] == "sample" && $at["pid"] == pid {
			n++
			if ($at["referenced_bytes"] + 0 > most)
				most = $at["referenced_bytes"] + 0
		}
		END { print all ? (most + 0) " " (n + 0) : "no_input no_input" }' "$tmp/csv"
}

# A program touches all of its pages within half a second, except on the slow debug kernel.
window=0.5
[ "$KERNEL" != debug ] || window=4

# Check that the process referenced at least MIB in a window.
has() { # WHAT PID MIB
	local most count
	read -r most count < <(maximum "$2")
	at_least "$1: samples" "$count" 1
	at_least "$1: referenced" "$most" $(($3 << 20))
}

lacks() { # WHAT PID
	local most count
	read -r most count < <(maximum "$2")
	same "$1: samples" "$count" 0
}

load
start "$cgroup" 8 2
first=$pid
start "$cgroup/below/deep" 16 4
deep=$pid
start "$cgroup-beside" 16 4
beside=$pid
for method in scan inject refs; do
	budget=(-b 100)
	[ "$method" != refs ] || budget=()
	"$FLTCTL" wss --csv "${budget[@]}" -m "$method" --cgroup "$cgroup" $window 3 >"$tmp/csv" ||
		bad "$method: status $?"
	has "$method: process in the cgroup" "$first" 2
	has "$method: process in a descendant" "$deep" 4
	lacks "$method: process in another cgroup" "$beside"
	say "$method"
done

# Move one process in and one out, and start one, while wss runs.
row() { grep -q "^[0-9]* $1 $2" "$debugfs/wss"; }
"$FLTCTL" wss --csv -b 100 --cgroup "$cgroup" 0.3 >"$tmp/csv" 2>"$tmp/err" & reader=$!
until_true row "$first" live || bad "no sample of the first process"
echo "$beside" >"$cgroup/cgroup.procs"
start "$cgroup/below" 16 6
born=$pid
echo "$deep" >"$cgroup-beside/cgroup.procs"
until_true row "$beside" live || bad "no sample of the process that was moved in"
until_true row "$born" live || bad "no sample of the process that was started"
until_true row "$deep" ended || bad "the process that was moved out is still tracked"
sleep 0.7
kill -INT "$reader"
wait "$reader" || bad "status $?: $(cat "$tmp/err")"
has "moved in" "$beside" 4
has "started" "$born" 6
say "moved and started"

# Without the module, the processes in the cgroup at the end of a window count.
"$FLTCTL" wss --csv -m refs --cgroup "$cgroup" 0.5 2 >"$tmp/csv"
has "refs, moved in" "$beside" 4
lacks "refs, moved out" "$deep"

# The search for processes takes PIDs in batches. Spread the processes of a cgroup over many PIDs,
# most of which are threads, while other processes come and go. Each process is found once.
mkdir "$cgroup-wide"
mkfifo "$tmp/crowds"
exec 9<>"$tmp/crowds"
# Run a program in the cgroup, under the PID of the subshell that calls this function.
join() { exec sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$cgroup-wide" "$@"; }
crowds=()
for i in 1 2 3 4 5 6 7 8; do
	join sleep infinity &
	crowds+=($!)
	crowd 200 1 <"$tmp/crowds" >"$tmp/crowd.$i" &
	crowds+=($!)
	until_true grep -q crowd "$tmp/crowd.$i" || bad "no threads"
done
join crowd 100 1 <"$tmp/crowds" >"$tmp/crowd.9" &
crowds+=($!)
until_true grep -q crowd "$tmp/crowd.9" || bad "no threads"
touch "$tmp/churn"
while [ -e "$tmp/churn" ]; do /bin/true; done &
churn=$!
"$FLTCTL" wss --csv -b 100 --cgroup "$cgroup-wide" 0.3 3 >"$tmp/csv" || bad "wide cgroup: status $?"
rm "$tmp/churn"
wait $churn
sampled() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "sample" { print $at["pid"] }' "$tmp/csv" | sort -u; }
same "wide cgroup: processes in cgroup.procs" "$(sort -u "$cgroup-wide/cgroup.procs" | wc -l)" 9
same "wide cgroup: sampled processes" "$(sampled | xargs)" \
	"$(sort -u "$cgroup-wide/cgroup.procs" | xargs)"
kill "${crowds[@]}"
wait "${crowds[@]}" || true
exec 9>&-
rmdir "$cgroup-wide"
say "processes spread over many PIDs"

# The processes of one user, however many, leave slots to processes that a request names.
mkdir "$cgroup-many"
sh -c 'echo $$ >"$1/cgroup.procs"; for i in $(seq 80); do sleep 600 & done; wait' sh \
	"$cgroup-many" &
parent=$!
many() { [ "$(wc -l <"$cgroup-many/cgroup.procs")" = 81 ]; }
until_true many || bad "the processes do not start"
"$FLTCTL" wss --csv -b 100 --cgroup "$cgroup-many" 0.2 >"$tmp/csv" 2>"$tmp/err" & reader=$!
tracks_many() { [ "$(grep -c live "$debugfs/wss")" -ge 40 ]; }
until_true tracks_many || bad "many processes: $(grep -c live "$debugfs/wss") slots"
"$FLTCTL" wss --csv -p "$first" 0.2 1 >"$tmp/out2" 2>&1 ||
	bad "a process beside many: status $?: $(tail -n 1 "$tmp/out2")"
at_least "a process beside many: samples" "$(grep -c "^sample,.*,$first," "$tmp/out2")" 1
kill -INT "$reader"
rc=0
wait "$reader" || rc=$?
same "many processes: status" "$rc" 3
xargs kill <"$cgroup-many/cgroup.procs"
wait "$parent" || true
gone() { ! grep -q . "$cgroup-many/cgroup.procs"; }
until_true gone
rmdir "$cgroup-many"
say "many processes"

# wss ends when the cgroup is removed. It reports an empty cgroup with status 3.
"$FLTCTL" wss --cgroup "$cgroup" 0.3 >"$tmp/out2" 2>&1 & reader=$!
until_true row "$first" live || bad "no sample before the end"
kill "$first" "$deep" "$beside" "$born"
wait "$first" "$deep" "$beside" "$born" || true
rmdir "$cgroup/below/deep" "$cgroup/below" "$cgroup"
wait "$reader" || bad "removed cgroup: status $?, $(cat "$tmp/out2")"
rc=0
"$FLTCTL" wss --cgroup "$cgroup-beside" 0.2 2 >"$tmp/out2" 2>&1 || rc=$?
same "empty cgroup: status" "$rc" 3
checks=$((checks + 1))
grep -q 'no process' "$tmp/out2" || bad "empty cgroup: $(cat "$tmp/out2")"
rmdir "$cgroup-beside"
finish
