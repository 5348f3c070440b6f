# SPDX-License-Identifier: GPL-2.0-or-later
# Matrices of integers and of floating point numbers, by the threads of the library and by our own.
import hashlib
import threading

import numpy

rows = numpy.arange(1200 * 1200, dtype=numpy.int64).reshape(1200, 1200) % 1013
results = [None] * 4


def part(k):
    block = rows[k * 300:(k + 1) * 300]
    results[k] = hashlib.md5((block @ rows[:, :200]).tobytes()).hexdigest()


threads = [threading.Thread(target=part, args=(k,)) for k in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(results)
square = rows[:800, :800].astype(numpy.float64)
print(numpy.round((square @ square).sum()))
print(numpy.sort(rows.ravel() * 7919 % 1000003)[::100000])
