#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 timeout=300
# shellcheck disable=SC2119
# Promise: what top and trace paint on a real terminal is what tests/live/screens/
# has, figures apart; a name that wants to move the cursor is in there, too.
#
# A screen that differs is printed as it would have to be there.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# Ten times slower, nothing comes in the second that a screen is of.
[ "$KERNEL" != debug ] || skip "a screen is of a second, in which the debug kernel gets nowhere"
disk=/tmp/s
mkdir -p $disk
mkfs.ext4 -q -b 4096 /dev/vda
mount -t ext4 /dev/vda $disk
dd if=/dev/zero of=$disk/read bs=64k count=16 status=none
cp $disk/read "$disk/"$'\e[2J\e[1;1Hmoved'
sync

# Twenty times a second: so many pages of memory that is new, so many of a file that
# its storage has to be asked for. Says when it has begun.
cat >"$tmp/steady.py" <<'END'
import ctypes, mmap, os, sys, time
pages, majors, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
ctypes.CDLL(None).prctl(15, os.fsencode(sys.argv[4]), 0, 0, 0)
anon = mmap.mmap(-1, pages * 4096)
fd = os.open(path, os.O_RDONLY)
file = mmap.mmap(fd, 1 << 20, prot=mmap.PROT_READ)
file.madvise(mmap.MADV_RANDOM)
print("begun", flush=True)
while True:
    for i in range(pages):
        anon[i * 4096] = 1
    for i in range(majors):
        file[i * 4096]
    anon.madvise(mmap.MADV_DONTNEED)
    file.madvise(mmap.MADV_DONTNEED)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    time.sleep(0.05)
END
steady() { # PAGES MAJORS FILE COMM: its pid in $pid
	python3 "$tmp/steady.py" "$@" >"$tmp/begun" & pid=$!
	until_true grep -q begun "$tmp/begun"
	rm "$tmp/begun"
}

# tmux lets nothing of the machine's in, and has a server for every screen.
sessions=0
term() { tmux -L "screens-$sessions" -f /dev/null "$@"; }
start() { # COLUMNS ROWS fltctl-ARGUMENTS...
	local size=(-x "$1" -y "$2")
	shift 2
	sessions=$((sessions + 1))
	echo "export TERM=screen LC_ALL=C.UTF-8; '$FLTCTL' $*; sleep 600" >"$tmp/run"
	term new-session -d "${size[@]}" "bash $tmp/run"
}

# Figures are of any width: of one that is right-aligned, its end stays. Hexadecimal
# numbers keep their length. In a line of text, which has no columns, only that it is there.
masked() {
	perl -CSD -pe '
		if (/^[0-9:]+ by |^ *incomplete/) { s/p99 \S+,?/P,/; s/[0-9][0-9.:]*(?:ns|us|ms|s|%)?/#/g; next }
		s/\b\d\d:\d\d:\d\d\.?\d*/"T" x length($&)/ge;
		s/\b0x[0-9a-f]{8,}\b/"@" x length($&)/ge;
		s/(?<=\+)0x[0-9a-f]+$/#/;
		s/(?<![\w\/.+:;\[-])(\d[\d.]*(?:ns|us|ms|s|B|KiB|MiB|GiB|%)?)(?![\w.:])/(" " x (length($1) - 1)) . "#"/ge;'
}
seen() { # NAME PATTERN...: the screen, once all of these are on it
	local name=$1 want=tests/live/screens/$1.txt word
	shift
	complete() {
		term capture-pane -p >"$tmp/screen"
		for word; do
			grep -qE -- "$word" "$tmp/screen" || return 1
		done
	}
	until=$((SECONDS + 60))
	while ! complete "$@" && [ $SECONDS -lt $until ]; do
		sleep 0.3
	done
	complete "$@" || { bad "$name: never came to its screen"; cat "$tmp/screen"; return; }
	masked <"$tmp/screen" >"$tmp/$name.txt"
	checks=$((checks + 1))
	diff -u "$want" "$tmp/$name.txt" || {
		bad "$name"
		cat "$tmp/screen"
		sed "s/^/$name| /" "$tmp/$name.txt"
	}
}
scrolled() {
	full() { [ "$(term capture-pane -p | grep -c .)" -ge 7 ]; }
	until_true full || { bad "never scrolled"; term capture-pane -p; return 1; }
}
leave() { # KEY
	term send-keys "$1"
	sleep 0.3
	term kill-server
}

load
steady 200 5 $disk/read reader
reader=$pid
steady 50 1 "$disk/"$'\e[2J\e[1;1Hmoved' $'\e[2J\n\e[H'
hostile=$pid

say "top"
start 124 12 top -p "$reader,$hostile" 500ms
both=("$reader " "$hostile ")
seen process "${both[@]}" 'KiB /tmp/s/read$' 'KiB .*moved'
term send-keys t
seen thread 'TID COMM' "${both[@]}" 'KiB /tmp/s/read$' 'KiB .*moved'
term send-keys f
seen file '^FILE' 'read ' 'moved'
term send-keys c
seen cgroup '^CGROUP' '^/ .*KiB /tmp/s/read$'
term send-keys k
seen kind '^KIND' '^shared ' '^file '
term send-keys h
seen help 'keys'
term send-keys x p /
term send-keys -l reader
seen only 'only: reader_' "$reader .*KiB /tmp/s/read\$"
leave C-c

say "trace"
start 190 8 trace -p "$reader" -F maj
scrolled && seen trace 'read'
leave C-c
start 190 8 trace -p "$hostile" -F maj
scrolled && seen trace-hostile 'moved'
leave C-c

kill "$reader" "$hostile"
wait
umount $disk
rmdir $disk
finish
