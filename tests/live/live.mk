# SPDX-License-Identifier: GPL-2.0-or-later
# Build fltq and fltstream, which read the module and its streams without code of fltctl.

ALL += $(addprefix $(O)/workload/,fltq fltstream portgrab sessions stuckread)

$(O)/workload/fltq: $(addprefix $(O)/tests/live/,fltq.o row.o machine.o genl.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

$(O)/workload/fltstream: $(addprefix $(O)/tests/live/,fltstream.o row.o genl.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

$(O)/workload/portgrab: $(addprefix $(O)/tests/live/,portgrab.o row.o genl.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

$(O)/workload/sessions: $(addprefix $(O)/tests/live/,sessions.o row.o genl.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

$(O)/workload/stuckread: $(addprefix $(O)/tests/live/,stuckread.o row.o genl.o) $(O)/tests/workload/uffd.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -pthread -o $@ $^

CHECK_NATIVE += check-judge
## make check-judge         check that comparisons of live tests can fail, and fail without input
.PHONY: check-judge
check-judge: $(O)/workload/faultrun $(O)/workload/tree
	tests/live/judge $(O)/workload
	tests/live/noinput
