#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real programs with little memory must have the same output and status as natively, with each
# engine that reaches them. The recorder must have limited and recorded them: pages were evicted,
# faults were recorded, no process escaped, and nothing was lost. A row that differs says why.
#
# usage: programs.sh BUILD-DIR [NAME...]
# FLT_ROUNDS: how often each program runs with each engine, by default once.
# Prints the native and the recorded time of each program without checking them. A program that is
# not installed is skipped and counted, with the name of its package.
set -euo pipefail

build=$(realpath "$1")
shift
fltctl=$build/fltctl
here=$(dirname "$(realpath "$0")")/programs
limit=$((${FLT_TEST_LIMIT:-300} * ${FLT_PATIENCE:-1})) rounds=${FLT_ROUNDS:-1}
only=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0 ran=0 missing=0
# shellcheck source=tests/recorder/programs/verdict.bash
. "$here/verdict.bash"
# shellcheck source=tests/recorder/programs/packages.bash
. "$here/packages.bash"

# The cgroup engine needs root, a memory controller and zram.
has_cgroup=0
if "$fltctl" record -q --engine=cgroup -L 64 -o probe.flt -- true 2> probe.err; then
	has_cgroup=1
else
	echo "# no --engine=cgroup here: $(tail -1 probe.err)"
fi

# Return true if one of the programs NAME... is wanted.
wanted() { # NAME...
	local name
	[ ${#only[@]} != 0 ] || return 0
	for name; do
		[[ " ${only[*]} " != *" $name "* ]] || return 0
	done
	return 1
}

# Count a program that is not installed, or say why it cannot run here.
skip() { # NAME REASON
	echo "ok $1 # skip: $2"
	missing=$((missing + 1))
}

# Return true if NAME is wanted and all that it needs is installed: see packages.bash.
present() { # NAME THING...
	local name=$1 thing
	shift
	wanted "$name" || return 1
	for thing; do
		installed "$thing" && continue
		skip "$name" "no $thing: missing package $(package_of "$thing")"
		return 1
	done
}

# Run a program with one engine and compare: NAME ENGINE MIB NATIVE-STATUS NATIVE-MS COMMAND...
recorded() {
	local name=$1 engine=$2 mib=$3 native=$4 ms=$5 status=0 since watcher='' why
	shift 5
	: > memory
	since=$(date +%s%N)
	timeout "$limit" "$fltctl" record --engine="$engine" -L "$mib" -o trace.flt -- "$@" \
		> record.out 2> record.err & runner=$!
	if [ "$engine" = cgroup ] && [ "${CHARGED:-}" ]; then
		/usr/bin/python3 "$here/charged.py" $runner > memory & watcher=$!
	fi
	wait $runner || status=$?
	[ -z "$watcher" ] || wait "$watcher" || true
	ms+=" ms natively, $((($(date +%s%N) - since) / 1000000)) ms recorded"
	rm -f trace.flt*
	ran=$((ran + 1))
	why=$("judge_$engine" "$status" "$native" 2>&1)
	[ -s native.out ] || why+=' no output to compare;'
	cmp -s native.out record.out || why+=' the output differs;'
	if [ -z "$why" ]; then
		echo "ok $name $engine -L $mib: $ms; $("facts_$engine")"
		return
	fi
	echo "not ok $name $engine -L $mib:$why"
	diff <(head -c 2000 native.out) <(head -c 2000 record.out) | head -5 || true
	sed 's/^/    /' record.err | grep -v 'cannot limit or record' | tail -12
	failed=$((failed + 1))
}

# Compare a program with its native run: NAME MIB[/MIB] COMMAND...
# The second limit is that of the cgroup engine, which limits code, page tables and files, too; by
# default 24 MiB more.
# NEEDS: things to be installed, by default the command. ENGINES: the engines that can limit the
# program, by default both. verdict.bash describes the other variables.
program() {
	local name=$1 limits=$2 mib=${2%/*} group=${2#*/} native=0 since ms engine round things
	shift 2
	read -ra things <<< "${NEEDS:-$1}"
	present "$name" "${things[@]}" || return 0
	[[ $limits == */* ]] || group=$((mib + 24))
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

absent=$(not_set_up "$here/../../../scripts" | tr '\n' ' ')
if [ -n "$absent" ]; then
	echo "not ok scripts/setup -l does not install $absent"
	ran=$((ran + 1))
	failed=$((failed + 1))
fi

seq 1 700000 | awk '{ printf "%d line %d of a file\n", $1 * 7919 % 1000003, $1 }' > lines
head -n 120000 lines > some

for group in languages builds files servers media terminals sandboxes; do
	# shellcheck source=/dev/null
	. "$here/$group.sh"
done

[ $missing = 0 ] || echo "scripts/setup -l installs missing programs"
echo "$((ran - failed)) of $ran runs behave as natively; $missing programs are not installed"
[ $failed = 0 ] && [ $ran -gt 0 ]
