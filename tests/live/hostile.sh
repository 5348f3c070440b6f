#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: mem=2048 disk=256 zram=1 timeout=600 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: whatever an unprivileged user does, the counts of another process stay exact and of
# known kinds, and the module refuses the user with the documented errno.
#
# Each attack is a section with its own verdict. `hostile.sh SECTION...` runs only these.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

threads=$(sized 2500 12000 20000) sleepers=$(sized 1500 6000 10000)
more_sleepers=$(sized 4600 6000 10000)
rounds=$(sized 5 15 100) requests=$(sized 1000 4000 10000) grabs=$(sized 20 70 70)
# A bomb of a thousand processes holds the lock of their anon_vma for minutes under emulation, before
# so many have ended that the default table retires rows.
processes=$(sized 200 1000 1000) table=()
[ "$LONG" ] || table=(max_procs=256)
# More live processes than rows that are kept.
all_rows=400 few_rows=(max_procs=256)
# Every step takes several times as long on the debug kernel.
[ "$KERNEL" != debug ] || threads=1500 sleepers=1000 processes=100 rounds=2 requests=200 \
	all_rows=150 table=(max_procs=256) few_rows=(max_procs=128)

sysctl -qw vm.unprivileged_userfaultfd=1 kernel.threads-max=100000 kernel.pid_max=100000 \
	vm.max_map_count=200000
ulimit -u unlimited
chmod 666 /dev/fuse

# Run a command without capabilities, and without a way to get any.
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all)
perfmon=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +perfmon
	--ambient-caps +perfmon)

# The victim is in a session from its start. It does the first half of its work before the
# attack. The other half begins during the attack, and lasts until the file "enough" exists.
# shellcheck disable=SC2016 # expanded by the victim
victim='tree fork 20 8 && kinds anon 50 && : >"$0/half" && read -r _ <"$0/go" &&
	until [ -e "$0/enough" ]; do tree loop 64 500 || exit; done &&
	tree fork 30 8 && tree threads 24 16 && kinds anon 200 && kinds zero 50 && kinds cowfork 50'

victim_starts() {
	rm -f "$tmp/half" "$tmp/go" "$tmp/enough" "$tmp/rows" "$tmp/oracle"
	mkfifo "$tmp/go"
	exec 5<>"$tmp/go"
	fltq follow ${counts:+-c} -o "$tmp/rows" -- \
		faultrun -o "$tmp/oracle" -- bash -c "$victim" "$tmp" >"$tmp/out" 2>&1 &
	victim_pid=$!
	until_true test -e "$tmp/half" || bad "the victim does not start: $(cat "$tmp/out")"
	fltq tally >"$tmp/before"
	say "$section: the victim waits"
}

# Let the victim do the rest of its work, until the attackers with these PIDs have ended.
victim_goes_on() { # [PID...]
	local status=0 pid
	echo go >&5
	for pid; do
		wait "$pid" || bad "$section: exit status $? of an attacker"
	done
	: >"$tmp/enough"
	wait "$victim_pid" || status=$?
	exec 5>&-
	fltq tally >"$tmp/after"
	same "$section: exit status of the victim: $(tail -1 "$tmp/out")" $status 0
	say "$section: the victim has ended"
}

# The sums of the session are those of the kernel, and each fault has a known kind. These
# sums include rows that were retired.
sums_are_exact() {
	local minor major kinds
	grep '^session' "$tmp/rows" >"$tmp/session" || true
	read -r minor major < <(awk '
		$1 == "proc" || $1 == "root" { minor += $(NF - 1); major += $NF; n++ }
		END { if (n > 50) print minor, major; else print "no_input no_input" }' \
		<(grep '^proc' "$tmp/oracle") <(grep '^root' "$tmp/rows"))
	same "$section: minor faults of the victim" "$(field minor <"$tmp/session")" "$minor"
	same "$section: major faults of the victim" "$(field major <"$tmp/session")" "$major"
	same "$section: faults of unknown kind" "$(field kind.unknown <"$tmp/session")" 0
	kinds=$(awk '{ for (i = 2; i <= NF; i++) if (split($i, w, "=") == 2 && w[1] ~ /^kind\./)
		n += w[2] } END { print NR ? n + 0 : "no_input" }' "$tmp/session")
	same "$section: sum of the kinds" "$kinds" "$((minor + major))"
	same "$section: processes without a row" "$(field untracked <"$tmp/session")" 0
	same "$section: missed faults of the machine" "$(delta all.missed)" 0
	same "$section: faults of threads without counters" "$(delta lost_task)" 0
	same "$section: faults of processes without a row" "$(delta lost_proc)" 0
}

# Each process of the victim has exact counts.
rows_are_exact() {
	checks=$((checks + 1))
	awk -v name="$section" -v tree=0 -v may_miss=0 -v late=0 -f tests/live/equal.awk \
		"$tmp/oracle" "$tmp/rows" || bad "$section"
}

# attack COMMAND...: run the attacker until it prints a line, and let it wait for the end of
# its input.
attack() {
	rm -f "$tmp/stop" "$tmp/said"
	mkfifo "$tmp/stop" "$tmp/said"
	"${nobody[@]}" "$@" <"$tmp/stop" >"$tmp/said" 2>"$tmp/attack.err" &
	attacker=$!
	exec 6>"$tmp/stop" 7<"$tmp/said"
	said=nothing
	read -r said <&7 || true
	say "$section: $said"
}

# End the attacker. Its exit status is that of its work.
attack_ends() {
	local status=0
	exec 6>&-
	wait "$attacker" || status=$?
	exec 7<&-
	same "$section: exit status of the attacker: $(cat "$tmp/attack.err")" $status 0
}

# Thousands of threads have faulted.
thread_crowd() {
	load
	victim_starts
	attack crowd "$threads" 1
	same "$section: attack" "$said" "crowd $threads"
	victim_goes_on
	attack_ends
	sums_are_exact
	rows_are_exact
}

# More threads sleep in faults than the return probe has instances. Counts need no return probe.
userfaultfd_sleepers() {
	local counts=1
	load accounting=counts maxactive=512
	victim_starts
	attack asleep hold "$sleepers"
	same "$section: attack" "$said" "asleep $sleepers"
	victim_goes_on
	attack_ends
	sums_are_exact
	rows_are_exact
}

# The same while returns are probed: a larger probe takes over, so that every further fault is seen.
# Thousands of sleepers take too long on the debug kernel.
sleepers_and_returns() {
	[ "$KERNEL" != debug ] || return 0
	load accounting=latency
	same "$section: instances" "$(fltq info | field maxactive)" 4096
	attack asleep hold "$more_sleepers"
	same "$section: attack" "$said" "asleep $more_sleepers"
	until_true has_grown || bad "$section: the probe on return does not grow"
	say "$section: $(fltq info | field maxactive) instances"
	victim_starts
	victim_goes_on
	attack_ends
	sums_are_exact
	rows_are_exact
	same "$section: returns are probed" "$(fltq info | field returns)" 1
}

has_grown() { [ "$(fltq info | field maxactive)" -gt "$more_sleepers" ]; }

fuse_sleepers() {
	local counts=1
	mkdir "$tmp/fuse"
	chmod 755 "$tmp"
	chown 65534 "$tmp/fuse"
	load accounting=counts maxactive=512
	victim_starts
	attack fusehold "$sleepers" "$tmp/fuse"
	same "$section: attack" "$said" "asleep $sleepers"
	victim_goes_on
	attack_ends
	sums_are_exact
	rows_are_exact
}

# A fork bomb of at most so many processes. The victim goes on when the bomb has reached this
# limit and CONDITION is true. The module is loaded with the parameters.
bomb() { # PROCESSES CONDITION [PARAM=VALUE...]
	group=/sys/fs/cgroup/bomb
	mkdir $group
	echo "$1" >$group/pids.max
	# The group gets its share of the CPU, and the victim, which is outside, does, too. The
	# debug kernel has no controller cpu, and its bombs are small.
	[ -e $group/cpu.weight ] || [ "$KERNEL" = debug ] || bad "$section: missing controller cpu"
	load "${@:3}"
	victim_starts
	# shellcheck disable=SC2016 # expanded by the shell that enters the group
	bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $group "${nobody[@]}" forkbomb &
	attacker=$!
	until { hit_its_limit && $2; } || ! kill -0 "$attacker"; do
		sleep 0.1
	done
	say "$section: $(cat $group/pids.current) processes"
	victim_goes_on
	refused=$(awk '$1 == "max" { print $2 }' "$group/pids.events")
	echo 1 >$group/cgroup.kill
	wait "$attacker" 2>/dev/null || true
	until_true rmdir $group 2>/dev/null || bad "$section: the fork bomb does not end"
	at_least "$section: forks that were refused" "$refused" 1
	sums_are_exact
}

retires_rows() { [ "$(fltq tally | field procs_retired)" -gt 0 ]; }
hit_its_limit() { [ "$(awk '{ print $2 }' "$group/pids.events")" -gt 0 ]; }

# So many processes ended that the table retires rows.
fork_bomb() { bomb "$processes" retires_rows "${table[@]}"; }

# More processes live than rows of ended processes are kept.
fork_bomb_of_all_rows() { bomb "$all_rows" retires_rows "${few_rows[@]}"; }

# A user binds the port of a closed stream.
port_takeover() {
	load
	victim_starts
	portgrab "$grabs" >"$tmp/grab" &
	victim_goes_on $!
	say "$section: $(cat "$tmp/grab")"
	at_least "$section: calls of bind()" "$(field binds <"$tmp/grab")" $((grabs * 160))
	same "$section: messages received by another user" "$(field received <"$tmp/grab")" 0
	sums_are_exact
	rows_are_exact
}

# Users open and close sessions. One of them may.
session_storm() {
	load
	victim_starts
	"${nobody[@]}" sessions denied "$requests" >"$tmp/denied" &
	attacker=$!
	"${perfmon[@]}" sessions taken "$rounds" >"$tmp/taken" &
	victim_goes_on $attacker $!
	say "$section: user: $(cat "$tmp/denied")"
	say "$section: CAP_PERFMON: $(cat "$tmp/taken")"
	same "$section: user" "$(cat "$tmp/denied")" "sessions opened=0 EPERM=$requests"
	same "$section: CAP_PERFMON" "$(sed 's/opened=[0-9]*/opened/' "$tmp/taken")" \
		"sessions opened ENOSPC=$rounds"
	at_least "$section: sessions of CAP_PERFMON" "$(field opened <"$tmp/taken")" $((rounds * 16))
	sums_are_exact
	rows_are_exact
}

# A reader without capabilities waits for a page of its own in read() of a relay file.
stuck_reader() {
	load max_buffers=1
	victim_starts
	stuckread 131072 4 >"$tmp/stuck" &
	victim_goes_on $!
	same "$section: attack" "$(cat "$tmp/stuck")" "stuck served=1 refused=1 granted=1"
	sums_are_exact
	rows_are_exact
}

# A user opens the relay file of another user.
relay_file() {
	local file
	load
	rm -f "$tmp/hold"
	mkfifo "$tmp/hold"
	fltq hold -s <"$tmp/hold" >"$tmp/held" 2>&1 &
	attacker=$!
	exec 6>"$tmp/hold"
	until_true test -s "$tmp/held" || bad "$section: no session"
	file=$debugfs/session-$(field id <"$tmp/held")/cpu0
	checks=$((checks + 2))
	[ -r "$file" ] || bad "$section: missing $file"
	! "${nobody[@]}" cat "$file" 2>"$tmp/err" || bad "$section: a user opens a relay file"
	same "$section: error of open()" "$(cat "$tmp/err")" "cat: $file: Permission denied"
	exec 6>&-
	wait $attacker
}

[ $# -gt 0 ] || set -- thread_crowd userfaultfd_sleepers sleepers_and_returns fuse_sleepers fork_bomb \
	fork_bomb_of_all_rows port_takeover session_storm stuck_reader relay_file
for section; do
	begun=$failures
	$section
	unload
	verdict=passed
	[ "$failures" = "$begun" ] || verdict="failed ($((failures - begun)))"
	say "section $section: $verdict"
done
finish
