#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# build.sh HEADERS DIR [make argument...] - build flt.ko in DIR for the kernel with these headers.
#
# DKMS calls this. Only the last step of a build (modpost) knows what the kernel exports. If a
# function is declared but not exported, the stub is built, which names the function. If the build
# fails for another reason, so does this script.
set -u
headers=$1 dir=$2
shift 2

build() {
	make -j"$(nproc)" -C "$headers" M="$dir" "$@" modules
}

build "$@" && exit
missing=$(build "$@" 2>&1 |
	sed -n "s/.*modpost: .*[\"']\([A-Za-z0-9_.]*\)[\"'].* undefined!\$/\1/p" | sort -u |
	paste -s -d , - | sed 's/,/, /g')
[ -n "$missing" ] || exit 1
build "$@" FLT_UNEXPORTED="exported symbols ($missing)"
