#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real programs with little memory must have the same output and status as natively, in time, with
# each engine that reaches them.
#
# usage: programs.sh BUILD-DIR [NAME...]
# FLT_ROUNDS: how often each program runs with each engine, by default once.
# COVERAGE: the least percentage of the program's anonymous memory that must be under the limit of
# the preload engine, by default 0.
# Prints the native and the recorded time of each program without checking them. A program that is
# not installed is skipped and counted.
set -euo pipefail

build=$(realpath "$1")
shift
fltctl=$build/fltctl
here=$(dirname "$(realpath "$0")")/programs
limit=${FLT_TEST_LIMIT:-300} rounds=${FLT_ROUNDS:-1}
only=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0 ran=0 missing=0

# The cgroup engine needs root, a memory controller and zram.
has_cgroup=0
if "$fltctl" record -q --engine=cgroup -L 64 -o probe.flt -- true 2> probe.err; then
	has_cgroup=1
else
	echo "# no --engine=cgroup here: $(tail -1 probe.err)"
fi

# Return true if the program NAME is wanted and COMMAND is installed.
wanted() { # NAME COMMAND
	if [ ${#only[@]} != 0 ] && [[ " ${only[*]} " != *" $1 "* ]]; then return 1; fi
	command -v "$2" > /dev/null && return 0
	echo "ok $1 # skip: no $2"
	missing=$((missing + 1))
	return 1
}

# Run a program with one engine and compare: NAME ENGINE MIB NATIVE-STATUS NATIVE-MS COMMAND...
recorded() {
	local name=$1 engine=$2 mib=$3 native=$4 ms=$5 status=0 since covered
	shift 5
	since=$(date +%s%N)
	timeout "$limit" "$fltctl" record --engine="$engine" -L "$mib" -o trace.flt -- "$@" \
		> record.out 2> record.err || status=$?
	rm -f trace.flt*
	# Some processes escaped, or the limit reached little, but the output must still be the same.
	if [ $status = 3 ] && tail -1 record.err | grep -qE 'not limited and not recorded|under the limit|incomplete'; then
		status=0
	fi
	ran=$((ran + 1))
	covered=$(sed -n 's/^coverage .* \([0-9]*\)[0-9.]*% without files.*/\1/p' record.err)
	if [ "$engine" = preload ] && [ "${covered:-0}" -lt "${COVERAGE:-0}" ]; then
		echo "not ok $name $engine: ${covered:-no} % under the limit, expected $COVERAGE %"
		failed=$((failed + 1))
		return
	fi
	if [ $status = "$native" ] && [ -s native.out ] && cmp -s native.out record.out; then
		echo "ok $name $engine -L $mib: $ms ms natively, $((($(date +%s%N) - since) / 1000000)) ms recorded"
		return
	fi
	echo "not ok $name $engine: status $status, natively $native"
	diff <(head -c 2000 native.out) <(head -c 2000 record.out) | head -5 || true
	tail -3 record.err
	failed=$((failed + 1))
}

# Compare a program with its native run: NAME MIB[/MIB] COMMAND...
# The second limit is that of the cgroup engine, which limits code, page tables and files, too; by
# default 24 MiB more. ENGINES: the engines that can limit the program, by default both.
program() {
	local name=$1 mib=${2%/*} group=${2#*/} native=0 since ms engine round
	shift 2
	wanted "$name" "$1" || return 0
	[ "$group" != "$mib" ] || group=$((mib + 24))
	since=$(date +%s%N)
	timeout "$limit" "$@" > native.out 2> native.err || native=$?
	ms=$((($(date +%s%N) - since) / 1000000))
	for engine in ${ENGINES:-preload cgroup}; do
		[ "$engine" = preload ] || [ $has_cgroup = 1 ] || continue
		for ((round = 0; round < rounds; round++)); do
			[ "$engine" = preload ] || mib=$group
			recorded "$name" "$engine" "$mib" "$native" "$ms" "$@"
		done
	done
}

seq 1 700000 | awk '{ printf "%d line %d of a file\n", $1 * 7919 % 1000003, $1 }' > lines
head -n 120000 lines > some

for group in languages builds files servers media terminals sandboxes; do
	# shellcheck source=/dev/null
	. "$here/$group.sh"
done

echo "$((ran - failed)) of $ran runs behave as natively; $missing programs are not installed"
[ $failed = 0 ] && [ $ran -gt 0 ]
