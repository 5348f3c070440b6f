#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=512 timeout=30
# Fails in its first run, with a log longer than the excerpt printed for a failure.
[ "$FLT_ATTEMPT" = 2 ] && exit
seq -f 'line %g of i-flaky' 300
printf 'the last line of i-flaky, without an end'
exit 3
