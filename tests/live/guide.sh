#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 numa=1 mem=1536 disk=256 zram=1 timeout=800 kernels=6.12 turns=6.12,none,none
# shellcheck disable=SC2119
# Promise: the commands of docs/guide.md work, and their output differs from the guide only in
# numbers.
#
# GUIDE=write prints the guide with the new output (see tests/docs/regenerate). GUIDE_ONLY=TEXT
# runs one question.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q /dev/vda
mkdir -p /guide "$tmp/bin"
mount /dev/vda /guide
zram_swap_on 128M
ln -s "$FLTCTL" "$tmp/bin/fltctl"
echo 0 >/proc/sys/kernel/numa_balancing
echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
load
GUIDE_TREE=$PWD LC_ALL=C.UTF-8 PATH=$tmp/bin:$PATH python3 tests/docs/guide.py "${GUIDE:-check}" \
	docs/guide.md ${GUIDE_ONLY:+"$GUIDE_ONLY"} || bad "the guide: see above"
checks=$((checks + 1))
umount /guide
zram_swap_off
finish
