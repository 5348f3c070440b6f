# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Loaded by every test here: FLTCTL is the program, FAULTRUN the judge.

bats_require_minimum_version 1.5.0

setup() {
	: "${FLTCTL:?}" "${FAULTRUN:?}"
	dir=$BATS_TEST_TMPDIR
	chmod 755 "$dir"
}

# Waits up to a minute for a command to succeed.
until_true() {
	local i
	for ((i = 0; i < 1200; i++)); do
		! "$@" 2>/dev/null || return 0
		sleep 0.05
	done
	return 1
}

nobody_runs() { ! pgrep -f "^$1" >/dev/null; }

# What a failed test left running would be waited for.
teardown() {
	[ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
}

# Runs it as somebody without any capability, from a directory anybody may see.
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

# json FILE EXPRESSION: EXPRESSION over rows, the objects in FILE, must be true. No rows
# are no input: what holds of all of them would hold.
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

# Faults in the tree that FAULTRUN saw, less those of its child, which is fltctl.
judged() { # FILE minor|major
	awk -v f="$([ "$2" = minor ] && echo 5 || echo 6)" '
		$1 == "proc" { sum += $f; count[$2] = $f; if (!least || $2 < least) least = $2 }
		END { if (!least) exit 1; print sum - count[least] }' "$1"
}
