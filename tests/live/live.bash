# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# live.bash - what the live tests say in common: load, unload, compare, give up.
#
# Sourced first. Every comparison is exact; a test goes on after one that fails,
# to show them all, and ends with `finish`.
#
# A comparison without input fails. So whatever counts or looks up something here prints
# no_input if it had nothing to read, also when the answer would have been 0; in an
# arithmetic expression that is an unbound variable and ends the test. tests/live/noinput
# feeds each with nothing.
#
# shellcheck disable=SC2034 # used by the tests
: "${FLT_KO:?}" "${FLTCTL:?}" "${FLT_WORKLOAD:?}" "${KERNEL:?}" "${LONG:=}"

PATH=$FLT_WORKLOAD:$PATH:/usr/sbin:/sbin
tmp=$(mktemp -d /tmp/live.XXXXXX)
debugfs=/sys/kernel/debug/flt
failures=0 checks=0

# With the seconds since the test began: where the time goes.
say() { printf '%3d s  %s\n' "$SECONDS" "$*"; }

bad() {
	echo "BAD: $*"
	failures=$((failures + 1))
}

skip() {
	unload
	echo "$*"
	exit 77
}

loaded() { grep -q '^flt ' /proc/modules; }

load() { # [PARAM=VALUE...]
	insmod "$FLT_KO" "$@" || { echo "insmod $*: failed"; dmesg | tail -5; exit 1; }
}

unload() {
	! loaded || rmmod flt
}

finish() {
	unload || bad "rmmod failed"
	[ "$checks" -gt 0 ] || bad "nothing was checked"
	echo "$checks checks, $failures failed"
	[ "$failures" = 0 ]
}

on_exit() {
	local rc=$?
	# What was left in the background by a test that gave up.
	jobs -p | xargs -r kill -9 2>/dev/null || true
	wait 2>/dev/null || true
	unload 2>/dev/null || true
	rm -rf "$tmp"
	exit "$rc"
}
trap on_exit EXIT

# field KEY < a line of key=value; an attribute that is 0 may be absent
field() {
	local line word
	if ! read -r line && [ -z "$line" ]; then
		echo no_input
		return
	fi
	for word in $line; do
		if [[ $word == "$1="* ]]; then
			echo "${word#*=}"
			return
		fi
	done
	echo 0
}

# lines PATTERN [FILE]: how many lines match. For counts that may rightly be 0.
lines() {
	awk -v pattern="$1" '$0 ~ pattern { n++ } END { print NR ? n + 0 : "no_input" }' "${2:-$tmp/trace.csv}"
}

# faults CONDITION [FILE]: how many faults of trace --csv awk's CONDITION holds for.
faults() {
	awk -F, "\$1 == \"fault\" { all++; if ($1) n++ }
		END { print all ? n + 0 : \"no_input\" }" "${2:-$tmp/trace.csv}"
}

# Neither is what jq makes of an empty list.
has_input() { # VALUE...
	local value
	for value; do
		case $value in '' | null | no_input) return 1 ;; esac
	done
}

same() { # WHAT GOT WANT
	checks=$((checks + 1))
	if ! has_input "$2" "$3" || [ "$2" != "$3" ]; then bad "$1: '$2', should be '$3'"; fi
}

at_least() { # WHAT GOT LEAST
	checks=$((checks + 1))
	# A word that is no number is neither less nor more.
	[ "$2" -ge "$3" ] 2>/dev/null || bad "$1: '$2', should be at least '$3'"
}

at_most() { # WHAT GOT MOST
	checks=$((checks + 1))
	[ "$2" -le "$3" ] 2>/dev/null || bad "$1: '$2', should be at most '$3'"
}

ordered() { # WHAT FILE: numbers, none smaller than the one before it
	checks=$((checks + 1))
	if [ -s "$2" ]; then sort -n -c "$2" || bad "$1: not in order"; else bad "$1: no_input"; fi
}

# Waits a minute and more for a command to succeed. The command sees this function's
# variables in place of its caller's of the same name.
until_true() {
	local until_tries
	for ((until_tries = 0; until_tries < 600; until_tries++)); do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}

exited() { ! kill -0 "$1" 2>/dev/null; }

# bpftrace 0.17 sees a signal only when it interrupts a wait for events; one that
# comes between two waits is lost. While it prints, a second one would kill it.
end_bpftrace() { # PID
	local try
	for ((try = 0; try < 5; try++)); do
		kill -INT "$1" 2>/dev/null || break
		! until_true exited "$1" || break
	done
	wait "$1" || bad "bpftrace: status $?"
}

# equal NAME [-w] [-m] COMMAND...
#
# Runs COMMAND under faultrun in a following session and compares each process's
# row with the kernel's count, to the unit. -w: without ptrace; then the sum of
# the tree is compared with wait4's. -m: missed faults are expected.
equal() {
	local name=$1 trace=() whole_tree=0 missed=0 status=0
	shift
	while [ "${1:-}" = -w ] || [ "${1:-}" = -m ]; do
		if [ "$1" = -w ]; then
			trace=(-w) whole_tree=1
		else
			missed=1
		fi
		shift
	done
	fltq follow -o "$tmp/rows" -- faultrun "${trace[@]}" -o "$tmp/oracle" -- "$@" \
		>"$tmp/out" 2>&1 || status=$?
	if [ "$status" != "${WANT_STATUS:-0}" ]; then
		bad "$name: the command's status is $status, should be ${WANT_STATUS:-0}"
		tail -5 "$tmp/out"
		return
	fi
	checks=$((checks + 1))
	awk -v name="$name" -v tree="$whole_tree" -v may_miss="$missed" -v late="${LATE:-0}" \
		-f tests/live/equal.awk "$tmp/oracle" "$tmp/rows" || bad "$name"
}

# traced NAME - in $tmp/trace.csv (of trace --csv) each process of $tmp/run (of faultrun)
# has a line for each minor and each major fault that the kernel counted for it.
traced() {
	local wrong
	checks=$((checks + 1))
	wrong=$(awk -F, '
		FILENAME ~ /run$/ {
			if (split($0, w, " ") && w[1] == "proc") {
				minor[w[2]] = w[5]
				major[w[2]] = w[6]
				n++
			}
			next
		}
		$1 == "fault" { got[$4, $7]++; faults++ }
		END {
			if (!n || !faults)
				print n + 0 " processes and " faults + 0 " faults were read"
			for (pid in minor) {
				if (got[pid, "minor"] + 0 != minor[pid])
					print "pid " pid ": minor " got[pid, "minor"] + 0 ", should be " minor[pid]
				if (got[pid, "major"] + 0 != major[pid])
					print "pid " pid ": major " got[pid, "major"] + 0 ", should be " major[pid]
			}
		}' "$tmp/run" "$tmp/trace.csv" 2>&1) || wrong+=" (awk: status $?)"
	[ -z "$wrong" ] || bad "$1: $(head -5 <<<"$wrong")"
}

# Five processes, with faults in memory of their own.
forking=(python3 -c '
import os
for i in range(4):
    if os.fork() == 0:
        bytearray(1 << 20)
        os._exit(0)
for i in range(4):
    os.wait()
bytearray(2 << 20)')

# trace_forking OPTION... - each of their faults is in $tmp/trace.csv, once, and in order
trace_forking() {
	local status=0
	"$FLTCTL" trace --csv "$@" -- faultrun -o "$tmp/run" -- "${forking[@]}" >"$tmp/trace.csv" || status=$?
	same "exit status" $status 0
	at_least "processes" "$(grep -c '^proc ' "$tmp/run")" 5
	traced python3
	awk -F, '$1 == "fault" { print $2 }' "$tmp/trace.csv" >"$tmp/times"
	ordered "lines" "$tmp/times"
}

# of_recorder NAME ARGUMENT... - tests/recorder/NAME.sh, each line of which is a check.
# What it starts may take longer here than it would natively.
of_recorder() {
	local line last='' before=$checks
	while read -r line; do
		say "$1: $line"
		case $line in
		ok*) checks=$((checks + 1)) ;;
		'not ok'*) bad "$*: $line" ;;
		esac
		last=$line
	done < <(
		status=0
		FLT_TEST_LIMIT=400 bash "tests/recorder/$1.sh" "$(dirname "$FLTCTL")" "${@:2}" 2>&1 || status=$?
		echo "status $status"
	)
	same "$*" "$last" "status 0"
	at_least "$*: checks" $((checks - before)) 2
}
