#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=512 timeout=30
# Powers its guest off in its first run, without a kernel message.
[ "$FLT_ATTEMPT" = 2 ] && exit
echo said by j-dies
sleep 1
busybox poweroff -f
