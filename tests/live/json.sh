#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 cpus=2 numa=1 mem=1536 timeout=700 turns=6.1,6.12,7.3,none,none,none debug=0
# shellcheck disable=SC2119
# Promise: each row of --json is valid by its schema in docs/json, and each key of a schema that
# these commands can show here is shown. Recordings: tests/trace/exports.sh.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

tree=$PWD
has_thp || skip "no transparent huge pages"
cat >"$tmp/work.py" <<'PY'
import mmap, sys
data = {n: [n] * 40 for n in range(20000)}
with open(sys.argv[1], "wb+") as f:
    f.truncate(1 << 20)
    shared = mmap.mmap(f.fileno(), 0)
    for i in range(0, len(shared), 4096):
        shared[i] = 1
    private = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY)
    for i in range(0, len(private), 8192):
        private[i] = 2
huge = mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
huge.madvise(mmap.MADV_HUGEPAGE)
for k in range(3):
    for i in range(0, len(huge), 4096):
        huge[i] = 3
    if k < 2:
        huge.madvise(mmap.MADV_DONTNEED, 0, 2 << 20)
huge.madvise(mmap.MADV_DONTNEED, 4096, 4096)
PY
cat >"$tmp/busy.py" <<'PY'
import mmap, sys
huge = mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
huge.madvise(mmap.MADV_HUGEPAGE)
f = open(sys.argv[1], "rb")
while True:
    for i in range(0, len(huge), 4096):
        huge[i] = 3
    with mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as pages:
        sum(pages[i] for i in range(0, len(pages), 4096))
PY
work() { echo python3 "$tmp/work.py" "$tmp/data"; }
checked=()
# Run a command, and keep its rows for the comparison. It may end with 0 or 3 (incomplete), or with
# a status in $may.
rows() { # SCHEMA COMMAND...
	local file=$tmp/$1.${#checked[@]} rc=0
	"$FLTCTL" "${@:2}" >"$file" 2>"$tmp/err" || rc=$?
	[[ " ${may:-0 3} " == *" $rc "* ]] || bad "$*: status $rc: $(head -n 3 "$tmp/err")"
	checked+=("$1" "$file")
}

say "without the module"
# shellcheck disable=SC2046
rows stats stats --json -- $(work)
rows stats stats --json 1 2
rows wss wss --json --method=refs -p $$ 0.2 2
may=5 rows check check --json

say "with the module"
load accounting=latency
echo 1 >/proc/sys/kernel/numa_balancing
# shellcheck disable=SC2046
{
	rows stats stats --json --kinds -- $(work)
	rows stats stats --json --by=kind -- $(work)
	rows lat lat --json -e -l 1ns -n 1000 -- $(work)
	rows lat lat --json --why -- $(work)
	rows trace trace --json --stacks -- $(work)
	rows trace trace --json --why -- $(work)
	rows trace trace --json --by=cgroup -- $(work)
	rows map map --json --heat -- $(work)
	rows wss wss --json --written 0.2 -- $(work)
	rows thp thp --json -- $(work)
	rows numa numa --json -- $(work)
}
for command in stats thp; do
	"$FLTCTL" $command --json --with=lines -o "$tmp/both" 0.2 -- \
		sh -c 'for i in 1 2 3 4 5 6; do echo; sleep 0.2; done' >/dev/null
	pick='.record == "sample" or .record == "correlation"'
	jq -c "select($pick)" "$tmp/both" >"$tmp/correlation.$command"
	jq -c "select($pick | not)" "$tmp/both" >"$tmp/$command"
	checked+=(correlation "$tmp/correlation.$command" "$command" "$tmp/$command")
done
python3 "$tmp/busy.py" "$tmp/data" &
busy=$!
rows stats stats --json --by=kind 0.2 2
rows stats stats --json --by=thread -p $$ 0.2 2
rows stats stats --json --by=cgroup 0.2 2
rows stats stats --json -a 0.2 2
rows lat lat --json 0.2 2
rows lat lat --json -p $$
rows lat lat --json --by=cgroup 0.2 2
rows map map --json --by=cgroup --for=0.5 -p $busy
for by in process thread file cgroup kind; do
	rows top top --json --files=all --by=$by 0.5 2
done
rows wss wss --json --compare -p $busy 0.2 2
for by in vma kind node cgroup; do
	rows wss wss --json --by=$by -p $busy 0.2 2
done
rows thp thp --json -p $busy 0.2 2
rows thp thp --json --by=cgroup -p $busy 0.2 2
rows numa numa --json --by=cgroup -p $busy 0.2 2
rows numa numa --json -p $$ 0.2 2
# On one of these CPUs the process is remote from its memory, which does not follow.
echo 0 >/proc/sys/kernel/numa_balancing
for cpu in 0 1; do
	taskset -cp $cpu $busy >/dev/null
	rows numa numa --json -p $busy 0.2 2
done
echo 1 >/proc/sys/kernel/numa_balancing
rows check check --json
kill $busy
wait $busy 2>/dev/null || true

say "comparison with the schemas"
# Keys that show what these commands do not meet: losses, skipped mappings, fallbacks, moves.
absent=vanished,cpu,lost,lost_since,hugetlb_skipped_bytes,special_skipped,fallback_ns
absent+=,local_percent,move_ns,move_p99_ns,top.faults_per_second,top.file
! kernel_before 6.4 || absent+=,lock_ns,under_vma_lock,fell_back
checks=$((checks + ${#checked[@]} / 2))
python3 "$tree/tests/docs/schemas.py" "$tree/docs/json" -e "$absent" "${checked[@]}" ||
	bad "rows and schemas differ"
finish
