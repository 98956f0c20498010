"""A headless Chromium for tests of pages; tests are skipped where there is none."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1500,1000",
)
PATIENCE = 60


class Browser:
    """A page in Chromium, and what a user does with it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, address: str = "") -> None:
        """Load a page, of which nothing is kept from before, and wait until it is ready."""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(path.as_uri() + address)
        self.wait("document.body.dataset.ready")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        return self.driver.execute_script(f"return ({script})")

    def wait(self, script: str) -> Any:
        """The value of an expression once it is something."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"never true: {script}; console: {self.errors()}")

    def text(self, selector: str) -> str:
        """The text that stands in an element."""
        return str(self.run(f"document.querySelector({json.dumps(selector)}).textContent"))

    def count(self, selector: str) -> int:
        """How many elements there are."""
        return int(self.run(f"document.querySelectorAll({json.dumps(selector)}).length"))

    def press(self, *keys: str) -> None:
        """Press keys, on whatever has the focus."""
        from selenium.webdriver.common.action_chains import ActionChains

        for key in keys:
            ActionChains(self.driver, duration=0).send_keys(key).perform()

    def errors(self) -> list[str]:
        """What the console has been told since the page was opened."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened."""
        events = [
            json.loads(one["message"])["message"] for one in self.driver.get_log("performance")
        ]
        sent = [one for one in events if one["method"] == "Network.requestWillBeSent"]
        return [one["params"]["request"]["url"] for one in sent]


@contextmanager
def started() -> Iterator[Browser]:
    """A browser of its own; skips the test where it cannot be had."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    program = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    service = shutil.which("chromedriver")
    if program is None or service is None:
        pytest.skip("no chromium with chromedriver on the PATH")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # a proxy of the machine is not for the driver on this very machine
    os.environ["NO_PROXY"] = ",".join(filter(None, (os.environ.get("NO_PROXY"), "localhost")))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for switch in (*SWITCHES, f"--user-data-dir={folder}"):
            options.add_argument(switch)
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(service))
        try:
            yield Browser(driver)
        finally:
            driver.quit()
