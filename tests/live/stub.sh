#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1
# Promise: a module built for a kernel without KPROBES or RELAY refuses to load and reports
# what is missing, and so does fltctl check if that module is installed.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

stub=$(dirname "$FLT_KO")-stub/flt.ko
[ -e "$stub" ] || skip "no $stub: make check-guest builds it"
rc=0
message=$(insmod "$stub" 2>&1) || rc=$?
same "status of insmod" "$rc" 1
same "message of insmod" "$message" \
	"insmod: ERROR: could not insert module $stub: Operation not supported"
same "lines in the kernel log" \
	"$(dmesg | grep -c 'flt: this kernel lacks CONFIG_KPROBES .*CONFIG_RELAY')" 1
mkdir -p "$tmp/modules/updates"
cp "$stub" "$tmp/modules/updates/"
echo updates/flt.ko: >"$tmp/modules/modules.dep"
mount --bind "$tmp/modules" "/lib/modules/$(uname -r)"
"$FLTCTL" check --csv >"$tmp/check" || true
umount "/lib/modules/$(uname -r)"
same "findings of check" \
	"$(grep -c '^module,no,.*this kernel lacks CONFIG_KPROBES .*CONFIG_RELAY' "$tmp/check")" 1
checks=$((checks + 1))
! loaded || bad "the module is loaded"
finish
