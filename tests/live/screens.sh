#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: zram=1 disk=512 timeout=300 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2119
# Promise: the screens of top and trace on a real terminal are those in tests/live/screens/,
# except for numbers. This includes names that contain escape sequences.
#
# If a screen differs, the test prints it in the format of tests/live/screens/.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# The debug kernel is ten times slower.
[ "$KERNEL" != debug ] || skip "the debug kernel is too slow to fill a screen per interval"
disk=/tmp/s
mkdir -p $disk
mkfs.ext4 -q -b 4096 /dev/vda
mount -t ext4 /dev/vda $disk
dd if=/dev/zero of=$disk/read bs=64k count=16 status=none
cp $disk/read "$disk/"$'\e[2J\e[1;1Hmoved'
sync

# Twenty times a second, touch MAJORS uncached pages of a file, and PAGES fresh anonymous pages.
# Print "begun" before the first time.
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
    for i in range(majors):
        file[i * 4096]
    # Faults in the file that wait for no disk, so that any interval with one kind has the other.
    file.madvise(mmap.MADV_DONTNEED)
    for i in range(majors):
        file[i * 4096]
    for i in range(pages):
        anon[i * 4096] = 1
    anon.madvise(mmap.MADV_DONTNEED)
    file.madvise(mmap.MADV_DONTNEED)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    time.sleep(0.05)
END
# Start steady.py and set pid.
steady() { # PAGES MAJORS FILE COMM
	python3 "$tmp/steady.py" "$@" >"$tmp/begun" & pid=$!
	until_true grep -q begun "$tmp/begun"
	rm "$tmp/begun"
}

# Run tmux without configuration files, with one server per screen.
sessions=0
term() { tmux -L "screens-$sessions" -f /dev/null "$@"; }
start() { # COLUMNS ROWS fltctl-ARGUMENTS...
	local size=(-x "$1" -y "$2")
	shift 2
	sessions=$((sessions + 1))
	echo "export TERM=screen LC_ALL=C.UTF-8; '$FLTCTL' $*; sleep 600" >"$tmp/run"
	term new-session -d "${size[@]}" "bash $tmp/run"
}

# Replace numbers in a screen by placeholders. A right-aligned number becomes # at its last
# column, because its width varies. A hexadecimal number and a time keep their length. In lines
# of text (title, losses) every number becomes a single #.
mask_numbers() {
	perl -CSD -pe '
		if (/^[0-9:]+ by |^ *incomplete/) {
			s/p99 \S+,?/P,/; s/[0-9][0-9.:]*(?:ns|us|ms|s|%)?/#/g;
			next;
		}
		s/\b\d\d:\d\d:\d\d\.?\d*/"T" x length($&)/ge;
		s/\b0x[0-9a-f]{8,}\b/"@" x length($&)/ge;
		s/(?<=\+)0x[0-9a-f]+$/#/;
		s/(?<![\w\/.+:;\[-])(\d[\d.]*(?:ns|us|ms|s|B|KiB|MiB|GiB|%)?)(?![\w.:])
		 /(" " x (length($1) - 1)) . "#"/gex;'
}
# Wait until the screen and a line with the column of the cursor match all patterns. Compare the
# screen with tests/live/screens/NAME.txt.
compare_screen() { # NAME PATTERN...
	local name=$1 want=tests/live/screens/$1.txt word
	shift
	complete() {
		term capture-pane -p \; display-message -p 'cursor in column #{cursor_x}' >"$tmp/captured"
		for word; do
			grep -qE -- "$word" "$tmp/captured" || return 1
		done
		sed '$d' "$tmp/captured" >"$tmp/screen"
	}
	until=$((SECONDS + 60))
	until complete "$@"; do
		[ $SECONDS -lt $until ] || {
			bad "$name: no such screen within 60 s"
			cat "$tmp/captured"
			return
		}
		sleep 0.3
	done
	mask_numbers <"$tmp/screen" >"$tmp/$name.txt"
	checks=$((checks + 1))
	diff -u "$want" "$tmp/$name.txt" || {
		bad "$name: the screen differs from $want"
		cat "$tmp/screen"
		sed "s/^/$name| /" "$tmp/$name.txt"
	}
}
wait_scrolled() {
	full() { [ "$(term capture-pane -p | grep -c .)" -ge 7 ]; }
	until_true full || { bad "the screen did not scroll"; term capture-pane -p; return 1; }
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
compare_screen process "${both[@]}" 'KiB /tmp/s/read$' 'KiB .*moved'
term send-keys t
compare_screen thread 'TID COMM' "${both[@]}" 'KiB /tmp/s/read$' 'KiB .*moved'
term send-keys f
compare_screen file '^FILE' 'read ' 'moved'
term send-keys c
compare_screen cgroup '^CGROUP' '^/ .*KiB /tmp/s/read$'
term send-keys k
compare_screen kind '^KIND' '^shared ' '^file '
term send-keys h
compare_screen help 'keys'
term send-keys x p /
term send-keys -l reader
compare_screen only 'only: reader_' "$reader .*KiB /tmp/s/read\$"
leave C-c

say "trace"
start 190 8 trace -p "$reader" -F maj
# Not in the middle of a line.
wait_scrolled && compare_screen trace 'read' '^cursor in column 0$'
leave C-c
start 190 8 trace -p "$hostile" -F maj
wait_scrolled && compare_screen trace-hostile 'moved' '^cursor in column 0$'
leave C-c

kill "$reader" "$hostile"
wait
umount $disk
rmdir $disk
finish
