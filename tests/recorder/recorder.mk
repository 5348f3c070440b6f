# SPDX-License-Identifier: GPL-2.0-or-later
# Compare programs under the recorder with native runs.

REC_TESTS := cases rounds walk resident stacks soak execs moves stranger
REC_TEST_BINS := $(REC_TESTS:%=$(O)/tests/recorder/%)
REC_TEST_OTHERS := $(addprefix $(O)/tests/recorder/,unwinders hangup answers samples loaded.so past_clock.so static_program)
# Only the recorder for x86-64 decodes instructions.
REC_TEST_OTHERS += $(if $(X86),$(O)/tests/recorder/instructions)

REC_CASES := $(wildcard tests/recorder/cases_*.c)
$(O)/tests/recorder/cases: $(REC_CASES) tests/recorder/cases.h $(O)/tests/recorder/cancel_unwinds.o
$(O)/tests/recorder/cancel_unwinds.o: tests/recorder/cancel_unwinds.c tests/recorder/cases.h
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -I. $(CSTD) -O2 -g $(WARN) -fexceptions -pthread -c -o $@ $<
$(O)/tests/recorder/soak: $(wildcard tests/recorder/soak_*.c) tests/recorder/soak.h
$(O)/tests/recorder/stranger: tests/recorder/insider.c tests/recorder/stranger.h
$(O)/tests/recorder/moves: $(wildcard lib/core/*.[ch])
$(REC_TEST_BINS): $(O)/tests/recorder/%: tests/recorder/%.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Iinclude -I. $(CSTD) -O2 -g $(WARN) -Wno-array-bounds \
		-Wno-alloc-size-larger-than -fomit-frame-pointer -fno-optimize-sibling-calls \
		-pthread -o $@ $(filter tests/%.c %.o,$^) -ldl

$(O)/tests/recorder/instructions: tests/recorder/instructions.c recorder/arch/x86/instruction.h
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Irecorder $(CSTD) -O2 -g $(WARN) -o $@ $<

# Linked with the unwinder of the recorder, and with those of fltctl.
REC_UNWIND := $(addprefix recorder/unwind/,cfi.c cfi_program.c cursor.c object.c) recorder/image/clock.c
$(O)/tests/recorder/unwinders: tests/recorder/unwinders.c $(wildcard recorder/unwind/*.[ch] recorder/arch/*.h recorder/arch/*/*.h) \
		$(O)/libfltctl.a
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Iinclude -Irecorder -I. -iquote user $(CSTD) -O2 -g $(WARN) -o $@ $< \
		$(REC_UNWIND) $(O)/libfltctl.a $(USER_LIBS) -ldl

$(O)/tests/recorder/samples: tests/recorder/samples.c recorder/trace/sampling.c recorder/trace/sampling.h
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Iinclude -Irecorder -I. $(CSTD) -O2 -g $(WARN) -o $@ $(filter %.c,$^)

# Linked with the recorder's own objects, without those that replace functions of libc.
REC_SERVER := $(filter-out $(addprefix $(O)/recorder/,hook/% start/% server/spawn.o),$(REC)) $(FLT_CORE)
$(O)/tests/recorder/answers: tests/recorder/answers.c $(REC_SERVER)
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Iinclude -Irecorder -I. $(CSTD) -O2 -g $(WARN) -pthread -o $@ $^

# Linked with fltctl's end of the rings.
$(O)/tests/recorder/hangup: tests/recorder/hangup.c $(O)/libfltctl.a
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Iinclude -iquote user $(CSTD) -O2 -g $(WARN) -o $@ $^ $(USER_LIBS)

$(O)/tests/recorder/%.so: tests/recorder/%.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -I. $(CSTD) -O2 -g $(WARN) -fPIC -shared -o $@ $<

$(O)/tests/recorder/static_program: tests/recorder/static_program.c
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(WARN) -static -o $@ $<

$(O)/tests/bench/graph: tests/bench/graph.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(CSTD) -O2 -g $(WARN) -pthread -o $@ $<

## make bench-recorder      a graph workload natively and with decreasing memory
.PHONY: bench-recorder
bench-recorder: $(O)/fltctl $(O)/libfltrec.so $(O)/tests/bench/graph
	tests/bench/recorder.sh $(O)

.PHONY: check-recorder check-recorder-long
check-recorder: $(O)/fltctl $(O)/libfltrec.so $(REC_TEST_BINS) $(REC_TEST_OTHERS) $(O)/trace/nofile
	timeout 100 $(O)/tests/recorder/moves
	$(O)/tests/recorder/instructions
	timeout 100 $(O)/tests/recorder/answers
	$(O)/tests/recorder/samples
	timeout 100 $(O)/tests/recorder/unwinders libc.so.6 libstdc++.so.6 \
		$(or $(notdir $(lastword $(sort $(wildcard /usr/lib/*/libpython3.*.so.1.0)))),libpython3.so)
	tests/recorder/cases.sh $(O) quick
	tests/recorder/cases.sh $(O) "fork signals blocked handlers protect close end_segv" --inline
	tests/recorder/cases.sh $(O) mremap_blind --no-move
	tests/recorder/cases.sh $(O) fork_small -M 1048576
	tests/recorder/cases.sh $(O) protect_between --no-inline
	tests/recorder/cases.sh $(O) "heap fork threads mremap protect_between" --no-grants
	tests/recorder/death.sh $(O)
	tests/recorder/death.sh $(O) --no-grants
	tests/recorder/options.sh $(O)
	tests/recorder/rights.sh $(O)
	tests/recorder/cgroup.sh $(O)
	tests/recorder/escape.sh $(O)
	tests/recorder/socket.sh $(O)
	tests/recorder/stacks.sh $(O)
	tests/recorder/names.sh $(O)
	tests/recorder/soak.sh $(O) 2
	tests/recorder/soak.sh $(O) 2 --no-grants

## make check-recorder-long all cases of the recorder on all paths
check-recorder-long: check-recorder
	tests/recorder/cases.sh $(O) all
	tests/recorder/cases.sh $(O) all --inline
	tests/recorder/cases.sh $(O) all --no-inline --policy clock
	tests/recorder/cases.sh $(O) all --no-move
	tests/recorder/cases.sh $(O) all --no-grants
	FLT_FUZZ=100000 tests/recorder/socket.sh $(O)
	tests/recorder/snapshot.sh $(O)
	tests/recorder/soak.sh $(O) 180
	tests/recorder/soak.sh $(O) 180 --no-grants
CHECK_LONG += check-recorder-long

## make check-programs      real programs under the recorder, three times each; installs them
.PHONY: check-programs
check-programs: $(O)/fltctl $(O)/libfltrec.so
	scripts/setup -l
	FLT_ROUNDS=3 tests/recorder/programs.sh $(O)
CHECK_LONG += check-programs

# used by tests/live/recorder*.sh
ALL += $(REC_TEST_BINS) $(REC_TEST_OTHERS)
CHECK_NATIVE += check-recorder
