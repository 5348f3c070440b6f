#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=600 turns=6.1,6.12,7.3,none,none,none debug=0
# Promise: record --engine=cgroup limits all memory on cgroup v2 as on v1, records every fault of
# the cgroup with its kind if the module is loaded, and leaves the machine as it was.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

build=$(dirname "$FLTCTL")
rounds=$build/tests/recorder/rounds

controllers=$(cat /sys/fs/cgroup/cgroup.subtree_control)
say "without the module, on cgroup v2"
FLT_TEST_LIMIT=300 bash tests/recorder/cgroup.sh "$build" >"$tmp/native" 2>&1 ||
	bad "cgroup.sh: $(grep -A4 '^not ok' "$tmp/native" | head -20)"
checks=$((checks + $(grep -c '^ok' "$tmp/native" || true)))
at_least "checks without the module" "$(grep -c '^ok' "$tmp/native" || true)" 40

# shellcheck disable=SC2119 # $1 in the here-document is not ours
load
say "with the module"
"$rounds" 24 3 >"$tmp/want"
# The command reads its cgroup's counters at its end, before the cgroup is removed.
cat >"$tmp/run" <<'END_OF_SCRIPT'
"$1" 24 3
cat "/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/memory.stat" >"$2"
END_OF_SCRIPT
status=0
"$FLTCTL" record --engine=cgroup -L 8 -o "$tmp/t.flt" -- sh "$tmp/run" "$rounds" "$tmp/stat" \
	>"$tmp/got" 2>"$tmp/err" || status=$?
cat "$tmp/err"
same "exit status" $status 0
same "output" "$(cat "$tmp/got")" "$(cat "$tmp/want")"
same "source" "$(grep -c '^recorded.* by the module$' "$tmp/err" || true)" 1
same "losses" "$(grep -c '^loss     none$' "$tmp/err" || true)" 1
"$FLTCTL" report --json "$tmp/t.flt" >"$tmp/report"
python3 - "$tmp/report" "$page" <<'END' || bad "call sites: $(cat "$tmp/report")"
import json, sys
pages = (24 << 20) // int(sys.argv[2])  # of the program; the limit has a third
rows = [json.loads(line) for line in open(sys.argv[1])]
rows = [r for r in rows if r.get("function") == "main" and r.get("comm") == "rounds"]
alloc, again = sum(r["alloc"] for r in rows), sum(r["refault"] for r in rows)
print("main of rounds: %d first touches, %d refaults" % (alloc, again))
assert pages <= alloc <= pages + 16 and again >= 3 * (pages - pages // 3)
assert all(r.get("latency_ns") for r in rows if r["refault"] > 100), "latency"
END
# The kernel's count lags by at most 64 per CPU. It was read before the last faults.
recorded=$(sed -n 's/^recorded.*; \([0-9]*\) major.*/\1/p' "$tmp/err")
counted=$(awk '$1 == "pgmajfault" { print $2 }' "$tmp/stat")
say "major faults: recorded $recorded, counted by the kernel $counted"
at_least "major faults, recorded" "$recorded" "$counted"
at_most "major faults, recorded" "$recorded" $((counted + 64 * $(nproc) + 64))
same "controllers" "$(cat /sys/fs/cgroup/cgroup.subtree_control)" "$controllers"
same "swap" "$(wc -l </proc/swaps)" 1
same "journals" "$(find /run/flt -name 'limit.*' | wc -l)" 0
same "cgroups" "$(find /sys/fs/cgroup -name 'flt-[0-9]*' | wc -l)" 0
finish
