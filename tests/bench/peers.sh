#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# peers.sh - compare the major faults shown by several tools in a guest.
#
#   tests/vm/run -d 256 -k 6.12 bash tests/bench/peers.sh
#
# There are two loads: "long" is one process that runs for some seconds, and "short" is fifty
# processes that take four major faults each and end. Each tool observes each load once, at an
# interval of 1 s. wait4(2) gives the true number. Prints a markdown table. Needs faultstat
# and perf. Includes majortop if MAJORTOP is its path. majortop needs python3-bpfcc and half a
# minute to compile.
set -euo pipefail
: "${FLT_KO:?}" "${FLTCTL:?}" "${FLT_WORKLOAD:?}"
PATH=$FLT_WORKLOAD:$PATH:/usr/sbin:/sbin
tmp=$(mktemp -d)
for program in faultstat perf jq; do
	command -v "$program" >/dev/null || { echo "no $program" >&2; exit 2; }
done
mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"
insmod "$FLT_KO"

# The pages of the file are not cached. One is touched every 20 ms.
cat >"$tmp/slow.py" <<'END'
import mmap, os, sys, time
open("/proc/self/comm", "w").write("kinds")
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
os.write(fd, bytes(200 * 4096))
os.fsync(fd)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
m = mmap.mmap(fd, 200 * 4096, prot=mmap.PROT_READ)
m.madvise(mmap.MADV_RANDOM)
for i in range(200):
    m[4096 * i]
    time.sleep(0.02)
END

long() { python3 "$tmp/slow.py" "$tmp/disk/long"; sleep 3; }
short() {
	for _ in $(seq 50); do kinds major 4 "$tmp/disk/short" >/dev/null; done
	sleep 3
}
export -f long short
export tmp PATH

begin() { # start a tool and give it 3 s to begin counting
	"$@" >"$tmp/out" 2>"$tmp/err" & watcher=$!
	sleep 3
}

row() { # NAME LOAD SHOWN [FILE]
	local were
	were=$(awk '$1 == "proc" && $4 == "kinds" { n += $6 } END { print n + 0 }' "$tmp/run")
	printf '| %s | %s | %s | %s | %s |\n' "$2" "$1" "$were" "$3" "${4:-no}"
}

printf '| load | watcher | major faults | shown | file |\n|---|---|--:|--:|---|\n'
for load in long short; do
	begin faultstat -c 1
	faultrun -o "$tmp/run" -- bash -c $load
	kill -INT $watcher; wait $watcher || true
	row faultstat $load "$(awk 'FNR == NR { if ($1 == "proc" && $4 == "kinds") own[$2] = 1; next }
		$1 in own { n += $4 } END { print n + 0 }' "$tmp/run" "$tmp/out")"

	begin perf record -q -a -e major-faults -c 1 -o "$tmp/perf.data"
	faultrun -o "$tmp/run" -- bash -c $load
	kill -INT $watcher; wait $watcher || true
	row "perf record" $load "$(perf script -i "$tmp/perf.data" -F comm 2>/dev/null | grep -c kinds)"

	if [ -n "${MAJORTOP:-}" ]; then
		begin /usr/bin/python3 -u "$MAJORTOP" -C -i 1
		for _ in $(seq 120); do
			! grep -q Tracing "$tmp/out" || break
			sleep 1
		done
		faultrun -o "$tmp/run" -- bash -c $load
		kill $watcher; wait $watcher || true	# python inherited ignoring SIGINT
		row majortop $load "$(awk '$NF ~ /^[0-9]+$/ && $1 ~ "/?'$load'$" { n += $NF } END { print n + 0 }' "$tmp/out")" $load
	fi

	begin "$FLTCTL" top -b --json --by=process 1s
	faultrun -o "$tmp/run" -- bash -c $load
	kill -INT $watcher; wait $watcher || true
	row "fltctl top" $load \
		"$(jq -s 'map(select(.name == "kinds") | .major_per_second * .seconds) | add // 0 | round' "$tmp/out")" \
		"$(jq -rs 'map(select(.name == "kinds" and .file) | .file | sub(".*/"; "")) | unique | join(" ")' "$tmp/out")"

	begin "$FLTCTL" top -b --json --by=file 1s
	faultrun -o "$tmp/run" -- bash -c $load
	kill -INT $watcher; wait $watcher || true
	row "fltctl top --by=file" $load \
		"$(jq -s 'map(select(.name | endswith("/'$load'")) | .major_per_second * .seconds) | add // 0 | round' "$tmp/out")" \
		"$load"
done
umount "$tmp/disk"
rmmod flt
