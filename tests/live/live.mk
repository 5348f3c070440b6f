# SPDX-License-Identifier: GPL-2.0-or-later
# fltq and fltstream read the module and its streams for live tests, without fltctl.

ALL += $(O)/workload/fltq $(O)/workload/fltstream

$(O)/workload/fltq: $(addprefix $(O)/tests/live/,fltq.o row.o machine.o genl.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

$(O)/workload/fltstream: $(addprefix $(O)/tests/live/,fltstream.o row.o genl.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

CHECK_NATIVE += check-judge
## make check-judge         prove that the comparisons of live tests can fail, and do without input
.PHONY: check-judge
check-judge: $(O)/workload/faultrun $(O)/workload/tree
	tests/live/judge $(O)/workload
	tests/live/noinput
