"""A cockpit as a user starts it, and a real browser that looks at it; loopback only."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import didymos
from chromium import headless_chromium

Picture = NDArray[np.float64]
SOURCE = Path(didymos.__file__).resolve().parents[1]
PICTURES = Path(__file__).resolve().parents[2] / "out" / "cockpit"
WIDTH, HEIGHT = 1100, 640  # [pixels] of the browser's window
PATIENCE = 60.0  # [s] for the end of a process
LONGEST = 300.0  # [s] that a call of the browser may take: as a whole test, whose own limit says where it stood
LOOKS = 600  # until something that has to happen must have happened: a machine with much else to do takes longer for each
FIELD = "//label[contains(normalize-space(), '{}')]/ancestor::*[.//input][1]//input[last()]"
TIMELINE = "//*[contains(@class, 'didymos-timeline')]"


def wait_until(what: Callable[[], Any], why: str, looks: int = LOOKS) -> Any:
    """Return what a condition gives as soon as it gives something; fail with a sentence where it never does."""
    for _ in range(looks):
        found = what()
        if found:
            return found
        time.sleep(0.1)  # looking is work as well
    raise AssertionError(f"at the {looks}th look still not so: {why}")


@dataclass(frozen=True)
class Plot:
    """What a plot on the page shows, read in one go: its scales, its data and its pixels belong together."""

    names: list[str]
    seconds: list[float]  # from, to
    now: float  # [s] of the run's clock when it was drawn
    times: list[list[float]]  # first, last of each curve
    values: list[float]  # the last of each curve
    rows: list[float]  # [pixels] from above of these on the canvas
    drawn: list[int]  # pixels in the colour of each curve
    legend: list[str]  # texts of its rows
    visible: bool

    @property
    def gap(self) -> float:
        """How many pixels the first curve ends above the second."""
        return self.rows[1] - self.rows[0]


LOOK_AT_PLOT = """
const panel = window.didymos?.plots;
const plot = panel?.plots.find(item => item.chart && item.signals.includes(arguments[0]));
if (!plot || plot.curves.length !== plot.signals.length || !plot.curves.every(({data}) => data.t.length)) return null;
const {chart, curves} = plot, {left, top, width, height} = chart.bbox;
const pixels = chart.ctx.getImageData(left, top, width, height).data;
function count(colour) {
    const rgb = [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16));
    let found = 0;
    for (let i = 0; i < pixels.length; i += 4)
        if (pixels[i + 3] > 128 && rgb.every((value, k) => Math.abs(pixels[i + k] - value) < 60)) found++;
    return found;
}
return {
    names: plot.signals, seconds: [chart.scales.x.min, chart.scales.x.max], now: panel.drawnAt,
    times: curves.map(({data: {t}}) => [t[0], t[t.length - 1]]), values: curves.map(({data: {y}}) => y[y.length - 1]),
    rows: curves.map(({data: {y}, key}) => chart.valToPos(y[y.length - 1], key, true)),
    drawn: curves.map(({colour}) => count(colour)), visible: chart.root.checkVisibility(),
    legend: [...plot.legend.rows.children].map(row => row.innerText.replaceAll("\\n", " ")),
};"""


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
    """start_cockpit(twin, *options): the command, on a free port, with its recordings in a folder of the test.

    A fresh install compiles here, which takes longer than any patience: the limit of the whole test is what ends it.
    """
    started: list[Started] = []

    def start(twin: str, *options: str) -> Started:
        folder = tmp_path / "recordings"
        shown = [twin] if twin else []
        command = [sys.executable, "-m", "didymos.cli.main", "cockpit", *shown, "--no-browser", "--port", "0", "--json"]
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
        about = json.loads(line or "{}")
        assert "url" in about, line or (process.stderr.read() if process.stderr else "")
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
        self.driver.get(f"{url}?fixedDpr=0.5")  # half as many pixels each way in the scene, which software draws here
        wait_until(lambda: "t = " in self.text and "Tune" in self.text, "the page shows its panels")
        for cross in self.driver.find_elements("css selector", ".mantine-Notification-closeButton"):
            self.driver.execute_script("arguments[0].click()", cross)  # says that the browser has no graphics card
        said = ".mantine-Notification-root"
        wait_until(lambda: not self.driver.find_elements("css selector", said), "nothing fades away above the scene")

    @property
    def text(self) -> str:
        return str(self.driver.execute_script("return document.body.innerText"))

    @property
    def clock(self) -> float:
        """The clock on the page [s]."""
        return float(self.text.partition("t = ")[2].partition(" s")[0])

    def find(self, xpath: str) -> Any:
        """The first element of a path that can be seen, as soon as there is one."""
        return wait_until(lambda: self._seen(xpath), xpath)

    def _seen(self, xpath: str) -> Any:
        return next((element for element in self.driver.find_elements("xpath", xpath) if element.is_displayed()), None)

    def tab(self, name: str) -> None:
        path = f"//*[@role='tab'][@title='{name}']"
        self._do(path, lambda tab: tab.click())
        self.find(f"{path}[@aria-selected='true']")

    def press(self, label: str) -> None:
        self._do(f"//button[normalize-space()='{label}']", lambda button: button.click())

    def write(self, label: str, text: str) -> None:
        """Put a text or number into the field beside a label and leave it."""
        from selenium.webdriver.common.keys import Keys

        self._do(FIELD.format(label), lambda field: self._type(field, text, Keys.ENTER))

    def switch(self, label: str) -> None:
        """Click the box beside a label."""
        self._do(FIELD.format(label), lambda field: field.click())

    def choose(self, label: str, option: str) -> None:
        """Pick an option of a menu by typing it, as the menu allows."""
        self._do(FIELD.format(label), lambda field: self._type(field, option))
        self._do(f"//*[@role='option'][normalize-space()='{option}']", lambda found: found.click())

    @staticmethod
    def _type(field: Any, *keys: str) -> None:
        """Type over what a field holds."""
        from selenium.webdriver.common.keys import Keys

        field.click()
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(*keys)

    def _do(self, xpath: str, action: Callable[[Any], Any]) -> None:
        """Do something to an element; again, where the page has replaced or covered it in the meantime."""
        from selenium.common import exceptions

        moved = (
            exceptions.StaleElementReferenceException,
            exceptions.ElementClickInterceptedException,
            exceptions.ElementNotInteractableException,
        )

        def done() -> bool:
            try:
                element = self._seen(xpath)
                if element is not None:
                    self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
                    action(element)
            except moved:
                return False
            return element is not None

        wait_until(done, xpath)

    def picture(self, name: str) -> Picture:
        """A screenshot, kept as a build artefact; grey values from 0 to 255, shape [height, width]."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        # by the browser's own command, since the driver's gives up after 10 s, whatever the machine has to do
        shot = base64.b64decode(self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])
        (PICTURES / f"{name}.png").write_bytes(shot)
        return np.asarray(Image.open(io.BytesIO(shot)).convert("L"), dtype=float)

    def still(self, name: str) -> Picture:
        """A screenshot of a page that has come to rest: two in a row show the same scene."""
        pictures = [self.picture(name)]

        def at_rest() -> bool:
            pictures.append(self.picture(name))
            return change(*pictures[-2:]) < 3.0

        wait_until(at_rest, "the picture stands still")
        return pictures[-1]

    def plot(self, signal: str) -> Plot | None:
        """The plot on the page that shows a signal, None where there is none."""
        found = self.driver.execute_script(LOOK_AT_PLOT, signal)
        return None if found is None else Plot(**found)


def change(before: Picture, after: Picture) -> float:
    """The largest change of a grey value between two screenshots in the middle, where the robot is and no panel."""
    height, width = before.shape
    middle = slice(height // 4, 3 * height // 4), slice(3 * width // 8, 5 * width // 8)
    return float(np.abs(before[middle] - after[middle]).max())


@pytest.fixture(scope="module")  # an open page draws without end: no test after these shall pay for it
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Debian's Chromium without a window; skipped where it is not installed."""
    with headless_chromium(tmp_path_factory.mktemp("chromium"), WIDTH, HEIGHT) as page:
        page.set_page_load_timeout(LONGEST)
        page.set_script_timeout(LONGEST)
        yield Browser(page)
