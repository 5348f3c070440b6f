# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# live.bash - functions for all live tests: load and unload the module, compare, clean up.
#
# Each test sources this file first. Every comparison is exact. A test continues after a
# failed comparison, so that its log shows all of them. The test ends with `finish`.
#
# A comparison without input must fail. Therefore a function that counts or looks up
# something prints no_input if it read nothing, even if the answer would be 0. In an
# arithmetic expression, no_input is an unbound variable and ends the test.
# tests/live/noinput calls each of these functions without input.
#
# shellcheck disable=SC2034 # used by the tests
: "${FLT_KO:?}" "${FLTCTL:?}" "${FLT_WORKLOAD:?}" "${KERNEL:?}" "${LONG:=}"

PATH=$FLT_WORKLOAD:$PATH:/usr/sbin:/sbin
tmp=$(mktemp -d /tmp/live.XXXXXX)
debugfs=/sys/kernel/debug/flt
# In bytes: a page, and a huge page, which is what one page table maps.
page=$(getconf PAGESIZE)
huge_page=$((page * page / 8))
# In pages: the window that a fault on a file maps, unless debugfs changes it.
around=$((65536 / page))
failures=0 checks=0

# Print a line of progress with the seconds since the test began.
say() { printf '%3d s  %s\n' "$SECONDS" "$*"; }

bad() {
	echo "BAD: $*"
	failures=$((failures + 1))
}

# Print the size of this run: of make check, make check-long or make check-huge.
sized() { # EVERYDAY LONG HUGE
	case $LONG in
	'') echo "$1";;
	1) echo "$2";;
	*) echo "$3";;
	esac
}

skip() {
	unload
	echo "$*"
	exit 77
}

# Return true if the kernel has huge pages of anonymous memory. With PREEMPT_RT it has none.
has_thp() { [ -d /sys/kernel/mm/transparent_hugepage ]; }

# Return true if userfaultfd can write-protect pages. arm64 can since 6.10.
has_uffd_wp() { [ "$(uname -m)" = x86_64 ] || ! kernel_before 6.10; }

# Print N or, if huge pages are larger than 2 MiB, LESS, because guests lack memory for N of them.
few_huge() { # N LESS
	if [ "$huge_page" -gt $((2 << 20)) ]; then echo "$2"; else echo "$1"; fi
}

# Bytes of the folios that arm64 maps by contiguous entries, which have one accessed bit.
[ "$page" = 4096 ] && folio=$((16 * page)) || folio=$((2 << 20))

# Give anonymous memory folios of this size and no huge pages, until folios_off. Return false if
# the kernel cannot. Linux has these sizes since 6.8.
folios_on() {
	local all=/sys/kernel/mm/transparent_hugepage each
	[ -d "$all/hugepages-$((folio >> 10))kB" ] || return
	for each in "$all"/hugepages-*/enabled; do
		echo never >"$each"
	done
	echo always >"$all/hugepages-$((folio >> 10))kB/enabled"
}

folios_off() {
	local all=/sys/kernel/mm/transparent_hugepage
	echo never >"$all/hugepages-$((folio >> 10))kB/enabled"
	echo inherit >"$all/hugepages-$((huge_page >> 10))kB/enabled"
}

# Print the number of folios of this size that faults have allocated.
folios_filled() {
	cat "/sys/kernel/mm/transparent_hugepage/hugepages-$((folio >> 10))kB/stats/anon_fault_alloc"
}

# Swap to /dev/zram0, which the tests of a guest use one after another.
zram_swap_on() { # SIZE [OPTION of swapon]...
	echo 1 >/sys/block/zram0/reset
	echo "$1" >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null
	swapon "${@:2}" /dev/zram0
}
zram_swap_off() {
	swapoff /dev/zram0
	echo 1 >/sys/block/zram0/reset
}

# Set a parameter of NUMA balancing. Until 5.12 it was a sysctl.
balancing_knob() { # NAME VALUE
	local file=/sys/kernel/debug/sched/numa_balancing/$1
	[ -e "$file" ] || file=/proc/sys/kernel/numa_balancing_$1
	echo "$2" >"$file"
}

# Return true if the kernel is older than a release: kernel_before 6.4
kernel_before() {
	[ "$(printf '%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)" != "$1" ]
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
	[ "$checks" -gt 0 ] || bad "the test made no comparison"
	echo "$checks checks, $failures failed"
	[ "$failures" = 0 ]
}

on_exit() {
	local rc=$?
	# Kill the background processes that a failed test left running.
	jobs -p | xargs -r kill -9 2>/dev/null || true
	wait 2>/dev/null || true
	unload 2>/dev/null || true
	rm -rf "$tmp"
	exit "$rc"
}
trap on_exit EXIT

# field KEY: print the value of KEY in the first line of key=value on standard input. Print
# 0 if the line has no KEY, because the module may omit an attribute of value 0.
field() {
	local line word
	read -r line || true
	if [ -z "$line" ]; then
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

# lines PATTERN [FILE]: print the number of matching lines. Use it for counts that may be 0.
lines() {
	awk -v pattern="$1" '$0 ~ pattern { n++ } END { print NR ? n + 0 : "no_input" }' \
		"${2:-$tmp/trace.csv}"
}

# faults CONDITION [FILE]: print the number of faults in the output of trace --csv for which
# the awk expression CONDITION is true.
faults() {
	awk -F, "\$1 == \"fault\" { all++; if ($1) n++ }
		END { print all ? n + 0 : \"no_input\" }" "${2:-$tmp/trace.csv}"
}

# Return true if each VALUE was computed from input. jq prints null for an empty list.
has_input() { # VALUE...
	local value
	for value; do
		case $value in '' | null | no_input) return 1 ;; esac
	done
}

same() { # WHAT GOT WANT
	checks=$((checks + 1))
	if ! has_input "$2" "$3" || [ "$2" != "$3" ]; then bad "$1: got '$2', expected '$3'"; fi
}

at_least() { # WHAT GOT LEAST
	checks=$((checks + 1))
	# The comparison also fails if a value is not a number.
	[ "$2" -ge "$3" ] 2>/dev/null || bad "$1: got '$2', expected at least '$3'"
}

at_most() { # WHAT GOT MOST
	checks=$((checks + 1))
	[ "$2" -le "$3" ] 2>/dev/null || bad "$1: got '$2', expected at most '$3'"
}

# Print the growth of a value of `fltq machine` from $tmp/before to $tmp/after.
delta() { # KEY
	echo $(($(field "$1" <"$tmp/after") - $(field "$1" <"$tmp/before")))
}

# Compare the faults between $tmp/before and $tmp/after with pgfault of /proc/vmstat, which counts
# calls of handle_mm_fault() before 6.4, and ended faults on later kernels. REST: the faults that
# are neither minor nor major, all.failed or, while returns are not probed, all.unfinished.
same_as_vmstat() { # WHAT REST
	local ended
	ended=$(($(delta all.minor) + $(delta all.major) + $(delta "$2")))
	! kernel_before 6.4 || ended=$((ended + $(delta all.retried)))
	same "$1: faults, compared with pgfault of /proc/vmstat" "$ended" "$(delta pgfault)"
}

ordered() { # WHAT FILE: the numbers in FILE never decrease
	checks=$((checks + 1))
	if [ -s "$2" ]; then sort -n -c "$2" || bad "$1: not in order"; else bad "$1: no_input"; fi
}

# Repeat a command until it succeeds, for at least a minute. The local variables of this
# function hide those of its caller, so the name of its counter is unusual.
until_true() {
	local until_tries
	for ((until_tries = 0; until_tries < 600; until_tries++)); do
		! "$@" || return 0
		sleep 0.1
	done
	echo "not true after $until_tries tries: $*" >&2
	return 1
}

# The file that tells where a process sleeps. Linux 5.10 does not know that in wchan unless the kernel
# has frame pointers ("x86: Fix get_wchan() to support the ORC unwinder"). Linux 5.18 to 6.9 warn when
# stack is read of a process that runs a function with a probe on its return
# (rethook_find_ret_addr()).
case $(uname -r) in
5.10.*) sleeping=stack ;;
*) sleeping=wchan ;;
esac

# Return true if a process sleeps in a kernel function with this word in its name.
sleeps_in() { # PID WORD
	local where=''
	read -rd '' where <"/proc/$1/$sleeping" || true # to its end
	[[ $where == *"$2"* ]]
}

# Return true if a running fltctl observes: it has opened its sessions and blocked its signals.
# fltctl does both before it enters its loop, and waits in poll() only there. After SIGINT it
# reads the rest of its streams, so a test need not wait until it has caught up.
observes() { sleeps_in "$1" poll; }

# Print the number of faults of a process that has not ended, as the kernel counts them.
faults_of() { # PID
	sed 's/.*) //' "/proc/$1/stat" | awk '{ print $8 + $10 } END { if (!NR) print "no_input" }'
}

# start_bpftrace SCRIPT: run bpftrace with its output in $tmp/bpf until end_bpftrace. SCRIPT
# prints a line with "attached" from each of its probes that a check depends on, because
# bpftrace 0.17 runs BEGIN before it attaches the other probes. ATTACHED: the number of these
# lines (1).
#
# bpftrace ends when the process of its option -p ends. That option does not filter kernel
# probes. A signal would be unreliable: bpftrace 0.17 ignores SIGINT unless it interrupts its
# wait for events.
start_bpftrace() {
	sleep infinity &
	bpftrace_lease=$!
	bpftrace -p $bpftrace_lease -e "$1" >"$tmp/bpf" 2>"$tmp/bpf.err" &
	bpftrace=$!
	until_true bpftrace_is_attached "${ATTACHED:-1}" ||
		bad "bpftrace does not start: $(tail -2 "$tmp/bpf.err")"
}

bpftrace_is_attached() { [ "$(grep -c attached "$tmp/bpf")" -ge "$1" ]; }

end_bpftrace() {
	kill "$bpftrace_lease"
	wait "$bpftrace" || bad "bpftrace: status $?"
}

# equal NAME [-w] [-m] COMMAND...
#
# Run COMMAND under faultrun in a session that follows children. Compare the row of each
# process with the kernel's counts, exactly. -w: do not trace with ptrace, and compare the
# sum of the process tree with wait4(). -m: accept faults that the probe missed.
# WANT_STATUS: the expected exit status. LATE=1: accounting starts with the session. COUNTS=1:
# counts are enough for the session, so returns are not probed. Otherwise also compare the
# histograms of the session with its counts.
equal() {
	local name=$1 follow=(-h) trace=() whole_tree=0 missed=0 status=0
	shift
	[ -z "${COUNTS:-}" ] || follow=(-c)
	while true; do
		case ${1:-} in
		-w) trace=(-w) whole_tree=1 ;;
		-m) missed=1 ;;
		*) break ;;
		esac
		shift
	done
	fltq follow "${follow[@]}" -o "$tmp/rows" -- faultrun "${trace[@]}" -o "$tmp/oracle" -- "$@" \
		>"$tmp/out" 2>&1 || status=$?
	if [ "$status" != "${WANT_STATUS:-0}" ]; then
		bad "$name: got exit status $status, expected ${WANT_STATUS:-0}"
		tail -5 "$tmp/out"
		return
	fi
	checks=$((checks + 1))
	awk -v name="$name" -v tree="$whole_tree" -v may_miss="$missed" -v late="${LATE:-0}" \
		-v hist="$([ -n "${COUNTS:-}" ] || echo 1)" \
		-f tests/live/equal.awk "$tmp/oracle" "$tmp/rows" || bad "$name"
}

# traced NAME [RUN [FACTOR]]: check that $tmp/trace.csv (from trace --csv) has FACTOR lines, by
# default one, per minor and per major fault that the kernel counted for each process in RUN (from
# faultrun), by default $tmp/run.
traced() {
	local wrong
	checks=$((checks + 1))
	wrong=$(awk -F, -v factor="${3:-1}" '
		FILENAME == ARGV[1] {
			if (split($0, w, " ") && w[1] == "proc") {
				minor[w[2]] = w[5] * factor
				major[w[2]] = w[6] * factor
				n++
			}
			next
		}
		$1 == "fault" { got[$4, $7]++; faults++ }
		END {
			if (!n || !faults)
				print "missing input: " n + 0 " processes, " faults + 0 " faults"
			for (pid in minor) {
				if (got[pid, "minor"] + 0 != minor[pid])
					print "PID " pid ": got " got[pid, "minor"] + 0 \
						" minor faults, expected " minor[pid]
				if (got[pid, "major"] + 0 != major[pid])
					print "PID " pid ": got " got[pid, "major"] + 0 \
						" major faults, expected " major[pid]
			}
		}' "${2:-$tmp/run}" "$tmp/trace.csv" 2>&1) || wrong+=" (awk: status $?)"
	[ -z "$wrong" ] || bad "$1: $(head -5 <<<"$wrong")"
}

# Five processes. Each faults in private memory.
forking=(python3 -c '
import os
for i in range(4):
    if os.fork() == 0:
        bytearray(1 << 20)
        os._exit(0)
for i in range(4):
    os.wait()
bytearray(2 << 20)')

# trace_forking OPTION...: trace these processes into $tmp/trace.csv. Check that each of their
# faults has one line and that the lines are in time order.
trace_forking() {
	local status=0
	"$FLTCTL" trace --csv "$@" -- faultrun -o "$tmp/run" -- "${forking[@]}" \
		>"$tmp/trace.csv" || status=$?
	same "exit status of trace" $status 0
	at_least "number of processes" "$(grep -c '^proc ' "$tmp/run")" 5
	traced python3
	awk -F, '$1 == "fault" { print $2 }' "$tmp/trace.csv" >"$tmp/times"
	ordered "times of the faults" "$tmp/times"
}

# of_recorder NAME ARGUMENT...: run tests/recorder/NAME.sh. Each line that it prints is a
# check. Its time limit is longer than natively, because the guest is slower.
of_recorder() {
	local line last='' before=$checks
	while read -r line; do
		say "$1: $line"
		case $line in
		ok*'# skip'*) ;;
		ok*) checks=$((checks + 1)) ;;
		'not ok'*) bad "$*: $line" ;;
		esac
		last=$line
	done < <(
		status=0
		FLT_TEST_LIMIT=400 bash "tests/recorder/$1.sh" "$(dirname "$FLTCTL")" "${@:2}" \
			2>&1 || status=$?
		echo "status $status"
	)
	same "$*: last line" "$last" "status 0"
	at_least "$*: number of checks" $((checks - before)) 2
}
