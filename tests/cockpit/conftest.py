"""A cockpit as a user starts it, and a real browser that looks at it; loopback only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import didymos

SOURCE = Path(didymos.__file__).resolve().parents[1]
PICTURES = Path(__file__).resolve().parents[2] / "out" / "cockpit"
PATIENCE = 60.0  # [s] until something that has to happen must have happened, on a machine with much else to do
FLAGS = [
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--disable-dev-shm-usage", "--window-size=1180,640",
]  # fmt: skip


def wait_until(what: Callable[[], Any], why: str, patience: float = PATIENCE) -> Any:
    """Return what a condition gives as soon as it gives something; fail with a sentence where it never does."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"after {patience:g} s still not so: {why}")


@dataclass
class Started:
    """A cockpit in a process of its own."""

    process: subprocess.Popen[str]
    url: str
    port: int
    folder: Path

    def end(self, kill: bool = False) -> int:
        """End it, politely or not; its exit status."""
        if self.process.poll() is None:
            self.process.kill() if kill else self.process.terminate()
        return self.process.wait(PATIENCE)


@pytest.fixture
def start_cockpit(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """start_cockpit(twin, *options): the command, on a free port, with its recordings in a folder of the test."""
    started: list[Started] = []

    def start(twin: str, *options: str) -> Started:
        folder = tmp_path / "recordings"
        command = [sys.executable, "-m", "didymos.cli.main", "cockpit", twin, "--no-browser", "--port", "0", "--json"]
        process = subprocess.Popen(
            [*command, "--folder", str(folder), *options],
            env=os.environ | {"PYTHONPATH": str(SOURCE)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.stderr.read() if process.stderr else ""
        about = json.loads(line)
        started.append(Started(process, about["url"], about["port"], folder))
        return started[-1]

    yield start
    for item in started:
        item.end(kill=True)


class Browser:
    """A page in Chromium: finds what a person would look for, by the words on it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, url: str) -> None:
        self.driver.get(url)
        wait_until(lambda: "t = " in self.text and "Tune" in self.text, "the page shows its panels")
        for cross in self.driver.find_elements("css selector", ".mantine-Notification-closeButton"):
            self.driver.execute_script("arguments[0].click()", cross)  # says that the browser has no graphics card

    @property
    def text(self) -> str:
        return str(self.driver.execute_script("return document.body.innerText"))

    @property
    def clock(self) -> float:
        """The clock on the page [s]."""
        return float(self.text.partition("t = ")[2].partition(" s")[0])

    def find(self, xpath: str) -> Any:
        return wait_until(lambda: next((e for e in self.driver.find_elements("xpath", xpath) if e.is_displayed()), None), xpath)

    def _press(self, xpath: str) -> None:
        element = self.find(xpath)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def tab(self, name: str) -> None:
        self._press(f"//*[@role='tab'][@title='{name}']")

    def press(self, label: str) -> None:
        self._press(f"//button[normalize-space()='{label}']")

    def choose(self, label: str, option: str) -> None:
        """Pick an option of a menu by typing it, as the menu allows."""
        from selenium.webdriver.common.keys import Keys

        field = self.field(label)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", field)
        field.click()
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(option)
        self._press(f"//*[@role='option'][normalize-space()='{option}']")

    def field(self, label: str) -> Any:
        """The input beside a label."""
        return self.find(f"//label[contains(normalize-space(), '{label}')]/ancestor::*[.//input][1]//input[last()]")

    def write(self, label: str, text: str) -> None:
        """Put a text or number into a field and leave it."""
        from selenium.webdriver.common.keys import Keys

        field = self.field(label)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", field)
        field.click()
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text, Keys.ENTER)

    def picture(self, name: str) -> Path:
        """A screenshot, kept as a build artefact."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        file = PICTURES / f"{name}.png"
        assert self.driver.save_screenshot(str(file))
        return file


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Debian's Chromium without a window; skipped where it is not installed."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no browser here; apt-get install chromium chromium-driver")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    page = webdriver.Chrome(options=options, service=Service(driver))
    page.set_page_load_timeout(PATIENCE)
    page.set_script_timeout(PATIENCE)
    yield Browser(page)
    page.quit()
