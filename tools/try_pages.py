"""Every bundled twin and world as an exported page, opened once in Chromium from a file with the network off.

    python tools/try_pages.py [SECONDS] [NAME...]

prints for each the size of the page, how long it took to open, the requests that it made (its own file is the only one allowed),
errors on its console, and how far the poses of its bodies in the middle of the log are from the engine's. Exit status 1 where a
page does not open, asks for anything, or is more than a tenth of a millimetre off. Needs chromium and chromedriver, and
`pip install selenium`.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

import didymos
from didymos.describe.bundled import bundled, bundled_worlds
from didymos.engine.playback import Playback
from didymos.web.export import export_page

FLAGS = ("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage",
         "--no-first-run", "--disable-background-networking", "--disable-component-update", "--window-size=1300,800")  # fmt: skip
NEAR = 1e-4  # [m]: float32 of a place 1 km away is 6e-5 m fine
PATIENCE = 60.0  # [s]


def browser(folder: str) -> Any:
    """Chromium without a window, which writes down what its pages ask for."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (*FLAGS, f"--user-data-dir={folder}/chromium"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))


def looked_at(driver: Any, file: Path) -> tuple[float, list[str], list[str]]:
    """Open a page offline: how long that took [s], other addresses that it asked for, and errors."""
    driver.get("about:blank")
    driver.get_log("performance"), driver.get_log("browser")
    off = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", off)
    begin = time.perf_counter()
    driver.get(file.as_uri())
    ready = False
    while not ready and time.perf_counter() - begin < PATIENCE:
        ready = driver.execute_script("return document.documentElement.dataset.didymosReady === 'true' && didymos.view !== null")
    took = time.perf_counter() - begin
    messages = [json.loads(line["message"])["message"] for line in driver.get_log("performance")]
    asked = [item["params"]["request"]["url"] for item in messages if item["method"] == "Network.requestWillBeSent"]
    errors = [line["message"] for line in driver.get_log("browser") if line["level"] == "SEVERE"]
    return took, [url for url in asked if url != file.as_uri()], errors if ready else [*errors, "it did not open"]


def farthest(driver: Any, run: Any, log: Any) -> float:
    """How far bodies on the page are from where the engine has them [m], at a row in the middle of the log."""
    playback = Playback(run, log)
    times = playback.tracks[0][0].time
    middle = float(times[::2][len(times) // 4])  # a row of the log that the page has as well, whether thinned or not
    driver.execute_script("didymos.player.pause(); didymos.player.seek(arguments[0])", middle)
    drawn = np.reshape(driver.execute_script("return [...didymos.view.first.kinematics.positions]"), (-1, 3))
    data = mujoco.MjData(run.model)
    data.qpos[:] = playback.at(middle)
    mujoco.mj_kinematics(run.model, data)
    return float(np.abs(drawn - data.xpos).max())


def main(arguments: list[str]) -> int:
    """Try all, or those that are named."""
    seconds, names = float(arguments[0]) if arguments else 4.0, arguments[1:] or [*bundled(), *bundled_worlds()]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        driver = browser(folder)
        try:
            for name in names:
                twin: Any = didymos.load_world(name) if name in bundled_worlds() else didymos.load(name)
                run = twin.simulate(scenario=next(iter(twin.scenarios), None))
                log = run.run(seconds)
                made = export_page([log], Path(folder) / f"{name}.html", twin=twin)
                took, asked, errors = looked_at(driver, made.file)
                off = farthest(driver, run, log) if "it did not open" not in errors else float("inf")
                run.close()
                good &= not asked and not errors and off < NEAR
                found = f"{made.size / 1e6:5.2f} MB, opened in {took:.1f} s, off by {off:.1e} m"
                print(f"{name:20} {found}", *asked, *errors, flush=True)
        finally:
            driver.quit()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
