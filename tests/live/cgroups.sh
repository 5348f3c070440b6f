#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 numa=1 cpus=2 mem=1536 timeout=400 turns=6.1,6.12,7.3,none,none,none debug=0
# shellcheck disable=SC2016,SC2119
# Promise: --by=cgroup of lat, trace, map, report, rss, thp, numa, wss and top has a row per cgroup,
# under the name of its container. Its counts are those of the kernel for the processes in it, also
# if a process has ended.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

slice=/sys/fs/cgroup/flt.slice
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
container=docker:0123456789ab
cat >"$tmp/busy.py" <<'END'
import mmap, signal
keep = []
def touch(signo, frame):
    m = mmap.mmap(-1, 8 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if signo == signal.SIGUSR1:
        m.madvise(mmap.MADV_NOHUGEPAGE)
    else:
        m.madvise(mmap.MADV_HUGEPAGE)
    for at in range(0, len(m), 4096):
        m[at] = 1
    keep.append(m)
signal.signal(signal.SIGUSR1, touch)
signal.signal(signal.SIGUSR2, touch)
touch(signal.SIGUSR1, None)
while True:
    signal.pause()
END

waits() { sleeps_in "$1" pause; }
anonymous() { awk '/^Anonymous:/ { print $2 }' "/proc/$1/smaps_rollup"; }
has_worked() { [ "$(anonymous "$1")" -ge "$2" ] && waits "$1"; }

# Start a process in a cgroup, and set $started.
start() { # DIRECTORY
	bash -c 'echo $$ >"$0/cgroup.procs"; exec python3 "$1"' "$1" "$tmp/busy.py" &
	started=$!
	until_true waits $started || bad "process $started does not wait"
}

# Let a process touch 8 MiB, by SIGUSR1 or SIGUSR2, and wait until it has.
let_work() { # PID [SIGNAL]
	local kb
	kb=$(anonymous "$1")
	kill -"${2:-USR1}" "$1"
	until_true has_worked "$1" $((kb + 8000)) ||
		bad "process $1 does not touch its memory: has $(anonymous "$1") kB, had $kb;" \
			"$(grep -E 'State|TracerPid|SigPnd' "/proc/$1/status" | tr '\n' ' ')" \
			"$(cat "/proc/$1/wchan")"
}

faults_in_container() { echo $(($(faults_of "$one") + $(faults_of "$two"))); }
# sum FILTER KEY FILE: add up the key of the rows.
sum() { jq -s --arg n "$container" "map(select($1) | $2) | add" "$3"; }
begin() { # COMMAND...
	"$FLTCTL" "$@" >"$tmp/out" 2>"$tmp/err" & run=$!
	until_true observes $run || bad "$1 does not start: $(cat "$tmp/err")"
}
end() {
	local status=0
	kill -INT $run
	wait $run || status=$?
	same "status of $1: $(cat "$tmp/err")" $status 0
}

# Let a process of the container, one that ends, and the other work while the COMMAND observes.
# Set $in_container and $in_plain to their faults.
observe_work() { # COMMAND...
	local before plain_before
	begin "$@"
	before=$(($(faults_in_container) + $(faults_of "$ending"))) plain_before=$(faults_of "$plain")
	let_work "$one"
	let_work "$ending"
	let_work "$plain"
	in_container=$(($(faults_in_container) + $(faults_of "$ending") - before))
	in_plain=$(($(faults_of "$plain") - plain_before))
	kill -9 "$ending"
	wait "$ending" 2>/dev/null || true
	end "$1"
}

echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p "$slice"
echo +memory >"$slice/cgroup.subtree_control"
mkdir "$slice/docker-$id.scope" "$slice/plain"
load accounting=latency
start "$slice/docker-$id.scope"
one=$started
start "$slice/docker-$id.scope"
two=$started
start "$slice/plain"
plain=$started
start /sys/fs/cgroup
host=$started

say "lat"
begin lat --json --by=cgroup 1
before=$(faults_in_container)
let_work "$one"
let_work "$two"
let_work "$host"
after=$(faults_in_container)
of_container='.group == "cgroup" and .name == $n and .span == "interval" and .record == "latency"'
reported() { [ "$(sum "$of_container" .faults "$tmp/out")" = $((after - before)) ]; }
until_true reported || bad "lat reports $(sum "$of_container" .faults "$tmp/out"), not $((after - before))"
end lat
same "path in lat" "$(jq -s --arg n $container 'map(select(.name == $n) | .cgroup) | unique | tostring' \
	"$tmp/out")" "\"[\\\"/flt.slice/docker-$id.scope\\\"]\""
at_least "rows of lat with percentiles" "$(sum "$of_container and .p99_ns > 0" 1 "$tmp/out")" 1
same "processes in lat" "$(jq -s 'map(select(.group == "process")) | length' "$tmp/out")" 0
"$FLTCTL" lat --by=cgroup -p "$one,$two,$plain" >"$tmp/text"
same "cgroup in the text of lat" "$(grep -c "^cgroup *$container " "$tmp/text")" 1

say "trace, and a process that ends"
start "$slice/docker-$id.scope"
ending=$started
begin trace --json --by=cgroup -k anon
before=$(faults_in_container) third=$(faults_of "$ending")
host_before=$(faults_of "$host")
let_work "$one"
let_work "$two"
let_work "$ending"
let_work "$host"
want=$(($(faults_in_container) - before + $(faults_of "$ending") - third))
host_faults=$(($(faults_of "$host") - host_before))
kill -9 "$ending"
wait "$ending" 2>/dev/null || true
end trace
# The signal handlers of Python take a few faults of other kinds.
same "anonymous faults in trace" "$(sum '.container == $n' .faults "$tmp/out")" $((3 * 2048))
at_least "all faults" "$want" $((3 * 2048))
at_least "faults of the host in trace" "$(sum '.container == "/"' .faults "$tmp/out")" 2048
at_least "all faults of the host" "$host_faults" 2048
same "fault rows" "$(jq -s 'map(select(.record == "fault")) | length' "$tmp/out")" 0
for other in --stacks --unwind=fp --ctf="$tmp/ctf" --input="$tmp/out"; do
	same "status with $other" "$("$FLTCTL" trace --by=cgroup "$other" >"$tmp/text" 2>&1; echo $?)" 2
done

say "map"
start "$slice/docker-$id.scope"
ending=$started
observe_work map --json --by=cgroup --cgroup "$slice"
same "map: faults of the container" "$(sum '.container == $n' .faults "$tmp/out")" $in_container
same "map: faults of the other" "$(sum '.container == "/flt.slice/plain"' .faults "$tmp/out")" $in_plain
same "map: regions" "$(jq -s 'map(select(.record == "region")) | length' "$tmp/out")" 0

say "record and report"
start "$slice/docker-$id.scope"
ending=$started
observe_work record -q -o "$tmp/t.flt" -p "$one,$two,$ending,$plain"
"$FLTCTL" report --json --by=cgroup "$tmp/t.flt" >"$tmp/out"
same "report: faults of the container" "$(sum '.container == $n' .faults "$tmp/out")" $in_container
same "report: faults of the other" "$(sum '.cgroup == "/flt.slice/plain"' .faults "$tmp/out")" $in_plain
same "report: rows" "$(jq -s length "$tmp/out")" 2
"$FLTCTL" report --by=cgroup "$tmp/t.flt" >"$tmp/text"
same "cgroup in the text of report" "$(grep -c " $container " "$tmp/text")" 1

say "wss"
rss() { awk '/^Rss:/ { n += $2 } END { print n * 1024 }' "$@"; }
"$FLTCTL" wss --json --by=cgroup -p "$one,$two,$plain" 0.3 2 >"$tmp/out"
same "wss: windows" "$(sum '.record == "sample" and .container == $n' 1 "$tmp/out")" 2
same "wss: RSS" "$(jq -s --arg n $container 'map(select(.container == $n) | .rss_bytes) | last' "$tmp/out")" \
	"$(rss "/proc/$one/smaps_rollup" "/proc/$two/smaps_rollup")"
same "wss: RSS of the other" \
	"$(jq -s 'map(select(.container == "/flt.slice/plain") | .rss_bytes) | last' "$tmp/out")" \
	"$(rss "/proc/$plain/smaps_rollup")"
"$FLTCTL" wss --json --by=cgroup --method=refs --cgroup "$slice" 0.3 2 >"$tmp/out"
same "wss by refs: windows" "$(sum '.record == "sample" and .container == $n' 1 "$tmp/out")" 2

say "rss"
"$FLTCTL" rss --json --by=cgroup --at=1s -p "$one,$two,$plain" >"$tmp/out" 2>"$tmp/err" ||
	bad "rss: status $?: $(cat "$tmp/err")"
"$FLTCTL" rss --json --by=cgroup --at=1s --cgroup="$slice" >"$tmp/members" 2>"$tmp/err" ||
	bad "rss --cgroup: status $?: $(cat "$tmp/err")"
same "rss --cgroup: the container" "$(sum '.container == $n' .rss_bytes "$tmp/members")" \
	"$(rss "/proc/$one/smaps_rollup" "/proc/$two/smaps_rollup")"
same "rss: the container" "$(sum '.container == $n' .rss_bytes "$tmp/out")" \
	"$(rss "/proc/$one/smaps_rollup" "/proc/$two/smaps_rollup")"
same "rss: the other" "$(sum '.cgroup == "/flt.slice/plain"' .rss_bytes "$tmp/out")" \
	"$(rss "/proc/$plain/smaps_rollup")"

if has_thp; then
	say "thp"
	kernel() { awk '/^thp_fault_alloc/ { print $2 }' "$slice/docker-$id.scope/memory.stat"; }
	before=$(kernel)
	begin thp --json --by=cgroup
	let_work "$one" USR2
	let_work "$two" USR2
	let_work "$host" USR2
	end thp
	huge=$(sum '.record == "cgroup" and .container == $n' .huge "$tmp/out")
	# The kernel adds the counts of a CPU to those of the cgroup every two seconds.
	told() { [ $(($(kernel) - before)) = "$huge" ]; }
	until_true told || bad "memory.stat counts $(($(kernel) - before)) huge pages, not $huge"
	at_least "huge pages" "$huge" 4
	same "thp: processes" "$(jq -s 'map(select(.record == "process")) | length' "$tmp/out")" 0
	same "thp -a --by=cgroup" "$("$FLTCTL" thp -a --by=cgroup >"$tmp/text" 2>&1; echo $?)" 2
fi

say "numa"
begin numa --json --by=cgroup -p "$one,$plain"
end numa
same "numa: rows" "$(jq -s --arg n $container 'map(select(.record == "cgroup") | .container) | unique |
	tostring' "$tmp/out")" "\"[\\\"/flt.slice/plain\\\",\\\"$container\\\"]\""

say "stats and lat --cgroup: a process that leaves and comes back, and cgroups that are removed"
mkdir "$slice/short"
start "$slice/plain"
mover=$started
start "$slice/short"
short=$started
# Each report has a row of the ticker.
bash -c 'echo $$ >"$0/cgroup.procs"; exec python3 -c "$1"' "$slice/plain" '
import mmap, time
while True:
    m = mmap.mmap(-1, 4096)
    m[0] = 1
    m.close()
    time.sleep(0.05)' & ticker=$!
reports() { lines "\"interval\".*\"pid\":$ticker," "$1"; }
later() { [ "$(reports "$tmp/stats")" -ge "$reports" ] && [ "$(reports "$tmp/lat")" -ge "$reports" ]; }
# Wait for a report of either command that began after now.
wait_for_reports() {
	reports=$(reports "$tmp/stats")
	[ "$(reports "$tmp/lat")" -le "$reports" ] || reports=$(reports "$tmp/lat")
	reports=$((reports + 2))
	until_true later || bad "no more reports"
}
"$FLTCTL" stats --json --cgroup "$slice" 0.3 >"$tmp/stats" 2>"$tmp/stats.err" & stats=$!
"$FLTCTL" lat --json --cgroup "$slice" 0.3 >"$tmp/lat" 2>"$tmp/lat.err" & lat=$!
reports=2
until_true later || bad "no reports: $(cat "$tmp/stats.err" "$tmp/lat.err")"
mover_before=$(faults_of "$mover") short_before=$(faults_of "$short")
let_work "$mover"
wait_for_reports
echo "$mover" >/sys/fs/cgroup/cgroup.procs
wait_for_reports
away=$(faults_of "$mover")
let_work "$mover"
away=$(($(faults_of "$mover") - away))
wait_for_reports
echo "$mover" >"$slice/plain/cgroup.procs"
wait_for_reports
let_work "$mover"
let_work "$short"
wait_for_reports
let_work "$short"
short_faults=$(($(faults_of "$short") - short_before))
mover_faults=$(($(faults_of "$mover") - mover_before - away))
kill -9 "$short"
wait "$short" 2>/dev/null || true
rmdir "$slice/short"
wait_for_reports
kill $ticker $stats $lat
status=0
wait $stats || status=$?
same "stats: status: $(cat "$tmp/stats.err")" $status 0
status=0
wait $lat || status=$?
same "lat: status: $(cat "$tmp/lat.err")" $status 0
wait $ticker || true
of_stats() { jq -s "map(select(.span == \"interval\" and .pid == $1) | .minor + .major) | add" "$tmp/stats"; }
of_lat() {
	jq -s "map(select(.span == \"interval\" and .group == \"process\" and .pid == $1) | .faults) | add" \
		"$tmp/lat"
}
for command in stats lat; do
	same "$command: faults of the process that left and came back" "$(of_$command "$mover")" $mover_faults
	same "$command: faults of the process whose cgroup was removed" "$(of_$command "$short")" $short_faults
done
# The command is stopped while a cgroup comes and goes.
"$FLTCTL" stats --cgroup "$slice" 0.3 >"$tmp/stats" 2>&1 & stats=$!
until_true grep -q python3 "$tmp/stats" || bad "no report"
begin=$(wc -l <"$tmp/stats")
kill -STOP $stats
mkdir "$slice/short"
start "$slice/short"
kill -9 "$started"
wait "$started" 2>/dev/null || true
rmdir "$slice/short"
kill -CONT $stats
let_work "$plain"
reported_later() { tail -n "+$((begin + 1))" "$tmp/stats" | grep -q " $plain "; }
until_true reported_later || bad "no report after the pause"
unplaced='lost .*the cgroup was removed before it was seen: 1 process'
kill -INT $stats
status=0
wait $stats || status=$?
same "stats, a cgroup that was never seen: status" $status 3
same "stats, a cgroup that was never seen: $(tail -n 1 "$tmp/stats")" \
	"$(grep -c "$unplaced" "$tmp/stats")" 1
kill -9 "$mover"

if has_thp; then
	say "thp --cgroup: a process that leaves and comes back"
	start "$slice/plain"
	mover=$started
	huge_of() { awk '/^AnonHugePages:/ { print $2 / 2048 }' "/proc/$1/smaps_rollup"; }
	# smaps shows the huge pages of khugepaged, too.
	huge_in() { jq -s "map(select(.record == \"process\" and .span == \"interval\" and .pid == $1) |
		.huge + .collapsed) | add // 0" "$tmp/out"; }
	counted() { [ "$(huge_in "$1")" = $(($(huge_of "$1") - $2)) ]; }
	begin thp --json --cgroup "$slice" 0.3
	base=$(huge_of "$plain")
	# Wait for a report that began after now.
	wait_for_thp() {
		let_work "$plain" USR2
		until_true counted "$plain" "$base" || bad "no report of thp"
	}
	wait_for_thp
	let_work "$mover" USR2
	inside=$(huge_of "$mover")
	wait_for_thp
	echo "$mover" >/sys/fs/cgroup/cgroup.procs
	wait_for_thp
	let_work "$mover" USR2
	away=$(($(huge_of "$mover") - inside))
	wait_for_thp
	echo "$mover" >"$slice/plain/cgroup.procs"
	wait_for_thp
	let_work "$mover" USR2
	wait_for_thp
	at_least "huge pages inside" "$inside" 1
	at_least "huge pages outside" "$away" 1
	same "thp: huge pages of the process that left and came back" "$(huge_in "$mover")" \
		$(($(huge_of "$mover") - away))
	end thp
	kill -9 "$mover"
fi

say "top"
begin top --batch --json --by=cgroup 0.5
let_work "$one"
listed() { [ "$(jq -s --arg n $container 'map(select(.name == $n)) | length' "$tmp/out")" -ge 1 ]; }
until_true listed || bad "top does not list the container"
end top
finish
