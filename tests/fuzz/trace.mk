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

FUZZ_TRACE_SRCS = tests/fuzz/tracefuzz.c user/picture/heatmap.c user/text/escape.c \
	$(patsubst %,user/source/proc/%.c,maps machine) \
	$(patsubst %,user/source/file/%.c,read code) \
	$(patsubst %,user/timeline/%.c,regions map_record) \
	$(patsubst %,user/model/memory/%.c,regions region_names heat pattern) \
	$(wildcard $(patsubst %,user/%/*.c,index model/recording model/code))
$(O)/fuzz/trace: $(FUZZ_TRACE_SRCS:%.c=$(O)/fuzz/%.o)

## make fuzz-trace          search hostile trace files, FUZZ_SECONDS=60 (needs clang)
fuzz-trace: $(O)/fuzz/trace
	@mkdir -p $(O)/fuzz/corpus
	$< -max_total_time=$(FUZZ_SECONDS) -max_len=16384 -timeout=10 -rss_limit_mb=1024 \
		-artifact_prefix=$(O)/fuzz/ $(O)/fuzz/corpus tests/fuzz/corpus
