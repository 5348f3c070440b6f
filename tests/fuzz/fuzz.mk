# SPDX-License-Identifier: GPL-2.0-or-later
# Netlink messages that the module must refuse: a fixed list, and random ones.

ALL += $(O)/workload/genlcases $(O)/workload/genlfuzz

$(O)/workload/genlcases: $(O)/tests/fuzz/genlcases_hist.o $(O)/tests/fuzz/genlcases_wss.o
$(O)/workload/genlcases $(O)/workload/genlfuzz: $(O)/workload/%: \
		$(O)/tests/fuzz/%.o $(O)/tests/live/genl.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $^
