#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""browser.py FLTCTL GENERATE [SCREENSHOT_DIR] - the pictures in a real browser.

Chromium without a network, driven by chromedriver's own protocol: zoom, search,
reset, hover and keys of the flame graph, hover of plots and heat map, at two
widths, light and dark; nothing on the console, no markup of an enemy alive.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

fltctl, generate = map(os.path.abspath, sys.argv[1:3])
shots = sys.argv[3] if len(sys.argv) > 3 else None
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    def __init__(self, tmp):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True,
                                       env={**os.environ, "HOME": tmp})
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.base = "http://127.0.0.1:%s" % line.rstrip(". \n").split()[-1]
                break
        args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--user-data-dir=" + tmp + "/profile"]
        caps = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                "goog:chromeOptions": {"binary": "/usr/bin/chromium", "args": args}}
        self.session = ""
        self.session = "/session/" + self.call("/session", {"capabilities": {"alwaysMatch": caps}})["sessionId"]

    def call(self, path, data=None, method=None):
        body = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(self.base + self.session + path, body, {"Content-Type": "application/json"},
                                         method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def cdp(self, cmd, **params):
        return self.call("/goog/cdp/execute", {"cmd": cmd, "params": params})

    def run(self, script, *args):
        return self.call("/execute/sync", {"script": script, "args": list(args)})

    def point(self, x, y, click=False):
        moves = [{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}]
        if click:
            moves += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                                            "actions": moves}]})

    def keys(self, *keys):
        steps = [s for k in keys for s in ({"type": "keyDown", "value": k}, {"type": "keyUp", "value": k})]
        self.call("/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def box(self, script):
        return self.run("const e = (%s); e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
                        "return [b.x + b.width / 2, b.y + b.height / 2, b.width];" % script)

    def log(self):
        return [m["message"] for m in self.call("/se/log", {"type": "browser"})]

    def shoot(self, name):
        if shots:
            with open(os.path.join(shots, name), "wb") as out:
                out.write(base64.b64decode(self.call("/screenshot")))

    def close(self):
        try:
            self.call("", method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()


# A frame two levels below the process, wide enough to aim at.
INNER = "Array.from(document.querySelectorAll('svg.flame .f')).find(g => g.dataset.d === '3' && +g.dataset.w > 0.02)"


def text_of(browser, selector):
    return browser.run("return document.querySelector(arguments[0]).textContent", selector)


def shown(browser):
    return browser.run("return document.querySelectorAll('svg.flame .f:not(.gone)').length")


def flame(browser):
    everything = shown(browser)
    assert everything > 50, everything
    x, y, width = browser.box(INNER)
    browser.point(x, y)
    detail = text_of(browser, "svg.flame .detail")
    name = browser.run("return (%s).dataset.n" % INNER)
    assert detail.startswith(name) and "faults" in detail, detail

    browser.point(x, y, click=True)
    zoomed = browser.box(INNER)[2]
    page = browser.run("return document.querySelector('svg.flame').clientWidth")
    assert zoomed > width * 1.5 and abs(zoomed - page) < 3, (width, zoomed, page)
    # Only its callers and what it called are left, of this graph.
    first = "document.querySelector('svg.flame')"
    assert browser.run("return %s.querySelectorAll('.f:not(.gone)').length < %s.querySelectorAll('.f').length" % (first, first))

    browser.run("const i = document.querySelector('svg.flame input'); i.value = arguments[0];"
                "i.dispatchEvent(new Event('input', {bubbles: true}));", name)
    found = text_of(browser, "svg.flame .found")
    hits = browser.run("return %s.querySelectorAll('.f.hit').length" % first)
    assert hits >= 1 and found.startswith("%d frames" % hits), (hits, found)
    share = float(found.split(", ")[1].split()[0])
    assert 0 < share <= 100, found

    x, y, _ = browser.box("document.querySelector('svg.flame button')")
    browser.point(x, y, click=True)
    assert shown(browser) == everything
    assert browser.run("return document.querySelectorAll('.f.hit').length") == 0

    browser.run("document.querySelector('svg.flame .f').focus()")
    browser.keys("\ue015", "\ue015", "\ue007")  # down, down, enter
    depth = browser.run("return +document.activeElement.dataset.d")
    assert depth == 2, depth
    assert shown(browser) < everything
    browser.keys("\ue00c")  # escape
    assert shown(browser) == everything
    # For those who do not see it: every frame and every graph has a title.
    assert browser.run("return Array.from(document.querySelectorAll('svg.flame, svg.flame .f')).every("
                       "e => e.querySelector('title').textContent.length > 0)")


def page(browser):
    for what in ("plot", "heat"):
        target = "document.querySelector('figure.%s %s')" % (what, "svg" if what == "plot" else "canvas")
        x, y, _ = browser.box(target)
        browser.point(x, y)
        out = text_of(browser, "figure.%s output" % what)
        assert " s" in out and any(c.isdigit() for c in out), (what, out)
    inked = browser.run("const c = document.querySelector('canvas'); const d = c.getContext('2d').getImageData(0, 0,"
                        "c.width, c.height).data; const s = new Set(); for (let i = 0; i < d.length; i += 4)"
                        "s.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return s.size")
    assert inked > 3, inked
    # Nothing sticks out sideways; wide tables scroll by themselves.
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1")


def look(browser, tmp, file, width, scheme):
    browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.call("/url", {"url": "file://%s/%s" % (tmp, file)})
    time.sleep(0.2)
    browser.shoot("%s-%d-%s.png" % (file, width, scheme))
    if file.startswith("t."):
        flame(browser)
        if file.endswith("html"):
            page(browser)
    assert browser.run("return document.querySelectorAll('img, iframe').length") == 0
    messages = browser.log()
    assert not messages, (file, messages)


with tempfile.TemporaryDirectory() as tmp:
    for name, style in (("t", "own"), ("h", "hostile")):
        subprocess.run([generate, "%s/%s.flt" % (tmp, name), "20000", "300", "12", style], check=True)
        for kind in ("svg", "html"):
            subprocess.run([fltctl, "visualize", "--" + kind, "-o", "%s/%s.%s" % (tmp, name, kind), "%s/%s.flt" % (tmp, name)],
                           check=True, stderr=subprocess.DEVNULL)
    browser = Browser(tmp)
    try:
        for file in ("t.svg", "t.html", "h.svg", "h.html"):
            for width, scheme in ((1400, "light"), (480, "dark")):
                look(browser, tmp, file, width, scheme)
    finally:
        browser.close()
print("browser: zoom, search, reset, hover and keys work at 1400 and 480 pixels; the console is empty")
