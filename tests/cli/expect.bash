# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Programs and functions for the tests of expect. $program is that of docs/expect, $marks that of
# expect_marks.c.
# shellcheck disable=SC2154,SC2034

load cli.bash

setup_file() {
	export source=$PWD program=$BATS_FILE_TMPDIR/batch marks=$BATS_FILE_TMPDIR/marks
	gcc -O2 -g -Iinclude -o "$program" docs/expect/batch.c -pthread
	gcc -O2 -g -Iinclude -o "$marks" tests/cli/expect_marks.c
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	dir=$BATS_TEST_TMPDIR
	chmod 755 "$dir"
	"$FLTCTL" record -q -o probe.flt -- true || skip "no perf events here"
}

expect() { run --separate-stderr "$FLTCTL" expect "$@"; }
