#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 mem=2048 timeout=500 turns=6.1,6.12,7.3,none,none,none debug=0
# shellcheck disable=SC2016,SC2119
# Promise: in a container of podman with CAP_PERFMON, fltctl shows the processes of the container
# alone, under their PIDs there. From outside, --cgroup and --by=cgroup show the same counts, and
# those of the kernel for the cgroup.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

command -v podman >/dev/null || { echo "podman is not installed: run scripts/setup"; exit 1; }
podman=(podman --root "$tmp/storage" --runroot "$tmp/run" --cgroup-manager cgroupfs
	--storage-driver vfs)

# The containers share the programs of this machine.
root=$tmp/root
mkdir -p "$root"/{usr,etc,proc,sys,dev,tmp,run,root,share}
for directory in bin sbin lib lib64; do ln -s "usr/$directory" "$root/$directory"; done
mkdir "$tmp/share"
cp "$(command -v python3)" "$tmp/share/busy"
cat >"$tmp/share/busy.py" <<'END'
import mmap, signal
keep = []
def touch(*_):
    m = mmap.mmap(-1, 4 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    m.madvise(mmap.MADV_NOHUGEPAGE)
    for at in range(0, len(m), 4096):
        m[at] = 1
    keep.append(m)
signal.signal(signal.SIGUSR1, touch)
touch()
while True:
    signal.pause()
END

container() { # NAME
	"${podman[@]}" run -d --network none --name "$1" --cap-add PERFMON -v /usr:/usr:ro \
		-v /etc:/etc:ro -v "$PWD:$PWD:ro" -v "$tmp/share:/share" --rootfs "$root" \
		/share/busy /share/busy.py >"$tmp/$1.id"
}

in_container() { # NAME COMMAND...
	"${podman[@]}" exec "$1" "${@:2}"
}

# Return true if the process waits for a signal.
waits() { sleeps_in "$1" pause; }

anonymous() { awk '/^Anonymous:/ { print $2 }' "/proc/$1/smaps_rollup"; }

# Return true if the process waits and has more than KB of anonymous memory.
has_worked() { [ "$(anonymous "$1")" -ge "$2" ] && waits "$1"; }

# Let a process touch 4 MiB, and wait until it has.
let_work() {
	local kb
	kb=$(anonymous "$1")
	kill -USR1 "$1"
	until_true has_worked "$1" $((kb + 4096)) || bad "process $1 does not touch its memory"
}

pid_of() { "${podman[@]}" inspect --format '{{.State.Pid}}' "$1"; }

busy_rows() { jq -s 'map(select(.comm == "busy")) | length' "$1"; }

# Print minor and major faults of the process called busy: FILE of stats --json.
busy_faults() { jq -s 'map(select(.comm == "busy"))[0] | .minor + .major' "$1"; }

load
container one
container two
"$tmp/share/busy" "$tmp/share/busy.py" &
host=$!
one=$(pid_of one)
two=$(pid_of two)
for pid in $host "$one" "$two"; do
	until_true waits "$pid" || bad "process $pid does not wait"
done
let_work "$two"

say "inside and outside"
for name in one two; do
	in_container $name "$FLTCTL" stats --json >"$tmp/$name.json" || bad "stats in $name: $?"
	same "$name: processes called busy" "$(busy_rows "$tmp/$name.json")" 1
	same "$name: its PID" \
		"$(jq -s 'map(select(.comm == "busy"))[0].pid' "$tmp/$name.json")" 1
	same "$name: faults inside" "$(busy_faults "$tmp/$name.json")" "$(faults_of "${!name}")"
	"$FLTCTL" stats --json -p "${!name}" >"$tmp/out"
	same "$name: faults outside" "$(busy_faults "$tmp/out")" "$(faults_of "${!name}")"
done
in_container one "$FLTCTL" trace --csv -- cat /share/busy.py >"$tmp/trace.csv" 2>"$tmp/err" ||
	bad "trace in a container: $?: $(cat "$tmp/err")"
at_least "faults of trace in a container" "$(lines '^fault,')" 20
at_least "faults in /usr/bin/cat" "$(lines '/usr/bin/cat')" 2
same "paths of the host" "$(lines "$tmp")" 0
"${podman[@]}" exec --user 65534 one "$FLTCTL" stats --source=module -a >"$tmp/out" 2>&1 &&
	bad "a user without capability may read"
same "the missing capability is named" "$(grep -c CAP_PERFMON "$tmp/out")" 1

say "cgroups from outside"
cgroup=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$two/cgroup")
"$FLTCTL" stats --json --cgroup "$cgroup" >"$tmp/out"
same "--cgroup: processes called busy" "$(busy_rows "$tmp/out")" 1
same "--cgroup: their faults" "$(busy_faults "$tmp/out")" "$(faults_of "$two")"
id=$(cut -c 1-12 "$tmp/two.id")
# Reports come until the container has a row for its faults.
"$FLTCTL" stats --json --by=cgroup 1 >"$tmp/by.json" & stats=$!
until_true observes $stats || bad "stats does not start"
before=$(faults_of "$two")
let_work "$two"
after=$(faults_of "$two")
rows_of() { jq -s --arg n "podman:$id" 'map(select(.container == $n and .span == "interval"))' \
	"$tmp/by.json"; }
reported() { [ "$(rows_of | jq 'map(.minor + .major) | add')" = $((after - before)) ]; }
until_true reported || bad "no report of the faults"
# The kernel adds the counts of a CPU to those of the cgroup after 64 of them.
pgfault() { rows_of | jq 'map(.pgfault) | add'; }
equal_to_kernel() {
	local difference=$(($(pgfault) - after + before)) bound=$((64 * $(nproc)))
	[ $difference -ge -$bound ] && [ $difference -le $bound ]
}
until_true equal_to_kernel || bad "pgfault of memory.stat is $(pgfault), the rows $((after - before))"
kill -INT $stats
wait $stats
say "memory.stat counts $(pgfault) faults, the rows $((after - before))"
at_least "faults in the interval" $((after - before)) 1024
for command in stats lat top map thp numa; do
	"$FLTCTL" $command --cgroup "$tmp" >"$tmp/out" 2>&1 && bad "$command accepts $tmp"
	same "$command names the invalid cgroup" "$(grep -c "invalid cgroup '$tmp'" "$tmp/out")" 1
done
"$FLTCTL" lat --json --cgroup "$cgroup" 1 >"$tmp/lat" & run=$!
until_true observes $run || bad "lat does not start"
before=$(faults_of "$two")
let_work "$two"
after=$(faults_of "$two")
measured() { [ "$(jq -s 'map(select(.record == "latency" and .group == "all" and
	.span == "interval") | .faults) | add' "$tmp/lat")" = $((after - before)) ]; }
until_true measured || bad "lat --cgroup does not report the $((after - before)) faults"
kill -INT $run
wait $run || bad "lat: status $?"
"$FLTCTL" top --batch --json --cgroup "$cgroup" 0.5 2 >"$tmp/out"
same "top --cgroup: processes outside" "$(jq -s --argjson two "$two" \
	'map(select(.pid? and .pid != $two)) | length' "$tmp/out")" 0
for command in thp numa; do
	"$FLTCTL" $command --json --cgroup "$cgroup" >"$tmp/out" & run=$!
	until_true observes $run || bad "$command does not start"
	let_work "$two"
	kill -INT $run
	wait $run || bad "$command: status $?"
	same "$command --cgroup: processes outside" "$(jq -s --argjson two "$two" \
		'map(select(.pid? and .pid != $two)) | length' "$tmp/out")" 0
done
"$FLTCTL" map --json --cgroup "$cgroup" >"$tmp/out" & run=$!
until_true observes $run || bad "map does not start"
before=$(faults_of "$two")
let_work "$two"
kill -INT $run
wait $run || bad "map: status $?"
same "map --cgroup: faults" "$(jq -s 'map(select(.record == "region") | .faults) | add' "$tmp/out")" \
	$(($(faults_of "$two") - before))
after=$(faults_of "$two")
# The rows of both containers and of the host, from one run of each command.
declare -A names=([one]="podman:$(cut -c 1-12 "$tmp/one.id")" [two]="podman:$id" [host]=/)
containers=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$one/cgroup")
for command in lat trace map thp wss; do
	arguments=()
	[[ $command != @(map|wss) ]] || arguments=(-p "$one,$two,$host")
	[[ $command != @(lat|wss) ]] || arguments+=(0.5)
	"$FLTCTL" $command --json --by=cgroup "${arguments[@]}" >"$tmp/by" & run=$!
	until_true observes $run || bad "$command does not start"
	declare -A worked=()
	for name in one two host; do
		before=$(faults_of "${!name}")
		let_work "${!name}"
		worked[$name]=$(($(faults_of "${!name}") - before))
	done
	counted() { # NAME
		jq -s --arg n "${names[$1]}" 'map(select((.container // .name) == $n and
			.span != "begin" and .record != "bucket") |
			.faults // .referenced_bytes // 0) | add' "$tmp/by"
	}
	is_counted() { [ "$(counted one)" != null ] && [ "$(counted one)" -ge "${worked[one]}" ]; }
	[[ $command != @(lat|wss) ]] || until_true is_counted || bad "$command does not report"
	kill -INT $run
	wait $run || bad "$command: status $?"
	for name in one two; do
		case $command in
		lat | trace | map) same "$command --by=cgroup: $name" "$(counted $name)" "${worked[$name]}" ;;
		wss) at_least "$command --by=cgroup: $name" "$(counted $name)" $((4 << 20)) ;;
		esac
	done
	[ $command = thp ] || at_least "$command --by=cgroup: host" "$(counted host)" 1024
done
"$FLTCTL" numa --json --by=cgroup -p "$one,$two" 0.2 1 >"$tmp/by"
same "numa --by=cgroup: containers" "$(jq -s 'map(select(.record == "cgroup" and .span == "total") |
	.container) | sort | tostring' "$tmp/by")" \
	"$(jq -n --arg a "${names[one]}" --arg b "${names[two]}" '[$a, $b] | sort | tostring')"
[[ $containers == *libpod* ]] || bad "the container is in $containers"
"$FLTCTL" stats --by=cgroup >"$tmp/out"
same "the container in the text" "$(grep -c "podman:$id" "$tmp/out")" 1

say "a container that has ended"
"${podman[@]}" rm -f -t 0 two >"$tmp/out"
"$FLTCTL" stats --json --by=cgroup >"$tmp/by.json"
at_least "faults of removed cgroups" "$(jq -s \
	'map(select(.container == "(removed)")) | map(.minor + .major) | add' "$tmp/by.json")" $((after))
"${podman[@]}" rm -f -t 0 one >"$tmp/out"
finish
