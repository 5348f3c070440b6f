#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of 'fltctl lat' without the module. tests/live/lat.sh tests its output with the module.

# shellcheck disable=SC2154
load cli.bash

@test "lat refuses invalid usage with an explanation" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" lat $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		--nonsense|unknown option
		-p x|invalid value 'x' of -p/--pid (expected 1234 or 12,34)
		-p 1 -- true|exclude each other
		-p 1 --cgroup /sys|exclude each other
		--cgroup /sys -- true|exclude each other
		-e -H|exclude each other
		--why 1 1|invalid COUNT '1' for --why
		--why|missing INTERVAL or command for --why
		--plot x.svg 1|--plot needs --why
		-n -1|invalid value '-1' of -n/--slowest (expected a number)
		-n 1001|(expected 0 to 1000)
		sleep 1|after '--'
		1ms|at least 10ms
		1 0|(expected a number of reports)
		1 2 3|unexpected argument '3'
	END
}

@test "lat without the module reports it and returns 5" {
	[ ! -e /sys/module/flt ] || skip "the module is loaded"
	for args in "" 1 "-p 1" "-- true"; do
		# shellcheck disable=SC2086
		run --separate-stderr -5 "$FLTCTL" lat $args
		[ -z "$output" ]
		[[ $stderr == *"not loaded"* ]]
	done
}
