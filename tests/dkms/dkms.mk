# SPDX-License-Identifier: GPL-2.0-or-later
CHECK_NATIVE += check-dkms
CHECK_LONG   += check-dkms-long

## make check-dkms          dkms add, build, install, remove into scratch trees
.PHONY: check-dkms check-dkms-long
check-dkms:
	tests/dkms/check 6.12

check-dkms-long:
	tests/dkms/check $(HOST_KERNELS)
