#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# Promise: the module neither prevents nor survives kexec, with open sessions and under load, and
# counts exactly in the new kernel.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

load
if grep -qw flt_second /proc/cmdline; then
	equal "in the new kernel" tree fork 60 8
	finish
	exit
fi
equal "in the old kernel" tree fork 60 8
storm 1 2 >/dev/null 2>&1 &
fltq hold -s <<<"" >/dev/null &
"$FLTCTL" trace --csv -a >/dev/null 2>&1 &
[ "$failures" = 0 ] || exit 1
echo "first kernel ends"
exec /flt/kexec /flt/vmlinuz /flt/initrd "$(cat /proc/cmdline) flt_second"
