#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# expect: budgets, verdicts, formats and --update, by perf events. expect_marks.bats tests marks, and
# expect_project.bats the files of docs/expect.

# shellcheck disable=SC2154,SC2016,SC2094
load expect.bash

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
	python3 "$source/tests/docs/schemas.py" "$source/docs/json" expect out.json
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
	python3 "$source/tests/docs/schemas.py" "$source/docs/json" expect-update rows
	json rows 'rows[1]["least"] == rows[1]["most"] == rows[1]["limit"] == 64 and not rows[1]["varied"]'
	printf 'minor(process_batch) <= 1\n' >c
	expect --update --runs=1 c -- "$program"
	# The slack is 10 percent, if none is given.
	[ "$(cat c)" = 'minor(process_batch) <= 71' ]
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

@test "a budget that cannot be measured leaves no process behind" {
	without_module
	run timeout 20 sh -c '"$FLTCTL" expect --engine=module -e "minor >= 0 after line \"x\"" -- true |
		cat'
	[ "$status" != 124 ]
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
	python3 "$source/tests/docs/schemas.py" "$source/docs/json" expect out
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
