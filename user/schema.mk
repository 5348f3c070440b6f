# SPDX-License-Identifier: GPL-2.0-or-later
# Code that protoc-c makes from each schema, user/DIR/NAME.proto. The sanitized library has objects
# of its own.

# protoc-c of Debian 13 says that it is deprecated. Both take the same options.
PROTOC := $(firstword $(shell command -v protoc; command -v protoc-c))
SCHEMAS := $(patsubst %.proto,%,$(shell find user -name '*.proto'))

define schema_rules
CPPFLAGS_$(patsubst %/,%,$(dir $(1))) += -I$(O)/$(dir $(1))

$(O)/$(1).pb-c.c $(O)/$(1).pb-c.h &: $(1).proto
	@mkdir -p $$(@D)
	$(PROTOC) --proto_path=$$(<D) --c_out=$$(@D) $$<

$(O)/$(1).pb-c.o: $(O)/$(1).pb-c.c
	$$(CC) $$(CPPFLAGS) $$(CPPFLAGS_$(patsubst %/,%,$(dir $(1)))) $$(CFLAGS) -c -o $$@ $$<

$(O)/san/$(1).pb-c.o: $(O)/$(1).pb-c.c
	@mkdir -p $$(@D)
	$$(CC) $$(CPPFLAGS) $$(CPPFLAGS_$(patsubst %/,%,$(dir $(1)))) $$(CFLAGS) $$(SAN_FLAGS) \
		-c -o $$@ $$<

$(O)/libfltctl.a: $(O)/$(1).pb-c.o
$(O)/san/libfltctl.a: $(O)/san/$(1).pb-c.o
endef

$(foreach s,$(SCHEMAS),$(eval $(call schema_rules,$(s))))

# A file includes the header of its own name, if there is one.
$(O)/user/view/export/perfetto.o $(O)/san/user/view/export/perfetto.o: \
	$(O)/user/view/export/perfetto.pb-c.h
$(O)/user/view/metrics/protobuf.o $(O)/san/user/view/metrics/protobuf.o: \
	$(O)/user/view/metrics/metrics.pb-c.h
