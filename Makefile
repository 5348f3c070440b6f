# SPDX-License-Identifier: GPL-2.0-or-later
# flt - build, test, install. `make help` lists the targets.
#
# There is one make without recursion. Each folder has a fragment (*.mk) that adds its
# products to PROGRAMS (installed) or ALL (used by tests), its quick native tests to
# CHECK_NATIVE, and its long ones to CHECK_LONG. tests/vm/check finds live tests by itself.
# Everything is built under $(O). kbuild builds the module in place, or under $(O) for several
# kernels at once (tests/vm/vm.mk).

VERSION := 0.1.0
O       ?= build
CC      ?= gcc
PKG_CONFIG ?= pkg-config
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
KDIR    ?= /lib/modules/$(shell uname -r)/build
# Not empty if programs are built for x86-64.
X86     := $(filter x86_64-%,$(shell $(CC) -dumpmachine))

CSTD     = -std=gnu11
WARN     = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Werror=implicit
OPT     ?= -O2 -g -fno-omit-frame-pointer
CPPFLAGS += -D_GNU_SOURCE -DFLT_VERSION='"$(VERSION)"' -Iinclude -Iinclude/uapi
CFLAGS  += $(CSTD) $(OPT) $(WARN)

PROGRAMS :=
ALL :=
CHECK_NATIVE :=
CHECK_LONG :=

.PHONY: all programs help check check-native check-long lint clean install
all:

include $(sort $(wildcard user/*.mk user/*/*/*.mk recorder/*.mk lib/*.mk scripts/*.mk tests/*/*.mk man/*.mk))

all: $(PROGRAMS) $(ALL)
programs: $(PROGRAMS)

# What tests/vm/programs builds.
.PHONY: guest-programs
guest-programs: $(FLTCTL) $(O)/libfltrec.so $(O)/libfltuffd.a $(FLTUFFD_EXAMPLES) \
		$(O)/tests/pager/stores $(REC_TEST_BINS) $(REC_TEST_OTHERS) \
		$(filter $(O)/workload/%,$(ALL))

help:
	@sed -n 's/^## //p' $(filter-out %.d,$(MAKEFILE_LIST)) | sort

## make                     build fltctl, the libraries and the programs of the tests
## make programs            build what `make install` installs
## make module              build flt.ko for this machine's kernel (KDIR=...)
.PHONY: module
module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

## make clean               remove all build products
clean:
	rm -rf $(O)
	@if [ -e flt.mod ] && [ -d $(KDIR) ]; then $(MAKE) -C $(KDIR) M=$(CURDIR) clean; fi

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(CPPFLAGS_$(*D)) -MMD -MP -c -o $@ $<
-include $(shell [ -d $(O) ] && find $(O) -name '*.d')
