# SPDX-License-Identifier: GPL-2.0-or-later
# Trace files and what is made of them: the format, symbols, reports, pictures.
# Unit tests are linked with the sanitized archive of tests/unit.

# What prerequisites name must be known here, and unit.mk comes later.
TRACE_SAN   := $(O)/san
TRACE_UNITS := $(addprefix $(TRACE_SAN)/trace/,file model)

CPPFLAGS_tests/trace += $(USER_CFLAGS)
CHECK_NATIVE += check-trace

$(TRACE_UNITS): $(TRACE_SAN)/trace/%: $(TRACE_SAN)/tests/trace/%.o $(TRACE_SAN)/libfltctl.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SAN_FLAGS) -o $@ $^ $(USER_LIBS) $(shell pkg-config --libs cmocka)

$(O)/trace/generate: $(O)/tests/trace/generate.o $(O)/libfltctl.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(USER_LIBS)

## make check-trace         trace files, symbols, reports and pictures
.PHONY: check-trace
check-trace: $(TRACE_UNITS)
	@for t in $(TRACE_UNITS); do echo "== $${t##*/}"; $$t || exit 1; done
