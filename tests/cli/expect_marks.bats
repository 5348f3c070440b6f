#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The marks of expect: calls of flt_mark(), lines of the output, and signals. The output passes
# unchanged. No test depends on time: each side waits for the other one.

# shellcheck disable=SC2154,SC2016,SC2094
load expect.bash

# Wait until the command has ended, or is about to: the file named "ended".
command_ended() { until_true test -e ended; }

@test "output of the command that cannot be passed on is an error" {
	status=0
	"$FLTCTL" expect -e 'minor >= 0 after line "one"' -- sh -c 'echo one; echo two' \
		>/dev/full 2>"$dir/err" || status=$?
	[ $status = 1 ]
	grep -q 'cannot write the output of the command: No space left' "$dir/err"
	# A pipe that takes nothing for a moment is no error.
	"$FLTCTL" expect -e 'minor >= 0 after line "1"' -- sh -c 'seq 100000; : >ended' |
		{ command_ended; cat; } >"$dir/out"
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
	# A mark is known when its line has been passed on. One that is read after the end has no time.
	# shellcheck disable=SC2016 # expanded by the command
	"$FLTCTL" expect -e 'minor <= 9999 after line "second" before line "first"' -- sh -c 'echo first
		until grep -q first "$1"; do sleep 0.01; done
		echo second
		until grep -q second "$1"; do sleep 0.01; done
		exec "$0"' "$program" "$dir/shown" >"$dir/shown" || status=$?
	[ $status = 5 ]
	grep -q '"first" came before "second"' "$dir/shown"
}

@test "lines of the output are marks, and pass unchanged" {
	# The command waits until its line has passed.
	"$FLTCTL" expect -e 'faults >= 0 after line "^two$"' -e 'faults(process=seq) == 0 after line "^400000"' \
		-o report -- sh -c 'echo one; echo two; seq 400000
			until tail -n 1 all | grep -q 400000; do sleep 0.05; done; printf end' >all
	[ "$(cat all)" = "$(printf 'one\ntwo\n'; seq 400000; printf end)" ]
	"$FLTCTL" expect -e 'minor(process=marks) >= 100 after line "ready"' -o report -- sh -c 'echo ready
		until grep -q ready shown; do sleep 0.01; done; "$0" fixed' "$marks" >shown
}

@test "a process that the command leaves keeps its standard output" {
	# The process writes after fltctl has written its report.
	expect -e 'faults <= 9999999 before line "x"' -o report -- sh -c 'echo x
		(until [ -s report ]; do sleep 0.01; done; echo late) & exit 0'
	[ "$output" = $'x\nlate' ]
	[ "$status" = 0 ]
}

@test "signals are marks" {
	without_module
	cat >signals <<-'END'
	# fltctl has taken the signal, and sleeps again.
	taken() {
		until grep -q "^ShdPnd:[[:space:]]*0*$" /proc/$PPID/status &&
			grep -q "^State:[[:space:]]*S" /proc/$PPID/status; do [ -e /proc/$PPID ] || exit; done
	}
	cat /dev/null
	kill -USR1 $PPID
	taken
	"$1" fixed
	kill -USR2 $PPID
	taken
	seq 1
	END
	expect -e 'faults(process=cat) >= 1 before signal USR1' -e 'faults(process=cat) == 0 after signal USR1' \
		-e 'minor(process=marks) == 0 before signal USR1' -e 'minor(process=marks) >= 100 after signal USR1' \
		-e 'minor(process=marks) >= 100 before signal USR2' -e 'minor(process=marks) == 0 after signal SIGUSR2' \
		-e 'faults(process=seq) == 0 before signal USR2' -e 'faults(process=seq) >= 1 after signal USR2' \
		-- sh signals "$marks"
	[ "$status" = 0 ]
	[[ $output == *"8 kept, 0 broken, 0 not measured"* ]]
	# A signal that came after the faults.
	expect -e 'minor(process=marks) == 0 after signal USR1 before signal USR2' -- sh signals "$marks"
	[ "$status" = 6 ]
}

@test "flt_mark does nothing without fltctl, and survives its end" {
	env -u FLT_MARK_FD "$program"
	# Nobody reads from this end: no signal, no wait.
	FLT_MARK_FD=77 "$program"
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

# The pipe to fltctl has room for what fltctl does not hold: "ready" stays in the pipe until the reader
# of fltctl reads.
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
	open("ended", "w").close()
	END
}

@test "a slow reader of the output makes the time of a line unknown" {
	without_module
	write_much
	"$FLTCTL" expect --json -o out -e 'minor(process=marks) >= 100' \
		-e 'minor == 0 after line "ready"' -- /usr/bin/python3 write.py "$marks" 4700000 |
		{ command_ended; cat >/dev/null; }
	status=${PIPESTATUS[0]}
	[ "$status" = 5 ] || { echo "status $status"; cat out; false; }
	json out 'sum(r.get("verdict") == "kept" for r in rows) == 1'
	json out 'any("was read " in r.get("why", "") for r in rows)'
}

@test "lines are read in time while a reader is slow" {
	without_module
	write_much
	"$FLTCTL" expect --json -o out -e 'minor(process=marks) >= 100 after line "ready"' -- \
		/usr/bin/python3 write.py "$marks" 400000 wait | { command_ended; cat >all; }
	[ "${PIPESTATUS[0]}" = 0 ]
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
	while not os.path.exists("ended"):
	    time.sleep(0.01)
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
	status=0
	timeout 60 "$FLTCTL" expect -o out -e 'minor >= 0 after line "x"' -- sh -c 'echo x
		yes & echo $! >pid
		until awk "\$1 == \"wchar:\" && \$2 > 10000000 { n = 1 } END { exit !n }" /proc/$!/io; do
			sleep 0.01
		done' >/dev/null || status=$?
	kill "$(cat pid)" || true
	[ $status = 0 ]
}

@test "a reader that ends early ends the command, not fltctl" {
	without_module
	# The last command has no reader, because the one before it ended by SIGPIPE.
	timeout 60 "$FLTCTL" expect --format=tap -o out -e 'minor >= 0 before line "no such line"' -- \
		sh -c 'while seq 100000; do :; done; seq 1' | head -n 1
	grep -q 'status: 141' out
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
