# SPDX-License-Identifier: GPL-2.0-or-later
CHECK_NATIVE += check-dkms

## make check-dkms          dkms add, build, install, remove into scratch trees
.PHONY: check-dkms
check-dkms:
	tests/dkms/check 6.1 6.12
