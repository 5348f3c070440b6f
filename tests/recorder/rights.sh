#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The recorder with less and less rights: as much as goes, or a sentence with the fix -
# never a program that runs on with wrong memory.
#
# usage: rights.sh BUILD-DIR
set -euo pipefail

build=$(realpath "$1") here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/recorder/check.bash
. "$here/check.bash"
if [ "$(id -u)" != 0 ] || ! command -v setpriv > /dev/null; then
	echo "ok rights # skip: takes root and setpriv"
	exit 0
fi
# where nobody can read it
cp "$build/fltctl" "$build/libfltrec.so" "$build/tests/recorder/cases" "$work"
chmod -R a+rX "$work"
mkdir -m 777 "$work/out"
cd "$work/out"

# nobody CAPABILITIES COMMAND...: their status in $status
nobody() {
	local caps=$1
	shift
	status=0
	timeout "$limit" setpriv --reuid=65534 --regid=65534 --clear-groups ${caps:+--inh-caps="$caps"} \
		${caps:+--ambient-caps="$caps"} "$@" > out 2> err || status=$?
}

for c in fork io signals; do
	native=0
	timeout "$limit" "$work/cases" $c > native || native=$?
	for caps in +sys_ptrace +sys_ptrace,+perfmon,+bpf; do
		rm -f trace.flt*
		nobody $caps "$work/fltctl" record -L 8 -o trace.flt -- "$work/cases" $c
		check "$c with $caps has its status" [ $status = $native ]
		check "$c with $caps is as natively" cmp -s out native
		check "$c with $caps is limited" grep -q '[1-9][0-9]* pages evicted' err
	done
done

nobody '' "$work/fltctl" record -L 8 -o none.flt -- "$work/cases" fork
check "without rights it is refused" [ $status = 4 ]
check "and what would help is said" grep -q 'CAP_SYS_PTRACE' err
check "and the program was not run" [ ! -s out ]
check "and no file is left" [ ! -e none.flt ]

# user-mode faults of everybody: fork would still be wrong
if [ "$(cat /proc/sys/vm/unprivileged_userfaultfd 2> /dev/null)" = 0 ]; then
	nobody '' "$work/fltctl" check
	check "check tells, too" grep -q 'userfaultfd.*record -L' out
fi
[ $failed = 0 ]
