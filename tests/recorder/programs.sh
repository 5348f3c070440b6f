#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real programs with little memory must have the same output and status as natively, in time.
#
# usage: programs.sh BUILD-DIR [NAME...]
# Prints the native and the recorded time of each program without checking them.
set -euo pipefail

build=$(realpath "$1")
shift
fltctl=$build/fltctl
limit=${FLT_TEST_LIMIT:-300}
only=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0 ran=0

# program NAME MIB COMMAND...: skipped if the command is not installed
program() {
	local name=$1 mib=$2 native=0 status=0 t0 t1 t2
	shift 2
	if [ ${#only[@]} != 0 ] && [[ " ${only[*]} " != *" $name "* ]]; then return; fi
	if ! command -v "$1" > /dev/null; then
		echo "ok $name # skip: no $1"
		return
	fi
	ran=$((ran + 1))
	t0=$(date +%s%N)
	timeout "$limit" "$@" > native.out 2> native.err || native=$?
	t1=$(date +%s%N)
	timeout "$limit" "$fltctl" record -q -L "$mib" -o trace.flt -- "$@" > record.out 2> record.err || status=$?
	t2=$(date +%s%N)
	rm -f trace.flt*
	# some processes escaped, but the output must still be the same
	if [ $status = 3 ] && tail -1 record.err | grep -E 'not limited and not recorded|under the limit'; then status=0; fi
	if [ $status = $native ] && [ -s native.out ] && cmp -s native.out record.out; then
		echo "ok $name -L $mib: $(((t1 - t0) / 1000000)) ms natively, $(((t2 - t1) / 1000000)) ms recorded"
	else
		echo "not ok $name: status $status, natively $native"
		diff <(head -c 2000 native.out) <(head -c 2000 record.out) | head -5 || true
		tail -3 record.err
		failed=$((failed + 1))
	fi
}

cat > run.py << 'END'
import hashlib, multiprocessing, os, subprocess, threading
a = [i * 7 for i in range(400000)]
d = {str(i): i for i in range(100000)}
print(hashlib.md5(repr(a).encode()).hexdigest())
out = []
def part(k): out.append(sum(v for v in d.values() if v % 5 == k))
ts = [threading.Thread(target=part, args=(k,)) for k in range(5)]
[t.start() for t in ts]; [t.join() for t in ts]
print(sorted(out))
print(subprocess.run(["sh", "-c", "echo sub; head -c 1000 /dev/zero | wc -c"], capture_output=True).stdout)
pid = os.fork()
if not pid: os._exit(0 if sum(d.values()) == 100000 * 99999 // 2 else 9)
print(os.waitpid(pid, 0)[1])
with multiprocessing.Pool(2) as p: print(sum(p.map(len, [a] * 3)))
END
cat > prog.cc << 'END'
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
static long work(int k)
{
	std::map<int, std::string> m;
	long sum = 0;
	for (int i = 0; i < 60000; i++) m[i * 7919 % 100003] = std::to_string(i * k);
	for (auto &e : m) sum += e.first * (long)e.second.size();
	try { if (sum) throw std::runtime_error(m.begin()->second); }
	catch (const std::exception &e) { sum += e.what()[0]; }
	return sum;
}
int main()
{
	std::vector<long> r(4);
	std::vector<std::thread> t;
	for (int i = 0; i < 4; i++) t.emplace_back([&r, i] { r[i] = work(i + 1); });
	for (auto &x : t) x.join();
	for (long x : r) std::cout << x << '\n';
}
END
cat > omp.c << 'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	long n = 3 << 20, sum = 0;
	long *p = malloc(n * sizeof *p);
	#pragma omp parallel for
	for (long i = 0; i < n; i++) p[i] = i * 3;
	#pragma omp parallel for reduction(+:sum)
	for (long i = 0; i < n; i++) sum += p[i] ^ i;
	printf("%ld\n", sum);
}
END
seq 1 700000 | awk '{ printf "%d line %d of a file\n", $1 * 7919 % 1000003, $1 }' > lines
head -n 120000 lines > some
for i in 7 3 9 1 5 8 2; do sed "s/^/$i/" lines; done > many	# 180 MB
g++ -O1 -s -pie -pthread -o prog prog.cc
gcc -O2 -fopenmp -o omp omp.c

program python 16 python3 run.py
program sort2 32 sort --parallel=2 -S 96M many
program sort4 32 sort --parallel=4 -S 96M many
program gcc 16 gcc -O2 -S -o - omp.c
program g++ 32 g++ -O2 -flto -frandom-seed=1 -S -o - prog.cc
program lto 24 sh -c 'g++ -O2 -flto=2 -pthread -o lto prog.cc && ./lto'
program xz1 96 xz -T1 -6 -c some
program xz2 96 xz -T2 -6 --block-size=1MiB -c some
program sqlite 48 sqlite3 :memory: "create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 1500000)
insert into t select x, x * 7919 % 1000003 from c; create index i on t(b);
select count(*), sum(b), min(b), max(b) from t; select * from t order by b limit 5;"
program shim 8 bash -c 'exec bash -c "exec python3 -c \"print(sum(len(str(i)) for i in range(100000)))\""'
# shellcheck disable=SC2016
program perl 32 perl -e 'my %h; $h{$_ * 7919 % 1000003} = "v$_" for 1..60000;
my $s = 0; $s += length $h{$_} for sort { $a <=> $b } keys %h; print "$s\n"; print `echo sub`;'
program node 64 node -e 'const a = []; for (let i = 0; i < 300000; i++) a.push({ i, s: "x" + i });
console.log(a.filter(o => o.s.endsWith("7")).length, require("child_process").execSync("echo sub").toString())'
program c++ 8 ./prog
program openmp 8 ./omp
if command -v git > /dev/null; then
	git init -q repo
	for i in $(seq 8); do
		cp some "repo/f$i"
		echo "$i" >> "repo/f$i"
		git -C repo add .
		git -C repo -c user.name=t -c user.email=t@t -c gc.auto=0 commit -q -m "commit $i"
	done
fi
program git 16 sh -c 'rm -rf clone; git clone -q --no-hardlinks repo clone && cd clone &&
git log --oneline | wc -l && git fsck --full 2>&1 && git gc -q && git status --short && git diff HEAD~3 --stat | tail -1'

# Create a database, fill it, use it with four clients at a time and check it. Its server
# refuses to run as root, so keep only the capabilities that the recorder needs.
pgbin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2> /dev/null | tail -1)
cat > pg.sh << 'END'
set -e
cd "$1"
rm -rf data
PATH=$2:$PATH
initdb -D data -A trust -N -k --no-locale -E UTF8 > /dev/null
trap 'pg_ctl -D data -m immediate stop > /dev/null 2>&1' EXIT
pg_ctl -D data -o "-k $1 -c listen_addresses= -c fsync=off" -t 120 -w -l log start > /dev/null
export PGHOST=$1 PGDATABASE=postgres
pgbench -q -i -s 1 2> /dev/null
pgbench -n -c 4 -j 2 -t 60 > bench 2>&1 || cat bench
grep 'transactions actually' bench
psql -At << 'SQL'
select count(*) from pgbench_history;
select (select sum(abalance) from pgbench_accounts) = sum(delta), (select sum(tbalance) from pgbench_tellers) = sum(delta),
       (select sum(bbalance) from pgbench_branches) = sum(delta) from pgbench_history;
set work_mem = '64MB';
select md5(string_agg(m, '' order by m)) from (select md5(i::text) as m from generate_series(1, 60000) i) s;
select count(*), sum(a.n) from (select i % 7919 as n, count(*) as c from generate_series(1, 50000) i group by 1) a
       join (select i * 3 % 7919 as n from generate_series(1, 20000) i) b on a.n = b.n;
vacuum full analyze pgbench_accounts;
select count(*) from pgbench_accounts;
SQL
pg_ctl -D data -m fast -w stop > /dev/null
trap - EXIT
pg_checksums --check -D data | grep '^Bad'
END
if [ -z "$pgbin" ]; then
	echo "ok postgres # skip: no server"
elif [ "$(id -u)" != 0 ]; then
	program postgres 4 bash pg.sh "$work" "$pgbin"
elif id postgres > /dev/null 2>&1; then
	mkdir -p pg
	chmod 711 .
	chmod 644 pg.sh
	chown postgres pg
	caps=+sys_ptrace,+perfmon,+bpf
	program postgres 4 setpriv --reuid=postgres --regid=postgres --clear-groups --inh-caps=$caps --ambient-caps=$caps \
		bash pg.sh "$work/pg" "$pgbin"
fi

echo "$((ran - failed)) of $ran programs behave as natively"
[ $failed = 0 ] && [ $ran -gt 0 ]
