#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300 debug=0
# shellcheck disable=SC2016,SC2119
# Promise: the counts of real programs are exact for every process.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

lines=$(sized 20000 60000 200000)

load
seq "$lines" | awk '{ print ($1 * 7919) % 100003, $1 }' >"$tmp/numbers"
equal "gcc" gcc -O1 -Iinclude/uapi -c -o "$tmp/region.o" tests/workload/region.c
equal "python3" python3 -c \
	'import json; print(len(json.dumps([{str(i): i} for i in range(20000)])))'
equal "sort" sort -n -S 1M -T "$tmp" -o "$tmp/sorted" "$tmp/numbers"
equal "tar + xz" tar -cJf "$tmp/tree.tar.xz" tests/workload
equal "shell with pipes" bash -c '
	for i in 1 2 3 4 5; do
		seq 1000 | sort -rn | awk "{ s += \$1 } END { print s }" | grep -q 500500 || exit 1
	done
	wait <(true) 2>/dev/null || true
	(sleep 0.1; true) & wait'
ordered "output of sort" "$tmp/sorted"
finish
