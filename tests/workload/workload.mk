# SPDX-License-Identifier: GPL-2.0-or-later
# Programs with a known number of faults, and faultrun, which prints the kernel's counts.
# Static, because a dynamic loader would fault too.

WORKLOAD_SHARED   := section uffd region
WORKLOAD_LEFT_OUT := $(WORKLOAD_SHARED) $(if $(X86),,owned tenants) # instructions of x86-64
WORKLOAD_PROGRAMS := \
	$(filter-out $(WORKLOAD_LEFT_OUT),$(basename $(notdir $(wildcard tests/workload/*.c))))
WORKLOADS         := $(WORKLOAD_PROGRAMS:%=$(O)/workload/%)

ALL          += $(WORKLOADS)
CHECK_NATIVE += check-workload

$(WORKLOADS): $(O)/workload/%: $(O)/tests/workload/%.o $(WORKLOAD_SHARED:%=$(O)/tests/workload/%.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -pthread -o $@ $^

## make check-workload      compare workloads with getrusage and wait4, on this machine
.PHONY: check-workload
check-workload: $(WORKLOADS)
	tests/workload/check $(O)/workload

$(O)/tests/workload/frames.o: CFLAGS += -fno-optimize-sibling-calls
