#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The recorder with fewer and fewer capabilities must either record or refuse with a remedy.
# It must never run a program with wrong memory.
#
# usage: rights.sh BUILD-DIR
set -euo pipefail

build=$(realpath "$1") here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/recorder/check.bash
. "$here/check.bash"
if [ "$(id -u)" != 0 ] || ! command -v setpriv > /dev/null; then
	echo "ok rights # skip: needs root and setpriv"
	exit 0
fi
# copy the programs to a directory that user nobody can read
cp "$build/fltctl" "$build/libfltrec.so" "$build/tests/recorder/cases" "$work"
chmod -R a+rX "$work"
mkdir -m 777 "$work/out"
cd "$work/out"

# nobody CAPABILITIES COMMAND...: run COMMAND as user nobody and set $status
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
		check "$c with $caps returns its native status" [ $status = $native ]
		check "$c with $caps prints the same as natively" cmp -s out native
		check "$c with $caps is limited" grep -q '[1-9][0-9]* pages evicted' err
	done
done

nobody '' "$work/fltctl" record -L 8 -o none.flt -- "$work/cases" fork
check "fltctl without capabilities returns 4" [ $status = 4 ]
check "fltctl without capabilities names the missing one" grep -q 'CAP_SYS_PTRACE' err
check "fltctl without capabilities does not run the program" [ ! -s out ]
check "fltctl without capabilities leaves no file" [ ! -e none.flt ]

# userfaultfd of user faults needs no capability, but fork would give wrong memory
if [ "$(cat /proc/sys/vm/unprivileged_userfaultfd 2> /dev/null)" = 0 ]; then
	nobody '' "$work/fltctl" check
	check "fltctl check reports the missing capability" grep -q 'userfaultfd.*record -L' out
fi
finish
