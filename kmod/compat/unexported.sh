#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# unexported.sh HEADERS DIR - build the stub of flt.ko in DIR, after a build has failed because the
# kernel declares functions but does not export them.
#
# Only the last step of a build (modpost) knows what a kernel exports. The stub names what is
# missing. If the build fails for another reason, so does this script.
set -u

build() {
	make -C "$headers" M="$dir" "$@" modules
}

headers=$1 dir=$2
missing=$(build 2>&1 | sed -n 's/.*modpost: "\([^"]*\)" .* undefined!$/\1/p' | sort -u |
	paste -s -d , - | sed 's/,/, /g')
[ -n "$missing" ] || exit 1
build FLT_UNEXPORTED="exported symbols ($missing)"
