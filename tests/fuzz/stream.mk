# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile streams and answers: the corpus is a quick test, libFuzzer extends the corpus.

CHECK_NATIVE += check-streamfuzz

$(O)/san/streamfuzz: $(O)/san/tests/fuzz/streamfuzz.o $(O)/san/libfltctl.a
	$(CC) $(CFLAGS) $(SAN_FLAGS) -o $@ $^ $(USER_LIBS)

## make check-streamfuzz    the corpus of hostile streams
.PHONY: check-streamfuzz fuzz-stream
check-streamfuzz: $(O)/san/streamfuzz
	$< tests/fuzz/corpus-stream/*

FUZZ_STREAM_SRCS = tests/fuzz/streamfuzz.c user/text/errmsg.c user/model/process/paths.c \
	$(patsubst %,user/source/stream/%.c,slots queue notes order merge) \
	user/source/netlink/decode.c $(wildcard user/index/*.c user/account/*.c)
$(O)/fuzz/stream: $(FUZZ_STREAM_SRCS:%.c=$(O)/fuzz/%.o)

## make fuzz-stream         search hostile streams, FUZZ_SECONDS=60 (needs clang)
fuzz-stream: $(O)/fuzz/stream
	@mkdir -p $(O)/fuzz/corpus-stream
	$< -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
		-artifact_prefix=$(O)/fuzz/ $(O)/fuzz/corpus-stream tests/fuzz/corpus-stream
