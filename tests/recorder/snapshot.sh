#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A forked child of redis writes a snapshot of more data than is resident while the parent
# continues. A native server must read the same data from the snapshot.
#
# usage: snapshot.sh BUILD-DIR [MIB [REQUESTS]]
set -euo pipefail

build=$(realpath "$1") here=$(dirname "$(realpath "$0")") mib=${2:-32} requests=${3:-20000}
# shellcheck source=tests/recorder/check.bash
. "$here/check.bash"
server=''
# shellcheck disable=SC2317 # by trap
cleanup() {
	if [ -n "$server" ]; then kill -9 "$server" 2> /dev/null || true; fi
	rm -rf "$work"
}
trap cleanup EXIT
if ! command -v redis-server > /dev/null; then
	echo "ok snapshot # skip: no redis-server"
	exit 0
fi

up() {
	server=$!
	for _ in $(seq "$limit"); do
		[ "$(redis-cli -s sock ping 2> /dev/null)" = PONG ] && return
		sleep 0.2
	done
}
# Shut down the server and set $status
down() {
	status=0
	redis-cli -s sock shutdown nosave > /dev/null 2>&1 || true
	wait "$server" || status=$?
	server=''
}
options=(--port 0 --unixsocket "$work/sock" --dir "$work" --save '' --daemonize no
	--enable-debug-command local)

"$build/fltctl" record -L "$mib" -o trace.flt -- redis-server "${options[@]}" > log 2> err &
up
timeout "$limit" redis-benchmark -s sock -q -t set,get -n "$requests" -r $((requests / 2)) -d 8000 -c 4 > bench
keys=$(redis-cli -s sock dbsize)
redis-cli -s sock debug digest > before
redis-cli -s sock bgsave > /dev/null
# add other keys, which the child must not see
timeout "$limit" redis-benchmark -s sock -q -n $((requests / 4)) -r $((requests / 8)) \
	set other:__rand_int__ later > bench
for _ in $(seq "$limit"); do
	redis-cli -s sock info persistence > told
	grep -q 'bgsave_in_progress:0' told && break
	sleep 1
done
down
check "the recorded server returns 0" [ $status = 0 ]
check "$keys keys of 8000 bytes exceed the limit" [ $((keys * 8000)) -gt $((mib << 20)) ]
check "pages were evicted" grep -q '[1-9][0-9]* pages evicted' err
check "the snapshot is complete" grep -q 'last_bgsave_status:ok' told

redis-server "${options[@]}" > log 2>&1 &
up
redis-cli -s sock debug digest > after
down
check "a native server reads the same data from the snapshot" sh -c 'grep -qxE "[0-9a-f]{40}" before && cmp -s before after'
finish
