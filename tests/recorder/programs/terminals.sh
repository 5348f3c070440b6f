# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that use a terminal.
# shellcheck shell=bash disable=SC2154

program vim 16 sh -c 'vim -u NONE -n -es -c "e some" -c "%s/line/LINE/g" -c "g/77/d" -c "%sort" \
	-c "w! edited" -c "q!"; md5sum edited; wc edited'
program tmux 8 bash "$here/tmux.sh"
