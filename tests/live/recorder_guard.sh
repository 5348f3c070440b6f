#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=2048 timeout=600 long=1
# Promise: on this kernel, too, no recorded program runs on without its server, none escapes
# without a word, with fewer rights it goes as far as it can or not at all, and options keep
# what they promise.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

for t in death escape rights options; do
	of_recorder $t
done
finish
