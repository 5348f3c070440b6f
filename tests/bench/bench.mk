# SPDX-License-Identifier: GPL-2.0-or-later
# The cost of flt. Figures are for reading, except those of check-crowd, which have limits.

ALL += $(O)/workload/faultcost $(O)/workload/forkcost $(O)/workload/gap $(O)/tests/bench/drain

$(O)/workload/faultcost: $(O)/tests/bench/faultcost.o $(O)/tests/workload/region.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

$(O)/workload/forkcost: $(O)/tests/bench/forkcost.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

# The recorder does not reach a static program.
$(O)/tests/bench/forkcost: $(O)/tests/bench/forkcost.o
	$(CC) $(CFLAGS) -o $@ $^

$(O)/workload/gap: $(O)/tests/bench/gap.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^

## make bench               instructions added per fault, in a guest (KERNEL=6.1 or 6.12)
.PHONY: bench
bench: all kmod
	FLT_BUILD=$(abspath $(O)) tests/bench/price/build $(KERNEL)
	tests/vm/run -i -t 1200 -k $(KERNEL) bash tests/bench/cost.sh
	tests/vm/run -i -t 1200 -k $(KERNEL) bash tests/bench/readers.sh

# 1,000,000 processes are forked and reaped, which takes twenty minutes per kernel.
CHECK_LONG += check-crowd
.PHONY: check-crowd
check-crowd: all kmod
	FLT_BUILD=$(abspath $(O)) tests/bench/crowd_check 6.1 6.12

## make bench-drain         time per fault of the reader of a stream, on this machine
.PHONY: bench-drain
bench-drain: $(O)/tests/bench/drain
	$<

CPPFLAGS_tests/bench += $(USER_CFLAGS)
$(O)/tests/bench/drain: $(O)/tests/bench/drain.o $(O)/libfltctl.a
	$(CC) $(CFLAGS) -o $@ $^ $(USER_LIBS)

## make bench-unwind        CPU time per fault of unwinding by libunwind and by libdw
.PHONY: bench-unwind
bench-unwind: $(O)/fltctl
	tests/bench/unwind.sh $<

## make bench-recorder-fork  time of a fork under record -L, with -M of 1 GiB and of 1 TiB
.PHONY: bench-recorder-fork
bench-recorder-fork: $(O)/fltctl $(O)/libfltrec.so $(O)/tests/bench/forkcost
	tests/bench/recorder_fork.sh $(O)

## make bench-report        bytes per fault of a recording, and the time to report it
.PHONY: bench-report
bench-report: $(O)/fltctl $(O)/libfltrec.so $(O)/trace/generate $(O)/tests/bench/graph
	tests/bench/report.sh $(O)
