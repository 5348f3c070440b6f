# SPDX-License-Identifier: GPL-2.0-or-later
# Install everything except the module, which DKMS installs.

INSTALL ?= install
UNITDIR ?= $(PREFIX)/lib/systemd/system
bindir   = $(DESTDIR)$(PREFIX)/bin
libdir   = $(DESTDIR)$(PREFIX)/lib/flt
datadir  = $(DESTDIR)$(PREFIX)/share
unitdir  = $(DESTDIR)$(UNITDIR)

## make install             fltctl, manual pages, completion, unit (PREFIX=/usr/local, DESTDIR=)
install: programs
	$(INSTALL) -d $(bindir) $(libdir) $(datadir)/man/man7 $(datadir)/man/man8 \
		$(datadir)/bash-completion/completions $(datadir)/zsh/site-functions \
		$(datadir)/fish/vendor_completions.d $(unitdir) $(datadir)/doc/flt/json \
		$(datadir)/doc/flt/expect $(DESTDIR)$(PREFIX)/include
	$(INSTALL) -m 755 $(O)/fltctl $(bindir)
	$(INSTALL) -m 755 $(O)/libfltrec.so $(libdir)
	$(INSTALL) -m 644 $(O)/man/*.7 $(datadir)/man/man7
	$(INSTALL) -m 644 $(O)/man/*.8 $(datadir)/man/man8
	$(INSTALL) -m 644 $(O)/completion/fltctl $(datadir)/bash-completion/completions
	$(INSTALL) -m 644 $(O)/completion/_fltctl $(datadir)/zsh/site-functions
	$(INSTALL) -m 644 $(O)/completion/fltctl.fish $(datadir)/fish/vendor_completions.d
	@# The unit is installed disabled. Loading the module at boot and changing sysctls are the
	@# choices of the administrator: see docs/monitoring.md.
	sed 's,@bindir@,$(PREFIX)/bin,' systemd/flt-export.service >$(unitdir)/flt-export.service
	chmod 644 $(unitdir)/flt-export.service
	$(INSTALL) -m 644 systemd/flt.conf $(datadir)/doc/flt/modules-load.conf
	$(INSTALL) -m 644 systemd/sysctl.conf $(datadir)/doc/flt/sysctl.conf
	$(INSTALL) -m 644 docs/monitoring.md docs/monitoring/alerts.yml \
		docs/monitoring/dashboard.json docs/json.md docs/kernels.md docs/secure-boot.md \
		$(datadir)/doc/flt
	$(INSTALL) -m 644 docs/json/*.json $(datadir)/doc/flt/json
	$(INSTALL) -m 644 include/flt_mark.h $(DESTDIR)$(PREFIX)/include
	$(INSTALL) -m 644 docs/expect/* $(datadir)/doc/flt/expect
