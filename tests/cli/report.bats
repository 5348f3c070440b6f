#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# report and visualize of what runs now: recorded into a temporary file, then shown as a
# recording is.

# shellcheck disable=SC2154
load cli.bash

setup() {
	dir=$BATS_TEST_TMPDIR
	chmod 755 "$dir"
	cd "$dir"
	"$FLTCTL" record -q -o probe.flt -- true || skip "no perf events here"
}

@test "report of a command shows its faults, passes its status on and leaves no file" {
	mkdir tmp
	TMPDIR=$PWD/tmp run --separate-stderr -7 "$FLTCTL" report --by thread --json -- sh -c 'exit 7'
	[[ ${lines[0]} == *'"comm":"sh"'* ]]
	[[ ${lines[0]} =~ '"faults":'([0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -gt 20 ]
	[ -z "$(ls -A tmp)" ]
	run -127 "$FLTCTL" report -- /nonexistent
}

@test "report of running processes ends after --for" {
	# So few faults that fltctl keeps up, however busy the machine is.
	python3 -c '
import mmap, time
while True:
    mmap.mmap(-1, 1 << 16).write(bytes(1 << 16))
    time.sleep(0.01)' 3>&- &
	pid=$!
	run --separate-stderr -0 "$FLTCTL" report --by thread --json -p "$pid" --for 1s
	kill "$pid"
	[[ ${lines[0]} == *"\"pid\":$pid,"* ]]
}

@test "visualize of a command draws its faults" {
	run --separate-stderr -0 "$FLTCTL" visualize --folded -o - -- true
	[[ ${lines[0]} == "true ("* ]]
	run --separate-stderr -0 "$FLTCTL" visualize --html -o t.html -- true
	grep -q "<svg" t.html
}

@test "visualize --min-percent leaves out narrow frames" {
	"$FLTCTL" record -q -o min.flt -- python3 -c 'x = [str(i) for i in range(20000)]'
	"$FLTCTL" visualize --no-symbols -o all.svg min.flt
	"$FLTCTL" visualize --no-symbols --min-percent=5 -o some.svg min.flt
	# The tooltip of a frame ends with its share of the faults.
	shares() { grep -o 'faults, [0-9.]* %' "$1" | awk '{ print $2 }' | sort -n; }
	[ "$(shares some.svg | head -n 1 | cut -d . -f 1)" -ge 5 ]
	[ "$(shares some.svg | wc -l)" = "$(shares all.svg | awk '$1 >= 5' | wc -l)" ]
	[ "$(shares some.svg | wc -l)" -lt "$(shares all.svg | wc -l)" ]
	grep -q 'narrow frames left out' some.svg
	run -2 "$FLTCTL" visualize --min-percent=101 min.flt
}

@test "visualize of a running process names the process, not the temporary file" {
	# Few faults, so that none is lost if fltctl gets no CPU for a while.
	bash -c 'while :; do true "$(:)"; sleep 0.02; done' 3>&- &
	pid=$!
	run --separate-stderr "$FLTCTL" visualize --html -o now.html -p "$pid" --for 1s
	"$FLTCTL" visualize --speedscope -o now.json -p "$pid" --for 1s
	kill "$pid"
	[ "$status" = 0 ]
	grep -q "process $pid on " now.html
	grep -q "process $pid" now.json
	[ "$(grep -c /proc/self/fd now.html now.json)" = $'now.html:0\nnow.json:0' ]
}

@test "bad usage of report and visualize is refused with a reason" {
	for command in report visualize; do
		run --separate-stderr -2 "$FLTCTL" "$command" --for 1s
		[[ $stderr == *"needs -p"* ]]
		run --separate-stderr -2 "$FLTCTL" "$command" probe.flt -- true
		[[ $stderr == *"exclude"* ]]
		run --separate-stderr -2 "$FLTCTL" "$command" -p 1 --for 1s -- true
		[[ $stderr == *"exclude"* ]]
	done
}

@test "a fault in the recorder's allocator counts for malloc() at the line of its call" {
	printf '%s\n' '#include <stdlib.h>' 'int main(void)' '{' \
		'	for (size_t size = 16; size < 1 << 20; size *= 2)' \
		'		if (!malloc(size))' '			return 1;' '}' >calls.c
	gcc -g -O0 -o calls calls.c
	"$RECORDER" record -q -L 8M -o calls.flt -- ./calls
	"$FLTCTL" report --json calls.flt >hidden
	"$FLTCTL" report --json --internals calls.flt >shown
	json hidden 'any(r["function"] == "malloc" and r["line"] == 5 and
		r["file"].endswith("calls.c") for r in rows)'
	json hidden 'not any(r["function"].startswith(("je_", "rec_")) for r in rows)'
	json shown 'any(r["function"].startswith("je_") for r in rows)'
	sum() { python3 -c 'import json, sys
print(sum(json.loads(line)["faults"] for line in sys.stdin))' <"$1"; }
	[ "$(sum hidden)" = "$(sum shown)" ]
	# Callers are the same in all outputs.
	"$FLTCTL" visualize --folded -o - calls.flt | grep -q ';main;malloc '
	"$FLTCTL" script --json calls.flt | grep -q '"stack":"malloc (libfltrec.so) < main (calls.c:5)'
	"$FLTCTL" report --by stack --json calls.flt >hidden
	json hidden 'not any(a == b and a.endswith("libfltrec.so") for r in rows
		for a, b in zip(r["lib"].split("|"), r["lib"].split("|")[1:]))'
}

@test "report --diff --by=cgroup compares the faults of cgroups" {
	"$FLTCTL" record -q -o more.flt -- python3 -c 'bytearray(1 << 22)'
	"$FLTCTL" report --by=cgroup --json probe.flt > before
	"$FLTCTL" report --by=cgroup --json more.flt > after
	"$FLTCTL" report --by=cgroup --json --diff probe.flt more.flt > rows
	# The cgroup of a process that ended early is unknown, and has a row as well.
	python3 - <<-END
		import json
		read = lambda name: [json.loads(line) for line in open(name)]
		before, after = ({r["container"]: r["faults"] for r in read(f)} for f in ("before", "after"))
		rows = read("rows")
		assert after and len(rows) == len(before | after), rows
		for r in rows:
		    assert "object" not in r and "function" not in r, r
		    assert r["before"] == before.get(r["container"], 0), (r, before)
		    assert r["after"] == after.get(r["container"], 0), (r, after)
	END
	run -2 "$FLTCTL" report --by=vma --diff probe.flt more.flt
}

@test "a command that ended before its events were read keeps its cgroup" {
	"$FLTCTL" report --json --by=cgroup -- sh -c 'echo $$ > pid; kill -STOP $PPID' > rows &
	reader=$!
	ended() { grep -q '^State:.Z' "/proc/$(cat pid)/status"; }
	until_true ended
	kill -CONT "$reader"
	wait "$reader"
	json rows "all(r['cgroup'] == '$(sed -n 's/^0:://p' /proc/self/cgroup)' for r in rows)"
}

@test "perf recordings cannot be selected by kind" {
	without_module
	"$FLTCTL" record -q -o "$dir/perf.flt" -- true
	for args in "report -i" "script -i" "visualize --folded -o - -i" "trace -i"; do
		# shellcheck disable=SC2086
		run --separate-stderr -5 "$FLTCTL" ${args/-i/--kind=anon -i} "$dir/perf.flt"
		[[ $stderr == *"perf events have none"* ]] || { echo "$args: $stderr"; false; }
	done
	"$FLTCTL" report --kind=unknown "$dir/perf.flt" | grep -q .
}

@test "report refuses views before the command runs" {
	for args in "--csv --callers" "--by=line --callees" "--diff=x --by=stack"; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" report $args -- touch "$dir/ran"
		[ ! -e "$dir/ran" ]
	done
}

@test "commands refuse a PID that does not exist, or is that of a thread" {
	for args in "record -p" "rss -p" "report --for 1 -p" "visualize --for 1 -p"; do
		# shellcheck disable=SC2086
		run --separate-stderr -1 "$FLTCTL" $args 4194303
		[ "$stderr" = "fltctl ${args%% *}: invalid PID 4194303: no such process" ]
	done
	python3 -c 'import threading, time
t = threading.Thread(target=time.sleep, args=(60,), daemon=True)
t.start()
print(t.native_id, flush=True)
time.sleep(60)' >tid 3>&- &
	pid=$!
	until_true [ -s tid ]
	run --separate-stderr -1 "$FLTCTL" record -p "$(cat tid)"
	kill "$pid"
	[[ $stderr == *": a thread of process $pid (give -p $pid)" ]]
}

@test "a PID that is not in the recording is an error" {
	for cmd in "report" "visualize -o -" "script" "trace -i"; do
		# shellcheck disable=SC2086
		run --separate-stderr -1 "$FLTCTL" $cmd probe.flt -p 4194303
		[[ $stderr == *"invalid PID 4194303: no such process in probe.flt"* ]]
	done
	recorded=$("$FLTCTL" script --json probe.flt | jq -s '.[0].pid')
	run -0 "$FLTCTL" report -p "$recorded" probe.flt
	# Two recordings have different processes.
	run -0 "$FLTCTL" report -p "$recorded" --diff probe.flt probe.flt
}

@test "a missing recording and an unknown kind are errors with a remedy" {
	for cmd in report script visualize; do
		run --separate-stderr -1 "$FLTCTL" $cmd
		[[ $stderr == *"cannot read flt.data: No such file or directory (run 'fltctl record -- "* ]]
		run --separate-stderr -2 "$FLTCTL" $cmd --kind=anon,foo probe.flt
		[[ $stderr == *"invalid --kind 'foo' (expected anon, huge, file, "*" unknown)"* ]]
	done
	run --separate-stderr -2 "$FLTCTL" trace -i probe.flt -k foo
	[[ $stderr == *"invalid kind 'foo' (expected anon, huge, file, "*" unknown)"* ]]
}

@test "an output file in a missing directory is an error with a remedy" {
	for args in "record -o no/x -- true" "visualize -o no/x probe.flt" "rss --svg -o no/x -- true"; do
		# shellcheck disable=SC2086
		run --separate-stderr -1 "$FLTCTL" $args
		[[ $stderr == *" no/x: No such file or directory (create its directory first)"* ]]
	done
}

@test "a recording made without the module says so, unless -q is given" {
	without_module
	for cmd in "record" "rss" "report" "visualize"; do
		# shellcheck disable=SC2086
		run --separate-stderr -0 "$FLTCTL" $cmd -- true
		[[ $stderr == *"the flt module is not loaded; run as root: modprobe flt"* ]]
		[[ $stderr == *"using perf events instead, without kinds and latency"* ]]
	done
	run --separate-stderr -0 "$FLTCTL" record -q -- true
	[[ $stderr != *"not loaded"* ]]
	run --separate-stderr -0 "$FLTCTL" rss --engine=perf -- true
	[[ $stderr != *"not loaded"* ]]
}

@test "without rights, errors name the process, and a sweep does not begin" {
	is_root
	without_module
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "perf is for root only"
	for args in "record -p" "rss -p" "report --for 1 -p"; do
		# shellcheck disable=SC2086
		run --separate-stderr -4 as_nobody $args 1
		[[ $stderr == *"cannot observe process 1: it belongs to another user "*"(run as root)" ]]
	done
	chmod 777 .
	run --separate-stderr -4 as_nobody record -o sweep --sweep 50 -- touch "$PWD/ran"
	[[ $stderr == *"missing CAP_SYS_PTRACE"* && $stderr != *"run 1 of"* ]]
	[ ! -e ran ] && [ -z "$output" ]
}
