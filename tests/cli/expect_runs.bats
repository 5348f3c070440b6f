#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The sum of tests/live/expect-runs, whose guests are those of tests/vm/run.

bats_require_minimum_version 1.5.0

setup() { file=$BATS_TEST_TMPDIR/runs; }

# Add a guest to the file.
guest() { # VERDICT RUNS OF ALARMS MISSED
	echo "2026-01-01T00:00:00Z 6.12 $1 runs=$2 of=$3 programs=$((5 * $2)) alarms=$4 planted=$2" \
		"missed=$5 seconds=$((6 * $2))" >>"$file"
}

sum() { # STATUS OPTION...
	run "-$1" tests/live/expect-runs "${@:2}" "$file"
}

@test "all runs of all guests passed" {
	guest pass 50 50 0 0
	guest pass 20 20 0 0
	# No guest is needed.
	sum 0 70
	[ "$output" = "70 of 70 runs in 2 guests, 2 pass: 0 false alarms of 350 programs, 0 missed of \
70 planted faults, 6.0 s per run" ]
}

@test "a false alarm, a missed fault or a guest that failed is no pass" {
	for wrong in "fail 10 10 1 0" "fail 10 10 0 1" "fail 10 10 0 0" "died 3 10 0 0" "pass 10 10 1 0"; do
		: >"$file"
		guest pass 50 50 0 0
		# shellcheck disable=SC2086
		guest $wrong
		sum 1 -s
	done
	guest time-out 0 50 0 0
	sum 1 -s
	[[ $output == "60 of 110 runs in 3 guests, "*"1 time-out"* ]]
}

@test "runs that are missing are no pass" {
	: >"$file"
	sum 3 -s
	guest pass 50 50 0 0
	sum 0 -s
	sum 2 many
	sum 2 -n 0 50
}
