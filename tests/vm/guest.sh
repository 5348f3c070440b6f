# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Process 1 of the guest, in the overlay over the host's root. It mounts the usual file systems,
# runs the program of the plan on ttyS1, writes `exit N` to ttyS2 and powers off. ttyS0 is the
# kernel log, which is on ttyAMA0 on arm64.
set -u
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LANG=C.UTF-8 TMPDIR=/tmp
# shellcheck source=/dev/null
. /run/flt-vm/plan
# shellcheck source=/dev/null
. /run/flt-vm/argv

off() {
	sync
	busybox poweroff -f
}
trap off EXIT

stty -F /dev/ttyS1 raw -echo
stty -F /dev/ttyS2 raw -echo

ln -s /proc/self/fd /dev/fd
for n in 0:stdin 1:stdout 2:stderr; do
	ln -s "/proc/self/fd/${n%:*}" "/dev/${n#*:}"
done
mkdir -p /dev/pts /dev/shm /dev/hugepages
mount -t devpts -o mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing
[ ! -d /sys/kernel/security ] || mount -t securityfs securityfs /sys/kernel/security
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t hugetlbfs hugetlbfs /dev/hugepages
[ ! -d /sys/fs/bpf ] || mount -t bpf bpf /sys/fs/bpf
read -ra controllers </sys/fs/cgroup/cgroup.controllers
for c in "${controllers[@]}"; do
	echo "+$c" >/sys/fs/cgroup/cgroup.subtree_control
done
busybox ip link set lo up
hostname flt-vm
# Log all kernel messages from here on, because tests/vm/run searches the log for splats.
dmesg -n debug
ulimit -c 0

# All time limits are wrong if the kernel does not take the frequency of its clock from us.
awk 'FILENAME == "/proc/cmdline" && match($0, /tsc_early_khz=[0-9]+/) {
		khz = substr($0, RSTART + 14, RLENGTH - 14) }
	/^cpu MHz/ && khz && ($4 * 1000 > khz * 1.02 || $4 * 1000 < khz * 0.98) { wrong = $4 }
	END { if (wrong) print "guest.sh: the clock has " wrong " MHz, not " khz / 1000
		exit wrong != 0 }
	' /proc/cmdline /proc/cpuinfo >/dev/ttyS1 || exit

if [ "$VM_ZRAM" = 1 ]; then
	# The default compressor of 6.1 is a module that zram does not load.
	modprobe -q lzo-rle
	modprobe zram || exit
fi

export KERNEL=$VM_KERNEL FLT_KO=$VM_KO FLTCTL=$VM_FLTCTL FLT_WORKLOAD=$VM_WORKLOAD LONG=$VM_LONG
[ -z "$VM_PLAIN" ] || export NO_COLOR=1
cd "$VM_CWD" || exit
rc=0
if [ "$VM_SHELL" = 1 ]; then
	export TERM=$VM_TERM
	# -onlcr, because the host's terminal already turns \n into \r\n.
	setsid -c -w bash -c "stty sane -onlcr rows $VM_ROWS columns $VM_COLUMNS; exec bash -i" \
		<>/dev/ttyS1 >&0 2>&1 || rc=$?
else
	setsid -w "${VM_ARGV[@]}" </dev/null >/dev/ttyS1 2>&1 || rc=$?
fi

# kmemleak ignores objects younger than 5 s, so the second scan sees all objects of this run.
# After flt is unloaded, its functions appear as plain addresses in the module area.
if [ -w /sys/kernel/debug/kmemleak ]; then
	echo scan >/dev/ttyS2
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6
	echo scan >/dev/ttyS2
	echo scan >/sys/kernel/debug/kmemleak
	if grep -qE '\[flt\]|0xffffffff[a-f][0-9a-f]{7}$' /sys/kernel/debug/kmemleak; then
		echo "<2>flt-vm: kmemleak: memory lost by flt" >/dev/kmsg
		cat /sys/kernel/debug/kmemleak >/dev/ttyS0
	fi
fi
echo "exit $rc" >/dev/ttyS2
