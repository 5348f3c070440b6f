# SPDX-License-Identifier: GPL-2.0-or-later
# Style and scripts of pages, inside fltctl so that it needs no files at run time.

ASSETS := user/view/atlas.css user/view/atlas.js user/view/flame.css user/view/flame.js user/view/page.css user/view/page.js

$(O)/user/view/assets.o: user/view/assets.S $(ASSETS)
	@mkdir -p $(@D)
	$(CC) -c -o $@ $<

$(O)/libfltctl.a: $(O)/user/view/assets.o
$(SAN)/libfltctl.a: $(O)/user/view/assets.o
