# SPDX-License-Identifier: GPL-2.0-or-later
# make check: everything that .ci/run judges.

## make check               lint, the native tests, the live tests in guests (STRICT=1: none is repeated)
check: all
	@FLT_BUILD=$(abspath $(O)) MAKE='$(MAKE)' scripts/check $(LINT) $(CHECK_NATIVE) check-guest

## make check-native        the tests that need no guest
check-native: all
	@FLT_BUILD=$(abspath $(O)) MAKE='$(MAKE)' scripts/check $(CHECK_NATIVE)

## make demo                the main job on real programs, in a guest (HOST=1: on this kernel)
.PHONY: demo
demo:
	@MAKE='$(MAKE)' scripts/demo $(if $(HOST),host)
