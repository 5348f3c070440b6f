#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 cpus=2 mem=2048 timeout=600 long=1
# Promise: on this kernel a recorded program does not continue without its server, every
# program that escapes the recorder is reported, a recorder with fewer rights works with the
# rights it has or refuses to start, options work as documented, and a stranger cannot join a
# recording.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

for t in death escape rights options socket; do
	of_recorder $t
done
finish
