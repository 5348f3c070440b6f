#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: zram=1 disk=512 timeout=300 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2016,SC2119
# Promise: every fault in a file is reported with the path of the file as seen by the
# process, even if the file or the process no longer exists.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk" "$tmp/bound"
mount -t ext4 /dev/vda "$tmp/disk"
mkdir "$tmp/disk/lower" "$tmp/disk/upper" "$tmp/disk/work" "$tmp/disk/jail" "$tmp/disk/merged"
# Reserve huge pages first, because fragmented memory could not provide them later.
echo 1 >/proc/sys/vm/compact_memory
huges=$(few_huge 4 2) # mapper maps two
reserve() {
	echo "$huges" >/proc/sys/vm/nr_hugepages
	[ "$(cat /proc/sys/vm/nr_hugepages)" = "$huges" ]
}
until_true reserve ||
	bad "only $(cat /proc/sys/vm/nr_hugepages) of $huges huge pages could be reserved"
fill() { head -c 8M /dev/zero | tee "$@" >/dev/null; }

# Trace COMMAND, which runs mapper, and check that every fault in the mapped file has path WANT.
check_path() { # WHAT WANT COMMAND...
	local what=$1 want=$2 dev inode
	shift 2
	"$FLTCTL" trace -o "$tmp/trace.csv" --csv -- "$@" >"$tmp/mapped" 2>"$tmp/err" ||
		bad "$what: status $?: $(cat "$tmp/err")"
	read -r dev inode <"$tmp/mapped" || {
		bad "$what: mapper printed no mapping: $(cat "$tmp/err")"
		return
	}
	python3 - "$tmp/trace.csv" "$dev" "$inode" "$want" "$what" \
		<<-'END' || failures=$((failures + 1))
		import csv, sys
		path, dev, inode, want, what = sys.argv[1:]
		major, minor = (int(x, 16) for x in dev.split(":"))
		with open(path, newline="", errors="surrogateescape") as lines:
		    rows = [r for r in csv.DictReader(lines) if r["dev"] == f"{major}:{minor}"
		            and r["inode"] == inode]
		names = {r["path"] for r in rows}
		if not rows or names != {want}:
		    print(f"BAD: {what}: {len(rows)} faults with paths {names}, should be {want}")
		    sys.exit(1)
		if not any(int(r["offset"], 16) == 65536 for r in rows):
		    print(f"BAD: {what}: no fault at offset 64 KiB")
		    sys.exit(1)
	END
	checks=$((checks + 1))
	say "$what: $want"
}

load
fill "$tmp/disk/plain"
check_path "plain file" "$tmp/disk/plain" mapper file "$tmp/disk/plain"
check_path "name with blank, comma and quote" "$tmp/disk/a b,c\"d" mapper file \
	"$(cp "$tmp/disk/plain" "$tmp/disk/a b,c\"d"; echo "$tmp/disk/a b,c\"d")"

fill "$tmp"/disk/lower/{0,1,2,3,4,5,6,7,8,9}
mount -t overlay overlay \
	-o "lowerdir=$tmp/disk/lower,upperdir=$tmp/disk/upper,workdir=$tmp/disk/work" \
	"$tmp/disk/merged"
if kernel_before 6.8; then
	# Before 6.8 a mapping has device and inode of the lower layer, but the path that was opened.
	files="0"
else
	files="0 1 2 3 4 5 6 7 8 9"
fi
for i in $files; do
	check_path "overlayfs, lower layer" "$tmp/disk/merged/$i" mapper file "$tmp/disk/merged/$i"
done
fill "$tmp/disk/merged/3"
check_path "overlayfs, upper layer" "$tmp/disk/merged/3" mapper file "$tmp/disk/merged/3"

mount --bind "$tmp/disk/lower" "$tmp/bound"
check_path "bind mount" "$tmp/bound/7" mapper file "$tmp/bound/7"
check_path "different mount namespace" /mnt/plain \
	unshare -m bash -c "mount --bind '$tmp/disk' /mnt && mapper file /mnt/plain; true"
mkdir "$tmp/disk/jail/bin"
cp "$(command -v mapper)" "$tmp/disk/jail/bin/"
mkdir "$tmp/disk/jail/proc"
mount -t proc proc "$tmp/disk/jail/proc"
cp "$tmp/disk/plain" "$tmp/disk/jail/inside"
check_path "chroot" /inside chroot "$tmp/disk/jail" /bin/mapper file /inside
umount "$tmp/disk/jail/proc"

cp "$tmp/disk/plain" "$tmp/disk/gone"
check_path "deleted file" "$tmp/disk/gone (deleted)" mapper deleted "$tmp/disk/gone"
check_path "memfd" "/memfd:some name (deleted)" mapper memfd "some name"
check_path "hugetlb memfd" "/memfd:big (deleted)" mapper hugetlb big

# A session sends each path once, so later processes depend on the path sent for the first.
say "processes that ended: thread name and path"
"$FLTCTL" trace --csv -- sh -c 'for i in 1 2 3 4 5 6 7 8; do /bin/true; done' >"$tmp/trace.csv"
same "faults without a thread name" \
	"$(faults '$6 == ""')" 0
at_least "faults of true" "$(faults '$6 == "true"')" 100
same "faults in files without a path" "$(python3 -c '
import csv, sys
of_files = [r for r in csv.DictReader(open(sys.argv[1])) if r["inode"]]
print(sum(not r["path"] for r in of_files) if of_files else "no_input")' "$tmp/trace.csv")" 0

# d_path() waits for whoever changes names. With PREEMPT_RT a probe must not wait like this, so a
# name may be late. Such a note counts as lost. On one CPU the others are preempted at any moment.
say "names and mounts change all the time"
mkdir "$tmp/disk/many" "$tmp/disk/mount"
for i in {000..299}; do echo "$i" >"$tmp/disk/many/$i"; done
echo x >"$tmp/disk/one"
taskset -c 0 python3 -c 'import os, sys
while True:
    os.rename(sys.argv[1], sys.argv[2])
    os.rename(sys.argv[2], sys.argv[1])' "$tmp/disk/one" "$tmp/disk/two" & renamer=$!
taskset -c 0 sh -c 'while mount --bind "$1" "$2"; do umount "$2"; done' sh \
	"$tmp/disk/lower" "$tmp/disk/mount" & mounter=$!
status=0
"$FLTCTL" trace -B 32 -o "$tmp/trace.csv" --csv -- taskset -c 0 python3 -c '
import mmap, sys
for i in range(300):
    with open(f"{sys.argv[1]}/{i:03}", "rb") as file:
        mmap.mmap(file.fileno(), 2, prot=mmap.PROT_READ)[0]' "$tmp/disk/many" \
	2>"$tmp/err" || status=$?
kill "$renamer" "$mounter"
wait "$renamer" "$mounter" || true
until_true sh -c '! mountpoint -q "$1" || umount "$1"' sh "$tmp/disk/mount"
late=$(sed -n 's/.* changed: \([0-9]*\) note.*/\1/p' "$tmp/err")
same "exit status" "$status" $((late > 0 ? 3 : 0))
[ "${late:-0}" = 0 ] || uname -v | grep -q PREEMPT_RT || bad "$(cat "$tmp/err")"
named=$(grep -c "$tmp/disk/many/" "$tmp/trace.csv")
at_most "files without a name" $((300 - named)) "${late:-0}"

umount "$tmp/bound" "$tmp/disk/merged"
umount "$tmp/disk"
echo 0 >/proc/sys/vm/nr_hugepages
finish
