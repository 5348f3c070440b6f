# SPDX-License-Identifier: GPL-2.0-or-later
# The guide: its commands, their output and pictures. tests/live/guide.sh checks them.

## make docs                run the commands of docs/guide.md and write their output (DOCS=TEXT: one question)
.PHONY: docs
docs: all $(O)/kmod-6.12/.built
	FLT_BUILD=$(abspath $(O)) tests/docs/regenerate $(DOCS)
