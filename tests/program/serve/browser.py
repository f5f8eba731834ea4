"""Chromium without a window, driven over WebDriver's own HTTP by the standard library alone."""

import http.client
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # what WebDriver calls a reference to one
ENTER = "\ue007"
OPTIONS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
]


def missing():
    """What is not installed; "" where nothing is missing."""
    return ", ".join(name for name in ("chromium", "chromedriver") if shutil.which(name) is None)


class Browser:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.log = pathlib.Path(self.folder.name, "driver.log")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"],
            stdout=self.log.open("w"),
            stderr=subprocess.STDOUT,
            env={"HOME": self.folder.name, "PATH": "/usr/bin:/bin"},
        )
        self.session = None
        until = time.monotonic() + 60
        while not (told := re.search(r"started successfully on port (\d+)", self.log.read_text())):
            if self.driver.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"chromedriver did not start: {self.log.read_text()}")
            time.sleep(0.05)
        self.port = int(told[1])
        options = {
            "args": [*OPTIONS, f"--user-data-dir={self.folder.name}/profile"],
            "binary": shutil.which("chromium"),
        }
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
        }
        self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})[
            "sessionId"
        ]

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(
            method,
            (f"/session/{self.session}" if self.session else "") + path,
            None if body is None else json.dumps(body),
        )
        answer = json.loads(connection.getresponse().read())
        connection.close()
        if isinstance(answer["value"], dict) and "error" in answer["value"]:
            raise AssertionError(f"{path}: {answer['value']['message']}")
        return answer["value"]

    def close(self):
        if self.session:
            self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait(30)
        self.folder.cleanup()

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """The script calls its last argument with what it found."""
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def text(self, selector):
        return self.call("GET", f"/element/{self.find(selector)}/text")

    def shown(self, selector):
        return self.call("GET", f"/element/{self.find(selector)}/displayed")

    def entries(self, kind):
        """Of the browser's log since the last call: "browser" are what the console says,
        "performance" are events."""
        return self.call("POST", "/se/log", {"type": kind})

    def requested(self):
        """Every URL that was requested since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.entries("performance")]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]
