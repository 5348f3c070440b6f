#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# expect: wrong usage, wrong budgets, and commands and files that fail.

# shellcheck disable=SC2154,SC2016
load expect.bash

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

@test "a full disk is named, in each format" {
	for format in "" --json --csv --format=tap --format=junit; do
		# shellcheck disable=SC2086
		run --separate-stderr -1 "$FLTCTL" expect $format -o /dev/full -e 'minor <= 100000' -- true
		[[ $stderr == *"cannot write /dev/full: No space left on device"* ]]
	done
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

@test "an empty rule is an error, not a pass" {
	for rule in '' ' ' '# minor == 0'; do
		expect -e 'minor >= 0' -e "$rule" -- true
		[ "$status" = 2 ]
		[[ $stderr == *"missing rule: -e:2 is empty"* ]]
		[ -z "$output" ]
	done
	printf '\r\n# minor == 0\n\n' >comments
	expect comments -- true
	[ "$status" = 2 ]
	[[ $stderr == *"missing rules: comments has none"* ]]
}

# The marker of UTF-8 and the ends of lines of another system are kept by --update.
@test "a budget of another system" {
	without_module
	printf '\xef\xbb\xbfminor >= 0\r\n\r\n# comment\r\nminor >= 0 after line "go"\r\n' >budget
	"$FLTCTL" expect -o out budget -- sh -c 'echo go; until grep -q go shown; do :; done' >shown
	grep -q '2 kept, 0 broken, 0 not measured' out
	printf '\xef\xbb\xbfmajor >= 0\r\nminor(process=true) <= 0\r\n' >budget
	expect --update --runs=1 --slack=0 budget -- true
	[ "$status" = 0 ]
	[[ $stderr == *"wrote budget from 1 run; "* ]]
	limit=$(sed -n 's/.*<= \([0-9]*\)\r$/\1/p' budget)
	printf '\xef\xbb\xbfmajor >= 0\r\nminor(process=true) <= %s\r\n' "$limit" | cmp - budget
	[ "$limit" -gt 0 ]
	# Within a file it is no part of a rule.
	printf 'minor >= 0\n\xef\xbb\xbfminor >= 0\n' >budget
	expect budget -- true
	[ "$status" = 2 ]
	[[ $stderr == *"budget:2: invalid counter"* ]]
}

@test "results that cannot be written are reported before the command runs" {
	for file in missing/results .; do
		expect --format=junit -o "$file" -e 'minor >= 0' -- touch ran
		[ "$status" = 1 ]
		[[ $stderr == *"cannot write $file: "* ]]
		[ ! -e ran ]
	done
	for file in missing/budget ''; do
		expect --update --runs=1 "$file" -- touch ran
		[ "$status" = 1 ]
		[[ $stderr == *"cannot write $file: No such file or directory (create its directory first)"* ]]
		[ ! -e ran ]
	done
	# An earlier result is kept until there is a new one.
	echo earlier >results
	expect -o results -e 'minor >= 0' -- cp results seen
	[ "$status" = 0 ]
	[ "$(cat seen)" = earlier ]
	grep -q '^kept' results
}

@test "a user without the right to write is told before the command runs" {
	is_root
	without_module
	echo 'minor <= 1' >budget
	mkdir mine
	echo 'minor <= 1' >mine/budget
	chmod 777 mine
	while read -r expected arguments; do
		# shellcheck disable=SC2086
		run --separate-stderr as_nobody expect --user $arguments -- touch mine/ran
		[ "$status" = "$expected" ]
		[[ $stderr == *"cannot write "*": Permission denied"* ]]
		[ ! -e mine/ran ]
	done <<-END
		1 -o results -e minor>=0
		1 -o budget -e minor>=0
		4 --update new
		4 --update budget
		4 --update mine/budget
	END
	[ "$(cat mine/budget)" = 'minor <= 1' ]
}

@test "a terminal interrupts the command, and the results of what it did are written" {
	cat >interrupt.py <<-'END'
	import os, signal, subprocess, sys, time
	# A shell without a terminal makes its background jobs ignore the signal.
	signal.signal(signal.SIGINT, signal.SIG_DFL)
	command = subprocess.Popen(sys.argv[1:], start_new_session=True)
	while not os.path.exists("started"):
	    time.sleep(0.01)
	os.killpg(command.pid, signal.SIGINT)
	sys.exit(command.wait())
	END
	status=0
	/usr/bin/python3 interrupt.py "$FLTCTL" expect -o out -e 'minor == 0' -- \
		sh -c 'echo $$ >pid; : >started; exec sleep 600' || status=$?
	[ $status = 130 ]
	grep -q '^broken' out
	grep -q 'the command ended with status 130' out
	[ ! -e "/proc/$(cat pid)" ]
	# A command that ends well when it is interrupted, such as a server, is judged.
	rm started
	status=0
	/usr/bin/python3 interrupt.py "$FLTCTL" expect -o out -e 'minor == 0' -- \
		sh -c 'trap "exit 0" INT; : >started; while :; do sleep 0.01; done' || status=$?
	[ $status = 6 ]
}

@test "standard files may be closed" {
	"$FLTCTL" expect -o out -e 'minor >= 0 after line "go"' -- \
		sh -c 'echo go; until grep -q go shown; do :; done' <&- >shown
	grep -q '^kept' out
	"$FLTCTL" expect -o out -e 'minor >= 0' -e 'minor(process=batch) == 0 after mark "done" before mark "ready"' \
		-- "$program" <&- >&- 2>&- || status=$?
	[ "$status" = 5 ]
	grep -q '"ready" came before "done"' out
	run -1 --separate-stderr sh -c '"$0" expect -e "minor >= 0" -- true >&-' "$FLTCTL"
	[[ $stderr == *"cannot write to standard output"* ]]
}

@test "names that nothing has" {
	expect -e 'minor(no_such_function) == 0' -- "$program"
	[ "$status" = 5 ]
	[[ $output == *"no program or library of the command defines a function 'no_such_function' (build "* ]]
	strip -o stripped "$program"
	expect -e 'minor(process_batch) == 0' -- ./stripped
	[ "$status" = 5 ]
	[[ $output == *"(build it with -g, and do not strip it)"* ]]
}

@test "help names the parts of a rule" {
	run -0 "$FLTCTL" expect --help
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"COUNTER [(SELECTOR, ...)] OPERATOR LIMIT [after MARK] [before MARK]"* ]]
}
