# SPDX-License-Identifier: GPL-2.0-or-later
"""chromium.py - run headless Chromium without a network, with chromedriver's protocol."""
import base64
import json
import os
import subprocess
import urllib.request


class Browser:
    def __init__(self, tmp, shots=None):
        self.shots = shots
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
        if self.shots:
            with open(os.path.join(self.shots, name), "wb") as out:
                out.write(base64.b64decode(self.call("/screenshot")))

    def close(self):
        try:
            self.call("", method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()
