#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# wss_example.sh - measure the working set of a real program with a hot set, in a guest. Writes
# a series and a plot.
#
#   tests/vm/run -d 256 -k 6.12 bash tests/bench/wss_example.sh >example.txt
#   tests/bench/wss_example.sh example.txt	# on the host: write wss_example.csv and .svg
#
# sqlite3 maps a file of about 64 MiB. For ten seconds it looks up rows at one end of the table,
# then it reads the whole table for ten seconds, then it looks up rows again.
set -euo pipefail

if [ $# = 1 ]; then
	here=$(cd "$(dirname "$0")" && pwd)
	for what in csv svg; do
		sed -n "s/^$what: //p" "$1" | base64 -d >"$here/wss_example.$what"
	done
	exit
fi
: "${FLT_KO:?}" "${FLTCTL:?}"
tmp=$(mktemp -d /tmp/example.XXXXXX)
mkfs.ext4 -q -b 4096 /dev/vda
mkdir "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"
sqlite3 "$tmp/disk/db" "create table t(id integer primary key, v blob);
	with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
	insert into t select i, randomblob(1000) from n;" >/dev/null
echo 3 >/proc/sys/vm/drop_caches
insmod "$FLT_KO"

coproc sqlite3 "$tmp/disk/db"
ask() { echo "$1" >&"${COPROC[1]}"; read -r _ <&"${COPROC[0]}"; }
phase() { # SECONDS QUERY
	local end=$((SECONDS + $1))
	while [ $SECONDS -lt $end ]; do
		ask "$2"
		sleep 0.02
	done
}
hot="select sum(length(v)) from t where id in (select abs(random()) % 4000 from t limit 200);"
all="select sum(length(v)) from t;"
ask "pragma mmap_size = 268435456;"
"$FLTCTL" wss -m scan --csv --plot "$tmp/wss.svg" -p "$COPROC_PID" 1 30 >"$tmp/wss.csv" & wss=$!
phase 10 "$hot"; phase 10 "$all"; phase 11 "$hot"
wait "$wss"
echo ".quit" >&"${COPROC[1]}"
base64 -w 120 "$tmp/wss.csv" | sed 's/^/csv: /'
base64 -w 120 "$tmp/wss.svg" | sed 's/^/svg: /'
umount "$tmp/disk"
rmmod flt
