# SPDX-License-Identifier: GPL-2.0-or-later
# Manual pages and shell completion. fltctl generates the head, the options and the exit
# statuses of each page from its own tables. man/NAME.man is appended. flt(7) is docs/guide.md.

# EMULATOR runs fltctl if a cross compiler has built it: qemu-aarch64.
FLTCTL_HERE = $(EMULATOR) $(O)/fltctl

PROGRAMS += $(O)/man/.built $(O)/completion/.built

$(O)/man/.built: $(O)/fltctl $(wildcard man/*.man) docs/guide.md man/guide.awk
	@mkdir -p $(@D)
	@for c in fltctl $$($(FLTCTL_HERE) help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do \
		page=$(@D)/fltctl-$$c.8; [ $$c != fltctl ] || page=$(@D)/fltctl.8; \
		$(FLTCTL_HERE) help --man $${c#fltctl} >$$page || exit 1; \
		[ ! -e man/$$c.man ] || cat man/$$c.man >>$$page; \
	done
	@awk -v VERSION=$(VERSION) -f man/guide.awk docs/guide.md >$(@D)/flt.7
	@touch $@

$(O)/completion/.built: $(O)/fltctl
	@mkdir -p $(@D)
	@$(FLTCTL_HERE) help --completion=bash >$(@D)/fltctl
	@$(FLTCTL_HERE) help --completion=zsh >$(@D)/_fltctl
	@$(FLTCTL_HERE) help --completion=fish >$(@D)/fltctl.fish
	@touch $@
