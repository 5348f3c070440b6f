#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of the options of `fltctl record -L`.
#
# usage: options.sh BUILD-DIR
set -euo pipefail

build=$(realpath "$1") here=$(dirname "$(realpath "$0")")
fltctl=$build/fltctl cases=$build/tests/recorder/cases
# shellcheck source=tests/recorder/check.bash
. "$here/check.bash"
page=$(getconf PAGESIZE)
nl=$'\n'
# number PATTERN: print the part of the summary that matches \(...\)
number() {
	sed -n "s/.*$1.*/\\1/p" err
}
# record OPTION... -- COMMAND: print the elapsed ns
record() {
	local from to
	rm -f trace.flt*
	from=$(date +%s%N)
	status=0
	timeout "$limit" "$fltctl" record -L 8 -o trace.flt "$@" > out 2> err || status=$?
	to=$(date +%s%N)
	took=$((to - from))
}
faults_filed() {
	"$fltctl" script --json --no-stack trace.flt
}

# Weights: if only a sample of the faults is recorded, the weights of each kind add up to the
# number of all faults of the kind, also across forks.
for mode in --inline --no-inline; do
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

# Weights per function: three functions fault about equally often. The first two touch new
# memory and touch it again. All faults of the third are refaults.
for n in 1000 4000; do
	record --sample $n -- "$cases" phases
	"$fltctl" report --json trace.flt > rows
	check "--sample $n preserves the share of each function" python3 - << 'END'
import json, resource, sys
each = (16 << 20) // resource.getpagesize()
rows = {r["function"]: r for r in map(json.loads, open("rows")) if r["function"].startswith("phase_")}
near = lambda n, want: abs(n - want) <= want / 4
a, b, c = (rows["phase_" + k] for k in ("first", "second", "third"))
sys.exit(not (near(a["alloc"], each) and near(b["alloc"], each) and not c["alloc"] and
              near(a["refault"], 2 * each) and near(b["refault"], 2 * each) and
              near(c["refault"], 3 * each)))
END
done

# Before a second thread begins, path A is armed for the first one.
if [ "$(uname -m)" = x86_64 ] && record --inline -- true && grep -q 'on the faulting thread' err; then
	record --no-grants -- /usr/bin/python3 -c 'import threading
def fill():
    global text
    text = [str(i) for i in range(100000)]
fill()
worker = threading.Thread(target=fill)
worker.start()
worker.join()
fill()'
	check "of two threads each serves itself" python3 - "$fltctl" <<'END'
import json, subprocess, sys
run = subprocess.run([sys.argv[1], "script", "--json", "trace.flt"], stdout=subprocess.PIPE, text=True)
rows = [json.loads(line) for line in run.stdout.splitlines()]
worker = [i for i, r in enumerate(rows) if r["tid"] != rows[0]["tid"]]
after = [r for r in rows[worker[0]:] if "kernel" not in r["flags"].split(",")]
inline = sum("inline" in r["flags"].split(",") for r in after)
print(f"# {len(rows)} faults, {len(after)} since the second thread, {inline} of them inline")
sys.exit(len(after) < 500 or inline < len(after) * 0.99)
END
fi

# Moving a mapping must not load its pages. The case reads BIG / PAGE pages at its end.
for mode in --inline --no-inline --no-move; do
	record -M 200 $mode -- "$cases" sparse
	check "mremap $mode causes no first touches" [ "$(number '(\([0-9]*\) first touches')" -lt $(((32 << 20) / page + 200)) ]
	check "mremap $mode brings each page back once" [ "$(number ' \([0-9]*\) refaults')" -lt $(((16 << 20) / page)) ]
	[ "$mode" != --no-move ] || check "the summary warns that pages are copied" grep -qE '^copied   [1-9][0-9]* pages' err
done

# The summary reports memory that the limit does not reach.
record -- "$cases" populate
check "a command that is hardly limited returns 3" [ $status = 3 ]
check "the last line says that it is hardly limited" grep -q 'less than half of the memory' <(tail -1 err)
check "a warning line tells the coverage" grep -qE '^warning: only [0-9.]+% of the memory of processes larger than -L was limited' err
check "the summary does not say that nothing is lost" [ "$(grep -c '^loss     none' err)" = 0 ]
check "the summary tells how much was passed to the kernel" grep -q '^passed   64MiB' err
# A JVM with a small heap has most of its memory elsewhere: code, classes, stacks.
if command -v java > /dev/null; then
	record --engine=preload -- java -Xmx256m -version
	check "a JVM returns 3, because it is hardly limited" [ $status = 3 ]
	check "a warning tells the coverage of a JVM" grep -q '^warning: only' err
else
	echo "ok a JVM # skip: no java"
fi
record -- "$cases" reserve_fork
check "closed memory whose content was dropped is limited again" [ "$(grep -c '^ejected' err)" = 0 ]
record -M 48 -- /usr/bin/python3 -c 'parts = [bytearray(1 << 20) for i in range(64)]'
check "a warning tells how much of the heap was beyond -M" grep -qE '^warning: [0-9.]+MiB of heap beyond -M' err
check "beyond -M the summary does not say that nothing is lost" [ "$(grep -c '^loss     none' err)" = 0 ]
record -- "$cases" protect
check "the summary tells how much was ejected" grep -qE '^ejected  [1-9]' err
check "the summary says that nothing is lost" grep -q '^loss     none' err

# More stacks than a recording can have.
record --max-stack 256 -- "$cases" many_stacks
check "too many stacks make a recording incomplete" [ $status = 3 ]
check "truncated stacks are counted" grep -qE 'too many different stacks to keep all frames: [1-9][0-9]* stacks' err
check "the recording with too many stacks is valid" "$fltctl" script --check trace.flt
check "the recording has all faults" [ "$("$fltctl" script --csv --no-stack trace.flt | grep -c alloc)" -ge 6000 ]

# The kernel fills most first touches by itself. Each is recorded with the stack that the pager would
# have recorded. How often the heap touches its own tables differs from run to run.
granted=' \([0-9]*\)% by the kernel alone'
stacks_of() { # CASE OPTION...
	local case=$1
	shift
	record -L 200 "$@" -- "$cases" "$case"
	"$fltctl" script --json trace.flt | python3 -c 'import collections, json, sys
rows = (json.loads(l) for l in sys.stdin)
seen = collections.Counter((r["flags"].replace(",inline", ""), r["stack"]) for r in rows
                           if r["stack"].startswith("phase_"))
for row, n in sorted(seen.items()):
    print(n, *row)'
}
if [ "$(uname -m)" = x86_64 ]; then
	for mode in --inline --no-inline; do
		# shellcheck disable=SC2086
		stacks_of phases $mode > granted.txt
		check "the kernel fills most pages $mode" [ "$(number "$granted")" -ge 80 ]
		check "no touch without a call site $mode" [ "$(grep -c '^unplaced' err)" = 0 ]
		# shellcheck disable=SC2086
		stacks_of phases $mode --no-grants > served.txt
		check "the kernel fills no page --no-grants $mode" [ "$(number "$granted")" = '' ]
		check "stacks and operations are those with --no-grants $mode" cmp granted.txt served.txt
		check "they have all pages $mode" \
			[ "$(awk '{ n += $1 } END { print n }' granted.txt)" = $(((32 << 20) / page)) ]
		# shellcheck disable=SC2086
		stacks_of phases_forked $mode > forked.txt
		check "the kernel fills most pages of a forked child $mode" [ "$(number "$granted")" -ge 80 ]
		# shellcheck disable=SC2086
		stacks_of phases_forked $mode --no-grants > served.txt
		check "the stacks of a forked child are those with --no-grants $mode" cmp forked.txt served.txt
		# A thread waits for a page that the kernel is about to fill for another one.
		# shellcheck disable=SC2086
		record -L 200 $mode -- "$cases" neighbours
		check "the kernel fills pages between those of other threads $mode" [ "$(number "$granted")" -gt 0 ]
		check "each touch among neighbours has a call site $mode" [ "$(grep -c '^unplaced' err)" = 0 ]
	done
else
	echo "ok grants # skip: only on x86-64"
fi

# The recorder's own memory takes no huge pages, also if the machine gives them to everybody.
# shellcheck disable=SC2016
"$fltctl" record -q -L 8 -o trace.flt -- \
	awk '/^AnonHugePages/ { sum += $2 } END { print sum + 0 }' /proc/self/smaps > out
check "a recorded program has no huge pages" [ "$(cat out)" = 0 ]

# The heap faults about 23 times on its own tables when it starts. These faults are not recorded.
record -- /bin/true
few=$(number ' \([0-9]*\) faults')
check "a program that allocates little has few faults ($few)" [ "${few:-99}" -lt 15 ]

# Each thread is named once in the recording, whatever the number of threads is.
record -- "$cases" many_threads
names=$("$fltctl" script --check trace.flt | sed -n 's/^names of threads *//p')
check "each of 101 threads is named once" [ "$names" = 101 ]

# Simulated far memory delays refaults but not first touches.
record --latency 300us -- "$cases" protect
again=$(number ' \([0-9]*\) refaults')
check "--latency delays each of $again refaults" [ "$took" -ge $((again * 300000)) ]
check "--latency is tested with many refaults" [ "$again" -gt $(((4 << 20) / page)) ]
record --latency 300us --no-inline -- "$cases" protect
again=$(number ' \([0-9]*\) refaults')
check "--latency delays each refault in the server" [ "$took" -ge $((again * 300000)) ]
record --bandwidth 64M -- "$cases" protect
moved=$(($(number ' \([0-9]*\) refaults') + $(number '; \([0-9]*\) pages evicted')))
# the last batch may still be in transfer
check "--bandwidth limits the transfer of $moved pages" [ "$took" -ge $(((moved - 600) * page * 1000 / 67109)) ]

# fltctl needs two descriptors per process. The limit of the command must stay unchanged.
status=0
# shellcheck disable=SC2016
(ulimit -Sn 24 && timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- \
	sh -c 'ulimit -Sn; for i in $(seq 20); do sleep 0.3 & done; wait') > out 2> err || status=$?
check "more processes run than open files are allowed" [ "$status" = 0 ]
check "the command keeps its limit of open files" [ "$(cat out)" = 24 ]
# Region and shadow take more addresses than this limit allows.
status=0
(ulimit -Sv 2000000 && timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- \
	sh -c 'ulimit -Sv; ulimit -Sd; sh -c "ulimit -Sv"') > out 2> err || status=$?
check "programs with few addresses are recorded" [ "$status" = 0 ]
check "the command keeps its limit of addresses" \
	[ "$(cat out)" = "2000000${nl}unlimited${nl}2000000" ]
status=0
(ulimit -f 8; timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- true) > out 2> err || status=$?
check "fltctl reports a recording that exceeds the file size limit" grep -q 'File too large' err

record --cores 1 -- nproc
check "--cores limits the CPUs of the command" [ "$(cat out)" = 1 ]

# fltctl keeps earlier recordings.
timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- true
cmp -s trace.flt trace.flt.old || cp trace.flt.old first
timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- true
check "fltctl keeps an earlier recording" [ -s trace.flt.old ]
check "fltctl keeps the recording before the earlier one" [ "$(cat trace.flt.old* | wc -c)" -ge "$(wc -c < first)" ]

# A command that cannot run must not replace the recording with an empty recording.
cp trace.flt last
status=0
timeout "$limit" "$fltctl" record -L 8 -o trace.flt -- ./nonexistent 2> err || status=$?
check "a missing command returns 127 like in a shell" [ $status = 127 ]
status=0
timeout "$limit" "$fltctl" record -o trace.flt -- /tmp 2> err || status=$?
check "a directory as command returns 126" [ $status = 126 ]
check "a command that cannot run keeps the recording" cmp -s trace.flt last

# refuses WHY OPTION...
refuses() {
	local why=$1
	shift
	status=0
	timeout "$limit" "$fltctl" record -q -o trace.flt "$@" -- true > out 2> err || status=$?
	check "fltctl refuses $*" [ $status = 2 ]
	check "fltctl explains the refusal of $*" grep -q -e "$why" err
}
refuses '--unwind' -L 8 --unwind fp
refuses 'need -L' --policy fifo
refuses 'need -L' --no-move
refuses 'need -L' --no-grants
refuses '--engine=preload needs -L' --engine preload
refuses "invalid value '16777215T' of -L/--limit" -L 16777215T
timeout "$limit" "$fltctl" record -q -L 8 --sample 5000/s --bandwidth 10GB/s -o trace.flt -- echo 'a b' > out 2> err
check "rates may end with /s" [ "$(cat out)" = 'a b' ]
if [ -w /dev/full ]; then
	for how in script 'script --json' 'visualize --html -o -'; do
		# shellcheck disable=SC2086
		"$fltctl" $how trace.flt > /dev/full 2> err || true
		check "$how reports a full disk" grep -q 'No space left on device' err
	done
fi

# The program's MALLOC_CONF applies to the recorder's heap, but its profiler stays off.
MALLOC_CONF=prof:true,prof_leak:true,prof_final:true,lg_prof_sample:0,abort_conf:true \
	timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- "$cases" phases > out 2> err || true
check "a program with MALLOC_CONF=prof:true is recorded" [ "$("$fltctl" script trace.flt | wc -l)" -gt 100 ]

# A program has another time than the kernel. Its server runs code without a libc thread.
LD_PRELOAD=$build/tests/recorder/past_clock.so timeout "$limit" "$fltctl" record -L 8 -o trace.flt -- \
	"$cases" fork > out 2> err || true
check "a program with another clock is recorded" [ "$(number ', \([0-9]*\) refaults')" -gt 1000 ]
check "a program with another clock has its native result" cmp -s out <("$cases" fork)

# Each time namespace has its own clock.
if unshare -T --monotonic 1000 true 2> /dev/null; then
	for offset in 1000000 -1000; do
		for mode in --inline --no-inline; do
			timeout "$limit" "$fltctl" record -L 8 $mode -o trace.flt -- \
				unshare -T --monotonic $offset "$cases" phases > out 2> err || true
			check "faults keep their stacks with a clock of $offset s $mode" \
				[ -z "$(number 'unplaced  *\([0-9]*\)')" ]
			check "service is timed with a clock of $offset s $mode" \
				grep -q '^service .*us per fault' err
		done
	done
fi

# The program may unmount the file system where it was started.
mkdir here
(cd here && exec "$fltctl" record -q -L 8 -o ../trace.flt -- sh -c 'echo >../ready; sleep 2') & record=$!
until [ -e ready ] || ! kill -0 $record; do sleep 0.02; done
check "the server does not stay in the directory of the program" \
	[ "$(readlink "/proc/$(pgrep -o -x -P $record flt-server)/cwd")" = / ]
wait $record

if echo 'int main(void) { return 0; }' | gcc -fsanitize=address -xc -o sanitized - 2> err; then
	status=0
	timeout "$limit" "$fltctl" record -L 8 -o trace.flt -- ./sanitized > out 2> err || status=$?
	check "AddressSanitizer excludes preloading" grep -q 'AddressSanitizer must be the first library' err
	check "a sanitized program runs in a cgroup or not at all" [ $status = 0 -o $status = 5 ]
fi

# A sweep runs a program with several limits.
timeout "$limit" "$fltctl" record -q --sweep 25,50,100% --json -o sweep -- "$cases" phases > out 2> err
check "--sweep prints a row for each run" python3 - << 'END'
import json, resource, sys
rows = [json.loads(l) for l in open("out")]
batch = 256 * resource.getpagesize()
ok = [r["memory"] for r in rows] == ["native", "all", "25%", "50%", "100%"]
full, quarter, half, all_ = rows[1], rows[2], rows[3], rows[4]
ok &= full["refaults"] == 0 and full["evicted_pages"] == 0
ok &= quarter["refaults"] >= half["refaults"] > 0 and half["refaults"] >= all_["refaults"]
for r in rows[2:]:
    ok &= r["resident_peak_bytes"] <= r["limit_bytes"] + batch
    ok &= abs(r["limit_bytes"] * 100 / r["percent"] - full["resident_peak_bytes"]) < batch
sys.exit(not ok)
END
check "--sweep keeps all recordings" [ -s sweep.25 -a -s sweep.50 -a -s sweep.100 ]
status=0
timeout "$limit" "$fltctl" record -q --sweep 50 -o sweep -- sh -c 'exit 7' > out 2> err || status=$?
check "--sweep returns the status of a failed command" [ $status = 7 ]
finish
