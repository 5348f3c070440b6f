#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run many threads with little memory. No word may be wrong, and at most one batch of 256
# pages above the limit may be resident, with each way to serve faults and to evict pages. The
# printed seed (FLT_SEED) determines the operations of a run.
#
# usage: soak.sh BUILD-DIR SECONDS-OF-EACH [OPTION-OF-RECORD...]
set -euo pipefail

build=$(realpath "$1") seconds=$2 seed=${FLT_SEED:-$RANDOM}
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0 n=0 granted=0

while read -r threads mib options; do
	n=$((n + 1)) status=0
	# shellcheck disable=SC2086
	timeout -k 5 $(((seconds * 4 + 60) * ${FLT_PATIENCE:-1})) "$build/fltctl" record $options "$@" -L "$mib" -o trace.flt -- \
		"$build/tests/recorder/soak" "$seconds" "$threads" $((seed + n)) > out 2> err || status=$?
	pages=$(sed -n 's/.* \([0-9]*\) pages evicted.*/\1/p' err)
	resident=$(sed -n 's/^memory.*, \([0-9.]*\)MiB resident of.*/\1/p' err)
	escaped=$(sed -n 's/.*not limited and not recorded: \([0-9]*\) .*/\1/p' err)
	share=$(sed -n 's/^service.* \([0-9]*\)% by the kernel alone.*/\1/p' err)
	[ -z "$share" ] || granted=$((granted + 1))
	# processes that were not limited are reported as escaped
	if [ $status = 3 ] && [ -n "$escaped" ]; then status=0; fi
	if [ $status != 0 ] || [ "$(cat out)" != 'wrong 0' ]; then
		echo "not ok $threads threads, -L $mib $options $*, seed $((seed + n)): status $status, $(cat out)"
		grep -v 'cannot limit or record a process' err | head -5
		failed=1
	elif [ "${pages:-0}" -lt 1000 ]; then
		echo "not ok $threads threads, -L $mib $options $*: only ${pages:-no} pages evicted"
		failed=1
	elif ! awk -v r="${resident:-99}" -v l="$mib" -v page="$(getconf PAGESIZE)" \
		'BEGIN { exit !(r <= l + page * 256 / 1048576) }'; then
		echo "not ok $threads threads, -L $mib $options $*, seed $((seed + n)): ${resident:-?} MiB were resident"
		failed=1
	else
		echo "ok $threads threads, -L $mib $options $*, seed $((seed + n)): $(grep -o '[0-9]* operations.*' err), $pages pages evicted, ${share:-0} % granted, ${escaped:-0} escaped"
	fi
	rm -f trace.flt*
done << 'END'
12 2
8 4 --policy clock --sample 100
12 2 --no-inline
8 2 --no-move
16 3 --no-move --no-inline
24 6 --latency 3us --no-stack
END
if [ "$(uname -m)" = x86_64 ] && [[ " $* " != *" --no-grants "* ]] && [ $granted = 0 ]; then
	echo "not ok the kernel filled no page in any run"
	failed=1
fi
[ $failed = 0 ]
