#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# build.sh HEADERS DIR [make argument...] - build flt.ko in DIR for the kernel with these headers.
#
# DKMS calls this. A build that fails would break the upgrade of a kernel package, so the stub is built
# instead (kmod/stub.c):
#
#   - if a function is declared but not exported. Only the last step of a build (modpost) knows
#     that. The stub names the function.
#   - if the compiler reports an error, because the kernel has an interface that no probe knows. The
#     stub names the first error.
#
# If the build fails for another reason, for example on a full disk, so does this script.
set -u
headers=$1 dir=$2
shift 2

build() {
	make -j"$(nproc)" -C "$headers" M="$dir" "$@" modules
}

build "$@" && exit
log=$(build "$@" 2>&1)
missing=$(echo "$log" |
	sed -n "s/.*modpost: .*[\"']\([A-Za-z0-9_.]*\)[\"'].* undefined!\$/\1/p" | sort -u |
	paste -s -d , - | sed 's/,/, /g')
[ -z "$missing" ] || lacks="exported symbols ($missing)"
# The text becomes a string of C, in a command of make.
error=$(echo "$log" | sed -n 's/^.*kmod\/\([^: ]*:[0-9]*\):[0-9]*: error: /\1: /p' | head -n 1 |
	tr -c 'A-Za-z0-9_.,:()\n -' _)
[ -n "$missing" ] || [ -z "$error" ] || lacks="interfaces as in earlier kernels ($error)"
[ -n "${lacks:-}" ] || exit 1
build "$@" FLT_UNEXPORTED="$lacks"
