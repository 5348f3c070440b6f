#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of 'fltctl thp' and 'fltctl numa' without the module.

# setup() creates $dir.
# shellcheck disable=SC2154
load cli.bash

@test "help CMD and CMD --help of thp and numa are equal and fit a terminal" {
	for cmd in thp numa; do
		"$FLTCTL" help $cmd >"$dir/1"
		"$FLTCTL" $cmd --help >"$dir/2"
		[ -s "$dir/1" ]
		cmp "$dir/1" "$dir/2"
		[ "$(awk 'length > 80' "$dir/1" | wc -l)" = 0 ]
	done
}

@test "manual pages of thp and numa contain the section OPTIONS" {
	for cmd in thp numa; do
		run --separate-stderr -0 "$FLTCTL" help --man $cmd
		[[ $output == *'.SH OPTIONS'* ]]
	done
}

@test "thp and numa without the module report it on stderr and return 5" {
	[ ! -e /sys/module/flt ] || skip "the module is loaded here"
	for cmd in thp numa; do
		run --separate-stderr -5 "$FLTCTL" $cmd -- true
		[ -z "$output" ]
		[[ $stderr == *modprobe* ]]
	done
}

@test "thp and numa refuse invalid usage with an explanation" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		thp -a -p 1|exclude each other
		thp -G /sys -p 1|exclude each other
		numa -G /sys -a|exclude each other
		numa -p 1 -- true|exclude each other
		thp 1ms|at least 10ms
		thp --with lines|needs a command after '--'
		numa --plot x.svg -- true|needs --with
		thp --with=lines --csv -- true|use --json
	END
}
