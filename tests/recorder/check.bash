# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check.bash - create a working directory and print a line for each check.
#
# To be sourced. A test ends with `finish`. The file err has the messages of the last
# command.
# shellcheck disable=SC2034 # used by the tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
failed=0
# A command that fails outside of checks and functions ends the test. Say which one, and why.
trap 'echo "not ok line $LINENO returns $?: $BASH_COMMAND"; show_err' ERR
limit=${FLT_TEST_LIMIT:-100}	# seconds for each command
show_err() { [ ! -e err ] || tail -4 err | sed 's/^/    /'; }
# check SENTENCE COMMAND...
check() {
	local what=$1
	shift
	# A check without a command fails, because it checks nothing.
	if [ $# -gt 0 ] && "$@"; then echo "ok $what"; else echo "not ok $what"; show_err; failed=1; fi
}
# Return the result of all checks. Failed checks were printed, so do not name this command.
finish() {
	trap - ERR
	[ $failed = 0 ]
}
