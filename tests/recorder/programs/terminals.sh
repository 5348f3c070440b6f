# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that use a terminal.
# shellcheck shell=bash disable=SC2154

NEEDS=vim program vim 8/16 sh -c 'vim -u NONE -n -es -c "e some" -c "%s/line/LINE/g" -c "g/77/d" -c "%sort" \
	-c "w! edited" -c "q!"; md5sum edited; wc edited'
NEEDS=tmux ESCAPES='utempter is a set-group-ID program' UNSEEN='utempter is a set-group-ID program' \
	PARTIAL='the heap of most processes is smaller than their code' program tmux 1/6 bash "$here/tmux.sh"
