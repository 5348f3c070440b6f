# SPDX-License-Identifier: GPL-2.0-or-later
# Style and scripts of pages are linked into fltctl, so it needs no files at run time.

ASSETS := $(wildcard user/view/svg/*.css user/view/svg/*.js)

$(O)/user/view/svg/assets.o: user/view/svg/assets.S $(ASSETS)
	@mkdir -p $(@D)
	$(CC) -c -o $@ $<

$(O)/libfltctl.a: $(O)/user/view/svg/assets.o
$(SAN)/libfltctl.a: $(O)/user/view/svg/assets.o
