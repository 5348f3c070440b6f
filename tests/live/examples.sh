#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 cpus=2 numa=1 mem=1536 timeout=800 kernels=6.12 turns=6.12,none,none
# shellcheck disable=SC2119
# Promise: the commands in the EXAMPLES sections of all manual pages work.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

tree=$PWD
mkdir -p "$tmp/bin" "$tmp/work" "$tmp/man/man7"
ln -s "$FLTCTL" "$tmp/bin/fltctl"
cp "$(dirname "$FLTCTL")/man/flt.7" "$tmp/man/man7"
cd "$tmp/work"
seq 20000 | sort -R >words.txt
cat >words.py <<'PY'
words = {str(n): [n] * 40 for n in range(100000)}
print(sum(len(words[str(n)]) for n in range(100000)))
PY
redis-server --port 0 --unixsocket "$tmp/socket" --save '' --daemonize yes >/dev/null
until_true test -S "$tmp/socket" || bad "redis-server does not start"
load
status=0
PATH=$tmp/bin:$PATH MANPATH=$tmp/man: python3 "$tree/tests/docs/examples.py" "$tree"/man/*.man \
	2>&1 | tee "$tmp/out" || status=$?
same "status of the examples" $status 0
at_least "number of examples" "$(grep -c '^ok' "$tmp/out")" 30
kill "$(pidof redis-server)"
# The page of export starts a server.
kill "$(pidof fltctl)"
cd "$tree"
finish
