#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# thp and numa on the command line, without the module.

# dir is made by setup().
# shellcheck disable=SC2154
load cli.bash

@test "thp and numa: help is the same both ways and no wider than a terminal" {
	for cmd in thp numa; do
		"$FLTCTL" help $cmd >"$dir/1"
		"$FLTCTL" $cmd --help >"$dir/2"
		[ -s "$dir/1" ]
		cmp "$dir/1" "$dir/2"
		[ "$(awk 'length > 80' "$dir/1" | wc -l)" = 0 ]
	done
}

@test "thp and numa: their manual pages have what stands behind the options" {
	for cmd in thp numa; do
		run --separate-stderr -0 "$FLTCTL" help --man $cmd
		[[ $output == *'.SH OPTIONS'* ]]
	done
}

@test "thp and numa without the module: said, status 5, nothing on stdout" {
	[ ! -e /sys/module/flt ] || skip "the module is loaded here"
	for cmd in thp numa; do
		run --separate-stderr -5 "$FLTCTL" $cmd -- true
		[ -z "$output" ]
		[[ $stderr == *modprobe* ]]
	done
}

@test "thp and numa: bad usage is refused with a reason" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		thp -a -p 1|exclude each other
		numa -p 1 -- true|exclude each other
		thp 1ms|at least 10ms
		thp --with lines|needs a command after '--'
		numa --plot x.svg -- true|needs --with
		thp --with=lines --csv -- true|use --json
	END
}
