#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 cpus=2 timeout=200
# shellcheck disable=SC2119
# Promise: a reader of a relay file that waits for its own memory blocks nobody else, and the
# buffers that its open file keeps count against max_buffers.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

load max_buffers=1
status=0
stuckread 131072 4 >"$tmp/stuck" || status=$?
same "exit status" $status 0
same "another socket is served" "$(field served <"$tmp/stuck")" 1
same "a second session while the file is open is refused" "$(field refused <"$tmp/stuck")" 1
same "a second session after that is granted" "$(field granted <"$tmp/stuck")" 1
finish
