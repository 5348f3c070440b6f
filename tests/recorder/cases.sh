#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What cases.c does must come out the same with a quarter of the memory as
# natively, and every fault that was served must be in the file.
#
# usage: cases.sh BUILD-DIR quick|all [OPTION-OF-RECORD...]
set -euo pipefail

build=$(realpath "$1") depth=$2
shift 2
fltctl=$build/fltctl cases=$build/tests/recorder/cases
limit=60
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

quick="fork fork_raw spawn shared protect io mremap madvise signals close words exec_many
end_exit end_kill end_abort end_segv end_exec end_exec_thread"
[ "$depth" = all ] && quick=$("$cases")

failed=0 ran=0
fail() {
	echo "not ok $1: $2"
	sed 's/^/    /' record.err | tail -4
	failed=$((failed + 1))
}

# Pages that an end_* case touches first, each by a store.
touched() {
	case $1 in
	end_exec | end_exec_thread) echo 16384 ;;
	*) echo 8192 ;;
	esac
}

for c in $quick; do
	ran=$((ran + 1))
	native=0 status=0
	{ timeout $limit "$cases" "$c" 'a b' '"c' > native.out 2> native.err || native=$?; } 2> /dev/null
	rm -f trace.flt*
	timeout $limit "$fltctl" record -L 8 -M=200 "$@" -o trace.flt -- \
		"$cases" "$c" 'a b' '"c' > record.out 2> record.err || status=$?
	if [ $status = 124 ] && [ $native != 124 ]; then
		fail "$c" "no end in $limit s"
		continue
	elif [ $status != $native ]; then
		fail "$c" "status $status, natively $native"
		continue
	elif ! cmp -s native.out record.out; then
		diff native.out record.out | head -5 || true
		fail "$c" "output differs"
		continue
	fi
	# the file against the counters of the pagers
	"$fltctl" script --csv --no-stack trace.flt > script.csv
	seen=$(sed -n 's/.*: \([0-9]*\) faults (\([0-9]*\) first touches, \([0-9]*\) refaults.*/\2 \3/p' record.err)
	filed="$(grep -cE ',"[a-z,]*alloc[a-z,]*",[0-9]' script.csv || true)"
	filed+=" $(grep -cE ',"[a-z,]*refault[a-z,]*",[0-9]' script.csv || true)"
	if [ "$seen" != "$filed" ]; then
		fail "$c" "served $seen faults (first touches, refaults), filed $filed"
		continue
	fi
	case $c in
	end_*)
		if [ "${filed% *}" -lt "$(touched "$c")" ]; then
			fail "$c" "${filed% *} first touches filed of at least $(touched "$c")"
			continue
		fi
		;;
	esac
	echo "ok $c"
done
echo "$((ran - failed)) of $ran as natively"
[ $failed = 0 ]
