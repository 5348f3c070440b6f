#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""browser.py FLTCTL GENERATE [SCREENSHOT_DIR] - test plots in a real browser.

Chromium runs without a network, controlled by the protocol of chromedriver. Tests zoom,
search, reset, hover and keys of the flame graph, and hover of plots, of the heat map and of
the map of regions (also with a thousand regions), at two widths, light and dark. The console
must stay empty and hostile markup must be escaped.
"""
import math
import os
import subprocess
import sys
import tempfile
import time

from chromium import Browser

fltctl, generate = map(os.path.abspath, sys.argv[1:3])
shots = sys.argv[3] if len(sys.argv) > 3 else None


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
    # The graph shows only the frame, its callers and its callees.
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
    # Each frame and each graph has a title for screen readers.
    assert browser.run("return Array.from(document.querySelectorAll('svg.flame, svg.flame .f')).every("
                       "e => e.querySelector('title').textContent.length > 0)")


# Point at the cell of a band that has most faults, of those whose row a whole pixel coordinate
# hits: a band can have more rows than pixels. The pixels at the edge are not always in the band. The
# tooltip must match the data in the file.
def atlas_cell(browser, band, cells):
    left, top, width, height, columns, rows = browser.run(
        "const b = document.querySelectorAll('svg.b')[arguments[0]].querySelector('.bg');"
        "b.scrollIntoView({block: 'center'}); const r = b.getBoundingClientRect();"
        "return [r.x, r.y, r.width, r.height, +b.closest('svg.atlas').dataset.columns, +b.parentNode.dataset.rows];", band)
    pixel = {int((y - top) / height * rows): y for y in range(math.ceil(top) + 1, math.floor(top + height) - 1)}
    row, column, faults, refaults = cell = max((c for c in cells if c[0] in pixel), key=lambda c: c[2])
    browser.point(left + (column + 0.5) / columns * width, pixel[row])
    name, where, what = browser.run("return Array.from(document.querySelectorAll('.tip text'), e => e.textContent)")
    assert browser.run("return document.querySelector('.tip').getAttribute('visibility')") == "visible"
    assert what.endswith(" s: {:,} faults, {:,} refaults".format(faults, refaults)), (cell, what)
    assert name and where.startswith("0x"), (name, where)
    left, right = browser.run("const r = document.querySelector('.tip').getBoundingClientRect(); return [r.left, r.right]")
    assert left >= 0 and right <= browser.run("return window.innerWidth"), (left, right)


def atlas(browser, least):
    bands = browser.run("return Array.from(document.querySelectorAll('svg.b'), b => b.dataset.cells)")
    rows = browser.run("return Array.from(document.querySelectorAll('svg.b'), b => +b.dataset.rows).reduce((a, b) => a + b)")
    assert rows >= least, rows
    for band in sorted({0, len(bands) // 2, len(bands) - 1}):
        cells = [list(map(int, c.split(","))) for c in bands[band].split(";") if c]
        atlas_cell(browser, band, cells)
    # The tooltip disappears outside of all bands.
    x, y, _ = browser.box("document.querySelector('svg.atlas > text.name')")
    browser.point(x, y)
    assert browser.run("return document.querySelector('.tip').getAttribute('visibility')") == "hidden"
    legend = browser.run("return Array.from(document.querySelectorAll('svg.atlas > g text'), e => e.textContent).join(' ')")
    assert "faults" in legend and "refaults" in legend and "in a cell" in legend, legend
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1")


def series(browser):
    points = "document.querySelectorAll('g.at')"
    count = browser.run("return %s.length" % points)
    assert count >= 5, count
    hit = "%s[%d].querySelector('.hit')" % (points, count // 2)
    seen = "return getComputedStyle(%s[%d].querySelector('.shown')).visibility" % (points, count // 2)
    assert browser.run(seen) == "hidden"
    x, y, _ = browser.box(hit)
    browser.point(x, y)
    assert browser.run(seen) == "visible"
    said = browser.run("return %s[%d].textContent" % (points, count // 2))
    assert " s" in said and any(c.isdigit() for c in said), said


def page(browser):
    series(browser)
    atlas(browser, 3)
    inked = browser.run("return new Set(Array.from(document.querySelectorAll('svg.b path'), p => getComputedStyle(p).fill)).size")
    assert inked > 3, inked
    # The page fits the width; wide tables and plots scroll separately.
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
    elif file in ("map.svg", "vmas.svg"):
        atlas(browser, 1000 if file == "vmas.svg" else 3)
    elif file == "with.svg":
        series(browser)
    assert browser.run("return document.querySelectorAll('img, iframe').length") == 0
    messages = browser.log()
    assert not messages, (file, messages)


# Create 1,000 mappings that the kernel cannot merge, by alternating two kinds of mappings.
VMAS = """
import mmap, sys
with open(sys.argv[1], "w+b") as f:
    f.write(b"x" * 16384)
    f.flush()
    keep = [mmap.mmap(f.fileno(), 16384, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | (mmap.PROT_WRITE if i % 2 else 0))
            for i in range(1000)]
    for m in keep:
        m[0], m[8192]
"""
LINES = "for i in range(12): bytearray(1 << 22); print(i, flush=True); __import__('time').sleep(0.1)"

with tempfile.TemporaryDirectory() as tmp:
    for name, style in (("t", "own"), ("h", "hostile")):
        subprocess.run([generate, "%s/%s.flt" % (tmp, name), "20000", "300", "12", style], check=True)
        for kind in ("svg", "html"):
            subprocess.run([fltctl, "visualize", "--" + kind, "-o", "%s/%s.%s" % (tmp, name, kind), "%s/%s.flt" % (tmp, name)],
                           check=True, stderr=subprocess.DEVNULL)
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([fltctl, "record", "--engine=perf", "-o", tmp + "/vmas.flt", "--", "python3", "-c", VMAS, tmp + "/mapped"],
                   **quiet)
    subprocess.run([fltctl, "map", "--plot", tmp + "/map.svg", tmp + "/t.flt"], **quiet)
    subprocess.run([fltctl, "map", "--plot", tmp + "/vmas.svg", tmp + "/vmas.flt"], **quiet)
    subprocess.run([fltctl, "stats", "--with", "lines", "--plot", tmp + "/with.svg", "--", "python3", "-c", LINES], **quiet)
    browser = Browser(tmp, shots)
    try:
        for file in ("t.svg", "t.html", "h.svg", "h.html", "map.svg", "vmas.svg", "with.svg"):
            for width, scheme in ((1400, "light"), (480, "dark")):
                look(browser, tmp, file, width, scheme)
    finally:
        browser.close()
print("browser: zoom, search, reset, hover and keys work at 1400 and 480 pixels; the console is empty")
