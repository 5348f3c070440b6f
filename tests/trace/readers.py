#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""readers.py FLTCTL GENERATE NPM_DIR - open exports in speedscope.

speedscope reads four formats: folded stacks, its own format, trace events and pprof. It must
recognize each format without warnings. For the functions with most faults it must show the
sums of the folded stacks. Its own format must follow its JSON schema. The package comes from
the npm registry once. The test is skipped if the registry cannot be reached.
"""
import base64
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import jsonschema

from chromium import Browser

fltctl, generate, npm = map(os.path.abspath, sys.argv[1:4])
VERSION = "1.25.0"
FORMATS = {"folded": "collapsed stack format", "speedscope": "speedscope json file",
           "pprof": "protobuf encoded pprof file"}
# Messages of the browser itself about graphics.
DRAWING = ("GL Driver Message", "WebGL")


def package():
    at = "%s/node_modules/speedscope" % npm
    if not os.path.exists(at + "/dist/release"):
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", npm,
                        "speedscope@" + VERSION], check=True, timeout=120, stdout=subprocess.DEVNULL)
    return at + "/dist/release"


def wait_for(what, look):
    end = time.time() + 60
    while time.time() < end:
        got = look()
        if got:
            return got
        time.sleep(0.1)
    raise AssertionError(what)


def rows(browser):
    text = browser.run("return document.body.innerText")
    return re.findall(r"^([\d,.]+)(\S*) \([\d.]+%\)\n\s+([\d,.]+)(\S*) \([\d.]+%\)\n\s+(.*)$", text, re.M)


def show(browser, release, tmp, kind):
    data = base64.b64encode(open("%s/t.%s" % (tmp, kind), "rb").read()).decode()
    with open(tmp + "/load.js", "w") as out:
        out.write("speedscope.loadFileFromBase64('t.%s', '%s')" % (kind, data))
    browser.call("/url", {"url": "about:blank"})
    browser.log()
    browser.call("/url", {"url": "file://%s/index.html#localProfilePath=%s/load.js" % (release, tmp)})
    wait_for("%s: not loaded" % kind, lambda: browser.run("return document.title") != "speedscope")

    def table():
        browser.keys("3")
        return rows(browser)
    found = wait_for("%s: no table of functions" % kind, table)
    said = [m for m in browser.log() if not any(d in m for d in DRAWING)]
    assert any('"Importing as %s"' % FORMATS[kind] in m for m in said), (kind, said)
    odd = [m for m in said if not re.search(r'"(speedscope v|Importing as|import: )', m)]
    assert not odd, (kind, odd)
    return found


with tempfile.TemporaryDirectory() as tmp:
    try:
        release = package()
    except (OSError, subprocess.SubprocessError) as error:
        print("readers: SKIP: cannot download speedscope: %s" % error)
        sys.exit(0)
    subprocess.run([generate, tmp + "/t.flt", "2000", "50"], check=True)
    for kind in FORMATS:
        subprocess.run([fltctl, "visualize", "--" + kind, "-o", "%s/t.%s" % (tmp, kind), tmp + "/t.flt"], check=True,
                       stderr=subprocess.DEVNULL)
    jsonschema.validate(json.load(open(tmp + "/t.speedscope")), json.load(open(release + "/file-format-schema.json")))

    own = collections.Counter()
    for line in open(tmp + "/t.folded"):
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        own[stack.rsplit(";", 1)[1]] += int(count)
    browser = Browser(tmp)
    try:
        for kind in ("folded", "speedscope", "pprof"):
            seen = show(browser, release, tmp, kind)
            assert len(seen) >= 10, (kind, seen)
            for total, _, self, unit, name in seen:
                assert not unit and int(self.replace(",", "")) == own[name], (kind, name, self, own[name])
            assert int(seen[0][2].replace(",", "")) == max(own.values()), (kind, seen[0])
    finally:
        browser.close()
print("readers: speedscope %s reads folded stacks, its own format and pprof correctly" % VERSION)
