# SPDX-License-Identifier: GPL-2.0-or-later
# Native tests of the command line: messages, counts and exit statuses. They run the fltctl
# with sanitizers, so a leak or an invalid access fails a test.

CHECK_NATIVE += check-cli

## make check-cli           the command line of fltctl, on this machine
.PHONY: check-cli
check-cli: $(O)/san/fltctl $(O)/fltctl $(O)/libfltrec.so $(O)/workload/faultrun $(O)/workload/wset $(O)/workload/owned $(O)/workload/tenants $(O)/trace/generate $(O)/san/unit/metrics
	FLTCTL=$(abspath $(O))/san/fltctl FAULTRUN=$(abspath $(O))/workload/faultrun \
		RECORDER=$(abspath $(O))/fltctl GENERATE=$(abspath $(O))/trace/generate \
		METRICS=$(abspath $(O))/san/unit/metrics \
		OWNED=$(abspath $(O))/workload/owned bats tests/cli
