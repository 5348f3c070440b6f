# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that fault in a known way, and faultrun, which says what the kernel counted.
# Static: no dynamic loader between a program and its faults.

WORKLOAD_SHARED   := section uffd region
WORKLOAD_PROGRAMS := $(filter-out $(WORKLOAD_SHARED),$(basename $(notdir $(wildcard tests/workload/*.c))))
WORKLOADS         := $(WORKLOAD_PROGRAMS:%=$(O)/workload/%)

ALL          += $(WORKLOADS)
CHECK_NATIVE += check-workload

$(WORKLOADS): $(O)/workload/%: $(O)/tests/workload/%.o $(WORKLOAD_SHARED:%=$(O)/tests/workload/%.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -pthread -o $@ $^

## make check-workload      the workloads against getrusage and wait4, on this machine
.PHONY: check-workload
check-workload: $(WORKLOADS)
	tests/workload/check $(O)/workload

$(O)/tests/workload/frames.o: CFLAGS += -fno-optimize-sibling-calls
