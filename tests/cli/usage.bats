#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of the usage: help, invalid arguments, and standard output and error.

# setup() creates $dir. Another shell expands the strings in '...'.
# shellcheck disable=SC2154,SC2016
load cli.bash

@test "fltctl without arguments prints the commands on standard error and returns 2" {
	run --separate-stderr -2 "$FLTCTL"
	[ -z "$output" ]
	[[ $stderr == *"stats "* && $stderr == *"check "* ]]
}

@test "help and --help print to standard output" {
	run --separate-stderr -0 "$FLTCTL" help
	[[ $output == *Usage:* ]] && [ -z "$stderr" ]
	run --separate-stderr -0 "$FLTCTL" --help
	[[ $output == *Usage:* ]] && [ -z "$stderr" ]
}

@test "help CMD and CMD --help print the same text" {
	for cmd in stats lat top check map help; do
		"$FLTCTL" help "$cmd" >"$dir/1"
		"$FLTCTL" "$cmd" --help >"$dir/2"
		"$FLTCTL" "$cmd" -h >"$dir/3"
		[ -s "$dir/1" ]
		cmp "$dir/1" "$dir/2"
		cmp "$dir/1" "$dir/3"
	done
}

@test "help text fits a terminal" {
	for cmd in stats lat top check map help; do
		"$FLTCTL" help "$cmd" >"$dir/1"
		[ -s "$dir/1" ]
		[ "$(awk 'length > 80' "$dir/1" | wc -l)" = 0 ]
	done
}

@test "help and manual page list all values of an option, and its bounds" {
	for format in help "help --man"; do
		# shellcheck disable=SC2086
		page() { "$FLTCTL" $format "$1" | sed 's/\\-/-/g' | tr -s ' \n' ' '; }
		page top | grep -qF "|p99|time|rss|read|file"
		page export | grep -qF "machine|cgroup"
		page export | grep -qF "Default: machine."
		page rss | grep -qF "auto|module|perf"
		page record | grep -qF "Allowed: 256KiB to 16TiB."
		page record | grep -qF "Allowed: 4KiB to 1MiB, a power of two."
		page record | grep -qF "Default: 128. Allowed: 1 to 512."
	done
	for cmd in record trace; do
		"$FLTCTL" help $cmd | grep -q -- '-G, --cgroup=DIR'
	done
}

@test "help and manual page list each exit status once" {
	for cmd in $("$FLTCTL" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		[ "$("$FLTCTL" help "$cmd" | grep -ci '^ *exit status:')" = 1 ]
	done
	"$FLTCTL" help expect | grep -q '^  6  a rule of the budget is broken$'
	"$FLTCTL" help --man expect | grep -A1 '^.fB6.fR$' | grep -q 'a rule of the budget'
	for cmd in stats lat trace wss map thp numa record rss report visualize expect; do
		"$FLTCTL" help $cmd | tr -s ' \n' ' ' | grep -qF "its exit status is passed on"
	done
	run ! bash -c '"$1" help script | grep "passed on"' - "$FLTCTL"
}

@test "help of record says which options need -L" {
	for option in latency bandwidth sample policy inline no-inline no-move no-grants cores; do
		"$FLTCTL" help record | grep -A1 -e "--$option" | grep -q 'With -L,'
	done
}

@test "without the module, fltctl alone says in three lines where to begin" {
	[ ! -e /sys/module/flt ] || skip "the module is loaded"
	run --separate-stderr -2 "$FLTCTL"
	[ -z "$output" ]
	[ "$(sed -n '/^The flt module is not loaded/,$p' <<<"$stderr" | grep -c '^  ')" = 3 ]
}

@test "--version prints the version" {
	run --separate-stderr -0 "$FLTCTL" --version
	[[ $output =~ ^fltctl\ [0-9.]+\ \(json\ [0-9]+\)$ ]]
}

@test "fltctl refuses an unknown command and suggests a similar one" {
	run --separate-stderr -2 "$FLTCTL" stat
	[[ $stderr == *"did you mean 'stats'?"* ]] && [ -z "$output" ]
	run --separate-stderr -2 "$FLTCTL" banana
	[[ $stderr != *"did you mean"* ]]
	run --separate-stderr -2 "$FLTCTL" --banana
	[[ $stderr == *"unknown option"* ]]
}

@test "stats refuses invalid usage with an explanation" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" stats $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		--nonsense|unknown option --nonsense
		--tread|did you mean --threads?
		-Z|unknown option -Z
		-p|missing value of --pid (give --pid=PID,...)
		-p x|invalid value 'x' of -p/--pid (expected 1234 or 12,34)
		-p 1,|invalid value '1,' of -p/--pid
		-p 0|invalid value '0' of -p/--pid
		-a -p 1|exclude each other
		-a -- true|exclude each other
		-p 1 -- true|exclude each other
		--threads|need -p
		--by=thread|need -p
		--by=cow|(expected one of process, thread, kind, cgroup)
		--by=kind --threads -p 1|exclude each other
		sleep 1|invalid interval 'sleep' (expected e.g. 500ms or 2s; put a command after '--')
		0|at least 10ms
		1ms|at least 10ms
		1 0|(expected a number of reports)
		1 x|(expected a number of reports)
		1 2 3|unexpected argument '3'
		--|missing command after '--'
		--all=1|takes no value
		--json --csv|--json and --csv exclude each other
		--csv -a --json|--csv and --json exclude each other
	END
	run --separate-stderr -2 "$FLTCTL" visualize --svg --html
	[[ $stderr == *"--svg and --html exclude each other"* ]]
	run --separate-stderr -2 "$FLTCTL" report --alloc --refault
	[[ $stderr == *"--alloc and --refault exclude each other"* ]]
	# The same option twice is no contradiction.
	run --separate-stderr -0 "$FLTCTL" stats --source=kernel -a --json --json
}

@test "check and help refuse invalid usage" {
	run --separate-stderr -2 "$FLTCTL" check something
	run --separate-stderr -2 "$FLTCTL" check -- true
	run --separate-stderr -2 "$FLTCTL" help nonsense
	run --separate-stderr -2 "$FLTCTL" help stats check
	run --separate-stderr -2 "$FLTCTL" help --completion=tcsh
}

@test "error messages escape invalid arguments" {
	run --separate-stderr -2 "$FLTCTL" $'sta\033[31mts'
	[[ $stderr == *'\x1b[31m'* && $stderr != *$'\033'* ]]
	run --separate-stderr -2 "$FLTCTL" stats --pid=$'\033'
	[[ $stderr != *$'\033'* ]]
}

@test "shells accept their completion scripts" {
	"$FLTCTL" help --completion=bash >"$dir/bash"
	bash -n "$dir/bash"
	run -0 bash -c 'source "$1"; COMP_WORDS=(fltctl sta); COMP_CWORD=1; _fltctl
		echo "${COMPREPLY[@]}"
		COMP_WORDS=(fltctl stats --by =  k); COMP_CWORD=4; _fltctl
		echo "${COMPREPLY[@]}"
		COMP_WORDS=(fltctl stats --thr); COMP_CWORD=2; _fltctl
		echo "${COMPREPLY[@]}"' - "$dir/bash"
	[ "${lines[0]}" = stats ] && [ "${lines[1]}" = kind ] && [ "${lines[2]}" = --threads ]
	for shell in zsh fish; do
		"$FLTCTL" help --completion=$shell >"$dir/$shell"
		[ -s "$dir/$shell" ]
		! command -v $shell >/dev/null || $shell -n "$dir/$shell"
	done
}

@test "help, manual page and completion contain all options" {
	for cmd in stats lat top check map; do
		options=$("$FLTCTL" help $cmd | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+')
		[ -n "$options" ]
		for option in $options; do
			"$FLTCTL" help --man $cmd | sed 's/\\-/-/g' | grep -qe "$option"
			"$FLTCTL" help --completion=bash | grep -qe "$option"
			"$FLTCTL" help --completion=zsh | grep -qe "$option"
			"$FLTCTL" help --completion=fish | grep -qe "-l ${option#--}"
		done
	done
}

@test "manual pages format without warnings" {
	for page in "" stats lat top check map help; do
		# shellcheck disable=SC2086
		"$FLTCTL" help --man $page >"$dir/page.8"
		run -0 env MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$dir/page.8"
		[[ $output != *warning* ]]
	done
}

@test "each manual page has EXAMPLES, and the guide has ten questions" {
	for cmd in fltctl $("$FLTCTL" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		python3 tests/docs/examples.py -n "man/$cmd.man" >"$dir/examples"
		[ -s "$dir/examples" ]
	done
	awk -v VERSION=0 -f man/guide.awk docs/guide.md >"$dir/flt.7"
	[ "$(grep -c '^\.SH .*?$' "$dir/flt.7")" = 10 ]
	run ! grep -q '\.svg)\|pictures/' "$dir/flt.7"
	# The pages in man/ and flt(7) also format without warnings.
	for page in man/*.man "$dir/flt.7"; do
		{ [[ $page == */flt.7 ]] || echo ".TH fltctl 8"; cat "$page"; } >"$dir/page"
		run -0 env MANROFFSEQ='' MANWIDTH=80 man --warnings=w -E UTF-8 -l -Tutf8 -Z "$dir/page"
		[[ $output != *": warning"* ]]
	done
}

@test "a closed standard output is an error, and no other file is written instead" {
	run -1 bash -c '"$1" help >&-' - "$FLTCTL"
	[[ $output == *"cannot write to standard output"* ]]
	run -1 bash -c '"$1" help >/dev/full' - "$FLTCTL"
	[[ $output == *"No space left"* ]]
	run -0 bash -c '"$1" help 2>&- <&- >/dev/null' - "$FLTCTL"
}

@test "a closed pipe ends fltctl without a message" {
	run --separate-stderr -141 bash -c 'set -o pipefail; "$1" stats --source=kernel -a 10ms | head -1' \
		- "$FLTCTL"
	[ -z "$stderr" ]
	# The result is the same if the parent ignores SIGPIPE.
	run --separate-stderr -141 bash -c 'trap "" PIPE; set -o pipefail
		"$1" stats --source=kernel -a 10ms | head -1' - "$FLTCTL"
	[ -z "$stderr" ]
}
