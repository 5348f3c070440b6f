#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# expect: budgets, verdicts, marks, formats and --update, by perf events. The program is that of
# docs/expect, whose own files expect_project.bats tests; the oracle is getrusage() of a program or
# perf stat.

# shellcheck disable=SC2154,SC2016,SC2094
load cli.bash

setup_file() {
	export program=$BATS_FILE_TMPDIR/batch schemas=$PWD/tests/docs/schemas.py \
		json_dir=$PWD/docs/json
	gcc -O2 -g -Iinclude -o "$program" docs/expect/batch.c -pthread
	gcc -O2 -g -Iinclude -o "$BATS_FILE_TMPDIR/marks" tests/cli/expect_marks.c -pthread
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	dir=$BATS_TEST_TMPDIR
	chmod 755 "$dir"
	"$FLTCTL" record -q -o probe.flt -- true || skip "no perf events here"
	marks=$BATS_FILE_TMPDIR/marks
}

expect() { run --separate-stderr "$FLTCTL" expect "$@"; }

@test "output of the command that cannot be passed on is an error" {
	status=0
	"$FLTCTL" expect -e 'minor >= 0 after line "one"' -- sh -c 'echo one; echo two' \
		>/dev/full 2>"$dir/err" || status=$?
	[ $status = 1 ]
	grep -q 'cannot write the output of the command: No space left' "$dir/err"
	# A pipe that takes nothing for a moment is no error.
	"$FLTCTL" expect -e 'minor >= 0 after line "1"' -- seq 100000 2>"$dir/err" |
		(sleep 0.3; tail -n +1) >"$dir/out"
	[ "$(head -n 100000 "$dir/out" | tail -n 1)" = 100000 ]
}

# The program prints the faults that getrusage() saw between its marks, in each of 20 rounds.
@test "counts between marks equal those of getrusage" {
	without_module
	"$marks" rules >rules
	"$FLTCTL" expect --json -o out rules -- "$marks" run >counts || [ $? = 6 ]
	json out 'sum(r["record"] == "rule" for r in rows) == 20'
	join <(sort counts) <(jq -r 'select(.record == "rule") | "\(.line) \(.count)"' out | sort) >both
	[ "$(wc -l <both)" = 20 ]
	awk '$2 != $3 { exit 1 } { sum += $2 } END { if (sum < 200) exit 1 }' both
}

@test "total counts equal those of perf stat" {
	without_module
	command -v perf >/dev/null || skip "no perf"
	expect --json -o out -e 'minor(process=marks) <= 99999' -e 'major(process=marks) <= 99999' -- \
		perf stat -x, -e minor-faults,major-faults -o stat -- "$marks" fixed
	[ "$status" = 0 ]
	grep -o '^[0-9]*,' stat | tr -d , >want
	[ "$(head -n 1 want)" -gt 100 ]
	[ "$(jq 'select(.record == "rule").count' out)" = "$(cat want)" ]
}

@test "a mark that never comes is not a pass" {
	expect -e 'minor == 0 after mark "nothing"' -- "$program"
	[ "$status" = 5 ]
	[[ $output == *'mark "nothing" never came'* ]]
	expect -e 'minor <= 9999 before line "nothing"' -- "$program"
	[ "$status" = 5 ]
	[[ ${lines[0]} == "done" ]]
	expect -e 'minor <= 9999 after signal USR1' -- "$program"
	[ "$status" = 5 ]
}

@test "marks in the wrong order are not a pass" {
	status=0
	# The first mark is known when its line has been passed on.
	# shellcheck disable=SC2016 # expanded by the command
	"$FLTCTL" expect -e 'minor <= 9999 after line "second" before line "first"' -- sh -c 'echo first
		until grep -q first "$1"; do sleep 0.01; done
		echo second
		exec "$0"' "$program" "$dir/shown" >"$dir/shown" || status=$?
	[ $status = 5 ]
	grep -q '"first" came before "second"' "$dir/shown"
}

@test "a misspelt name is not a pass" {
	for rule in 'minor(process_btach) == 0' 'minor(thread=oi-*) == 0' 'minor(process=cat) == 0'; do
		expect -e "$rule" -- "$program"
		[ "$status" = 5 ]
		[[ $output == *"unmeasured"*"cannot be measured: no "* ]]
	done
}

@test "kinds need the module, and say so" {
	without_module
	expect -e 'anon == 0' -e 'refault == 0' -e 'failed == 0' -e 'minor <= 9999' -- "$program"
	[ "$status" = 5 ]
	[[ $output == *"1 kept, 0 broken, 3 not measured"* ]]
	[[ $output == *"'anon' needs the module flt"* ]]
}

@test "a rule that others break is broken, also if another cannot be measured" {
	expect -e 'minor == 0' -e 'minor == 0 after mark "nothing"' -- "$program"
	[ "$status" = 6 ]
	[[ ${lines[2]} == broken* ]]
}

@test "lost faults are not a pass, but break a rule that they cannot keep" {
	without_module
	stopped='kill -STOP $PPID; "$0" flood; kill -CONT $PPID'
	expect --unwind=dwarf -e 'minor >= 0' -e 'minor <= 2000000' -e 'minor <= 5' -- sh -c "$stopped" "$marks"
	[ "$status" = 6 ]
	[[ $output == *"1 kept, 1 broken, 1 not measured"* ]]
	[[ $output == *"cannot be measured: lost "* ]]
}

@test "the status of the command is passed on" {
	expect -e 'minor == 0' -- sh -c 'exit 7'
	[ "$status" = 7 ]
	[[ $output == *broken* ]]
	[[ $output == *"the command ended with status 7"* ]]
	run -127 "$FLTCTL" expect -e 'minor == 0' -- /nonexistent
	expect -e 'minor >= 0' -- sh -c 'kill -TERM $$'
	[ "$status" = 143 ]
}

@test "lines of the output are marks, and pass unchanged" {
	# The command waits until its line has passed.
	"$FLTCTL" expect -e 'faults >= 0 after line "^two$"' -e 'faults(process=seq) == 0 after line "^400000"' \
		-o report -- sh -c 'echo one; echo two; seq 400000
			until tail -n 1 all | grep -q 400000; do sleep 0.05; done; printf end' >all
	[ "$(cat all)" = "$(printf 'one\ntwo\n'; seq 400000; printf end)" ]
	expect -e 'faults(process=sleep) >= 1 after line "ready"' -o report -- sh -c 'echo ready; sleep 0.1; sleep 0.1'
	[ "$status" = 0 ]
}

@test "a process that the command leaves keeps its standard output" {
	expect -e 'faults <= 9999999 before line "x"' -o report -- sh -c 'echo x; (sleep 0.3; echo late) & exit 0'
	[ "$output" = $'x\nlate' ]
	[ "$status" = 0 ]
}

@test "signals are marks" {
	expect -e 'faults(process=sleep) >= 1 after signal USR1' -e 'faults(process=cat) == 0 after signal USR2' \
		-- sh -c 'cat /dev/null; kill -USR1 $PPID; sleep 0.1; kill -USR2 $PPID; sleep 0.1'
	[ "$status" = 0 ]
}

@test "processes and threads are selected by their last names" {
	expect -e 'minor(thread=io-1) >= 8' -e 'minor(thread=io-2) >= 0' -e 'minor(process=batch) >= 64' -- "$program"
	[ "$status" = 5 ]
	[[ $output == *"2 kept, 0 broken, 1 not measured"* ]]
}

@test "inlined functions and C++ functions are found" {
	cat >f.cc <<-'END'
	#include <cstring>
	#include <cstdlib>
	namespace ns { __attribute__((always_inline)) static inline void fill(char *p, int n)
	{ for (int i = 0; i < n; i += 4096) { asm volatile("" : : : "memory"); p[i] = 1; } }
	struct c { __attribute__((noinline)) void run(char *p, int n) { fill(p, n); asm volatile(""); } }; }
	int main() { char *p = (char *)malloc(1 << 22); ns::c().run(p, 1 << 22); return 0; }
	END
	g++ -g -O2 -o f f.cc
	expect -e 'faults(fill) >= 1' -e 'faults(ns::c::run) >= 1' -e 'faults("ns::c::run(char*, int)") >= 1' -- ./f
	[ "$status" = 0 ]
}

@test "TAP, JUnit XML, JSON and CSV" {
	without_module
	rules=(-e 'minor == 0' -e 'major >= 0' -e 'anon == 0')
	expect --format=tap "${rules[@]}" -- true
	[ "$status" = 6 ]
	[ "${lines[0]}" = "TAP version 13" ]
	[ "${lines[1]}" = 1..4 ]
	[ "$(grep -c '^ok' <<<"$output")" = 2 ]
	[ "$(grep -c '^not ok' <<<"$output")" = 2 ]
	expect --format=junit -o out.xml "${rules[@]}" -- sh -c 'exit 3'
	[ "$status" = 3 ]
	python3 - <<-'END'
	import xml.etree.ElementTree as tree
	suite = tree.parse("out.xml").getroot()[0]
	assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "1")
	cases = suite.findall("testcase")
	assert cases[0].find("failure").get("message") == "status 3"
	assert "_start" in cases[1].find("failure").text
	assert "module" in cases[3].find("error").get("message")
	END
	expect --json -o out.json "${rules[@]}" -- true
	[ "$status" = 6 ]
	json out.json 'rows[0]["verdict"] == "broken" and rows[1]["record"] == "fault" and rows[1]["stack"]'
	json out.json 'rows[-1]["record"] == "run" and rows[-1]["engine"] == "perf"'
	python3 "$schemas" "$json_dir" expect out.json
	expect --csv "${rules[@]}" -- true
	[[ ${lines[0]} == record,verdict,count,* ]]
}

@test "--update writes limits with slack, keeps the rest and reports what varied" {
	without_module
	printf '# head\nmajor == 0 # kept\nminor(process_batch) < 3 # changed\nminor <= 1\n' >b
	expect --update --runs=3 --slack=0 --json -o rows b -- "$program"
	[ "$status" = 0 ]
	[ "$(head -n 3 b)" = "$(printf '# head\nmajor == 0 # kept\nminor(process_batch) <= 64 # changed')" ]
	[[ $stderr == *"wrote b from 3 runs; "* ]]
	python3 "$schemas" "$json_dir" expect-update rows
	json rows 'rows[1]["least"] == rows[1]["most"] == rows[1]["limit"] == 64 and not rows[1]["varied"]'
	expect --update --runs=2 new -- "$marks" vary "$dir/state"
	[ "$status" = 0 ]
	[[ $stderr == *"2 runs; "* ]]
	[[ $output =~ yes.*"minor <= 0" ]]
	expect new -- "$marks" vary "$dir/state"
	[ "$status" = 0 ]
}

@test "--update writes nothing after a failed run, and reports a broken rule that it keeps" {
	without_module
	printf 'minor <= 1\n' >b
	expect --update b -- sh -c 'exit 4'
	[ "$status" = 4 ]
	[ "$(cat b)" = "minor <= 1" ]
	printf 'anon <= 1\n' >b
	expect --update b -- true
	[ "$status" = 5 ]
	[ "$(cat b)" = "anon <= 1" ]
	printf 'minor == 1\n' >b
	expect --update --runs=1 b -- true
	[ "$status" = 6 ]
	[[ $stderr == *"b:1: broken by a run"* ]]
	[ "$(cat b)" = "minor == 1" ]
}

@test "without CAP_PERFMON, --user counts faults in user mode" {
	is_root
	without_module
	run --separate-stderr as_nobody expect -e 'minor >= 0' -e 'minor <= 9999' -- true
	[ "$status" = 5 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 2 ]
	run --separate-stderr as_nobody expect --user -e 'minor >= 20' -- true
	[ "$status" = 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ]
}

@test "errors in a budget name file, line, word and remedy" {
	printf 'major == 0\nmionr <= 3\n' >bad
	expect bad -- true
	[ "$status" = 2 ]
	[[ $stderr == *"bad:2: invalid counter 'mionr' (expected faults, minor,"* ]]
	[ -z "$output" ]
	expect -e 'major == 0' -e 'minor = 3' -- true
	[ "$status" = 2 ]
	[[ $stderr == *"-e:2: invalid operator '='"* ]]
	for budget in /nonexistent "$dir"; do
		expect "$budget" -- true
		[ "$status" = 2 ]
		[[ $stderr == *"cannot read $budget: "*"(give a budget: one rule per line)"* ]]
	done
	: >empty
	expect empty -- true
	[ "$status" = 2 ]
	expect -e 'major == 0'
	[ "$status" = 2 ]
	expect -- true
	[ "$status" = 2 ]
	expect --update -e 'major == 0' -- true
	[ "$status" = 2 ]
	expect --format=tap --json -e 'major == 0' -- true
	[ "$status" = 2 ]
}

@test "flt_mark does nothing without fltctl, and survives its end" {
	env -u FLT_MARK_FD "$program"
	# Nobody reads from this end: no signal, no wait.
	FLT_MARK_FD=77 "$program"
}

@test "a full disk is named, in each format" {
	for format in "" --json --csv --format=tap --format=junit; do
		# shellcheck disable=SC2086
		run --separate-stderr -1 "$FLTCTL" expect $format -o /dev/full -e 'minor <= 100000' -- true
		[[ $stderr == *"cannot write /dev/full: No space left on device"* ]]
	done
}

@test "a budget that cannot be measured leaves no process behind" {
	without_module
	run timeout 20 sh -c '"$FLTCTL" expect --engine=module -e "minor >= 0 after line \"x\"" -- true |
		cat'
	[ "$status" != 124 ]
}

@test "a mark whose time is not that of the run is no mark" {
	without_module
	for text in '9999999999999999999 ready' '-1 ready' '5 ready'; do
		expect -e 'minor == 0 after mark "ready"' -- bash -c 'printf %s "$0" >&"$FLT_MARK_FD"' "$text"
		[ "$status" = 5 ]
		[[ $stderr == *"ignored 1 invalid message"* ]]
	done
}

@test "a line that is read after the command ended is no result" {
	without_module
	expect -e 'minor == 0 after line "ready"' -- sh -c 'printf ready; exec /bin/true'
	[ "$status" = 5 ]
	[[ $output == *'line "ready" was read when the command had ended'* ]]
	# All faults count as before the line, which breaks no limit wrongly, but keeps a minimum.
	expect -e 'minor <= 100000 before line "ready"' -- sh -c 'printf ready; exec /bin/true'
	[ "$status" = 0 ]
	expect -e 'minor >= 1 before line "ready"' -- sh -c 'printf ready; exec /bin/true'
	[ "$status" = 5 ]
}

@test "a function includes the parts into which the compiler split it" {
	without_module
	cat >split.c <<-'END'
	#include <stdlib.h>
	void touch_part(char *p) __asm__("touch.part.0");
	__attribute__((noinline)) void touch_part(char *p) { *(volatile char *)p = 1; }
	__attribute__((noinline)) void touch(char *p) { *(volatile char *)p = 2; }
	int main(int argc, char **argv)
	{
		touch_part(aligned_alloc(1 << 20, 1 << 20) + 4096);
		if (argc > 1)
			touch(argv[1]);
	}
	END
	gcc -O1 -fno-omit-frame-pointer -o split split.c
	expect -e 'minor(touch) == 0' -- ./split
	[ "$status" = 6 ]
	[[ $output == *"touch.part.0"* ]]
}

@test "the name of a thread cannot forge a line of TAP" {
	without_module
	expect --format=tap -e 'minor(thread=*9*) == 0' -- /usr/bin/python3 -c \
		'import ctypes; ctypes.CDLL(None).prctl(15, b"\n  ...\nok 9 -"); bytearray(1 << 20)'
	[ "$status" = 6 ]
	[[ $output == *'\n  ...\nok 9 -'* ]]
	run ! grep -q '^ok 9' <<<"$output"
}

@test "results are written also if nothing is measured, and replace those of an earlier run" {
	without_module
	for format in tap junit; do
		echo stale >out
		expect --engine=module --format=$format -o out -e 'minor >= 0' -- true
		[ "$status" = 5 ] || [ "$status" = 4 ]
		grep -q 'the command was not observed' out
		run ! grep -q stale out
		run -127 --separate-stderr "$FLTCTL" expect --format=$format -o out -e 'minor >= 0' -- /nonexistent
		grep -q 'the command was not observed' out
	done
	python3 -c 'import xml.etree.ElementTree as t
assert t.parse("out").getroot()[0].get("errors") == "2"'
	run -127 --separate-stderr "$FLTCTL" expect --json -o out -e 'minor >= 0' -- /nonexistent
	json out 'rows[0]["verdict"] == "unmeasured" and "engine" not in rows[-1]'
	python3 "$schemas" "$json_dir" expect out
}

# The pipe to fltctl has room for what fltctl does not hold: "ready" stays in the pipe.
write_much() {
	cat >write.py <<-'END'
	import array, fcntl, os, subprocess, sys, termios
	F_SETPIPE_SZ = 1031
	left = array.array("i", [len(sys.argv)])
	fcntl.fcntl(1, F_SETPIPE_SZ, 1 << 20)
	os.write(1, b"x" * int(sys.argv[2]) + b"\nready\n")
	# With a third argument, wait until all has been read.
	while len(sys.argv) > 3 and left[0]:
	    fcntl.ioctl(1, termios.FIONREAD, left)
	subprocess.run([sys.argv[1], "fixed"])
	END
}

@test "a slow reader of the output makes the time of a line unknown" {
	without_module
	write_much
	"$FLTCTL" expect --json -o out -e 'minor(process=marks) >= 100' \
		-e 'minor == 0 after line "ready"' -- /usr/bin/python3 write.py "$marks" 4700000 |
		{ sleep 2; cat >/dev/null; } || [ "${PIPESTATUS[0]}" = 5 ]
	json out 'sum(r.get("verdict") == "kept" for r in rows) == 1'
	json out 'any("was read " in r.get("why", "") for r in rows)'
}

@test "lines are read in time while a reader is slow" {
	without_module
	write_much
	"$FLTCTL" expect --json -o out -e 'minor(process=marks) >= 100 after line "ready"' -- \
		/usr/bin/python3 write.py "$marks" 400000 wait | { sleep 2; cat >all; }
	json out 'rows[0]["verdict"] == "kept"'
	[ "$(wc -c <all)" = 400007 ]
}

@test "a terminal that takes nothing for a while makes the time of a line unknown" {
	without_module
	write_much
	cat >terminal.py <<-'END'
	import os, subprocess, sys, time
	ours, theirs = os.openpty()
	command = subprocess.Popen(sys.argv[1:], stdout=theirs, stdin=subprocess.DEVNULL)
	os.close(theirs)
	time.sleep(2)
	try:
	    while os.read(ours, 65536):
	        pass
	except OSError:
	    pass
	sys.exit(command.wait())
	END
	status=0
	/usr/bin/python3 terminal.py "$FLTCTL" expect --json -o out -e 'minor(process=marks) >= 100' \
		-e 'minor == 0 after line "ready"' -- /usr/bin/python3 write.py "$marks" 4700000 || status=$?
	[ $status = 5 ]
	json out 'sum(r.get("verdict") == "kept" for r in rows) == 1'
	json out 'any("was read " in r.get("why", "") for r in rows)'
}

@test "a process that the command leaves may write for ever" {
	without_module
	cp "$(command -v yes)" ever
	status=0
	timeout 30 "$FLTCTL" expect -o out -e 'minor >= 0 after line "x"' -- \
		sh -c 'echo x; ./ever & sleep 0.5' >/dev/null || status=$?
	pkill -x ever || true
	[ $status = 0 ]
}

@test "a reader that ends early ends the command, not fltctl" {
	without_module
	"$FLTCTL" expect --format=tap -o out -e 'minor >= 0 before line "no such line"' -- \
		sh -c 'seq 1000000; sleep 1; seq 1000000' | head -n 1 || true
	grep -q 'status: 141' out
}

@test "the names of a rule must occur together" {
	without_module
	for rule in 'minor(process=true, thread=io-1) == 0' 'minor(process=true, function=process_batch) == 0'; do
		expect -e "$rule" -- sh -c '"$0"; /bin/true' "$program"
		[ "$status" = 5 ]
		[[ $output == *"cannot be measured: no "*" of true "* ]]
	done
	expect -e 'minor(process=batch, thread=io-1) >= 8' -e 'minor(process=batch, function=main) >= 1' -- \
		sh -c '"$0"; /bin/true' "$program"
	[ "$status" = 0 ]
}

@test "a mark does not go to a file that has the number of the closed socket" {
	expect -e 'minor >= 0 after mark "ready"' -- bash -c '
		eval "exec $FLT_MARK_FD>&-"
		exec python3 -c "
import os, socket, subprocess, sys
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
os.dup2(a.fileno(), int(os.environ[\"FLT_MARK_FD\"]))
subprocess.run(sys.argv[1:], close_fds=False)
b.setblocking(False)
b.recv(10)
" "$0" run' "$marks"
	[ "$status" = 1 ]
	[[ $stderr == *BlockingIOError* ]]
}

@test "--update stops at a signal, keeps links and edits, and refuses its budget as output" {
	without_module
	printf 'minor <= 1\n' >b
	"$FLTCTL" expect --update --runs=50 b -- sh -c 'trap "exit 0" TERM; : >started; while :; do sleep 0.05; done' \
		2>err &
	pid=$!
	until_true test -e started
	kill $pid
	status=0
	wait $pid || status=$?
	[ $status = 143 ]
	grep -q 'cannot update b: interrupted by signal 15' err
	[ "$(cat b)" = "minor <= 1" ]
	ln -s b link
	expect --update --runs=1 link -- true
	[ "$status" = 0 ]
	[ -L link ]
	[ "$(cat b)" != "minor <= 1" ]
	printf 'minor <= 1\n' >b
	expect --update --runs=1 b -- sh -c 'echo "# mine" >>b'
	[ "$status" = 1 ]
	[[ $stderr == *"another program changed the file"* ]]
	[ "$(tail -n 1 b)" = "# mine" ]
	run ! ls b.* 2>/dev/null
	for out in b link ./b; do
		expect --update --runs=1 -o $out b -- true
		[ "$status" = 2 ]
	done
	expect --update --runs=1 -o ./new new -- true
	[ "$status" = 2 ]
	grep -q '^minor <= ' new
	ln -s missing dangling
	for budget in dangling /dev/null; do
		expect --update --runs=1 $budget -- true
		[ "$status" = 2 ]
	done
	[ -c /dev/null ]
	[ "$(tail -n 1 b)" = "# mine" ]
}

@test "a program with other rights, which perf events do not follow, is no pass" {
	is_root
	without_module
	cp "$marks" marks
	chown 65534 marks
	chmod 4755 marks
	for program in ./marks 'sh -c "./marks fixed; true"'; do
		eval "set -- $program"
		expect -e 'minor <= 5' -- "$@" fixed
		[ "$status" != 0 ]
		[[ $output == *"lost 1 (programs that perf events do not follow"* ]]
	done
	expect -e 'minor >= 5' -- sh -c './marks fixed; true'
	[ "$status" = 0 ]
	run --separate-stderr -3 "$FLTCTL" record -q -o f.flt -- ./marks fixed
	[[ $stderr == *"incomplete: 1 lost: programs that perf events do not follow"* ]] ||
		[[ $("$FLTCTL" report f.flt 2>&1) == *"programs that perf events do not follow"* ]]
}

@test "--update keeps the owner of the budget" {
	is_root
	echo 'minor <= 1' >b
	chown 65534 b
	chmod 640 b
	expect --update --runs=1 b -- true
	[ "$status" = 0 ]
	[ "$(stat -c '%u %a' b)" = "65534 640" ]
}
