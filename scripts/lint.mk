# SPDX-License-Identifier: GPL-2.0-or-later
# make lint: static checks of the sources.

LINT := lint-commits lint-layers lint-format lint-spdx lint-shell lint-cppcheck lint-checkpatch lint-sparse

TRACKED  = $(shell git ls-files -co --exclude-standard)
LINT_C   = $(filter %.c %.h,$(TRACKED))
LINT_SH  = $(shell git ls-files -co --exclude-standard | xargs grep -lE '^\#!/bin/(ba)?sh|^\# shellcheck shell=bash')
need     = @command -v $(1) >/dev/null || { echo "no $(1): apt-get install $(2), or run scripts/setup"; exit 1; }

.PHONY: $(LINT)
## make lint                commits, layers, format, licences, shellcheck, cppcheck, checkpatch, sparse
lint: $(LINT)

lint-layers:
	scripts/check-layers $(filter kmod/% user/% recorder/% lib/% include/%,$(LINT_C))

# The checker must refuse what the rule forbids.
lint-commits:
	scripts/check-commits
	! scripts/check-commits -t "stream: what is common is written without a call" >/dev/null
	! scripts/check-commits -t "top is not stopped before it takes SIGINT" >/dev/null
	scripts/check-commits -t "relay: bound total buffer size"

lint-format:
	$(call need,clang-format,clang-format)
	scripts/check-format $(LINT_C)

lint-spdx:
	scripts/check-spdx $(TRACKED)

lint-shell:
	$(call need,shellcheck,shellcheck)
	shellcheck -x $(LINT_SH)
	shellcheck -s dash tests/vm/init
	@# In bats, a command after '!' fails no test.
	shellcheck -i SC2314,SC2315 tests/cli/*.bats

# cppcheck does not know the kernel's macros. checkpatch and sparse check kmod/.
lint-cppcheck:
	$(call need,cppcheck,cppcheck)
	cppcheck -q --std=c11 --error-exitcode=1 --inline-suppr --enable=warning,portability,performance \
		--suppressions-list=scripts/cppcheck.ignore -Iinclude -Iinclude/uapi -Iuser -Irecorder -I. \
		$(filter-out kmod/%,$(filter %.c,$(LINT_C)))

lint-checkpatch:
	scripts/check-checkpatch $(filter kmod/%,$(LINT_C))

# sparse 0.6.4 does not know __typeof_unqual__, which headers of 6.14 and later use.
lint-sparse:
	scripts/check-sparse $(HOST_KERNELS)
