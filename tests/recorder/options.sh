#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the options of `fltctl record -L` promise beyond a right result.
#
# usage: options.sh BUILD-DIR
set -euo pipefail

build=$(realpath "$1") here=$(dirname "$(realpath "$0")")
fltctl=$build/fltctl cases=$build/tests/recorder/cases
# shellcheck source=tests/recorder/check.bash
. "$here/check.bash"
# number PATTERN: what the summary says, \(...\) of it
number() {
	sed -n "s/.*$1.*/\\1/p" err
}
# record OPTION... -- COMMAND: ns it took, from outside
record() {
	local from to
	rm -f trace.flt*
	from=$(date +%s%N)
	timeout "$limit" "$fltctl" record -L 8 -o trace.flt "$@" > out 2> err
	to=$(date +%s%N)
	took=$((to - from))
}
faults_filed() {
	"$fltctl" script --json --no-stack trace.flt
}

# Weights: with few records, or with a record for a part of them only, the sum over each
# kind is that of all faults, also over forks.
for mode in '' --no-inline; do
	# shellcheck disable=SC2086
	record --sample 100 $mode -- "$cases" fork
	faults_filed > rows
	read -r alloc refault raced < <(python3 -c 'import json, sys
rows = [json.loads(l) for l in sys.stdin]
print(*(sum(r["weight"] for r in rows if k in r["flags"].split(",") + [r["kind"]]) for k in ("alloc", "refault", "spurious")))' < rows)
	faults=$(number 'recorded [^:]*: \([0-9]*\) faults')
	first=$(number '(\([0-9]*\) first touches')
	again=$(number ' \([0-9]*\) refaults')
	others=$(number 'raced *\([0-9]*\) more')
	echo "# $(wc -l < rows) records stand for $alloc of $first first touches and $refault of $again refaults"
	check "--sample $mode keeps few records" [ "$(wc -l < rows)" -lt $((faults / 2)) ]
	check "--sample $mode keeps the sum of first touches" [ "$alloc" = "$first" ]
	check "--sample $mode keeps the sum of refaults" [ "$refault" = "$again" ]
	check "--sample $mode keeps the sum of races" [ "$raced" = "${others:-0}" ]
done

# And over each place in the code: three functions that fault about as often. The first two
# touch memory first, half of what they do; the third only touches it again.
for n in 1000 4000; do
	record --sample $n -- "$cases" phases
	"$fltctl" report --json trace.flt > rows
	check "--sample $n knows the places" python3 - << 'END'
import json, sys
rows = {r["function"]: r for r in map(json.loads, open("rows")) if r["function"].startswith("phase_")}
near = lambda n, want: abs(n - want) <= want / 4
a, b, c = (rows["phase_" + k] for k in ("first", "second", "third"))
sys.exit(not (near(a["alloc"], 4096) and near(b["alloc"], 4096) and not c["alloc"] and
              near(a["refault"], 8192) and near(b["refault"], 8192) and near(c["refault"], 12288)))
END
done

# A mapping that moves takes along what it has, and no more: BIG / PAGE at the end are read.
for mode in '' --no-inline --no-move; do
	record -M 200 $mode -- "$cases" sparse
	check "mremap $mode touches nothing" [ "$(number '(\([0-9]*\) first touches')" -lt $((8192 + 200)) ]
	check "mremap $mode brings each page back once" [ "$(number ' \([0-9]*\) refaults')" -lt 4096 ]
done

# Far memory: a page brought back takes its time at least; a first touch none.
record --latency 300us -- "$cases" protect
again=$(number ' \([0-9]*\) refaults')
check "--latency is waited for, $again times" [ "$took" -ge $((again * 300000)) ]
check "there was something to wait for" [ "$again" -gt 1000 ]
record --latency 300us --no-inline -- "$cases" protect
again=$(number ' \([0-9]*\) refaults')
check "--latency is waited for by the server" [ "$took" -ge $((again * 300000)) ]
record --bandwidth 64M -- "$cases" protect
moved=$(($(number ' \([0-9]*\) refaults') + $(number '; \([0-9]*\) pages evicted')))
# the last batch may still be on its way out
check "--bandwidth is shared by $moved pages" [ "$took" -ge $(((moved - 600) * 4096 * 1000 / 67109)) ]

# Two descriptors to each process: the command's own limit stays what it was.
status=0
# shellcheck disable=SC2016
(ulimit -Sn 24 && timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- \
	sh -c 'ulimit -Sn; for i in $(seq 20); do sleep 0.3 & done; wait') > out 2> err || status=$?
check "more processes than open files are allowed" [ "$status" = 0 ]
check "the command's limit of open files is its own" [ "$(cat out)" = 24 ]
status=0
(ulimit -f 8; timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- true) > out 2> err || status=$?
check "a limit of file sizes is told" grep -q 'File too large' err

record --cores 1 -- nproc
check "--cores is kept" [ "$(cat out)" = 1 ]

# An earlier recording is kept.
timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- true
cmp -s trace.flt trace.flt.old || cp trace.flt.old first
timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- true
check "an earlier recording is kept" [ -s trace.flt.old ]
check "and the one before that" [ "$(cat trace.flt.old* | wc -c)" -ge "$(wc -c < first)" ]

# What cannot be run does not put a recording of nothing in its place.
cp trace.flt last
status=0
timeout "$limit" "$fltctl" record -L 8 -o trace.flt -- ./nonexistent 2> err || status=$?
check "what is not there has a shell's status" [ $status = 127 ]
status=0
timeout "$limit" "$fltctl" record -o trace.flt -- /tmp 2> err || status=$?
check "nor is a directory run" [ $status = 126 ]
check "and the recording stays in place" cmp -s trace.flt last

# refuses WHY OPTION...
refuses() {
	local why=$1
	shift
	status=0
	timeout "$limit" "$fltctl" record -q -o trace.flt "$@" -- true > out 2> err || status=$?
	check "refused: $*" [ $status = 2 ]
	check "and it is said why" grep -q -e "$why" err
}
refuses '--unwind' -L 8 --unwind fp
refuses 'for -L' --policy fifo
refuses 'for -L' --no-move
refuses '--engine=preload needs -L' --engine preload
refuses '-L/--limit is from' -L 16777215T
timeout "$limit" "$fltctl" record -q -L 8 --sample 5000/s --bandwidth 10GB/s -o trace.flt -- echo 'a b' > out 2> err
check "rates may be said to be by the second" [ "$(cat out)" = 'a b' ]
if [ -w /dev/full ]; then
	for how in script 'script --json' 'visualize --html -o -'; do
		# shellcheck disable=SC2086
		"$fltctl" $how trace.flt > /dev/full 2> err || true
		check "$how says that the disk is full" grep -q 'No space left on device' err
	done
fi

# A sweep: the same program with less and less.
timeout "$limit" "$fltctl" record -q --sweep 25,50,100% --json -o sweep -- "$cases" mremap > out 2> err
check "--sweep has a row for each run" python3 - << 'END'
import json, sys
rows = [json.loads(l) for l in open("out")]
ok = [r["memory"] for r in rows] == ["native", "all", "25%", "50%", "100%"]
full, quarter, half, all_ = rows[1], rows[2], rows[3], rows[4]
ok &= full["refaults"] == 0 and full["evicted_pages"] == 0
ok &= quarter["refaults"] >= half["refaults"] > 0 and half["refaults"] >= all_["refaults"]
for r in rows[2:]:
    ok &= r["resident_peak_bytes"] <= r["limit_bytes"] + (1 << 20)
    ok &= abs(r["limit_bytes"] * 100 / r["percent"] - full["resident_peak_bytes"]) < (1 << 20)
sys.exit(not ok)
END
check "--sweep keeps the recordings" [ -s sweep.25 -a -s sweep.50 -a -s sweep.100 ]
status=0
timeout "$limit" "$fltctl" record -q --sweep 50 -o sweep -- sh -c 'exit 7' > out 2> err || status=$?
check "--sweep passes a failure on" [ $status = 7 ]
[ $failed = 0 ]
