# SPDX-License-Identifier: GPL-2.0-or-later
# Trace files: format, symbols, reports, pictures.
# Unit tests link the archive of tests/unit that has sanitizers.

# Prerequisites are expanded here, before unit.mk is read.
TRACE_SAN   := $(O)/san
TRACE_UNITS := $(addprefix $(TRACE_SAN)/trace/,file model page_sizes)

CPPFLAGS_tests/trace += $(USER_CFLAGS)
CHECK_NATIVE += check-trace

$(TRACE_UNITS): $(TRACE_SAN)/trace/%: $(TRACE_SAN)/tests/trace/%.o $(TRACE_SAN)/libfltctl.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SAN_FLAGS) -o $@ $^ $(USER_LIBS) $(shell $(PKG_CONFIG) --libs cmocka)

$(O)/trace/generate: $(O)/tests/trace/generate.o $(O)/libfltctl.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(USER_LIBS)

## make check-trace         trace files, symbols, reports and pictures
.PHONY: check-trace
check-trace: $(TRACE_UNITS)
	@for t in $(TRACE_UNITS); do echo "== $${t##*/}"; $$t || exit 1; done

LINES := $(addprefix $(O)/trace/,lines lines-pie lines-frame lineslib.so)

$(O)/trace/lines: LINES_FLAGS := -no-pie
$(O)/trace/lines-pie: LINES_FLAGS := -pie -fPIE
$(O)/trace/lines-frame: LINES_FLAGS := -pie -fPIE -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer
$(O)/trace/lines $(O)/trace/lines-pie $(O)/trace/lines-frame: tests/trace/lines.c tests/trace/lines.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LINES_FLAGS) -o $@ $<

$(O)/trace/lineslib.so: tests/trace/lineslib.c tests/trace/lines.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -shared -fPIC -o $@ $<

## make check-lines         record faults at known lines and check the reported lines
.PHONY: check-lines
check-lines: $(LINES) $(O)/fltctl
	tests/trace/lines.sh $(O)/fltctl $(O)/trace
CHECK_NATIVE += check-lines

$(O)/trace/nofile: tests/trace/nofile.c tests/trace/lines.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $<

## make check-symbols       names of code from debug files and perf maps
.PHONY: check-symbols
check-symbols: $(LINES) $(O)/trace/nofile $(O)/fltctl
	tests/trace/symbols.sh $(O)/fltctl $(O)/trace
CHECK_NATIVE += check-symbols

## make check-exports       reports, pictures and exports, read by other programs
.PHONY: check-exports
check-exports: $(O)/trace/generate $(O)/fltctl
	tests/trace/exports.sh $(O)/fltctl $(O)/trace/generate
CHECK_NATIVE += check-exports

## make check-browser       flame graph and page in headless Chromium
.PHONY: check-browser
check-browser: $(O)/trace/generate $(O)/fltctl
	tests/trace/browser.py $(O)/fltctl $(O)/trace/generate

## make check-readers       exports, read by speedscope (from npm) in headless Chromium
.PHONY: check-readers
check-readers: $(O)/trace/generate $(O)/fltctl
	tests/trace/readers.py $(O)/fltctl $(O)/trace/generate $(O)/npm
CHECK_LONG += check-browser check-readers
