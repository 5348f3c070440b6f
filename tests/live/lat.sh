#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 timeout=300
# shellcheck disable=SC2016,SC2119
# Promise: fltctl lat puts each fault into the bucket of its true latency, once,
# however often it was tried; its histograms add up to the kernel's counts; what
# handle_mm_fault() returned is what bpftrace sees; the slowest are the slowest.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

row() { jq -s "$1" "$tmp/json"; }	# an expression over the array of rows

# Between two snapshots of `fltq latency`: "FLOOR COUNT" of what is new of a kind.
buckets() { # KIND; reads $tmp/before and $tmp/after
	awk -v kind="kind=$1" '
		$2 == kind { for (i = 3; i <= NF; i++) if (sub(/^bucket\./, "", $i)) {
			split($i, a, "="); n[a[1]] += FILENAME ~ /before$/ ? -a[2] : a[2] } }
		END { for (b in n) if (n[b]) print b, n[b] }' "$tmp/before" "$tmp/after" | sort -n
}

# Every fault lies between what the server held it and what the access took: so at
# each edge of a bucket no more are below than were held shorter, and no fewer than
# took shorter.
judged() { # NAME N; reads $tmp/faults and $tmp/new
	checks=$((checks + 1))
	awk -v name="$1" -v n="$2" '
		function wrong(text) { printf "BAD: %s: %s\n", name, text; failed = 1 }
		$1 == "fault" { held[++faults] = $2; took[faults] = $3; next }
		{ floor[++buckets] = $1; count[buckets] = $2; total += $2 }
		END {
			if (faults != n || total != n)
				wrong(total " in the histogram, " faults " made, should be " n)
			for (i = 1; i <= buckets; i++) {
				most = least = 0
				for (k = 1; k <= faults; k++) {
					most += held[k] < floor[i]
					least += took[k] < floor[i]
				}
				if (below < least || below > most)
					wrong(below " below " floor[i] " ns, should be " least " to " most)
				below += count[i]
			}
			exit failed
		}' "$tmp/faults" "$tmp/new" || failures=$((failures + 1))
}

answered() { # NAME N MS WAKES
	local before
	fltq latency >"$tmp/before"
	before=$(fltq tally | field all.retried)
	fltq returns >"$tmp/returns.before"
	"$FLTCTL" lat --json -e -n 1000 -- faultrun -o "$tmp/run" -- late "$2" "$3" "$4" >"$tmp/out" 2>"$tmp/err" ||
		bad "$1: status $?: $(tail -3 "$tmp/err")"
	fltq latency >"$tmp/after"
	grep '^fault' "$tmp/out" >"$tmp/faults"
	grep '^{' "$tmp/out" >"$tmp/json"
	buckets 10 >"$tmp/new"
	judged "$1, machine" "$2"
	same "$1: kind uffd" "$(row 'map(select(.group == "kind" and .name == "uffd"))[0].faults')" "$2"
	# The process's own histogram is of octaves; other faults of it may be as slow.
	local shortest pid
	shortest=$(awk 'NR == 1 || $2 < m { m = $2 } END { print m }' "$tmp/faults")
	pid=$(awk '$1 == "proc" && $4 == "late" { print $2 }' "$tmp/run")
	row 'map(select(.record == "bucket" and .group == "process" and .pid == '"${pid:-0}"'))' >"$tmp/own"
	at_least "$1: in the process's octaves" \
		"$(jq "map(select(.to_ns > $shortest).faults) | add" "$tmp/own")" "$2"
	same "$1: octaves add up" "$(jq 'map(.faults) | add' "$tmp/own")" \
		"$(awk '$1 == "proc" && $4 == "late" { print $5 + $6 }' "$tmp/run")"
	same "$1: buckets of all add up" \
		"$(row 'map(select(.record == "bucket" and .group == "all").faults) | add')" \
		"$(row 'map(select(.record == "latency" and .group == "all"))[0].faults')"
	same "$1: minor and major are the kernel's" \
		"$(row 'map(select(.group == "result" and (.name == "minor" or .name == "major")).faults) | add')" \
		"$(row 'map(select(.record == "latency" and .group == "process").faults) | add')"
	same "$1: of late itself" \
		"$(row 'map(select(.record == "latency" and .group == "process" and .pid == '"${pid:-0}"'))[0].faults')" \
		"$(awk '$1 == "proc" && $4 == "late" { print $5 + $6 }' "$tmp/run")"
	local examples='map(select(.record == "slowest" and .kind == "uffd" and .pid == '"${pid:-0}"'))'
	same "$1: each is an example" "$(row "$examples | length")" "$2"
	same "$1: with its attempts" "$(row "$examples | map(.attempts) | unique | join(\" \")")" "\"$(($4 + 2))\""
	same "$1: held as long" "$(row "$examples | all(.latency_ns >= $shortest)")" true
	at_least "$1: RETRY counted" "$(($(fltq tally | field all.retried) - before))" $(($2 * ($4 + 1)))
}

load
say "5 ms"
answered "5 ms" 20 5 0
say "50 ms"
answered "50 ms" 8 50 0
say "50 ms, woken four times for nothing"
answered "50 ms, retried" 6 50 4

say "the machine"
"$FLTCTL" lat -e --json 200ms 3 >"$tmp/json"
same "reports" "$(row 'map(select(.record == "latency" and .group == "all")) | length')" 3
same "spans" "$(row 'map(select(.record == "latency" and .group == "all").span) | join(" ")')" \
	'"begin interval interval"'
same "complete" "$(row '.[-1].complete')" true
same "kinds add up to all, of buckets" \
	"$(row 'map(select(.record == "bucket" and .span == "begin" and .group == "kind").faults) | add')" \
	"$(row 'map(select(.record == "bucket" and .span == "begin" and .group == "all").faults) | add')"
at_least "slowest, in order" "$(row 'map(select(.record == "slowest" and .span == "begin").latency_ns) |
	. == (sort | reverse) | if . then 1 else 0 end')" 1
same "slowest, the first is the maximum" \
	"$(row 'map(select(.record == "slowest" and .span == "begin"))[0].latency_ns')" \
	"$(row 'map(select(.record == "latency" and .span == "begin" and .group == "all"))[0].max_ns')"
"$FLTCTL" lat >"$tmp/text"
same "the last line" "$(tail -1 "$tmp/text")" "lost   nothing"
same "no escape codes in a file" "$(lines $'\033' "$tmp/text")" 0

say "the slowest of an interval, whatever was slower before"
late 1 400 0 >/dev/null
rm "$tmp/json"
"$FLTCTL" lat --json 1s >"$tmp/json" & lat=$!
until_true grep -q begin "$tmp/json"
late 2 150 0 >"$tmp/faults"
sleep 2
kill -INT $lat
wait $lat || bad "interrupted: status $?"
same "before" "$(row 'map(select(.record == "slowest" and .span == "begin" and .comm == "late"))[0].latency_ns >= 400000000')" true
same "of the intervals" "$(row 'map(select(.record == "slowest" and .span == "interval" and .kind == "uffd" and
	.latency_ns >= 150000000)) | length')" 2

say "slow faults that found no room"
lost_by() { # FORM: what lat says of the slowest that it was not there to take
	rm -f "$tmp/said"
	# shellcheck disable=SC2086
	"$FLTCTL" lat -H $1 -l 1ns 1s >"$tmp/said" & lat=$!
	until_true test -s "$tmp/said"
	until_true compgen -G "$debugfs/session-*/cpu0" >/dev/null
	kill -STOP $lat
	for _ in 1 2 3 4 5; do kinds anon 20000 >/dev/null; done
	kill -CONT $lat
	kill -INT $lat
	status=0
	wait $lat || status=$?
	same "lost$1: status" "$status" 3
}
lost_by ""
same "lost: said" "$(grep -cE '^lost   .*buffers full: [0-9]+ slow faults of the stream' "$tmp/said")" 1
same "lost: not denied" "$(lines '^lost   nothing' "$tmp/said")" 0
lost_by --json
same "lost: complete" "$(jq -s '.[-1].complete' "$tmp/said")" false
# All but what eight buffers on each CPU hold, and rounds between.
at_least "lost: how many" "$(jq -s '.[-1].lost_slow' "$tmp/said")" 50000

say "-p"
sleep 60 & pid=$!
until_true grep -q nanosleep /proc/$pid/stack
"$FLTCTL" lat -p $pid --json >"$tmp/json"
read -r minor major < <(sed 's/.*) //' /proc/$pid/stat | cut -d' ' -f8,10)
same "-p, faults" "$(row 'map(select(.record == "latency" and .group == "all"))[0].faults')" $((minor + major))
same "-p, buckets" "$(row 'map(select(.record == "bucket").faults) | add')" $((minor + major))
kill $pid; wait $pid 2>/dev/null || true
same "-p of nobody" "$("$FLTCTL" lat -p 4194303 >/dev/null 2>&1 || echo $?)" 1
same "status of a command" "$("$FLTCTL" lat -- sh -c 'exit 7' >/dev/null || echo $?)" 7

say "what was returned"
returned() { awk -v r="return=$2" '$2 == r { for (i = 3; i <= NF; i++) if (sub(/^count=/, "", $i)) n += $i }
	END { print NR ? n + 0 : "no_input" }' "$tmp/returns.$1"; }
new_returned() { echo $(($(returned after "$1") - $(returned before "$1"))); }
mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"
fltq returns >"$tmp/returns.before"

say "files of slow faults, of a process that is gone when they are read"
"$FLTCTL" lat -l 1us -n 200 --json -- sh -c 'kinds major 40 "$1" >/dev/null' sh "$tmp/disk/file" >"$tmp/json"
same "majors of it" "$(row 'map(select(.record == "slowest" and .comm == "kinds" and .result == "major" and
	.path == "'"$tmp/disk/file"'")) | length')" 40

say "failed"
fail sigbus 7 >/dev/null
fltq returns >"$tmp/returns.after"
# Seven, and four to warm up.
same "SIGBUS" "$(new_returned 2)" 11

# bpftrace looks for longer than we do, at the machine and at one name: what is
# new here lies between the two.
bpftrace -e 'BEGIN { printf("ready\n"); }
	kretprobe:handle_mm_fault { @all[retval & 0xffff] = count(); }
	kretprobe:handle_mm_fault /comm == "kinds"/ { @own[retval & 0xffff] = count(); }' \
	>"$tmp/bpf" 2>"$tmp/bpf.err" & bpf=$!
until_true grep -q ready "$tmp/bpf" || bad "bpftrace does not start: $(tail -2 "$tmp/bpf.err")"
sleep 1
fltq returns >"$tmp/returns.before"
kinds file 200 "$tmp/disk/a" >/dev/null
kinds cowfile 100 "$tmp/disk/c" >/dev/null
kinds major 20 "$tmp/disk/b" >/dev/null
fltq returns >"$tmp/returns.after"
end_bpftrace $bpf
bpf_bit() { # all|own BIT
	awk -v what="@$1" -v bit="$2" -F'[]: []+' '$1 == what { if (int($2 / 2 ^ bit) % 2) n += $3 }
		END { print NR ? n + 0 : "no_input" }' "$tmp/bpf"
}
seen=0
while read -r id bit name; do
	at_least "$name" "$(new_returned "$id")" "$(bpf_bit own "$bit")"
	at_most "$name" "$(new_returned "$id")" "$(bpf_bit all "$bit")"
	seen=$((seen + $(bpf_bit own "$bit")))
done <<-END
	3 2 MAJOR
	8 8 NOPAGE
	9 9 LOCKED
	10 10 RETRY
	14 14 COMPLETED
END
at_least "bits seen by bpftrace" "$seen" 200
at_least "0" "$(new_returned 0)" "$(awk -F'[]: []+' '$1 == "@own" && $2 == 0 { print $3 }' "$tmp/bpf")"
at_most "0" "$(new_returned 0)" "$(awk -F'[]: []+' '$1 == "@all" && $2 == 0 { print $3 }' "$tmp/bpf")"
umount "$tmp/disk"
rmdir "$tmp/disk"
unload

say "with nobody counting the tables stand still, and agree"
load accounting=0
"$FLTCTL" lat -H -- sh -c 'fail sigbus 3; ls / | wc -l' >"$tmp/text"
fltq latency >"$tmp/after"
fltq tally >"$tmp/tally"
fltq returns >"$tmp/returns.after"
total=$(awk '{ for (i = 2; i <= NF; i++) if (sub(/^count=/, "", $i)) n += $i } END { print n }' "$tmp/after")
same "histograms against minor + major" "$total" \
	$(($(field all.minor <"$tmp/tally") + $(field all.major <"$tmp/tally") - $(field all.missed <"$tmp/tally")))
same "RETRY against retried" "$(returned after 10)" "$(field all.retried <"$tmp/tally")"
same "SIGBUS against failed" "$(returned after 2)" "$(field all.failed <"$tmp/tally")"
same "a report without accounting" "$("$FLTCTL" lat >/dev/null 2>&1 || echo $?)" 5
unload
same "without the module" "$("$FLTCTL" lat >/dev/null 2>&1 || echo $?)" 5
finish
