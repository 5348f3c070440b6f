#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=512 timeout=30
modprobe lzo-rle && mount -t tmpfs x /mnt # a test may leave modules other than flt, and mounts
