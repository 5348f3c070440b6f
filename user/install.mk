# SPDX-License-Identifier: GPL-2.0-or-later
# Install everything except the module, which DKMS installs.

INSTALL ?= install
bindir   = $(DESTDIR)$(PREFIX)/bin
libdir   = $(DESTDIR)$(PREFIX)/lib/flt
datadir  = $(DESTDIR)$(PREFIX)/share

## make install             fltctl, manual pages, completion (PREFIX=/usr/local, DESTDIR=)
install: all
	$(INSTALL) -d $(bindir) $(libdir) $(datadir)/man/man8 \
		$(datadir)/bash-completion/completions $(datadir)/zsh/site-functions \
		$(datadir)/fish/vendor_completions.d
	$(INSTALL) -m 755 $(O)/fltctl $(bindir)
	$(INSTALL) -m 755 $(O)/libfltrec.so $(libdir)
	$(INSTALL) -m 644 $(O)/man/*.8 $(datadir)/man/man8
	$(INSTALL) -m 644 $(O)/completion/fltctl $(datadir)/bash-completion/completions
	$(INSTALL) -m 644 $(O)/completion/_fltctl $(datadir)/zsh/site-functions
	$(INSTALL) -m 644 $(O)/completion/fltctl.fish $(datadir)/fish/vendor_completions.d
