#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=512 timeout=30
# Takes its guest along in its first run, without a word from the kernel.
[ "$FLT_ATTEMPT" = 2 ] && exit
echo said by j-dies
sleep 1
busybox poweroff -f
