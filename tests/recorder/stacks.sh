#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: stacks.sh BUILD-DIR
# Stacks of faults that the faulting thread serves, and of faults that the server serves.
set -euo pipefail

build=$(realpath "$1") here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
for path in '' --inline --no-inline; do
	echo "# record $path"
	timeout "${FLT_TEST_LIMIT:-60}" "$build/fltctl" record -q $path -L 8 -o trace.flt -- \
		"$build/tests/recorder/stacks" "$build/tests/recorder/loaded.so" > want
	"$build/fltctl" script --csv trace.flt > have.csv
	"$here/stacks.py" want have.csv || failed=1
	rm -f trace.flt*
done
[ $failed = 0 ]
