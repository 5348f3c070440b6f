# SPDX-License-Identifier: GPL-2.0-or-later
# The limited-memory recorder against native behaviour.

REC_TESTS := cases walk resident
REC_TEST_BINS := $(REC_TESTS:%=$(O)/tests/recorder/%)

$(REC_TEST_BINS): $(O)/tests/recorder/%: tests/recorder/%.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(CSTD) -O2 -g $(WARN) -Wno-array-bounds \
		-Wno-alloc-size-larger-than -pthread -o $@ $<

.PHONY: check-recorder check-recorder-long
check-recorder: $(O)/fltctl $(O)/libfltrec.so $(REC_TEST_BINS)
	tests/recorder/cases.sh $(O) quick
	tests/recorder/death.sh $(O)

## make check-recorder-long all cases of the recorder, by every path
check-recorder-long: check-recorder
	tests/recorder/cases.sh $(O) all
	tests/recorder/cases.sh $(O) all --no-inline --policy clock
	tests/recorder/cases.sh $(O) all --no-move

CHECK_NATIVE += check-recorder
