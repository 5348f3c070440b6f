# SPDX-License-Identifier: GPL-2.0-or-later
# The libFuzzer programs. They need clang, so `make all` does not build them.

FUZZ_SECONDS ?= 60
FUZZ_FLAGS    = -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all

CHECK_NATIVE += check-fuzzers

$(O)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	clang -g -O1 -DFLT_LIBFUZZER $(CPPFLAGS) $(USER_CFLAGS) $(CSTD) $(FUZZ_FLAGS) -MMD -MP -c -o $@ $<

# trace.mk and stream.mk list the sources of each.
$(O)/fuzz/trace $(O)/fuzz/stream:
	clang -g $(FUZZ_FLAGS) -o $@ $^ $(USER_LIBS)

## make check-fuzzers       build the libFuzzer programs and run their corpora once (needs clang)
.PHONY: check-fuzzers
check-fuzzers: $(O)/fuzz/trace $(O)/fuzz/stream
	$(O)/fuzz/trace -runs=0 -rss_limit_mb=1024 -artifact_prefix=$(O)/fuzz/ tests/fuzz/corpus
	$(O)/fuzz/stream -runs=0 -rss_limit_mb=1024 -artifact_prefix=$(O)/fuzz/ tests/fuzz/corpus-stream
