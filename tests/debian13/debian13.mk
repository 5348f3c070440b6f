# SPDX-License-Identifier: GPL-2.0-or-later
CHECK_LONG += check-debian13

## make check-debian13      README's commands in a root directory of Debian 13, with its compiler and QEMU
.PHONY: check-debian13
check-debian13:
	tests/debian13/check
