#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 cpus=2 mem=2048 timeout=500 long=1
# Promise: programs with limited memory behave as they do natively, with the eviction method
# (6.1 cannot move pages) and the fault service of this kernel. The resident pages in pagemap
# stay within the limit.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

bin=$(dirname "$FLTCTL")/tests/recorder
cd "$tmp"

# Run COMMAND natively and recorded with memory limit SIZE. Compare status and output.
compare_runs() { # NAME SIZE OPTION... -- COMMAND...
	local name=$1 mib=$2 options=() native=0 status=0 evicted
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$@" >native.out 2>native.err </dev/null || native=$?
	timeout 100 "$FLTCTL" record -L "$mib" "${options[@]}" -o trace.flt -- "$@" \
		>record.out 2>record.err </dev/null || status=$?
	rm -f trace.flt*
	# Most memory of a small program is in files, which are not limited. fltctl says so.
	if [ $status = 3 ] && tail -1 record.err | grep -q 'less than half of the memory'; then
		status=0
	fi
	same "$name ${options[*]}: status" "$status" "$native"
	same "$name ${options[*]}: output" "$(cksum <record.out)" "$(cksum <native.out)"
	evicted=$(sed -n 's/.* \([0-9]*\) pages evicted.*/\1/p' record.err)
	[ "${evicted:-0}" -gt 100 ] || bad "$name ${options[*]}: only ${evicted:-0} pages evicted"
	[ "$status" = "$native" ] || tail -3 record.err
	say "$name ${options[*]}: $(grep -o '[0-9]* faults ([^)]*)' record.err)," \
		"$evicted evicted, $(sed -n 's/^service.*, //p' record.err)"
}

seq 20000 | awk '{ printf "%d line %d\n", $1 * 7919 % 1000003, $1 }' >lines
cat >prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *p = malloc(100); sprintf(p, "%d", 7 * 6); puts(p); return 0; }
END
compare_runs sort 1 -- sort --parallel=2 -S 8M lines
compare_runs sort 1 --no-inline -- sort --parallel=2 -S 8M lines
compare_runs python3 4 -- python3 -c 'import subprocess, hashlib
a = [str(i * 7) for i in range(30000)]
print(hashlib.md5("".join(a).encode()).hexdigest(),
      subprocess.run(["echo", "sub"], capture_output=True).stdout)
print(sum(map(len, reversed(a))))'
compare_runs io 8 -- "$bin/cases" io
compare_runs gcc 1 -- gcc -O1 -S -o - prog.c
head -n 10000 lines >some
compare_runs xz 3 -- xz -T1 -2 -c some
compare_runs threads 6 -- xz -T2 --block-size=64KiB -2 -c some
compare_runs shim 1 -- bash -c \
	'exec bash -c "exec python3 -c \"print(sum(len(str(i)) for i in list(range(30000))))\""'
if command -v git >/dev/null; then
	git init -q repo
	for i in 1 2 3; do
		{ cat lines; echo "$i"; } >"repo/f$i"
		git -C repo add .
		git -C repo -c user.name=t -c user.email=t@t -c gc.auto=0 commit -q -m "commit $i"
	done
	compare_runs git 1 -- sh -c 'rm -rf clone; git clone -q --no-hardlinks repo clone &&
cd clone && git log --oneline | wc -l && git fsck --full 2>&1 && git diff HEAD~2 --stat | tail -1'
fi
if command -v sqlite3 >/dev/null; then
	compare_runs sqlite3 300K -- sqlite3 :memory: "create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000)
insert into t select x, x * 7919 % 1000003 from c;
select count(*), sum(b), min(b), max(b) from t; select * from t order by b limit 5;"
fi

# Many threads: no word of memory may have a wrong value.
for o in "" --no-inline; do
	status=0
	# shellcheck disable=SC2086
	timeout 120 "$FLTCTL" record -L 3 $o -o trace.flt -- "$bin/soak" 5 6 11 >out 2>err ||
		status=$?
	# Status 3 is accepted if the last line reports processes that were not limited.
	if [ $status = 3 ] && tail -1 err | grep 'not limited and not recorded'; then status=0; fi
	same "soak $o" "$status $(cat out)" "0 wrong 0"
	say "soak $o: $(grep -o '[0-9]* operations' err), $(grep -o '[^;]*evicted.*' err)"
	[ "$status" = 0 ] || head -4 err
	rm -f trace.flt*
done

# Before 6.8 the kernel cannot move pages.
status=0
timeout 100 "$bin/moves" >out 2>&1 || status=$?
if ! grep -q "^skipped: " out; then
	same "moves: status" $status 0
fi
# libunwind makes 390,000 system calls here, which an emulator of arm64 executes in minutes.
if [ "$(uname -m)" = x86_64 ] || [ "${LONG:-0}" = 2 ]; then
	status=0
	timeout 300 "$bin/unwinders" libc.so.6 libstdc++.so.6 >out 2>&1 || status=$?
	same "unwinders: status" $status 0
	[ $status = 0 ] || tail -3 out
fi

cd "$OLDPWD"
of_recorder snapshot 8 4000
cd "$tmp"

# Count resident pages from another process.
"$FLTCTL" record -L 8 -o trace.flt -- "$bin/walk" >pid 2>err &
record=$!
for _ in $(seq 100); do
	[ -s pid ] && break
	sleep 0.1
done
worst=0 most=$(((8 << 20) / $(getconf PAGESIZE)))
for _ in $(seq 10); do
	pages=$("$bin/resident" "$(cat pid)")
	[ "$pages" -le "$worst" ] || worst=$pages
	sleep 0.05
done
kill "$record"
wait "$record" || true
checks=$((checks + 1))
[ "$worst" -gt $((most / 2)) ] || bad "only $worst resident pages: the region was not found"
[ "$worst" -le $((most + 256)) ] || bad "$worst resident pages, the limit is $most"
say "at most $worst resident pages in 10 samples, the limit is $most"
finish
