# SPDX-License-Identifier: GPL-2.0-or-later

## make check-packages      build, install, upgrade and remove packages: Debian 12 and 13, and rpm
.PHONY: check-packages
check-packages:
	tests/packages/check bookworm
	tests/packages/check trixie
	tests/packages/check-rpm
CHECK_LONG += check-packages
