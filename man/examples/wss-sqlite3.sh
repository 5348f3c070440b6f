#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# wss-sqlite3.sh OUT - makes OUT.csv and OUT.svg: the working set of sqlite3 that reads a table
# of 40 MB through a mapping, first a tenth of it over and over, then all of it once, the
# tenth again, four tenths, and the tenth. The series and the picture beside it are
# from a Debian 12 machine without the module:
#
#   sudo man/examples/wss-sqlite3.sh man/examples/wss-sqlite3
#
# With the flt module it is by scan, and has a curve of faults as well.
set -euo pipefail
out=$(realpath -m "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
sqlite3 db "CREATE TABLE t(id INTEGER PRIMARY KEY, v BLOB);
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
	INSERT INTO t SELECT i, randomblob(1000) FROM n;"
mkfifo in
sqlite3 db <in >/dev/null &
pid=$!
exec 7>in
echo "PRAGMA mmap_size = 268435456; PRAGMA cache_size = 100;" >&7
sleep 1

rows() { echo "SELECT sum(length(v)) FROM t WHERE id <= $1;" >&7; }
for_seconds() { # SECONDS ROWS
	local end=$((SECONDS + $1))
	while [ "$SECONDS" -lt "$end" ]; do
		rows "$2"
		sleep 0.05
	done
}

fltctl wss --csv --plot="$out.svg" -p "$pid" 0.25 >"$out.csv" &
reader=$!
sleep 1
for_seconds 4 4000
rows 40000
for_seconds 4 4000
for_seconds 4 16000
for_seconds 3 4000
echo .quit >&7
exec 7>&-
wait "$pid" "$reader"
