# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check.bash - create a working directory and print a line for each check.
#
# To be sourced. A test ends with `exit $failed`. The file err has the messages of the last
# command.
# shellcheck disable=SC2034 # used by the tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
failed=0
limit=${FLT_TEST_LIMIT:-100}	# seconds for each command
# check SENTENCE COMMAND...
check() {
	local what=$1
	shift
	# A check without a command fails, because it checks nothing.
	if [ $# -gt 0 ] && "$@"; then echo "ok $what"; else echo "not ok $what"; sed 's/^/    /' err | tail -4; failed=1; fi
}
