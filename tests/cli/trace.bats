#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of 'fltctl trace' without the module. tests/live/stream.sh and netlink.sh test it
# with the module.

# shellcheck disable=SC2154
load cli.bash

@test "trace refuses invalid usage with an explanation" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" trace $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		--nonsense|unknown option
		--channel pigeon|netlink
		-b 5000|(expected 4KiB to 1MiB)
		-B 1|(expected 2 to 64)
		-F none|one of all
		-s 0|(expected 1 to 65535)
		-i /nonexistent -s 2|need a live trace
		-i /nonexistent --follow -p 1|need a live trace
		-i /nonexistent --unwind fp|needs a live trace
		-i /nonexistent --why|needs a live trace
		--why --ctf /nonexistent/x|exclude each other
		--why --by=cgroup|exclude each other
		-i /nonexistent -- true|cannot trace a command
	END
}

@test "trace without the module reports it and returns 5, with each channel" {
	[ ! -e /sys/module/flt ] || skip "the module is loaded"
	for channel in auto relay netlink; do
		run --separate-stderr -5 "$FLTCTL" trace --channel "$channel" -- true
		[[ $stderr == *"not loaded"* ]]
	done
}

@test "offsets in files are those of pages of the machine that recorded" {
	for page in 4096 16384 65536; do
		"${GENERATE:?}" "$dir/mapped" 2000 30 4 mapped "$page"
		"$FLTCTL" trace --json -i "$dir/mapped" >"$dir/json"
		json "$dir/json" 'len(rows) == 2000 and all(r["path"] == "/nowhere/data" for r in rows)'
		json "$dir/json" "all(int(r['offset'], 16) ==
			(int(r['address'], 16) - 0x7f0000000000 + (3 << 16)) // $page * $page for r in rows)"
	done
}

@test "a recording is traced without the module; what cannot be read is named" {
	cd "$BATS_TEST_TMPDIR"
	echo nonsense >no.flt
	run --separate-stderr -1 "$FLTCTL" trace -i no.flt
	[[ $stderr == *"no.flt: not a recording"* ]]
	"$FLTCTL" record -q -o t.flt -- true || skip "no perf events here"
	run --separate-stderr -0 "$FLTCTL" trace --json -i t.flt
	[[ ${lines[0]} == *'"record":"fault"'*'"comm":'* ]]
	recorded=$("$FLTCTL" script --json --no-stack --no-symbols t.flt | wc -l)
	[ "${#lines[@]}" -eq "$recorded" ]
	[[ $output == *'"path":"/'* ]]
}
