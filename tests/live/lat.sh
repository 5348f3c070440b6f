#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: zram=1 disk=512 timeout=500 turns=6.1,6.12,7.3,none,none,none debug=0
# shellcheck disable=SC2016,SC2119
# Promise: fltctl lat counts each fault once, in the bucket of its latency, even if the kernel
# retried it. The sums of its histograms equal the counts of the kernel. The counts of values
# that handle_mm_fault() returned match those of bpftrace. The list of the slowest faults is
# correct.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

rows_jq() { jq -s "$1" "$tmp/json"; }	# EXPRESSION over the array of all rows

# Print "FLOOR COUNT" for each bucket of a kind that grew between two snapshots of
# `fltq latency`, $tmp/before and $tmp/after.
new_buckets() { # KIND
	awk -v kind="kind=$1" '
		$2 == kind { for (i = 3; i <= NF; i++) if (sub(/^bucket\./, "", $i)) {
			split($i, a, "="); n[a[1]] += FILENAME ~ /before$/ ? -a[2] : a[2] } }
		END { for (b in n) if (n[b]) print b, n[b] }' "$tmp/before" "$tmp/after" | sort -n
}

# Check the histogram $tmp/new against $tmp/faults, which has two times of each fault: the time
# that the userfaultfd server held the fault, and the time that the access took. The latency
# lies between them. So the number of faults below the floor of a bucket is at most the number
# of faults held for less, and at least the number of accesses that took less.
check_histogram() { # NAME N
	checks=$((checks + 1))
	awk -v name="$1" -v n="$2" '
		function wrong(text) { printf "BAD: %s: %s\n", name, text; failed = 1 }
		$1 == "fault" { held[++faults] = $2; took[faults] = $3; next }
		{ floor[++buckets] = $1; count[buckets] = $2; total += $2 }
		END {
			if (faults != n || total != n)
				wrong("got " total " faults in the histogram and " faults \
					" from the workload, expected " n)
			for (i = 1; i <= buckets; i++) {
				most = least = 0
				for (k = 1; k <= faults; k++) {
					most += held[k] < floor[i]
					least += took[k] < floor[i]
				}
				if (below < least || below > most)
					wrong("got " below " faults below " floor[i] \
						" ns, expected " least " to " most)
				below += count[i]
			}
			exit failed
		}' "$tmp/faults" "$tmp/new" || failures=$((failures + 1))
}

# Run the workload `late`: the server resolves N faults after MS each and wakes the thread WAKES
# times before that.
check_late() { # NAME N MS WAKES
	local before
	fltq latency >"$tmp/before"
	before=$(fltq tally | field all.retried)
	fltq returns >"$tmp/returns.before"
	"$FLTCTL" lat --json -e -n 1000 -- faultrun -o "$tmp/run" -- late "$2" "$3" "$4" \
		>"$tmp/out" 2>"$tmp/err" ||
		bad "$1: got exit status $?, expected 0: $(tail -3 "$tmp/err")"
	fltq latency >"$tmp/after"
	grep '^fault' "$tmp/out" >"$tmp/faults"
	grep '^{' "$tmp/out" >"$tmp/json"
	new_buckets 10 >"$tmp/new"
	check_histogram "$1: histogram of the machine" "$2"
	same "$1: faults of kind uffd" \
		"$(rows_jq 'map(select(.group == "kind" and .name == "uffd"))[0].faults')" "$2"
	rows_jq 'map(select(.record == "bucket" and .group == "kind" and .name == "uffd"))' \
		>"$tmp/kind"
	jq -r '.[] | "\(.from_ns) \(.faults)"' "$tmp/kind" >"$tmp/new"
	check_histogram "$1: histogram of the kind" "$2"
	same "$1: buckets of the kind are at most a quarter wide" \
		"$(jq 'all(.to_ns - .from_ns <= .from_ns / 4)' "$tmp/kind")" true
	same "$1: rows without a median" \
		"$(rows_jq 'map(select(.record == "latency" and .p50_ns == null)) | length')" 0
	# Other faults of the process may be as slow.
	local shortest pid
	shortest=$(awk 'NR == 1 || $2 < m { m = $2 } END { print m }' "$tmp/faults")
	pid=$(awk '$1 == "proc" && $4 == "late" { print $2 }' "$tmp/run")
	rows_jq 'map(select(.record == "bucket" and .group == "process" and
		.pid == '"${pid:-0}"'))' >"$tmp/own"
	at_least "$1: slow faults in the buckets of the process" \
		"$(jq "map(select(.to_ns > $shortest).faults) | add" "$tmp/own")" "$2"
	same "$1: buckets of the process above 100 ns are at most a quarter wide" \
		"$(jq 'map(select(.from_ns > 100)) | length > 0 and
			all(.to_ns - .from_ns <= .from_ns / 4)' "$tmp/own")" true
	same "$1: sum of the buckets of the process" "$(jq 'map(.faults) | add' "$tmp/own")" \
		"$(awk '$1 == "proc" && $4 == "late" { print $5 + $6 }' "$tmp/run")"
	same "$1: sum of all buckets" \
		"$(rows_jq 'map(select(.record == "bucket" and .group == "all").faults) | add')" \
		"$(rows_jq 'map(select(.record == "latency" and .group == "all"))[0].faults')"
	same "$1: minor + major, compared with the sum of the processes" \
		"$(rows_jq 'map(select(.record == "latency" and .group == "result" and
			(.name == "minor" or .name == "major")).faults) | add')" \
		"$(rows_jq 'map(select(.record == "latency" and
			.group == "process").faults) | add')"
	same "$1: faults of late, compared with the kernel" \
		"$(rows_jq 'map(select(.record == "latency" and .group == "process" and
			.pid == '"${pid:-0}"'))[0].faults')" \
		"$(awk '$1 == "proc" && $4 == "late" { print $5 + $6 }' "$tmp/run")"
	local examples='map(select(.record == "slowest" and .kind == "uffd" and
		.pid == '"${pid:-0}"'))'
	same "$1: rows of slowest faults" "$(rows_jq "$examples | length")" "$2"
	same "$1: attempts of slowest faults" \
		"$(rows_jq "$examples | map(.attempts) | unique | join(\" \")")" "\"$(($4 + 2))\""
	same "$1: latency of slowest faults is at least the time held" \
		"$(rows_jq "$examples | all(.latency_ns >= $shortest)")" true
	at_least "$1: retried faults" "$(($(fltq tally | field all.retried) - before))" \
		$(($2 * ($4 + 1)))
}

load accounting=latency
say "5 ms"
check_late "5 ms" 20 5 0
say "50 ms"
check_late "50 ms" 8 50 0
say "50 ms, four retries"
check_late "50 ms, four retries" 6 50 4

say "all processes"
"$FLTCTL" lat -e --json 200ms 3 >"$tmp/json"
same "number of reports" \
	"$(rows_jq 'map(select(.record == "latency" and .group == "all")) | length')" 3
same "spans of the reports" \
	"$(rows_jq 'map(select(.record == "latency" and .group == "all").span) | join(" ")')" \
	'"begin interval interval"'
same "complete" "$(rows_jq '.[-1].complete')" true
same "sum of the buckets of the kinds, compared with all" \
	"$(rows_jq 'map(select(.record == "bucket" and .span == "begin" and
		.group == "kind").faults) | add')" \
	"$(rows_jq 'map(select(.record == "bucket" and .span == "begin" and
		.group == "all").faults) | add')"
at_least "slowest faults are in order" \
	"$(rows_jq 'map(select(.record == "slowest" and .span == "begin").latency_ns) |
	length > 0 and . == (sort | reverse) | if . then 1 else 0 end')" 1
same "latency of the slowest fault, compared with the maximum" \
	"$(rows_jq 'map(select(.record == "slowest" and .span == "begin"))[0].latency_ns')" \
	"$(rows_jq 'map(select(.record == "latency" and .span == "begin" and
		.group == "all"))[0].max_ns')"
"$FLTCTL" lat >"$tmp/text"
same "last line" "$(tail -1 "$tmp/text")" "lost   nothing"
same "lines with escape codes in a file" "$(lines $'\033' "$tmp/text")" 0

say "the slowest faults of an interval, after slower faults"
late 1 400 0 >/dev/null
rm "$tmp/json"
"$FLTCTL" lat --json 1s >"$tmp/json" & lat=$!
until_true grep -q begin "$tmp/json" || bad "lat does not report"
late 2 150 0 >"$tmp/faults"
# The current interval may be read already, so wait until the next one is reported.
intervals() {
	grep '"record":"latency"' "$tmp/json" | grep '"group":"all"' | grep -c '"span":"interval"'
}
are_reported() { [ "$(intervals)" -ge "$1" ]; }
until_true are_reported $(($(intervals) + 2)) || bad "lat does not report intervals"
kill -INT $lat
wait $lat || bad "SIGINT: got exit status $?, expected 0"
same "slowest fault before the intervals took 400 ms or more" \
	"$(rows_jq 'map(select(.record == "slowest" and .span == "begin" and
		.comm == "late"))[0].latency_ns >= 400000000')" true
same "slowest faults of the intervals" \
	"$(rows_jq 'map(select(.record == "slowest" and .span == "interval" and .kind == "uffd" and
		.latency_ns >= 150000000)) | length')" 2

say "each slow fault is in one interval"
rm "$tmp/json"
"$FLTCTL" lat -n 1000 --json 50ms >"$tmp/json" & lat=$!
until_true grep -q begin "$tmp/json" || bad "lat does not report"
late 60 20 0 >"$tmp/faults"
until_true are_reported $(($(intervals) + 2)) || bad "lat does not report intervals"
kill -INT $lat
wait $lat || bad "SIGINT: got exit status $?, expected 0"
same "slow faults of the intervals" \
	"$(rows_jq 'map(select(.record == "slowest" and .span == "interval" and .kind == "uffd" and
		.latency_ns >= 20000000)) | length')" 60

say "lost slow faults"
lose_slow_faults() { # OPTION: stop lat while the workload faults; its output is $tmp/text
	rm -f "$tmp/text"
	# shellcheck disable=SC2086
	"$FLTCTL" lat -H $1 -l 1ns 1s >"$tmp/text" & lat=$!
	until_true test -s "$tmp/text"
	until_true compgen -G "$debugfs/session-*/cpu0" >/dev/null
	kill -STOP $lat
	for _ in 1 2 3 4 5; do kinds anon 20000 >/dev/null; done
	kill -CONT $lat
	kill -INT $lat
	status=0
	wait $lat || status=$?
	same "lost faults, lat $1: exit status" "$status" 3
}
lose_slow_faults ""
same "lost faults: lines that report the loss" \
	"$(grep -cE '^lost   .*buffers full: [0-9]+ slow faults of the stream' "$tmp/text")" 1
same "lost faults: lines that report no loss" "$(lines '^lost   nothing' "$tmp/text")" 0
lose_slow_faults --json
same "lost faults: complete" "$(jq -s '.[-1].complete' "$tmp/text")" false
# Only the faults that fit into the eight buffers of each CPU are not lost.
at_least "lost faults: lost_slow" "$(jq -s '.[-1].lost_slow' "$tmp/text")" 50000

say "-p"
sleep 60 & pid=$!
until_true sleeps_in $pid nanosleep
"$FLTCTL" lat -p $pid --json >"$tmp/json"
read -r minor major < <(sed 's/.*) //' /proc/$pid/stat | cut -d' ' -f8,10)
same "-p: faults" "$(rows_jq 'map(select(.record == "latency" and .group == "all"))[0].faults')" \
	$((minor + major))
same "-p: sum of the buckets" "$(rows_jq 'map(select(.record == "bucket").faults) | add')" \
	$((minor + major))
same "-p without an interval: kinds with a median" \
	"$(rows_jq 'map(select(.group == "kind" and .p50_ns != null)) | length')" 0
kill $pid; wait $pid 2>/dev/null || true

say "-p with an interval"
mkfifo "$tmp/go"
sh -c 'read -r _ <"$1"; exec kinds anon 3000' sh "$tmp/go" >/dev/null & pid=$!
opens_fifo() { sleeps_in $pid fifo_open || sleeps_in $pid wait_for_partner; }
until_true opens_fifo || bad "the workload does not wait"
rm -f "$tmp/json"
"$FLTCTL" lat -p $pid -e -n 0 --json 1s >"$tmp/json" & lat=$!
until_true grep -q begin "$tmp/json" || bad "lat -p does not report"
sh -c 'exec echo >"$1"' sh "$tmp/go"
wait $lat || bad "lat -p: got exit status $?, expected 0"
wait $pid
# The count grows by those of the shell after the first report, of exec and of the workload.
at_least "-p INTERVAL: faults of the process" "$(rows_jq 'map(select(.span == "interval" and
	.record == "latency" and .group == "process").faults) | add')" 3000
same "-p INTERVAL: faults by kind, by process and of all agree" "$(rows_jq '
	map(select(.span == "interval" and .record == "latency")) as $rows |
	[$rows | map(select(.group == "kind").faults), map(select(.group == "process").faults),
	map(select(.group == "all").faults) | add] | unique | length')" 1
same "-p INTERVAL: rows without a median" "$(rows_jq 'map(select(.span == "interval" and
	.record == "latency" and .faults > 0 and .p50_ns == null)) | length')" 0

say "--cgroup with an interval"
mkdir /sys/fs/cgroup/flt-lat
rm -f "$tmp/json"
"$FLTCTL" lat --cgroup /sys/fs/cgroup/flt-lat -e -n 0 --json 1s >"$tmp/json" & lat=$!
until_true grep -q begin "$tmp/json" || bad "lat --cgroup does not report"
sh -c 'echo $$ >/sys/fs/cgroup/flt-lat/cgroup.procs; exec faultrun -o "$1" -- kinds anon 3000' \
	sh "$tmp/run" >/dev/null
until_true are_reported $(($(intervals) + 2)) || bad "lat --cgroup does not report intervals"
kill -INT $lat
wait $lat || bad "lat --cgroup: got exit status $?, expected 0"
rmdir /sys/fs/cgroup/flt-lat
at_least "--cgroup INTERVAL: faults of kind anon" "$(rows_jq 'map(select(.span == "interval" and
	.record == "latency" and .name == "anon").faults) | add')" 3000
at_least "--cgroup INTERVAL: faults of all, compared with the kernel" \
	"$(rows_jq 'map(select(.span == "interval" and .record == "latency" and
		.group == "all").faults) | add')" \
	"$(awk '$1 == "proc" { n += $5 + $6 } END { print n }' "$tmp/run")"
same "--cgroup INTERVAL: faults by kind and of all agree" "$(rows_jq '
	map(select(.span == "interval" and .record == "latency")) as $rows |
	[$rows | map(select(.group == "kind").faults), map(select(.group == "all").faults) | add] |
	unique | length')" 1
same "-p: exit status if the process does not exist" \
	"$("$FLTCTL" lat -p 4194303 >/dev/null 2>&1 || echo $?)" 1
same "exit status of the command" "$("$FLTCTL" lat -- sh -c 'exit 7' >/dev/null || echo $?)" 7

say "values returned by handle_mm_fault()"
returned() { # before|after ID
	awk -v r="return=$2" '
		$2 == r { for (i = 3; i <= NF; i++) if (sub(/^count=/, "", $i)) n += $i }
		END { print NR ? n + 0 : "no_input" }' "$tmp/returns.$1"
}
new_returned() { echo $(($(returned after "$1") - $(returned before "$1"))); }
mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"
fltq returns >"$tmp/returns.before"

say "paths of slow faults of a process that has ended"
"$FLTCTL" lat -l 1us -n 200 --json -- sh -c 'kinds major 40 "$1" >/dev/null' sh "$tmp/disk/file" \
	>"$tmp/json"
same "major faults with the path of the file" \
	"$(rows_jq 'map(select(.record == "slowest" and .comm == "kinds" and .result == "major" and
		.path == "'"$tmp/disk/file"'")) | length')" 40

say "failed faults"
fail sigbus 7 >/dev/null
fltq returns >"$tmp/returns.after"
# The workload also has four faults before its section.
same "faults that returned SIGBUS" "$(new_returned 2)" 11

# bpftrace counts the returned values of all processes and of `kinds` for a longer time than
# fltq. So the growth that fltq reports lies between these two counts.
start_bpftrace '
	kretprobe:handle_mm_fault {
		if (!@returns) { @returns = 1; printf("attached\n"); }
		@all[retval & 0xffff] = count();
		if (comm == "kinds") { @own[retval & 0xffff] = count(); }
	}'
fltq returns >"$tmp/returns.before"
kinds file 200 "$tmp/disk/a" >/dev/null
kinds cowfile 100 "$tmp/disk/c" >/dev/null
kinds major 20 "$tmp/disk/b" >/dev/null
fltq returns >"$tmp/returns.after"
end_bpftrace
bpf_bit() { # all|own BIT
	awk -v what="@$1" -v bit="$2" -F'[]: []+' '
		$1 == what { if (int($2 / 2 ^ bit) % 2) n += $3 }
		END { print NR ? n + 0 : "no_input" }' "$tmp/bpf"
}
seen=0
while read -r id bit name; do
	at_least "faults that returned $name" "$(new_returned "$id")" "$(bpf_bit own "$bit")"
	at_most "faults that returned $name" "$(new_returned "$id")" "$(bpf_bit all "$bit")"
	seen=$((seen + $(bpf_bit own "$bit")))
done <<-END
	3 2 MAJOR
	8 8 NOPAGE
	9 9 LOCKED
	10 10 RETRY
	14 14 COMPLETED
END
at_least "sum of the bits in bpftrace" "$seen" 200
at_least "faults that returned 0" "$(new_returned 0)" \
	"$(awk -F'[]: []+' '$1 == "@own" && $2 == 0 { print $3 }' "$tmp/bpf")"
at_most "faults that returned 0" "$(new_returned 0)" \
	"$(awk -F'[]: []+' '$1 == "@all" && $2 == 0 { print $3 }' "$tmp/bpf")"
umount "$tmp/disk"
rmdir "$tmp/disk"
unload

say "no memory for histograms"
load max_buffers=1
# The stream of slow faults takes half a MiB for each of the two CPUs.
"$FLTCTL" lat --json -- kinds anon 100 >"$tmp/out" 2>"$tmp/err" ||
	bad "max_buffers=1: got exit status $?, expected 0"
grep '^{' "$tmp/out" >"$tmp/json"
same "max_buffers=1: lines that say so" \
	"$(lines 'cannot keep histograms: .*max_buffers.*latencies by kind' "$tmp/err")" 1
same "max_buffers=1: rows by kind with a median" \
	"$(rows_jq 'map(select(.group == "kind" and .p50_ns != null)) | length')" 0
at_least "max_buffers=1: faults of kind anon" \
	"$(rows_jq 'map(select(.group == "kind" and .name == "anon"))[0].faults')" 100
"$FLTCTL" lat --json -l 0 -- kinds anon 100 >"$tmp/out"
grep '^{' "$tmp/out" >"$tmp/json"
same "max_buffers=1, without a stream: rows by kind without a median" \
	"$(rows_jq 'map(select(.group == "kind" and .p50_ns == null)) | length')" 0
unload

say "accounting off: the tables do not change, and agree with each other"
load accounting=0
"$FLTCTL" lat -H -- sh -c 'fail sigbus 3; ls / | wc -l' >"$tmp/text"
# The session of fltctl ends before the answer.
fltq info >/dev/null
# A fault that began before, for example one that waits for the disk, ends later and counts.
faults_of() { # TALLY
	local name
	for name in minor major missed retried failed; do
		field "all.$name" <"$1"
	done
}
fltq tally >"$tmp/tally"
until
	mv "$tmp/tally" "$tmp/earlier"
	fltq latency >"$tmp/after"
	fltq returns >"$tmp/returns.after"
	fltq tally >"$tmp/tally"
	[ "$(faults_of "$tmp/earlier")" = "$(faults_of "$tmp/tally")" ]
do
	say "faults ended meanwhile"
done
total=$(awk '{ for (i = 2; i <= NF; i++) if (sub(/^count=/, "", $i)) n += $i } END { print n }' \
	"$tmp/after")
same "sum of the histograms, compared with minor + major - missed" "$total" \
	$(($(field all.minor <"$tmp/tally") + $(field all.major <"$tmp/tally") - \
	$(field all.missed <"$tmp/tally")))
same "faults that returned RETRY, compared with retried" "$(returned after 10)" \
	"$(field all.retried <"$tmp/tally")"
same "faults that returned SIGBUS, compared with failed" "$(returned after 2)" \
	"$(field all.failed <"$tmp/tally")"
same "exit status of a report without accounting" "$("$FLTCTL" lat >/dev/null 2>&1 || echo $?)" 5
unload
same "exit status without the module" "$("$FLTCTL" lat >/dev/null 2>&1 || echo $?)" 5
finish
