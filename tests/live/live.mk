# SPDX-License-Identifier: GPL-2.0-or-later
# fltq and fltstream, the live tests' own readers of the module and of its streams.

ALL += $(O)/workload/fltq $(O)/workload/fltstream

$(O)/workload/fltq: $(addprefix $(O)/tests/live/,fltq.o row.o machine.o genl.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

$(O)/workload/fltstream: $(addprefix $(O)/tests/live/,fltstream.o row.o genl.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

CHECK_NATIVE += check-judge
## make check-judge         that the comparison of the live tests can fail
.PHONY: check-judge
check-judge: $(O)/workload/faultrun $(O)/workload/tree
	tests/live/judge $(O)/workload
