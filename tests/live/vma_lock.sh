#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: zram=1 cpus=2 disk=512 timeout=300 turns=6.1,6.12,7.3
# shellcheck disable=SC2016,SC2119
# Promise: the numbers of faults that ended under the lock of their mapping, and of faults that
# fell back to mmap_lock, are those that bpftrace counts by the flags of each call. On a kernel
# without per-VMA locks these counters are absent.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q /dev/vda
mkdir "$tmp/disk"
mount /dev/vda "$tmp/disk"
head -c 4M /dev/urandom >"$tmp/disk/data"
sync
load

# Linux has the function since 6.4, with CONFIG_PER_VMA_LOCK.
if ! grep -qw lock_vma_under_rcu /proc/kallsyms; then
	say "the counters are absent, not 0"
	"$FLTCTL" stats --json -- kinds anon 100 >"$tmp/out"
	same "rows with the counters in JSON" \
		"$(grep -c 'under_vma_lock\|fell_back' "$tmp/out" || true)" 0
	at_least "rows with another counter in JSON" "$(grep -c '"stitched":' "$tmp/out")" 1
	"$FLTCTL" stats --csv -- kinds anon 100 | grep '^\(record\|process\),' >"$tmp/out"
	at_least "rows of CSV" "$(wc -l <"$tmp/out")" 2
	same "values in CSV" "$(awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "under_vma_lock") c = i }
		NR > 1 && (!c || $c != "") { n++ } END { print n + 0 }' "$tmp/out")" 0
	same "files in debugfs" "$(find "$debugfs" \
		-name 'faults_under_vma_lock' -o -name 'faults_fell_back' | wc -l)" 0
	at_least "other files in debugfs" "$(find "$debugfs" -name 'faults_*' | wc -l)" 8
	umount "$tmp/disk"
	finish
	exit
fi

# Run WORKLOAD and check both counters.
check_counters() { # WHAT UNDER FELL_BACK WORKLOAD...
	local what=$1 under=$2 fell=$3 line
	shift 3
	fltq around -o "$tmp/sections" -- "$@" >/dev/null
	line=$(cat "$tmp/sections")
	same "$what: under the lock of the mapping" "$(field under_vma_lock <<<"$line")" "$under"
	same "$what: fell back" "$(field fell_back <<<"$line")" "$fell"
}

say "programs with a known number of faults"
check_counters "anonymous memory" 300 0 kinds anon 300
check_counters "userfaultfd, which waits" 0 20 kinds uffd 20
check_counters "three attempts" 0 5 asleep attempts 5 1 10
check_counters "uncached file" 0 50 kinds major 50 "$tmp/disk/file"
check_counters "MAP_POPULATE" 0 0 kinds populate 100

say "a multithreaded program, counted by bpftrace"
cat >"$tmp/program.py" <<'END'
import ctypes, mmap, os, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
libc.read.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
zero = os.open("/dev/zero", os.O_RDONLY)
data = os.open(sys.argv[1], os.O_RDONLY)

def touch(call):
    for _ in range(60):
        p = libc.mmap(None, 32 * 4096, 3, 0x22, -1, 0)
        call(p)
        libc.munmap(p, 32 * 4096)

def work():
    threads = [threading.Thread(target=touch, args=(call,)) for call in (
        lambda p: libc.memset(p, 1, 32 * 4096), lambda p: libc.memset(p, 1, 32 * 4096),
        lambda p: libc.read(zero, p, 32 * 4096))]
    for t in threads:
        t.start()
    file = mmap.mmap(data, 0, mmap.MAP_SHARED, mmap.PROT_READ)
    file.madvise(mmap.MADV_RANDOM)
    for i in range(0, 100 * 8192, 8192):
        file[i]
    for t in threads:
        t.join()

print("ready", flush=True)
for line in sys.stdin:
    work()
    print("done", flush=True)
END
mkfifo "$tmp/go"
python3 "$tmp/program.py" "$tmp/disk/data" <"$tmp/go" >"$tmp/said" & program=$!
exec 3>"$tmp/go"
until_true grep -q ready "$tmp/said" || bad "the program does not start"
# A fault ends with a call that does not return RETRY (bit 10). Flag 0x1000 is VMA_LOCK. Faults of
# other processes show that both probes are attached.
ATTACHED=2
start_bpftrace '
	kprobe:handle_mm_fault {
		if (pid == '$program') {
			if (@page[tid] != arg1 >> 12) { @tried[tid] = 0; }
			@page[tid] = arg1 >> 12; @flags[tid] = arg2;
		} else if (!@enters) { @enters = 1; printf("attached\n"); }
	}
	kretprobe:handle_mm_fault {
		if (pid != '$program') {
			if (!@returns) { @returns = 1; printf("attached\n"); }
		} else if (@flags[tid]) {
			if (retval & 0x400) {
				if (@flags[tid] & 0x1000) { @tried[tid] = 1; }
			} else {
				if (@flags[tid] & 0x1000) { @under = count(); }
				else if (@tried[tid]) { @fell = count(); }
				else { @neither = count(); }
				@tried[tid] = 0;
			}
			@flags[tid] = 0;
		}
	}
	END { clear(@page); clear(@flags); clear(@tried); }'
echo 3 >/proc/sys/vm/drop_caches
fltq proc "$program" >"$tmp/before"
echo work >&3
until_true grep -q 'done' "$tmp/said" || bad "the program does not finish its work"
# The program now sleeps in read() and takes no more faults.
until_true grep -q '^State:.*sleeping' "/proc/$program/status" || bad "the program does not sleep"
fltq proc "$program" >"$tmp/after"
"$FLTCTL" stats -p "$program" --json >"$tmp/stats"
end_bpftrace
new() { echo $(($(field "$1" <"$tmp/after") - $(field "$1" <"$tmp/before"))); }
bpf_count() { sed -n "s/^@$1: //p" "$tmp/bpf"; }
same "missed" "$(new missed)" 0
same "under the lock of the mapping" "$(new under_vma_lock)" "$(bpf_count under)"
same "fell back" "$(new fell_back)" "$(bpf_count fell)"
same "all faults" "$(($(new minor) + $(new major) + $(new failed)))" \
	$(($(bpf_count under) + $(bpf_count fell) + $(bpf_count neither)))
at_least "under the lock of the mapping" "$(new under_vma_lock)" 1000
at_least "fell back" "$(new fell_back)" 50
at_least "neither, counted by bpftrace" "$(bpf_count neither)" 500
cat "$tmp/bpf"

say "all interfaces report the same numbers"
for counter in under_vma_lock fell_back; do
	same "stats: $counter" \
		"$(jq -s "map(select(.record == \"process\"))[0].$counter" "$tmp/stats")" \
		"$(field $counter <"$tmp/after")"
	"$FLTCTL" stats -p "$program" --threads --json >"$tmp/threads"
	at_least "rows of threads" "$(grep -c '"record":"thread"' "$tmp/threads")" 1
	same "threads with $counter" "$(jq -s "map(select(.record == \"thread\" and
		.$counter != null)) | length" "$tmp/threads")" \
		"$(jq -s 'map(select(.record == "thread")) | length' "$tmp/threads")"
	fltq machine >"$tmp/machine"
	same "debugfs: $counter" "$(field "debugfs.faults_$counter" <"$tmp/machine")" \
		"$(field "all.$counter" <"$tmp/machine")"
	same "sum of the rows: $counter" "$(field "rows.$counter" <"$tmp/machine")" \
		"$(field "all.$counter" <"$tmp/machine")"
done
exec 3>&-
wait "$program" || bad "the program: status $?"
umount "$tmp/disk"
finish
