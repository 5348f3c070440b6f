# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2034 # for the files that source this one
# What the tests of causes share: the rows of trace --why, the kernel's own trace of spans in
# faults, and fragmented memory.
: "${tmp:?} ${KERNEL:?}"	# tests/live/live.bash

# Print the values of EXPRESSION over the array of all rows, one per line. jq needs more time to
# start than to compute, so each function below starts jq once.
rows_jq() { jq -cs "$1" "$tmp/json"; } # EXPRESSION

# Run trace --why. Check that the parts of each fault add up to its latency, and that the cause of a
# fault is its largest part. Above 4 s the parts are rounded.
trace_why() { # WHAT COMMAND...
	local what=$1 status=0 faults=no_input whole='' named=''
	shift
	"$FLTCTL" trace --why --json -o "$tmp/json" -- "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	same "$what, traced: exit status: $(tail -n 1 "$tmp/err")" $status 0
	read -rd '' faults whole named < <(rows_jq '
		def parts: [.other_ns, .io_ns, .swap_ns, .reclaim_ns, .thrashing_ns, .copy_ns,
			.queue_ns, .userfaultfd_ns, .unmeasured_ns, (.compaction_ns // 0)];
		map(select(.record == "fault")) | length,
		(map(select(.latency_ns < 4000000000 and (parts | add) == .latency_ns or
			(.latency_ns - (parts | add) | fabs) <= .latency_ns / 100)) | length),
		(map(select(. as $row | .cause != null and
			(parts | max) == $row[(.cause | split(" ")[0]) + "_ns"])) | length)') || true
	at_least "$what, traced: faults" "$faults" 10
	same "$what, traced: faults whose parts add up" "$whole" "$faults"
	same "$what, traced: faults whose cause is their largest part" "$named" "$faults"
}

# Return the number of traced faults that fulfil a condition.
traced() { rows_jq "map(select(.record == \"fault\" and ($1))) | length"; } # CONDITION

# Check that each of N planted faults, and no fewer, has MS milliseconds of a cause: trace_why ran.
each() { # WHAT N CONDITION CAUSE MS
	local got
	# The third and the following lines show planted faults that have less.
	mapfile -t got < <(rows_jq "
		def caused: .$4_ns >= $5 * 1000000 and .$4_ns > 0;
		map(select(.record == \"fault\" and ($3))) | length, (map(select(caused)) | length),
		(map(select(caused | not))[:3][])")
	at_least "$1, traced: planted faults" "${got[0]:-no_input}" "$2"
	same "$1, traced: of ${got[0]:-} planted faults, those with $5 ms of $4" \
		"${got[1]:-no_input}" "${got[0]:-}"
	[ ${#got[@]} -lt 3 ] || printf '%s\n' "${got[@]:2}"
}

# Check that the cause of each planted fault is the planted one: each() has passed. Only for causes
# that last tens of milliseconds, so that nothing else in the fault lasts longer.
named() { # WHAT CONDITION CAUSE
	local planted='' named=no_input
	read -rd '' planted named < <(rows_jq "
		map(select(.record == \"fault\" and ($2))) | length,
		(map(select((.cause | split(\" \")[0]) == \"$3\")) | length)") || true
	same "$1, traced: planted faults that are named $3" "$named" "$planted"
}

# Let the kernel trace events into $tracing. Start with an empty trace in nanoseconds of the
# monotonic clock.
tracing=
kernel_trace() { # EVENT[=FILTER]...
	local event name
	for event; do
		name=${event%%=*}
		[ "$name" = "$event" ] || echo "${event#*=}" >"$tracing/events/$name/filter"
		echo 1 >"$tracing/events/$name/enable"
	done
}

# Add to each traced fault how long the kernel says that the thread was in a span (kernel_ns) and
# did not get a CPU (kernel_queue_ns). Its delay accounting uses another clock, so the times are not
# compared.
kernel_spans() { # EVENT...
	local event
	for event; do
		echo 0 >"$tracing/events/$event/enable"
	done
	same "events that the kernel's trace lost" \
		"$(awk '/^overrun:/ { n += $2 } END { print NR ? n + 0 : "no_input" }' \
			"$tracing"/per_cpu/cpu*/stats)" 0
	tests/live/spans.py "$tracing/trace" "$tmp/json" >"$tmp/spans"
	mv "$tmp/spans" "$tmp/json"
	echo >"$tracing/trace"
}

# Create an instance of the kernel's trace, if the kernel has events: the debug kernel has none.
enable_kernel_trace() {
	[ -d /sys/kernel/tracing/instances ] || mount -t tracefs none /sys/kernel/tracing || true
	if [ -d /sys/kernel/tracing/events/vmscan ]; then
		tracing=/sys/kernel/tracing/instances/why
		mkdir $tracing
		echo mono >$tracing/trace_clock
	else
		[ "$KERNEL" = debug ] || bad "missing events of the kernel"
	fi
}

# Fill the memory except for MB with small pages, and free every second one.
fragment_memory() { # MB
	local free
	echo 0 >/proc/sys/vm/compaction_proactiveness
	free=$(awk '$1 == "MemFree:" { print int($2 / 1024) }' /proc/meminfo)
	mkfifo "$tmp/fragments"
	huge crumble=$((free - $1)) gate <"$tmp/fragments" >"$tmp/fragments.out" &
	fragments=$!
	exec 9>"$tmp/fragments"
	until_true grep -q gate "$tmp/fragments.out" || bad "memory could not be fragmented"
}

release_memory() {
	exec 9>&-
	wait "$fragments"
	rm "$tmp/fragments"
}

# Run a command in the cgroup "slow".
slowly=(bash -c 'echo $$ >/sys/fs/cgroup/slow/cgroup.procs && exec "$@"' -)

# Start a process of real-time priority that uses a CPU and sleeps in turns.
hog() { # CPU BUSY-MS IDLE-MS
	chrt -f 50 taskset -c "$1" python3 -c '
import sys, time
busy, idle = (int(word) / 1000 for word in sys.argv[1:])
while True:
    end = time.monotonic() + busy
    while time.monotonic() < end:
        pass
    time.sleep(idle)' "${@:2}" &
	hog=$!
}
