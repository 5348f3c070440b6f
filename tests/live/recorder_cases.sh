#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 cpus=2 mem=2048 timeout=1200 turns=6.1,6.12,7.3,none,none,none debug=0
# Promise: system calls, signals and process ends that a memory limit could break behave as
# they do natively, with the eviction method and the fault service of this kernel. Recorded
# stacks are correct.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

if [ "$(sized some some all)" = all ]; then
	of_recorder cases all --inline
	of_recorder cases all --no-inline
else
	of_recorder cases "fork shared io mremap signals unmapped words end_kill end_exec" --inline
	of_recorder cases "spawn protect blocked handlers close end_segv" --no-inline
fi
of_recorder stacks
finish
