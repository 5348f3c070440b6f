# SPDX-License-Identifier: GPL-2.0-or-later
# Interpreters, virtual machines and the run-time libraries of languages.
# shellcheck shell=bash disable=SC2016,SC2154

python=/usr/bin/python3
NEEDS=python3 program python 16 $python "$here/run.py"
NEEDS=python3 CHARGED=99 program python-heap 40/70 $python -c 'a = [str(i) for i in range(1200000)]
print(sum(map(len, a)), sum(map(len, reversed(a))))'
NEEDS=python3 program shim 8/12 bash -c \
	'exec bash -c "exec /usr/bin/python3 -c \"print(sum(len(s) for s in [str(i) for i in range(200000)]))\""'
NEEDS=numpy program numpy 40/48 $python "$here/matrix.py"
program perl 12/15 perl -e 'my %h; $h{$_ * 7919 % 1000003} = "v$_" for 1..60000;
my $s = 0; $s += length $h{$_} for sort { $a <=> $b } keys %h; print "$s\n"; print `echo sub`;'
program ruby 24/36 ruby -e 'h = {}; 120000.times { |i| h[(i * 7919 % 1000003).to_s] = "v#{i}" }
t = 4.times.map { |k| Thread.new { h.select { |_, v| v.size % 4 == k }.size } }
puts t.map(&:value).inspect, h.keys.sort.first(3).inspect, `echo sub`'
program lua 24/36 lua5.4 -e 'local t = {} for i = 1, 300000 do t[i * 7919 % 1000003] = "v" .. i end
local keys = {} for k in pairs(t) do keys[#keys + 1] = k end table.sort(keys)
local n = 0 for i = 1, #keys do n = n + i * keys[i] % 1013 end print(#keys, n)'
# Not by a cgroup: see files.sh.
ENGINES=preload EJECTS='V8 protects a part of its heap' program node 36 node -e 'const a = []; for (let i = 0; i < 300000; i++) a.push({ i, s: "x" + i });
console.log(a.filter(o => o.s.endsWith("7")).length, require("child_process").execSync("echo sub").toString())'
EJECTS='V8 protects a part of its heap' COVERAGE=90 CHARGED=99 program node-heap 100/200 node -e 'const a = [];
for (let i = 0; i < 2500000; i++) a.push({ i, s: "x" + i }); console.log(a.length)'

if wanted c++ openmp; then
	g++ -O1 -s -pie -pthread -o map "$here/map.cc"
	gcc -O2 -fopenmp -o omp "$here/omp.c"
fi
NEEDS=g++ program c++ 12/12 ./map
NEEDS=gcc program openmp 8/12 ./omp

# A heap as large as that of a compilation of some ten thousand lines.
if wanted javac; then
	{
		echo 'public class Many {'
		seq -f 'static String f%g(int x) { String s = "m" + x; for (int i = 0; i < x; i++) s += i; return s; }' 4000
		echo '}'
	} > Many.java
fi
NEEDS='javac java' COVERAGE=90 program javac 120/160 sh -c 'rm -rf classes
javac -J-Xms300m -J-Xmx300m -J-XX:+AlwaysPreTouch -d classes Many.java && ls classes && cksum classes/*'
if wanted java java-heap && installed javac; then javac -d classes "$here/Words.java" "$here/Heap.java"; fi
NEEDS='javac java' program java 60/80 java -Xms200m -Xmn150m -Xmx256m -cp classes Words
# The rest are the code of the machine and of the collector, and stacks.
NEEDS='javac java' COVERAGE=90 CHARGED=99 program java-heap 160/360 java -Xmx600m -cp classes Heap

if wanted jemalloc && installed jemalloc; then
	gcc -O2 -o jemalloc "$here/allocator.c" -Wl,-Bstatic -ljemalloc -Wl,-Bdynamic -lm -lstdc++ -pthread
fi
NEEDS=jemalloc COVERAGE=90 program jemalloc 40/60 ./jemalloc
if wanted mimalloc && installed mimalloc; then
	gcc -O2 -DMIMALLOC -o mimalloc "$here/allocator.c" -lmimalloc
fi
NEEDS=mimalloc COVERAGE=90 program mimalloc 40/60 ./mimalloc
# A static program has no place for a library.
if wanted static; then gcc -O2 -static -o static "$here/allocator.c"; fi
NEEDS=gcc ENGINES=cgroup CHARGED=99 program static 0/60 ./static

if wanted go go-heap cgo cgo-heap && installed go; then
	export GOCACHE=$work/go-cache GOPATH=$work/go GO111MODULE=off
	CGO_ENABLED=0 go build -o go-static "$here/words.go"
	CGO_ENABLED=0 go build -o go-heap "$here/heap.go"
	CGO_ENABLED=1 go build -o cgo "$here/cgo.go"
	CGO_ENABLED=1 go build -o cgo-heap "$here/heap.go" "$here/libc.go"
fi
NEEDS=go ENGINES=cgroup program go 0/36 ./go-static
NEEDS=go ENGINES=cgroup CHARGED=99 program go-heap 0/160 ./go-heap
NEEDS=go program cgo 16/28 ./cgo
NEEDS=go COVERAGE=90 program cgo-heap 80/160 ./cgo-heap
