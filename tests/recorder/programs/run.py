# SPDX-License-Identifier: GPL-2.0-or-later
# Lists, threads, subprocesses, fork and multiprocessing.
import hashlib, multiprocessing, os, subprocess, threading
a = [i * 7 for i in range(400000)]
d = {str(i): i for i in range(100000)}
print(hashlib.md5(repr(a).encode()).hexdigest())
out = []
def part(k): out.append(sum(v for v in d.values() if v % 5 == k))
ts = [threading.Thread(target=part, args=(k,)) for k in range(5)]
[t.start() for t in ts]; [t.join() for t in ts]
print(sorted(out))
print(subprocess.run(["sh", "-c", "echo sub; head -c 1000 /dev/zero | wc -c"], capture_output=True).stdout)
pid = os.fork()
if not pid: os._exit(0 if sum(d.values()) == 100000 * 99999 // 2 else 9)
print(os.waitpid(pid, 0)[1])
with multiprocessing.Pool(2) as p: print(sum(p.map(len, [a] * 3)))
