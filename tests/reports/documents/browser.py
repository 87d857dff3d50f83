"""A headless Chromium that a test opens a page in, driven over pipes by its DevTools protocol."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from contextlib import contextmanager, suppress

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WHY_NOT = "no chromium here (sudo apt-get install chromium, 0.4 GB): the page is not opened"
SECONDS_MAX = 90
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
)  # fmt: skip


class Page:
    """One page of a running browser."""

    def __init__(self, into, out):
        self.into, self.out, self.waiting, self.number = into, out, b"", 0
        self.session, self.complaints = None, []
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.do(f"{domain}.enable")

    def do(self, method, **params):
        """Send one command and take its answer; what the page complains of meanwhile is kept."""
        self.number += 1
        sent = {"id": self.number, "method": method, "params": params}
        if self.session:
            sent["sessionId"] = self.session
        os.write(self.into, json.dumps(sent).encode() + b"\0")
        return self._until(lambda message: message.get("id") == self.number)["result"]

    def open(self, path):
        self.do("Page.navigate", url=path.as_uri())
        self._until(lambda message: message.get("method") == "Page.loadEventFired")

    def run(self, script):
        """Value of an expression, or of what it promises."""
        found = self.do("Runtime.evaluate", expression=script, awaitPromise=True,
                        returnByValue=True, userGesture=True)  # fmt: skip
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def pdf(self):
        printed = self.do("Page.printToPDF", preferCSSPageSize=True)
        return base64.b64decode(printed["data"])

    def size(self, width, height=800):
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=height,
                deviceScaleFactor=1, mobile=False)  # fmt: skip

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.do("Page.captureScreenshot")["data"]))

    def _until(self, wanted):
        end = time.monotonic() + SECONDS_MAX
        while True:
            message = self._message(end)
            self._keep(message)
            assert "error" not in message, message
            if wanted(message):
                return message

    def _message(self, end):
        while b"\0" not in self.waiting:
            ready, _, _ = select.select([self.out], [], [], max(end - time.monotonic(), 0))
            assert ready, f"chromium says nothing for {SECONDS_MAX} s"
            more = os.read(self.out, 1 << 20)
            assert more, "chromium is gone"
            self.waiting += more
        text, self.waiting = self.waiting.split(b"\0", 1)
        return json.loads(text)

    def _keep(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"]["text"])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.complaints.append(str(params["args"]))


@contextmanager
def browser(folder):
    """Run a browser whose profile lies in a folder; it is gone when the context ends."""
    (read_in, into), (out, write_out) = os.pipe(), os.pipe()
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
    # It reads from file descriptor 3 and writes to 4, whatever numbers the pipes have here.
    shell = f'exec "$@" 3<&{read_in} 4>&{write_out}'
    process = subprocess.Popen(["bash", "-c", shell, "bash", *command], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               pass_fds=(read_in, write_out))  # fmt: skip
    for end in (read_in, write_out):
        os.close(end)
    try:
        yield Page(into, out)
    finally:
        with suppress(OSError):
            os.write(into, json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for end in (into, out):
            os.close(end)
