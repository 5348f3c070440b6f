#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stacks.py EXPECTED SCRIPT.csv: check that each first touch has the stack of stacks.c."""
import csv
import re
import sys

rows = list(csv.DictReader(open(sys.argv[2])))
expected = open(sys.argv[1]).readlines()
if not expected:
    sys.exit("not ok: no stack is expected")
bad = 0
for line in expected:
    name, lo, hi, *want = line.split()
    lo, hi = int(lo, 16), int(hi, 16)
    # "function (place) < function (place)"; a clone counts as the function
    pattern = r" < ".join(r".*" if w == "*" else r"%s(\.\S+)? \([^()]*\)" % w for w in want)
    seen = [r for r in rows if lo <= int(r["address"], 16) < hi and "alloc" in r["flags"]]
    good = [r for r in seen if re.match(pattern + r"( <|$)", r["stack"])]
    ok = len(good) == len(seen) == 256
    bad += not ok
    print("ok" if ok else "not ok", name, "%d of %d faults" % (len(good), len(seen)))
    if not ok and seen:
        print("    want", " < ".join(want))
        print("    have", next(r["stack"] for r in seen if r not in good) if len(good) < len(seen)
              else "another number of faults")
sys.exit(bad > 0)
