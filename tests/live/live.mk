# SPDX-License-Identifier: GPL-2.0-or-later
# fltq, the live tests' own reader of the module.

ALL += $(O)/workload/fltq

$(O)/workload/fltq: $(addprefix $(O)/tests/live/,fltq.o row.o machine.o genl.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

CHECK_NATIVE += check-judge
## make check-judge         that the comparison of the live tests can fail
.PHONY: check-judge
check-judge: $(O)/workload/faultrun $(O)/workload/tree
	tests/live/judge $(O)/workload
