#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=512 timeout=30
# Passes in its second run, so a pass shows that the harness repeated it after a splat.
[ "$FLT_ATTEMPT" = 2 ] ||
	echo '<4>WARNING: possible circular locking dependency detected' >/dev/kmsg
