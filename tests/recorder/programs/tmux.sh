#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tmux.sh - print many lines in two windows of a tmux server, and then the end of their histories.
set -e
dir=$(mktemp -d)
export TMUX_TMPDIR=$dir
trap 'tmux kill-server 2> /dev/null; rm -rf "$dir"' EXIT
print='seq -f "%g bottles in a row" 20000; tmux wait-for -S'
tmux -f /dev/null new-session -d -x 80 -y 24 -s one "$print one; exec sleep 1000"
tmux set-option -g history-limit 20000
tmux new-window -d -n two "$print two; exec sleep 1000"
tmux wait-for one
tmux wait-for two
# The server has read all that was written when it shows the last line.
for window in 0 two; do
	until tmux capture-pane -p -t "one:$window" | grep -q '^20000 '; do :; done
	tmux capture-pane -p -S -1000 -t "one:$window" | grep -v '^$' | tail -900 | md5sum
done
