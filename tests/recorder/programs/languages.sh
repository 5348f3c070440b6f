# SPDX-License-Identifier: GPL-2.0-or-later
# Interpreters, virtual machines and the run-time libraries of languages.
# shellcheck shell=bash disable=SC2016,SC2154

g++ -O1 -s -pie -pthread -o map "$here/map.cc"
gcc -O2 -fopenmp -o omp "$here/omp.c"

program python 16 python3 "$here/run.py"
program shim 8 bash -c 'exec bash -c "exec python3 -c \"print(sum(len(str(i)) for i in range(100000)))\""'
if /usr/bin/python3 -c 'import numpy' 2> /dev/null; then
	program numpy 64 /usr/bin/python3 "$here/matrix.py"
else
	echo "ok numpy # skip: no python3-numpy"
	missing=$((missing + 1))
fi
program perl 32 perl -e 'my %h; $h{$_ * 7919 % 1000003} = "v$_" for 1..60000;
my $s = 0; $s += length $h{$_} for sort { $a <=> $b } keys %h; print "$s\n"; print `echo sub`;'
program ruby 32 ruby -e 'h = {}; 120000.times { |i| h[(i * 7919 % 1000003).to_s] = "v#{i}" }
t = 4.times.map { |k| Thread.new { h.select { |_, v| v.size % 4 == k }.size } }
puts t.map(&:value).inspect, h.keys.sort.first(3).inspect, `echo sub`'
program lua 16 lua5.4 -e 'local t = {} for i = 1, 300000 do t[i * 7919 % 1000003] = "v" .. i end
local keys = {} for k in pairs(t) do keys[#keys + 1] = k end table.sort(keys)
local n = 0 for i = 1, #keys do n = n + i * keys[i] % 1013 end print(#keys, n)'
program node 64 node -e 'const a = []; for (let i = 0; i < 300000; i++) a.push({ i, s: "x" + i });
console.log(a.filter(o => o.s.endsWith("7")).length, require("child_process").execSync("echo sub").toString())'
program c++ 8 ./map
program openmp 8 ./omp
program javac 64/160 sh -c 'rm -rf classes; javac -J-Xmx200m -d classes "$0" && ls classes' "$here/Words.java"
program java 64/160 sh -c 'javac -d classes "$0" && java -Xmx256m -cp classes Words' "$here/Words.java"
javac -d classes "$here/Heap.java" || true
# The rest are the code of the machine and of the collector, and stacks.
COVERAGE=90 program java-heap 160/360 java -Xmx600m -cp classes Heap
COVERAGE=90 program node-heap 100/200 node -e 'const a = [];
for (let i = 0; i < 2500000; i++) a.push({ i, s: "x" + i }); console.log(a.length)'
gcc -O2 -o jemalloc "$here/allocator.c" -Wl,-Bstatic -ljemalloc -Wl,-Bdynamic -lm -lstdc++ -pthread
COVERAGE=90 program jemalloc 40 ./jemalloc
if gcc -O2 -DMIMALLOC -o mimalloc "$here/allocator.c" -lmimalloc 2> /dev/null; then
	COVERAGE=90 program mimalloc 40 ./mimalloc
else
	echo "ok mimalloc # skip: no libmimalloc-dev"
	missing=$((missing + 1))
fi
if command -v go > /dev/null; then
	export GOCACHE=$work/go-cache GOPATH=$work/go GO111MODULE=off
	CGO_ENABLED=0 go build -o go-static "$here/words.go"
	CGO_ENABLED=1 go build -o go-cgo "$here/cgo.go"
	CGO_ENABLED=1 go build -o go-heap "$here/heap.go"
fi
# A static program has no place for a library. The limit is larger than the program: a kernel without
# the multi-generational LRU kills it in a small cgroup while it collects garbage, also without flt.
ENGINES=cgroup program go 0/192 ./go-static
program cgo 16/48 ./go-cgo
# See above for the limit of a cgroup.
COVERAGE=90 program cgo-heap 80/320 ./go-heap
