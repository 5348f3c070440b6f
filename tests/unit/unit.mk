# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests: each tests/unit/NAME.c is a program. Unit tests, and an fltctl for the tests
# of the command line, are built with sanitizers, so a leak or an invalid access fails a
# test.

SAN        := $(O)/san
SAN_FLAGS  := -fsanitize=address,undefined -fno-sanitize-recover=all
UNIT_SRCS  := $(wildcard tests/unit/*.c)
UNIT_TESTS := $(UNIT_SRCS:tests/unit/%.c=$(SAN)/unit/%)
UNIT_LIBS   = $(USER_LIBS) $(shell $(PKG_CONFIG) --libs cmocka)
# Prerequisites are expanded here, before user/user.mk is read.
SAN_OBJS   := $(patsubst %.c,$(SAN)/%.o,$(filter-out user/main.c,$(shell find user -name '*.c')))

CPPFLAGS_tests/unit += $(USER_CFLAGS)
CHECK_NATIVE += check-unit

$(SAN)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CPPFLAGS_$(*D)) $(CFLAGS) $(SAN_FLAGS) -MMD -MP -c -o $@ $<

$(SAN)/libfltctl.a: $(SAN_OBJS)
	@rm -f $@
	$(AR) qcs $@ $^

$(SAN)/fltctl: $(SAN)/user/main.o $(SAN)/libfltctl.a
	$(CC) $(CFLAGS) $(SAN_FLAGS) -o $@ $^ $(USER_LIBS)

$(UNIT_TESTS): $(SAN)/unit/%: $(SAN)/tests/unit/%.o $(SAN)/libfltctl.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SAN_FLAGS) -o $@ $^ $(UNIT_LIBS)
.SECONDARY: $(UNIT_SRCS:%.c=$(SAN)/%.o)

## make check-unit          unit tests of fltctl, with the address and UB sanitizers
.PHONY: check-unit
check-unit: $(UNIT_TESTS)
	@[ -n "$(UNIT_TESTS)" ]
	@for t in $(UNIT_TESTS); do echo "== $${t##*/}"; $$t || exit 1; done
