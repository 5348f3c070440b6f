# SPDX-License-Identifier: GPL-2.0-or-later
# Style and scripts of pages are linked into fltctl, so it needs no files at run time.

ASSETS := user/view/svg/atlas.css user/view/svg/atlas.js user/view/svg/flame.css user/view/svg/flame.js user/view/svg/page.css user/view/svg/page.js

$(O)/user/view/svg/assets.o: user/view/svg/assets.S $(ASSETS)
	@mkdir -p $(@D)
	$(CC) -c -o $@ $<

$(O)/libfltctl.a: $(O)/user/view/svg/assets.o
$(SAN)/libfltctl.a: $(O)/user/view/svg/assets.o
