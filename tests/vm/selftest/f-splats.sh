#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=512 timeout=30
# Would pass if it were repeated.
[ "$FLT_ATTEMPT" = 2 ] ||
	echo '<4>WARNING: possible circular locking dependency detected' >/dev/kmsg
