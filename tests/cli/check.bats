#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of 'fltctl check' without the module and without permission.

# setup() creates $dir. Another shell expands the strings in '...'.
# shellcheck disable=SC2154,SC2016
load cli.bash

@test "check without the module returns 5 and names the remedy" {
	without_module
	run --separate-stderr -5 "$FLTCTL" check
	[ -z "$stderr" ]
	[[ $output == *"no    module"* && $output == *"fix: "* ]]
}

@test "check prints a remedy for each missing feature, in text and data" {
	without_module
	"$FLTCTL" check --json >"$dir/json" || [ $? = 5 ]
	json "$dir/json" "all(r['result'] in ('ok', 'warn', 'no', '-') for r in rows)"
	json "$dir/json" "all(r.get('fix') for r in rows if r['result'] == 'no')"
	json "$dir/json" "not any(r.get('fix') for r in rows if r['result'] == 'ok')"
	json "$dir/json" "{'kernel', 'config', 'signature', 'module', 'permission', 'debugfs', 'ftrace', \
		'userfaultfd', 'perf'} <= {r['check'] for r in rows}"
	"$FLTCTL" check --csv >"$dir/csv" || [ $? = 5 ]
	[ "$(head -1 "$dir/csv")" = check,result,detail,fix ]
}

@test "check without capabilities names the missing one" {
	is_root
	run --separate-stderr as_nobody check
	[ "$status" = 5 ] || [ "$status" = 4 ]
	[[ $output == *"no    permission"*CAP_PERFMON*"fix: "*setcap* ]]
}

@test "check distinguishes root in a container from real root" {
	is_root
	unshare -U -r true || skip "no user namespaces here"
	run --separate-stderr unshare -U -r "$FLTCTL" check
	[[ $output == *"not the initial user namespace"* ]]
}
