"""A person at the page, in a real browser: play, see it move, tune, fly, push, record, replay."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains

from didymos import Log
from didymos.describe.twin import bundled, load
from didymos.engine.intervention import load_interventions

from .conftest import Browser, Started, wait_until

Start = Callable[..., Started]


def scene(file: Path) -> np.ndarray:
    """The middle of a screenshot, where the robot is and no panel."""
    picture = np.asarray(Image.open(file).convert("L"), dtype=float)
    height, width = picture.shape
    return picture[height // 4 : 3 * height // 4, 2 * width // 5 : 3 * width // 5]


def test_a_flight_at_the_page(start_cockpit: Start, browser: Browser) -> None:
    started = start_cockpit("quadcopter", "--scenario", "hover")
    browser.open(started.url)
    assert browser.clock == 0.0
    first = browser.picture("opened")
    browser.press("Record")
    browser.press("Play")
    wait_until(lambda: browser.clock > 1.0, "the clock advances")
    assert "running" in browser.text

    browser.tab("Tune")
    browser.write("height.kp", "0.9")
    wait_until(lambda: "● height.kp" in browser.text, "a changed value is marked")
    second = browser.picture("tuned")
    assert np.abs(scene(first) - scene(second)).max() > 40.0  # the robot has left where it was

    browser.press("Fly by hand")
    canvas = browser.find("//canvas")
    ActionChains(browser.driver).move_to_element(canvas).key_down("w").perform()
    browser.tab("Pilot")
    wait_until(lambda: "+1.00" in browser.text, "the channel table shows the stick")
    since = browser.clock
    wait_until(lambda: browser.clock > since + 1.0, "a second of climbing")
    browser.picture("flown")
    ActionChains(browser.driver).key_up("w").perform()
    wait_until(lambda: "+1.00" not in browser.text, "the stick is let go")

    browser.tab("View")
    browser.press("Push")
    browser.tab("Run")
    browser.press("Pause")
    browser.press("Stop recording")
    name = wait_until(lambda: next(iter(started.folder.glob("*.yaml")), None), "the recording is complete")
    flown = load_interventions(name)
    assert {item.path for item in flown.interventions} == {"control.gains.height.kp", "wanted.z", "body_FLU"}

    assert [item.value for item in flown.interventions if item.kind == "set"][-1] == (0.9,)  # however slowly it was typed
    log = Log.load(name.with_suffix(".mcap"))
    asked, height = log["wanted.z"], log["truth.position.z"]
    assert asked.values.max() > 1.8  # from 1 m, a second at 1 m/s, by hand
    assert height.values.max() > 1.3
    replayed = load("quadcopter").simulate(scenario=flown.scenario, seed=flown.seed)
    assert replayed.run(flown.seconds, interventions=flown.interventions).sha256 == log.sha256

    undisturbed = load("quadcopter").simulate(scenario="hover").run(flown.seconds)
    undisturbed.save(started.folder / "undisturbed.mcap")
    replay(browser, name.with_suffix(".mcap").name, "undisturbed.mcap")
    assert started.end() == 0


def replay(browser: Browser, log: str, ghost: str) -> None:
    """Open two logs, scrub to the end, see the ghost beside the robot and the error."""
    browser.tab("Replay")
    browser.choose("Log", log)
    browser.choose("Ghost", ghost)
    browser.press("Open")
    wait_until(lambda: "RMSE" in browser.text, "the error is told")
    before = browser.picture("replay_begin")
    browser.press("Play log")
    wait_until(lambda: "Pause log" in browser.text, "the log plays")
    time.sleep(2.0)
    after = browser.picture("replay")
    assert np.abs(scene(before) - scene(after)).max() > 30.0
    browser.press("Back to the run")


def test_every_bundled_twin_plays(start_cockpit: Start, browser: Browser) -> None:
    for twin in bundled():
        if twin == "quadcopter":
            continue  # flown above
        started = start_cockpit(twin, "--play")
        browser.open(started.url)
        wait_until(lambda: browser.clock > 0.5, f"the clock of {twin} advances")
        browser.picture(f"twin_{twin}")
        assert "STOPPED" not in browser.text
        assert started.end() == 0


def test_two_pages_one_closed_and_a_server_that_ends(start_cockpit: Start, browser: Browser) -> None:
    started = start_cockpit("quadcopter", "--play")
    driver: Any = browser.driver
    browser.open(started.url)
    driver.switch_to.new_window("tab")
    browser.open(started.url)
    browser.press("Record")
    wait_until(lambda: "recording" in browser.text, "it records")
    driver.close()
    driver.switch_to.window(driver.window_handles[0])
    wait_until(lambda: "recording" in browser.text, "the other page knows")
    since = browser.clock
    wait_until(lambda: browser.clock > since + 0.5, "the run goes on without the closed page")
    started.end(kill=True)
    wait_until(lambda: "Connection lost" in browser.text, "the page says that the cockpit is gone")
    log = Log.load(next(started.folder.glob("*.mcap")))
    end = float(log["truth.position.z"].time[-1])
    assert end > since - 1.0  # a killed run keeps all but its last second
    whole = load("quadcopter").simulate(scenario="hover").run(end + 0.01)
    assert np.array_equal(whole["truth.position.z"].values, log["truth.position.z"].values)


def test_a_phone_sees_the_panels(start_cockpit: Start, browser: Browser) -> None:
    started = start_cockpit("quadcopter", "--play")
    size = browser.driver.get_window_size()
    try:
        browser.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 720, "deviceScaleFactor": 1, "mobile": True}
        )
        browser.open(started.url)
        wait_until(lambda: browser.clock > 0.3, "the clock advances")
        browser.picture("phone")
        width = browser.driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= 390
        assert browser.find("//button[normalize-space()='Fly by hand']").is_displayed()
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.driver.set_window_size(size["width"], size["height"])
