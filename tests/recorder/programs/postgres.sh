#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# postgres.sh DIR BIN - create a database, fill it, use it with four clients and with parallel
# workers, and check it.
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
select (select sum(abalance) from pgbench_accounts) = sum(delta),
       (select sum(tbalance) from pgbench_tellers) = sum(delta),
       (select sum(bbalance) from pgbench_branches) = sum(delta) from pgbench_history;
set work_mem = '64MB';
select md5(string_agg(m, '' order by m))
       from (select md5(i::text) as m from generate_series(1, 60000) i) s;
select count(*), sum(a.n)
       from (select i % 7919 as n, count(*) as c from generate_series(1, 50000) i group by 1) a
       join (select i * 3 % 7919 as n from generate_series(1, 20000) i) b on a.n = b.n;
set parallel_setup_cost = 0;
set parallel_tuple_cost = 0;
set min_parallel_table_scan_size = 0;
set force_parallel_mode = on;
select bid, count(*), max(aid) from pgbench_accounts group by bid;
vacuum full analyze pgbench_accounts;
select count(*) from pgbench_accounts;
SQL
pg_ctl -D data -m fast -w stop > /dev/null
trap - EXIT
pg_checksums --check -D data | grep '^Bad'
