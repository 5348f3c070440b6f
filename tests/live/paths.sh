#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 timeout=200
# shellcheck disable=SC2016,SC2119
# Promise: every fault in a file is given with the file's name, as its process sees
# it, also when neither exists any more.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk" "$tmp/bound"
mount -t ext4 /dev/vda "$tmp/disk"
mkdir "$tmp/disk/lower" "$tmp/disk/upper" "$tmp/disk/work" "$tmp/disk/jail" "$tmp/disk/merged"
# As long as there is memory in one piece.
echo 1 >/proc/sys/vm/compact_memory
until_true sh -c 'echo 4 >/proc/sys/vm/nr_hugepages; [ "$(cat /proc/sys/vm/nr_hugepages)" = 4 ]' ||
	bad "no huge pages: $(cat /proc/sys/vm/nr_hugepages) of 4"
fill() { head -c 8M /dev/zero | tee "$@" >/dev/null; }

# What a trace says of the file that mapper mapped: its path, for every fault in it.
named() { # WHAT WANT COMMAND...
	local what=$1 want=$2 dev inode
	shift 2
	"$FLTCTL" trace -o "$tmp/trace.csv" --csv -- "$@" >"$tmp/mapped" 2>"$tmp/err" ||
		bad "$what: status $?: $(cat "$tmp/err")"
	read -r dev inode <"$tmp/mapped" || {
		bad "$what: mapper mapped nothing: $(cat "$tmp/err")"
		return
	}
	python3 - "$tmp/trace.csv" "$dev" "$inode" "$want" "$what" <<-'END' || failures=$((failures + 1))
		import csv, sys
		path, dev, inode, want, what = sys.argv[1:]
		major, minor = (int(x, 16) for x in dev.split(":"))
		with open(path, newline="", errors="surrogateescape") as lines:
		    rows = [r for r in csv.DictReader(lines) if r["dev"] == f"{major}:{minor}"
		            and r["inode"] == inode]
		names = {r["path"] for r in rows}
		if not rows or names != {want}:
		    print(f"BAD: {what}: {len(rows)} faults, named {names}, should be {want}")
		    sys.exit(1)
		if not any(int(r["offset"], 16) == 65536 for r in rows):
		    print(f"BAD: {what}: no fault at 64 KiB")
		    sys.exit(1)
	END
	checks=$((checks + 1))
	say "$what: $want"
}

load
fill "$tmp/disk/plain"
named "a file" "$tmp/disk/plain" mapper file "$tmp/disk/plain"
named "its name has blanks" "$tmp/disk/a b,c\"d" mapper file "$(cp "$tmp/disk/plain" "$tmp/disk/a b,c\"d"; echo "$tmp/disk/a b,c\"d")"

fill "$tmp"/disk/lower/{0,1,2,3,4,5,6,7,8,9}
mount -t overlay overlay -o "lowerdir=$tmp/disk/lower,upperdir=$tmp/disk/upper,workdir=$tmp/disk/work" "$tmp/disk/merged"
if [ "$KERNEL" = 6.1 ]; then
	# A mapping there has the numbers of the layer beneath, but the name that was opened.
	files="0"
else
	files="0 1 2 3 4 5 6 7 8 9"
fi
for i in $files; do
	named "overlayfs, below" "$tmp/disk/merged/$i" mapper file "$tmp/disk/merged/$i"
done
fill "$tmp/disk/merged/3"
named "overlayfs, above" "$tmp/disk/merged/3" mapper file "$tmp/disk/merged/3"

mount --bind "$tmp/disk/lower" "$tmp/bound"
named "a bind mount" "$tmp/bound/7" mapper file "$tmp/bound/7"
named "another mount namespace" /mnt/plain \
	unshare -m bash -c "mount --bind '$tmp/disk' /mnt && mapper file /mnt/plain; true"
mkdir "$tmp/disk/jail/bin"
cp "$(command -v mapper)" "$tmp/disk/jail/bin/"
mkdir "$tmp/disk/jail/proc"
mount -t proc proc "$tmp/disk/jail/proc"
cp "$tmp/disk/plain" "$tmp/disk/jail/inside"
named "another root" /inside chroot "$tmp/disk/jail" /bin/mapper file /inside
umount "$tmp/disk/jail/proc"

cp "$tmp/disk/plain" "$tmp/disk/gone"
named "a deleted file" "$tmp/disk/gone (deleted)" mapper deleted "$tmp/disk/gone"
named "a memfd" "/memfd:some name (deleted)" mapper memfd "some name"
named "huge pages" "/memfd:big (deleted)" mapper hugetlb big

# Said once: in one session the same name is not repeated.
say "a process that is gone: its name and its program's"
"$FLTCTL" trace --csv -- sh -c 'for i in 1 2 3 4 5 6 7 8; do /bin/true; done' >"$tmp/trace.csv"
same "faults without a name of their thread" \
	"$(faults '$6 == ""')" 0
at_least "faults of true" "$(faults '$6 == "true"')" 100
same "faults in files without a name" "$(python3 -c '
import csv, sys
of_files = [r for r in csv.DictReader(open(sys.argv[1])) if r["inode"]]
print(sum(not r["path"] for r in of_files) if of_files else "no_input")' "$tmp/trace.csv")" 0

umount "$tmp/bound" "$tmp/disk/merged"
umount "$tmp/disk"
echo 0 >/proc/sys/vm/nr_hugepages
finish
