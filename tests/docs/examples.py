#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""examples.py PAGE... - run the commands in the EXAMPLES sections of manual pages.

Each line between .EX and .EE is a command. The commands of a page run in one shell, in the
current directory. Each must print something, or write a file, and return 0. A page without
EXAMPLES fails. With -n, the commands are only listed.
"""
import os
import re
import subprocess
import sys


def commands(path):
    with open(path, encoding="utf-8") as page:
        text = page.read()
    section = re.search(r"^\.SH EXAMPLES\n(.*?)(?=^\.SH |\Z)", text, re.S | re.M)
    lines = []
    for block in re.findall(r"^\.EX\n(.*?)^\.EE$", section.group(1) if section else "", re.S | re.M):
        lines += block.splitlines()
    return [line.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\") for line in lines]


def files():
    return {name: os.stat(name).st_mtime_ns for name in os.listdir(".")}


def main():
    listing = sys.argv[1] == "-n"
    wrong = 0
    for path in sys.argv[1 + listing:]:
        found = commands(path)
        if not found:
            print(f"BAD: {path} has no EXAMPLES")
            wrong += 1
        for command in found:
            if listing:
                print(f"{os.path.basename(path)}: {command}")
                continue
            before = files()
            done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            good = done.returncode == 0 and (done.stdout or files() != before)
            print(f"{'ok' if good else 'BAD'}: {os.path.basename(path)}: {command}", flush=True)
            if not good:
                wrong += 1
                print(f"status {done.returncode}\n" + done.stdout.decode("utf-8", "replace"))
    return 1 if wrong else 0


sys.exit(main())
