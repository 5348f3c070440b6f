# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile trace files: the corpus is a quick test, libFuzzer extends the corpus.

CPPFLAGS_tests/fuzz += $(USER_CFLAGS)
CHECK_NATIVE += check-tracefuzz

$(O)/san/tracefuzz: $(O)/san/tests/fuzz/tracefuzz.o $(O)/san/libfltctl.a
	$(CC) $(CFLAGS) $(SAN_FLAGS) -o $@ $^ $(USER_LIBS)

## make check-tracefuzz     the corpus of hostile trace files
.PHONY: check-tracefuzz fuzz-trace
check-tracefuzz: $(O)/san/tracefuzz
	$< tests/fuzz/corpus/*

FUZZ_SRCS = tests/fuzz/tracefuzz.c \
	$(wildcard user/source/file/*.c user/model/recording/*.c user/model/code/*.c)
FUZZ_SECONDS ?= 60

## make fuzz-trace          search hostile trace files, FUZZ_SECONDS=60 (needs clang)
fuzz-trace:
	@mkdir -p $(O)/fuzz/corpus
	clang -g -O1 -DFLT_LIBFUZZER $(CPPFLAGS) $(USER_CFLAGS) $(CSTD) -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -o $(O)/fuzz/trace $(FUZZ_SRCS) $(USER_LIBS)
	$(O)/fuzz/trace -max_total_time=$(FUZZ_SECONDS) -max_len=16384 -timeout=10 -rss_limit_mb=1024 \
		-artifact_prefix=$(O)/fuzz/ $(O)/fuzz/corpus tests/fuzz/corpus
