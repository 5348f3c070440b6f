#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=700 turns=6.1,6.12,7.3,none,none,none debug=0
# shellcheck disable=SC2016,SC2119
# Promise: fltctl map assigns each fault to its region, so that the sum of all regions equals
# the count of the kernel. It names the order in which a region was touched.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

SEEDS=$(sized 3 4 10)

# expect WHAT EXPRESSION: check that the Python EXPRESSION is true. The list `rows` has all rows
# of map. The list `regions` has the row of each region that the workload printed, or {} if map
# does not have it.
expect() {
	local what=$1
	shift
	checks=$((checks + 1))
	python3 - "$tmp/map.json" "$tmp/out" "$@" <<'END' || bad "$what"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
regions = []
for line in open(sys.argv[2], encoding="utf-8"):
    word = line.split()
    if word[:1] != ["region"]:
        continue
    at = int(word[1], 16)
    there = [r for r in rows if r["record"] == "region" and "start" in r
             and int(r["start"], 16) <= at < int(r["end"], 16)]
    regions.append(max(there, key=lambda r: r["faults"]) if there else {})
total = [r for r in rows if r["record"] == "total"][0]
if not eval(sys.argv[3]):
    print("not true:", sys.argv[3])
    for r in regions + [total] + rows[:12]:
        print({k: v for k, v in r.items() if v and k in ("area", "of", "start", "end", "faults",
               "major", "refaults", "pattern", "order", "stride", "evidence", "remedy")})
    # Linux 6.18 and later map a large folio of a file by one fault.
    print(*[line for line in open("/proc/vmstat") if line.startswith("thp_")])
    sys.exit(1)
END
}

# map OPTION... -- COMMAND...: run fltctl map. Its rows go to $tmp/map.json, the output of
# COMMAND to $tmp/out.
map() {
	local status=0
	"$FLTCTL" map --json "$@" >"$tmp/both" 2>"$tmp/err" || status=$?
	grep '^{' "$tmp/both" >"$tmp/map.json" || true
	grep -v '^{' "$tmp/both" >"$tmp/out" || true
	if [ $status != "${WANT_STATUS:-0}" ]; then
		bad "map $*: got exit status $status, expected ${WANT_STATUS:-0}"
		tail -3 "$tmp/err"
	fi
}

# pattern NAME PAGES PATTERN ORDER [EXPRESSION]: run the workload `pattern NAME` with one region
# per seed. Check that map reports PATTERN and ORDER for each region, and that EXPRESSION is true.
pattern() {
	map -- "${prefix[@]}" "$FLT_WORKLOAD/pattern" "$1" /mnt/file "$2" "$SEEDS"
	expect "$1: pattern $3, order $4" "len(regions) == $SEEDS and \
all(r.get('pattern') == '$3' and r['order'] == '$4' for r in regions)"
	[ -z "${5:-}" ] || expect "$1: $5" "$5"
	say "$1"
}

# Compare the sums of each process with the counts of the kernel.
compare_totals() { # WHAT
	local pid minor major got
	while read -r _ pid _ _ minor major; do
		got=$(python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
print(*[sum(r[k] for r in rows if r.get("pid") == int(sys.argv[2]))
        for k in ("minor", "major")])' "$tmp/map.json" "$pid")
		same "$1: minor and major faults of PID $pid" "$got" "$minor $major"
	done < <(grep '^proc ' "$tmp/run")
	at_least "$1: number of processes" "$(grep -c '^proc ' "$tmp/run")" 1
	expect "$1: no faults in unknown or other regions" \
		'sum(r["faults"] for r in rows if r.get("of") in ("unknown", "others")) == 0'
}

# No huge pages: with them, the buffer of sort could have fewer faults than libc. Newer kernels also
# merge pages of files (khugepaged), even if the program forbids that a moment later.
! has_thp || echo never >/sys/kernel/mm/transparent_hugepage/enabled
modprobe ext4 2>/dev/null || true
mkfs.ext4 -q /dev/vda
mount /dev/vda /mnt
swapoff -a
zram_swap_on 256M
mkdir /sys/fs/cgroup/small
load
prefix=()
"$FLT_WORKLOAD/pattern" make /mnt/file 2048 "$SEEDS"

drop_caches() { sync; echo 3 >/proc/sys/vm/drop_caches; }

say "files"
drop_caches
pattern forward 1024 sequential forward \
	'all(r["of"] == "file" and "/mnt/file." in r["area"] for r in regions)'
pattern forward 1024 sequential forward 'all(r["major"] == 0 for r in regions)'
pattern backward 1024 sequential backward
drop_caches
pattern backward 1024 sequential backward
# A window of one page, if pages have 64 KiB, has no inside.
[ "$around" -lt 3 ] ||
	pattern inside 1024 strided strided "all(r['stride'] == $around for r in regions)"
pattern far 2048 strided strided 'all(r["stride"] == 64 for r in regions)'
pattern random 512 random random 'all(r["faults"] == 512 and r["refaults"] == 0 for r in regions)'
drop_caches
pattern lookups 512 random random 'all(r["remedy"] == "random" for r in regions)'

say "anonymous memory"
pattern anon 512 sequential forward \
	'all(r["of"] == "anon" and r["anon"] == r["faults"] == 512 for r in regions)'
pattern anonback 512 sequential backward
pattern anonstride 1024 strided strided \
	'all(r["stride"] == 16 and r["faults"] == 64 for r in regions)'
pattern anonrandom 512 random random
pattern threads 512 sequential forward

say "regions larger than the memory limit"
# Without readahead, because readahead gives up when the group reaches its limit. The number of
# faults in each pass would depend on that.
readahead=$(</sys/block/vda/queue/read_ahead_kb)
echo 0 >/sys/block/vda/queue/read_ahead_kb
# Three quarters of the pages fit.
echo $((1536 * page)) >/sys/fs/cgroup/small/memory.max
prefix=(sh -c 'echo $$ >/sys/fs/cgroup/small/cgroup.procs; exec "$@"' -)
drop_caches
pattern twice 2048 thrashing forward 'all(r["remedy"] == "cache" for r in regions)'
echo "$readahead" >/sys/block/vda/queue/read_ahead_kb
echo $((768 * page)) >/sys/fs/cgroup/small/memory.max
pattern swap 1024 thrashing forward \
	'all(r["swap"] > 1000 and r["remedy"] == "more-memory" for r in regions)'
prefix=()

say "real programs, compared with the counts of the kernel"
seq 1 20000 | shuf --random-source=<(yes) >/mnt/numbers
map -- faultrun -o "$tmp/run" -- sort -S 8M /mnt/numbers -o /mnt/sorted
compare_totals sort
expect "sort: most faults are in anonymous memory" \
	'rows[0]["of"] in ("anon", "heap") and rows[0]["comm"] == "sort"'
python3 -c '
import sqlite3
c = sqlite3.connect("/mnt/db")
c.execute("create table t(k integer primary key, v blob)")
c.executemany("insert into t values(?, ?)", ((i, b"x" * 1000) for i in range(20000)))
c.commit()'
python3 -c '
import random
random.seed(4)
print("pragma mmap_size=268435456;")
for i in range(700):
    print("select length(v) from t where k = %d;" % random.randrange(20000))' >"$tmp/sql"
drop_caches
map -- faultrun -o "$tmp/run" -- sqlite3 -init /dev/null -batch /mnt/db ".read $tmp/sql"
compare_totals sqlite3
expect "sqlite3: most faults are in the database, in random order" \
	'rows[0]["area"] == "/mnt/db" and rows[0]["order"] == "random"'
# The assembler of Debian 11 faults more than cc1 if the program is small.
for ((i = 0; i < 300; i++)); do
	echo "int f$i(int x) { return x % 7 ? x * $i : x + $i; }"
done >"$tmp/a.c"
map -- faultrun -o "$tmp/run" -- gcc -O1 -c "$tmp/a.c" -o "$tmp/a.o"
compare_totals gcc
expect "gcc: most faults are of cc1" 'rows[0]["comm"] == "cc1"'

say "-p, --for, plot and text"
python3 -c '
import mmap, time
print("ready", flush=True)
while True:
    m = mmap.mmap(-1, 1 << 20)
    for i in range(0, 1 << 20, mmap.PAGESIZE):
        m[i] = 1
    m.close()
    time.sleep(0.01)' >"$tmp/ready" & victim=$!
until_true grep -q ready "$tmp/ready" || bad "the process does not reach its loop"
"$FLTCTL" map -p $victim --for 1s --heat --plot "$tmp/plot.svg" >"$tmp/text" 2>"$tmp/err"
kill $victim; wait $victim 2>/dev/null || true
cat "$tmp/err"
# The PID is a column of the table, and part of each finding.
at_least "lines of the process" "$(lines "(^| )$victim( |[)]:)" "$tmp/text")" 1
same "scripts in the XML of the plot" "$(python3 -c 'import sys, xml.dom.minidom as d
print(len(d.parse(sys.argv[1]).getElementsByTagName("script")))' "$tmp/plot.svg")" 1
WANT_STATUS=7 map -- sh -c 'exit 7'
WANT_STATUS=127 map -- /nonexistent
umount /mnt
zram_swap_off
finish
