# SPDX-License-Identifier: GPL-2.0-or-later

## make check-packages      build, install, upgrade and remove packages: Debian 12 and 13, arm64, rpm
.PHONY: check-packages
CHECK_LONG += check-packages
check-packages:
	failed=0; for check in "check bookworm" "check trixie" "check-arm64 bookworm" \
			"check-arm64 trixie" check-rpm; do \
		tests/packages/$$check || failed=1; \
	done; exit $$failed
