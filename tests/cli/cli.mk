# SPDX-License-Identifier: GPL-2.0-or-later
# The command line, natively: what fltctl says, counts and exits with. fltctl is
# the one with the sanitizers, so every test is one of leaks and stray reads too.

CHECK_NATIVE += check-cli

## make check-cli           the command line of fltctl, on this machine
.PHONY: check-cli
check-cli: $(O)/san/fltctl $(O)/fltctl $(O)/workload/faultrun $(O)/workload/wset $(O)/trace/generate
	FLTCTL=$(abspath $(O))/san/fltctl FAULTRUN=$(abspath $(O))/workload/faultrun \
		RECORDER=$(abspath $(O))/fltctl GENERATE=$(abspath $(O))/trace/generate bats tests/cli
