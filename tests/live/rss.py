#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rss.py ROWS SMAPS [EXPECTED [FUNCTION[=PAGES]...]] - compare rows of 'rss --json' with smaps.

The sums of all rows must be those of SMAPS, to the page. EXPECTED has lines "FUNCTION KIND PAGES":
the row of FUNCTION must have so many pages of the kind anon, file, shmem, hugetlb or swap, except the
functions named: FUNCTION=PAGES must have PAGES, and the pages of FUNCTION must be in the row
unknown. BUT: sums that are not compared. Prints one line per comparison: "WHAT GOT WANT"."""
import json
import os
import sys

PAGE = os.sysconf("SC_PAGESIZE")


def sums_of(path):
    """Add the numbers of all mappings in pages. shmem: of mappings that have the kernel's names."""
    numbers = {}
    shmem = False
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[-1] == "kB":
                pages = int(words[1]) * 1024 // PAGE
                numbers[words[0]] = numbers.get(words[0], 0) + pages
                if shmem and words[0] in ("Rss:", "Anonymous:"):
                    numbers["shmem"] = numbers.get("shmem", 0) + \
                        (pages if words[0] == "Rss:" else -pages)
            elif words and not words[0].endswith(":"):
                shmem = len(words) > 5 and words[5].startswith(("/memfd:", "/dev/zero", "/SYSV"))
    huge = ("AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:")
    return {
        "rss": numbers["Rss:"],
        "anon": numbers["Anonymous:"],
        "shmem": numbers.get("shmem", 0),
        "file": numbers["Rss:"] - numbers["Anonymous:"] - numbers.get("shmem", 0),
        "shared": numbers["Shared_Clean:"] + numbers["Shared_Dirty:"],
        "private": numbers["Private_Clean:"] + numbers["Private_Dirty:"],
        "huge": sum(numbers.get(key, 0) for key in huge),
        "swap": numbers["Swap:"],
        "hugetlb": numbers.get("Shared_Hugetlb:", 0) + numbers.get("Private_Hugetlb:", 0),
    }


def main():
    rows_path, smaps, *rest = sys.argv[1:]
    others = dict(word.partition("=")[::2] for word in rest[1:])
    with open(rows_path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.startswith("{")]
    skipped = os.environ.get("BUT", "").split(",")
    for key, want in sums_of(smaps).items():
        if key in skipped:
            continue
        print(f"sum_of_{key}", sum(row[f"{key}_bytes"] for row in rows) // PAGE, want)
    print("sum_of_classes", sum(row[f"{key}_bytes"] for row in rows
                                for key in ("anon", "file", "shmem")) // PAGE,
          sum(row["rss_bytes"] for row in rows) // PAGE)
    if not rest:
        return
    by_name = {row.get("function"): row for row in rows}
    with open(rest[0], encoding="utf-8") as file:
        for line in file:
            if line.startswith("{"):
                continue
            name, kind, pages = line.split()
            got = by_name.get(name, {}).get(f"{kind}_bytes", 0) // PAGE
            print(f"pages_of_{name}", got, others[name] or 0 if name in others else pages)
    pages = [row["rss_bytes"] // PAGE for row in rows if row["unknown"]]
    print("unknown", sum(pages), "?")


main()
