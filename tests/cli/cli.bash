# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Functions for all tests here. $FLTCTL is the program, $FAULTRUN counts faults to compare with.

bats_require_minimum_version 1.5.0

setup() {
	: "${FLTCTL:?}" "${FAULTRUN:?}"
	dir=$BATS_TEST_TMPDIR
	chmod 755 "$dir"
}

# Wait up to a minute for a command to succeed.
until_true() {
	local i
	for ((i = 0; i < 1200; i++)); do
		! "$@" 2>/dev/null || return 0
		sleep 0.05
	done
	return 1
}

nobody_runs() { ! pgrep -f "^$1" >/dev/null; }

# Kill processes that a failed test left, because bats would wait for them.
teardown() {
	[ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
}

# Run the arguments as a user without capabilities, in a directory that all users can read.
as_nobody() {
	install -m 755 "$FLTCTL" "$dir/fltctl"
	setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all \
		--inh-caps=-all "$dir/fltctl" "$@"
}

without_module() {
	[ ! -e /sys/module/flt ] || skip "the flt module is loaded here"
}

is_root() {
	[ "$(id -u)" = 0 ] || skip "needs root to become somebody else"
}

# json FILE EXPRESSION: EXPRESSION must be true; rows are the objects in FILE. FILE must have
# rows, because an expression about all rows is true without rows.
json() {
	python3 - "$@" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as f:
    rows = [json.loads(line) for line in f]
if not rows:
    sys.exit("no rows")
if not eval(sys.argv[2]):
    sys.exit(f"not so: {sys.argv[2]}\n" + "\n".join(map(str, rows)))
END
}

# Print the faults of the process tree of FAULTRUN without those of its child, fltctl.
judged() { # FILE minor|major
	awk -v f="$([ "$2" = minor ] && echo 5 || echo 6)" '
		$1 == "proc" { sum += $f; count[$2] = $f; if (!least || $2 < least) least = $2 }
		END { if (!least) exit 1; print sum - count[least] }' "$1"
}
