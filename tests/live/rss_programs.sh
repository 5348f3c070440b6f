#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=4096 timeout=900 long=1 debug=0
# shellcheck disable=SC2016,SC2119
# Promise: of the resident memory of real programs, recorded from the start, at most 1 % has no
# owner, at the peak and at the exit. Of a process at its exit, five pages more: execve() writes the
# arguments, and the ends of the data of program and interpreter, before it tells anybody.
# The row [collapse] hides no page whose fault was lost: it is at most what the kernel collapsed.
# ENGINE=perf tries the same without the module.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

engine=${ENGINE:-module} missing=0
words=$PWD/tests/recorder/programs/Words.java
postgres=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | tail -1)
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# Print the number of huge pages that khugepaged and MADV_COLLAPSE have allocated.
collapses() { awk '$1 == "thp_collapse_alloc" { print $2 }' /proc/vmstat; }

# Compare the share of unknown pages at each moment with the promise, and the private pages that
# collapses filled with the number of collapses: a page of each has a fault. Pages of several
# processes count once per process. Print them all.
owned() { # NAME COMMAND...
	local name=$1 status=0 moment rss unknown filled private count
	shift
	if ! command -v "$1" >/dev/null; then
		say "$name is not installed"
		missing=$((missing + 1))
		return
	fi
	count=$(collapses)
	"$FLTCTL" rss --engine="$engine" --json --by=object --at=peak,exit -- "$@" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	count=$(($(collapses) - count))
	same "$name: exit status: $(tail -n 1 "$tmp/err")" $status 0
	grep '^{' "$tmp/out" >"$tmp/rows" || bad "$name: no rows"
	while read -r moment rss unknown filled private; do
		say "$name: $moment: $((unknown / 1024)) of $((rss / 1024)) KiB unknown," \
			"$((unknown * 10000 / rss)) hundredths of a percent;" \
			"$((filled / 1024)) KiB filled by $count collapses"
		[ "$moment" != exit ] || unknown=$((unknown < 20480 ? 0 : unknown - 20480))
		at_most "$name: hundredths of a percent unknown at $moment" $((unknown * 10000 / rss)) 100
		at_most "$name: private pages filled by collapses at $moment" \
			$((private / page)) $((count * (huge_page / page - 1)))
		[ "$count" != 0 ] || same "$name: pages filled without a collapse at $moment" "$filled" 0
	done < <(jq -rs 'def sum(rows; key): [.[] | select(rows) | key] | add // 0;
		group_by(.moment)[] | "\(.[0].moment) \(sum(true; .rss_bytes)) \(sum(.unknown; .rss_bytes)
		) \(sum(.collapse; .rss_bytes)) \(sum(.collapse; .private_bytes))"' "$tmp/rows")
	same "$name: moments" "$(jq -sc 'map(.moment) | unique' "$tmp/rows")" '["exit","peak"]'
}

[ "$engine" != module ] || load
chmod 755 "$tmp"
cd "$tmp"
seq 1 300000 | awk '{ printf "%d line %d of a file\n", $1 * 7919 % 1000003, $1 }' >lines
owned python /usr/bin/python3 -c 'd = {i: str(i) for i in range(200000)}; print(len(d))'
owned node node -e 'const a = []; for (let i = 0; i < 200000; i++) a.push({ i, s: "x" + i });
	console.log(a.length)'
javac -d classes "$words"
owned java java -Xmx256m -cp classes Words
owned gcc gcc -O2 -g -I"$OLDPWD/include" -pthread -o batch "$OLDPWD/docs/expect/batch.c"
owned sort sort -S 32M -o sorted lines
owned sqlite3 sqlite3 :memory: 'create table t as with recursive c(i) as
	(select 1 union all select i + 1 from c where i < 100000)
	select i, i * 7919 % 1000003 as x from c; create index u on t(x); select count(*) from t;'
owned redis-server bash -c 'redis-server --port 0 --unixsocket "$PWD/redis" --save "" >log &
	until redis-cli -s redis ping >/dev/null 2>&1; do sleep 0.1; done
	redis-cli -s redis debug populate 50000 key 100
	redis-cli -s redis shutdown nosave; wait'
owned ffmpeg ffmpeg -v error -f lavfi -i testsrc=duration=1:size=640x360:rate=10 -c:v mpeg4 \
	-y film.avi
if [ "$postgres" ]; then
	mkdir database
	chown 65534:65534 database
	"${nobody[@]}" "$postgres/initdb" -D database/data -A trust -N -k --no-locale -E UTF8 >/dev/null
	owned postgres "${nobody[@]}" bash -c 'PATH=$1:$PATH
		pg_ctl -D database/data -o "-k $PWD/database -c listen_addresses=" -t 300 -w \
			-l database/log start >/dev/null
		psql -h "$PWD/database" postgres -c "create table t as select i, md5(i::text)
			from generate_series(1, 50000) i; create index u on t(md5);"
		pg_ctl -D database/data -m fast -t 300 -w stop >/dev/null' - "$postgres"
else
	say "postgres is not installed"
	missing=$((missing + 1))
fi
echo '<script>let a = []; for (let i = 0; i < 100000; i++) a.push("x" + i);
	document.write(a.length)</script>' >page.html
mkdir home
chown 65534:65534 home
HOME=$tmp/home owned chromium "${nobody[@]}" chromium --headless --no-sandbox --disable-gpu \
	--user-data-dir="$tmp/home/profile" --dump-dom "file://$tmp/page.html"
at_most "programs that are not installed" $missing 0
cd - >/dev/null
finish
