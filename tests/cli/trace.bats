#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# trace without the module: refused with a reason. What it says with one is in
# tests/live/stream.sh and netlink.sh.

# shellcheck disable=SC2154
load cli.bash

@test "bad usage of trace is refused with a reason" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" trace $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		--nonsense|unknown option
		--channel pigeon|netlink
		-b 5000|from 4KiB to 1MiB
		-B 1|from 2 to 64
		-F none|one of all
		-s 0|from 1
	END
}

@test "trace without the module says so by either channel, status 5" {
	[ ! -e /sys/module/flt ] || skip "the module is loaded"
	for channel in auto relay netlink; do
		run --separate-stderr -5 "$FLTCTL" trace --channel "$channel" -- true
		[[ $stderr == *"not loaded"* ]]
	done
}
