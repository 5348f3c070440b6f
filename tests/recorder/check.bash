# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check.bash - a directory to work in, and a line for each thing that must hold.
#
# Sourced. A test ends with `exit $failed`; what it ran last left its words in err.
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
	# Without a command nothing was checked.
	if [ $# -gt 0 ] && "$@"; then echo "ok $what"; else echo "not ok $what"; sed 's/^/    /' err | tail -4; failed=1; fi
}
