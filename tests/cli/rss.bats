#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of 'fltctl rss' with perf events.

# setup() creates $dir. Another shell expands the strings in '...'.
# shellcheck disable=SC2154,SC2016
load cli.bash

# compare FILE [EXPECTED [FUNCTION[=PAGES]...]]: the rows in FILE must agree with $dir/smaps.
compare() {
	local what got want n=0
	while read -r what got want; do
		n=$((n + 1))
		[ "$want" = '?' ] || [ "$got" = "$want" ] ||
			{ echo "$what: got $got, expected $want"; return 1; }
	done < <(tests/live/rss.py "$1" "$dir/smaps" "${@:2}")
	[ $n -ge 6 ]
}

# tenants MODE [FUNCTION[=PAGES]...]: compare the rows of `tenants` with its smaps and with the pages
# that it brought in, except those of the FUNCTIONs.
tenants() {
	local mode=$1
	shift
	"$FLTCTL" rss --json --no-inline --by=function -- \
		"${OWNED%/*}/tenants" "$mode" "$dir/smaps" "$dir/file" >"$dir/rows"
	compare "$dir/rows" "$dir/rows" "$@"
}

@test "rss refuses invalid usage with an explanation" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" rss $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		|missing target: give -p PID
		-p 1 -- true|exclude each other
		--cgroup /sys -p 1|exclude each other
		--at=never -- true|invalid moment 'never'
		--at=every=0 -- true|invalid moment 'every=0'
		-p 1 1s 2s|unexpected argument '2s'
		1s -- true|unexpected argument '1s'
		--diff -- true|--diff needs two moments
		--diff --at=1s,2s --svg -- true|--diff excludes pictures
		-o x -- true|-o needs --svg
		--memory=1B -- true|--memory
	END
}

@test "rows add up to smaps, and name the code, by every kind of row" {
	without_module
	is_root
	local by
	for by in function line object vma thread stack cgroup; do
		"$FLTCTL" rss --json --no-inline --by=$by -- "$OWNED" "$dir/file" "$dir/smaps" >"$dir/rows"
		compare "$dir/rows"
		grep '^{' "$dir/rows" >"$dir/json"
		cat "$dir/json" >>"$dir/all"
	done
	"$FLTCTL" rss --json --no-inline --by=function -- "$OWNED" "$dir/file" "$dir/smaps" >"$dir/rows"
	# perf does not see faults that the kernel takes for a process, nor kinds.
	compare "$dir/rows" "$dir/rows" populates locks moves collapsed=512 '[collapse]'
	# Two huge pages, not the two small ones that the kernel may use instead.
	grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled ||
		grep -qx 'huge anon 1024' "$dir/rows"
	"$FLTCTL" rss --json --at=5ms,exit --diff -- "$OWNED" "$dir/file" "$dir/smaps" |
		grep '^{' >>"$dir/all"
	python3 tests/docs/schemas.py docs/json -e tid rss "$dir/all"
}

# Large folios that faults fill only if a program asks for huge pages.
folios=/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled

@test "the pages of a large folio belong to the fault that filled it" {
	without_module
	is_root
	[ "$(getconf PAGESIZE)" = 4096 ] && [ -e $folios ] || skip "the kernel has no such folios"
	local before
	before=$(grep -o '\[.*\]' $folios | tr -d '[]')
	echo madvise >$folios
	# perf tells no kinds, so that pages with an older fault keep it.
	tenants folios drops=1 refills=15 || { echo "$before" >$folios; false; }
	echo "$before" >$folios
	grep -qx 'folios anon 64' "$dir/rows"
	grep -qx 'splits anon 16' "$dir/rows"
	json <(grep '^{' "$dir/rows") 'sum(r["rss_bytes"] for r in rows if r["unknown"]) < 64 << 10'
}

@test "shared pages belong to the code that mapped them in their process" {
	without_module
	is_root
	tenants shared
	json <(grep '^{' "$dir/rows") 'sum(r["rss_bytes"] for r in rows if r["unknown"]) < 64 << 10'
}

@test "the pages of a program do not belong to the program that executed it" {
	without_module
	is_root
	# perf does not see the faults of MAP_POPULATE, at the addresses of old pages.
	tenants exec populates
	json <(grep '^{' "$dir/rows") 'sum(r["rss_bytes"] for r in rows if r["unknown"]) >= 20 * 4096'
	json <(grep '^{' "$dir/rows") 'not [r for r in rows if r["function"] == "before"]'
}

# perf tells no kinds, so that a write to a protected page takes the page over. userfaultfd fills the
# pages of stale without a fault, so that they keep the owner of the old pages, as rss(8) says.
@test "userfaultfd: pages belong to the code that faults, and else keep their owner" {
	without_module
	is_root
	tenants faultfd protects unprotects=20
}

# perf does not see the faults of MAP_POPULATE. It is also not told when memory is unmapped, so that
# new memory of the same kind keeps the owner of the old one, as rss(8) says.
@test "a mapping that replaces a different one has none of its owners" {
	without_module
	is_root
	tenants replaced populates stale=20
}

# serve FIFO: start tenants, which brings pages in before and after a byte comes from FIFO.
serve() {
	mkfifo "$1"
	"${OWNED%/*}/tenants" late "$dir/smaps" <"$1" >"$dir/expected" &
	pid=$!
	exec 9>"$1"
	until_true grep -q ready "$dir/expected"
}

@test "pages from before the recording are unknown, and later ones have an owner" {
	without_module
	is_root
	serve "$dir/gate"
	"$FLTCTL" rss --json --no-inline --by=function -p $pid >"$dir/rows" 2>"$dir/err" &
	local own=$!
	until_true is_traced $pid
	echo >&9
	wait $own
	grep -q 'resident before the recording' "$dir/err"
	sed -i '/ready/d' "$dir/expected"
	compare "$dir/rows" "$dir/expected"
	json <(grep '^{' "$dir/rows") 'sum(r["rss_bytes"] for r in rows if r["unknown"]) >= 300 * 4096'
	exec 9>&-
}

@test "a running process is compared with its own smaps" {
	without_module
	is_root
	# With 16 TiB of addresses (0x4000: MAP_NORESERVE), of which three pages are present.
	/usr/bin/python3 -c '
import mmap, time
data = bytearray(5 << 20)
flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
sparse = mmap.mmap(-1, 1 << 44, flags=flags)
for at in 0, 1 << 43, (1 << 44) - 1:
    sparse[at] = 1
print("ready", flush=True)
time.sleep(600)' >"$dir/ready" &
	pid=$!
	until_true grep -q ready "$dir/ready"
	run --separate-stderr -0 "$FLTCTL" rss --json -p $pid 0.2s
	[[ $stderr == *"resident before the recording"* ]]
	echo "$output" >"$dir/rows"
	cat "/proc/$pid/smaps" >"$dir/smaps"
	# cat shares pages of libraries, too.
	BUT=shared,private compare "$dir/rows"
	json "$dir/rows" 'sum(r["rss_bytes"] for r in rows if r["unknown"]) > 5 << 20'
	grep -q 'S (sleeping)' "/proc/$pid/status"
}

records() { find "/proc/$1/fd" -lname '*perf_event*' | grep -q .; } # PID
has_ended() { ! kill -0 "$1"; } # PID
is_asleep() { grep -q '^State:.S' "/proc/$1/status"; } # PID
is_traced() { grep -q '^TracerPid:.*[1-9]' "/proc/$1/status"; } # PID

@test "the faults of children that a process has already are seen" {
	without_module
	is_root
	/usr/bin/python3 -c '
import os, sys, time
where = sys.argv[1]
def wait(name):
    while not os.path.exists(where + name):
        time.sleep(0.01)
if not os.fork():
    wait("/go")
    data = bytearray(20 << 20)
    open(where + "/done", "w").close()
    wait("/end")
    time.sleep(1)
    os._exit(0)
open(where + "/ready", "w").close()
wait("/done")' "$dir" &
	pid=$!
	until_true test -e "$dir/ready"
	"$FLTCTL" rss --json -p $pid >"$dir/rows" 2>"$dir/err" &
	local own=$!
	until_true is_traced $pid
	touch "$dir/go"
	wait $own
	touch "$dir/end"
	json "$dir/rows" 'sum(r["rss_bytes"] for r in rows if not r["unknown"]) > 20 << 20'
	json "$dir/rows" 'sum(r["rss_bytes"] for r in rows if r["unknown"]) < 18 << 20'
}

@test "moments are in order of time, and a missing one is named" {
	without_module
	# The memory is there at the exit: python would give it back before.
	local at='import os, time; time.sleep(0.5); data = bytearray(30 << 20); os._exit(0)'
	"$FLTCTL" rss --json --at=200ms,peak --diff -n 0 -- /usr/bin/python3 -c "$at" >"$dir/rows"
	json "$dir/rows" 'sum(r["change_bytes"] for r in rows) > 25 << 20'
	"$FLTCTL" rss --json --at=peak,200ms -- /usr/bin/python3 -c "$at" >"$dir/rows"
	json "$dir/rows" '[r["time_ns"] for r in rows] == sorted(r["time_ns"] for r in rows)'
	run --separate-stderr -3 "$FLTCTL" rss --csv --at=0s,1h,exit -- /usr/bin/python3 -c "$at"
	[[ $stderr == *"cannot take the memory after 1h00m: the processes ended before"* ]]
	# One heading for all moments.
	[ "$(grep -c '^moment,' <<<"$output")" = 1 ]
	# Of two tracers, the second one cannot hold the process at its exit.
	is_root
	sleep 600 &
	pid=$!
	"$FLTCTL" rss -p $pid >"$dir/rows" &
	local first=$!
	until_true is_traced $pid
	"$FLTCTL" rss -p $pid >"$dir/second" 2>"$dir/err" &
	local second=$! status=0
	until_true records $second
	kill $pid
	wait $first
	wait $second || status=$?
	[ $status = 3 ]
	grep -q 'another process traces PID' "$dir/err"
}

@test "orphans of the command are reaped" {
	without_module
	# Ten grandchildren end while the command runs.
	"$FLTCTL" rss -n 1 -- sh -c '
		for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 0.1 &); done
		for i in $(seq 1200); do
			cat /proc/$PPID/task/*/children >"$0"
			[ $(wc -w <"$0") != 1 ] || break
			sleep 0.05
		done' "$dir/children" >"$dir/out"
	[ "$(wc -w <"$dir/children")" = 1 ]
}

@test "a full memory for pages keeps the sums, and exits with status 3" {
	without_module
	is_root
	local status=0
	"$FLTCTL" rss --json --memory=24KiB -- "$OWNED" "$dir/file" "$dir/smaps" >"$dir/rows" \
		2>"$dir/err" || status=$?
	[ $status = 3 ]
	grep -q 'the memory for pages is full' "$dir/err"
	compare "$dir/rows"
}

@test "the command's status is passed on, and a killed fltctl lets it go on" {
	run --separate-stderr -7 "$FLTCTL" rss -- sh -c 'exit 7'
	run --separate-stderr -127 "$FLTCTL" rss -- /no/such/program
	[ -z "$output" ]
	"$FLTCTL" rss -- sh -c "echo \$\$ >$dir/pid; read line <$dir/gate; echo \$line >$dir/end" &
	local own=$!
	mkfifo "$dir/gate"
	until_true test -s "$dir/pid"
	pid=$(cat "$dir/pid")
	kill -9 $own
	wait $own || true
	echo alive >"$dir/gate" || true
	until_true grep -q alive "$dir/end" || kill -0 "$pid"
	pid=
}

@test "moments are taken while threads start and end" {
	is_root
	cat >"$dir/threads.py" <<-'PY'
		import threading
		for i in range(300):
		    t = threading.Thread(target=lambda: bytearray(100000))
		    t.start()
		    t.join()
		print("done")
	PY
	"$FLTCTL" rss --json --at=every=20ms,peak,exit -- python3 "$dir/threads.py" >"$dir/rows"
	grep -q '^done' "$dir/rows"
	grep '^{' "$dir/rows" >"$dir/json"
	json "$dir/json" 'len({r["moment"] for r in rows}) >= 3'
}

@test "pictures of the last moment" {
	is_root
	local kind
	for kind in svg html folded speedscope pprof; do
		"$FLTCTL" rss --$kind -o "$dir/out.$kind" -- "$OWNED" "$dir/file" "$dir/smaps.$kind" >/dev/null
		[ -s "$dir/out.$kind" ]
	done
	python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$dir/out.svg"
	# The stacks of the folded file add up to the resident pages of this run.
	local sum pages
	sum=$(awk '{ n += $NF } END { print n }' "$dir/out.folded")
	pages=$(awk '$1 == "Rss:" { kb += $2 } END { print kb / 4 }' "$dir/smaps.folded")
	[ "$sum" -gt 1000 ]
	[ "$sum" = "$pages" ]
	json "$dir/out.speedscope" 'sum(rows[0]["profiles"][0]["weights"]) == '"$(awk '$1 == "Rss:" { kb += $2 }
		END { print kb / 4 }' "$dir/smaps.speedscope")"
	grep -q ';once;' "$dir/out.folded"
	# The fields of pprof's profile.proto that tell the pages.
	cat >"$dir/profile.proto" <<-'PROTO'
		syntax = "proto3";
		message Sample { repeated int64 value = 2; }
		message Profile { repeated Sample sample = 2; }
	PROTO
	gzip -dc "$dir/out.pprof" | protoc -I "$dir" --decode=Profile "$dir/profile.proto" >"$dir/profile"
	[ "$(awk '/^  value:/ { n += $2 } END { print n }' "$dir/profile")" = \
		"$(awk '$1 == "Rss:" { kb += $2 } END { print kb / 4 }' "$dir/smaps.pprof")" ]
}

@test "the rows of each moment and of the peak add up to smaps" {
	without_module
	is_root
	mkfifo "$dir/gate"
	/usr/bin/python3 -c '
import mmap, sys
pages = mmap.mmap(-1, 8 << 20)
for i in range(0, len(pages), mmap.PAGESIZE):
    pages[i] = 1
print("much", flush=True)
sys.stdin.readline()
pages.close()
print("little", flush=True)
sys.stdin.readline()' <"$dir/gate" >"$dir/said" &
	pid=$!
	exec 9>"$dir/gate"
	until_true grep -q much "$dir/said"
	until_true is_asleep $pid
	"$FLTCTL" rss --json --at=every=50ms,peak -p $pid >"$dir/rows" 2>"$dir/err" 9>&- &
	local own=$! moment where equal=()
	until_true is_traced $pid
	# The process changes nothing until it reads a line. Then it has 20 moments with more memory.
	sleep 1
	cp /proc/$pid/smaps "$dir/much"
	echo >&9
	until_true grep -q little "$dir/said"
	until_true is_asleep $pid
	sleep 1
	cp /proc/$pid/smaps "$dir/little"
	exec 9>&-
	wait $own
	# Other processes may map the libraries meanwhile.
	export BUT=shared,private
	/usr/bin/python3 - "$dir" <<-'PY'
		import json, sys
		moments = {}
		for line in open(sys.argv[1] + "/rows"):
		    moments.setdefault(json.loads(line)["moment"], []).append(line)
		for name, rows in moments.items():
		    open(f"{sys.argv[1]}/moment.{name}", "w").writelines(rows)
	PY
	for moment in "$dir"/moment.*; do
		for where in much little; do
			cp "$dir/$where" "$dir/smaps"
			! compare "$moment" >"$dir/$where.said" || equal+=("${moment##*.moment.} $where")
		done
	done
	printf '%s\n' "${equal[@]##*/moment.}" | tee "$dir/equal"
	grep -qx 'peak much' "$dir/equal"
	grep -q 'ms much' "$dir/equal"
	grep -q '[0-9]s little' "$dir/equal"
	# The process may have changed its memory at a moment: when it has read each line.
	[ ${#equal[@]} -ge $(($(find "$dir" -name 'moment.*' | wc -l) - 2)) ]
}

# The kernel takes pages at once, so that the memory is larger when the counters are read than when
# the program has stopped.
@test "the peak is never replaced by less memory" {
	without_module
	local spikes='
import mmap, os, time
def hold(mb):
    return mmap.mmap(-1, mb << 20, flags=0x8000 | mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
base = hold(100)
first = hold(60)
time.sleep(1)
first.close()
for i in range(10):
    end = time.monotonic() + 0.15
    while time.monotonic() < end:
        hold(62 + 12 * i).close()
os._exit(0)'
	for _ in 1 2; do
		"$FLTCTL" rss --json -n 0 --at=peak -- /usr/bin/python3 -c "$spikes" >"$dir/rows"
		json "$dir/rows" 'sum(r["rss_bytes"] for r in rows) >= 160 << 20'
	done
}

@test "a moment that is named twice is taken once" {
	without_module
	"$FLTCTL" rss --json --at=exit,peak,exit,peak -- true >"$dir/rows"
	json "$dir/rows" 'len({r["time_ns"] for r in rows}) == 2'
}

@test "a process has ended before its parent waits for it" {
	without_module
	mkfifo "$dir/gate"
	/usr/bin/python3 -c '
import os, sys, time
child = os.fork()
if not child:
    sys.stdin.read()
    os._exit(0)
print(child, flush=True)
time.sleep(600)' <"$dir/gate" >"$dir/child" &
	pid=$!
	exec 9>"$dir/gate"
	until_true test -s "$dir/child"
	"$FLTCTL" rss --json --at=peak -p "$(cat "$dir/child")" >"$dir/rows" 2>"$dir/err" 9>&- &
	local own=$! ended=0
	until_true is_traced "$(cat "$dir/child")"
	exec 9>&-
	until_true grep -q '^State:.Z' "/proc/$(cat "$dir/child")/status"
	until_true has_ended $own || { kill $own; ended=1; }
	[ $ended = 0 ]
	wait $own
}

@test "a process that has lost its parent is named as missing" {
	without_module
	is_root
	/usr/bin/python3 -c '
import os, sys, time
where = sys.argv[1]
while not os.path.exists(where + "/go"):
    time.sleep(0.01)
if not os.fork():
    if not os.fork():
        while os.getppid() != 1:
            time.sleep(0.01)
        data = bytearray(20 << 20)
        open(where + "/touched", "w").close()
        time.sleep(600)
    os._exit(0)
os.wait()
while not os.path.exists(where + "/touched"):
    time.sleep(0.01)' "$dir" &
	pid=$!
	"$FLTCTL" rss --json -p $pid >"$dir/rows" 2>"$dir/err" &
	local own=$! status=0
	until_true is_traced $pid
	touch "$dir/go"
	wait $own || status=$?
	pkill -f "$dir\$" || true
	[ $status = 3 ]
	grep -q 'exit: missing processes whose parents ended: 1, such as PID [0-9]*, python3' "$dir/err"
}

# The first moment is the peak: while the program has much memory.
@test "a mapping that replaces another one at its address is a row of its own" {
	is_root
	head -c 65536 /dev/zero >"$dir/mapped"
	cat >"$dir/replace.py" <<-'PY'
		import ctypes, os, sys, time
		libc = ctypes.CDLL(None)
		libc.mmap.restype = ctypes.c_void_p
		place = ctypes.c_void_p(0x200000000000)
		def fill(flags, file):
		    if libc.mmap(place, ctypes.c_size_t(65536), 3, flags, file, ctypes.c_long(0)) != place.value:
		        sys.exit("mmap failed")
		    ctypes.memset(place, 1, 65536)
		fill(0x32, -1)
		much = bytearray(50 << 20)
		time.sleep(1)
		del much
		fill(0x12, os.open(sys.argv[1], os.O_RDONLY))
	PY
	"$FLTCTL" rss --json --at=peak,exit --diff --by=vma -- \
		/usr/bin/python3 "$dir/replace.py" "$dir/mapped" >"$dir/rows"
	grep '^{' "$dir/rows" >"$dir/json"
	json "$dir/json" 'sorted((r["object"][-6:], r["before_bytes"], r["rss_bytes"]) for r in rows if
		r.get("address") == "0x200000000000") == [("[anon]", 65536, 0), ("mapped", 0, 65536)]'
}

# peak_of MAPPINGS: print the most memory of fltctl, in bytes, while it shows a process that has every
# second page of mappings of the same 128 MiB. Few faults are recorded, because the memory of the
# recording would vary, but enough to touch all that fltctl knows of owners.
peak_of() {
	local own
	rm -f "$dir/gate"
	mkfifo "$dir/gate"
	/usr/bin/python3 -c '
import mmap, os, sys
size = 128 << 20
page = mmap.PAGESIZE
file = os.memfd_create("pages")
os.ftruncate(file, size)
maps = [mmap.mmap(file, size) for _ in range(int(sys.argv[1]))]
for m in maps:
    m[0:size:2 * page] = bytes(size // page // 2)
print("ready", flush=True)
sys.stdin.read()
for m in maps:
    for at in range(0, size, 512 * page):
        m.madvise(mmap.MADV_DONTNEED, at, page)
        m[at] = 1
os._exit(0)' "$1" <"$dir/gate" >"$dir/ready" &
	pid=$!
	exec 9>"$dir/gate"
	until_true grep -q ready "$dir/ready"
	# Not the child of fltctl, whose memory the kernel would count as well.
	/usr/bin/time -f %M -o "$dir/peak" "${RECORDER:?}" rss --json --by=thread -p $pid \
		>"$dir/rows" 2>"$dir/err" 9>&- &
	own=$!
	until_true is_traced $pid
	exec 9>&-
	wait $own
	json "$dir/rows" "sum(r['shmem_bytes'] for r in rows) == $1 << 26"
	json "$dir/rows" "sum(r['shmem_bytes'] for r in rows if not r['unknown']) >= $1 << 18"
	awk 'END { print $1 * 1024 }' "$dir/peak"
}

# No two pages are adjacent, which is the worst case. So many pages make differences of the memory
# that fltctl takes for anything else small: a tenth of a byte is 200 KiB.
@test "a resident page takes at most 24 bytes of fltctl" {
	without_module
	is_root
	[ "$(getconf PAGESIZE)" = 4096 ] || skip "the sizes are those of pages of 4 KiB"
	local few many
	few=$(peak_of 8)
	many=$(peak_of 136)
	echo "bytes per page: $(((many - few) * 10 / (128 * 16384)))/10"
	[ $((many - few)) -gt $((12 * 128 * 16384)) ]
	[ $((many - few)) -le $((24 * 128 * 16384)) ]
}
