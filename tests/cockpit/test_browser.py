"""A person at the page, in a real browser: play, see it move, tune, fly, push, record, replay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains

from didymos import Log
from didymos.cockpit.cockpit import Cockpit
from didymos.describe.bundled import bundled
from didymos.engine.intervention import load_interventions
from didymos.twin import load

from .conftest import TIMELINE, Browser, Started, change, wait_until

Start = Callable[..., Started]
MOVED = 25.0  # grey values: more than noise, less than a robot in front of the ground


@pytest.mark.parametrize("name", bundled())
def test_a_bundled_twin_plays_and_can_be_tuned(name: str, browser: Browser, tmp_path: Path) -> None:
    twin = load(name)
    with Cockpit(twin, scenario=next(iter(twin.scenarios), None), port=0, folder=tmp_path, light=True) as cockpit:
        cockpit.session.stops_at_end = False  # a short scenario may be over before a slow page has pressed Pause
        browser.open(cockpit.url)
        assert browser.clock == 0.0
        before = browser.still(f"twin_{name}")
        browser.press("Play")
        wait_until(lambda: browser.clock > 0.2, "the clock advances")

        def moved() -> bool:
            live = cockpit.session.live
            if live.snapshot.time > (live.simulation.seconds or np.inf):  # at its end it may be back where it began
                cockpit.session.restart(live.choice.scenario, 0)
            return change(before, browser.picture(f"twin_{name}")) > MOVED

        wait_until(moved, "the picture changes")
        browser.press("Pause")
        assert "STOPPED" not in browser.text
        live = {path: item for path, item in cockpit.session.live.untuned.parameters.items() if item.live and item.value}
        path = next((path for path in live if path.startswith("control.gains.")), next(iter(live)))
        browser.tab("Tune")
        browser.write("Search", path)
        browser.write(path, repr(0.9 * live[path].value))
        wait_until(lambda: f"● {path}" in browser.text, "a changed value is marked")
        assert cockpit.session.values[path] != live[path].value


WHERE_TUNE_IS = """
const tab = document.querySelector("[role=tab][title='Tune']");
let top = tab.getBoundingClientRect().top;
for (let around = tab.parentElement; around; around = around.parentElement) top += around.scrollTop; // a person may have scrolled
return top;"""


def test_tabs_stay_where_they_are_whatever_a_run_does(browser: Browser, tmp_path: Path) -> None:
    """A tab that jumps by a line of the text above it is missed by the pointer that is on its way to it."""
    with Cockpit(load("plane_1wing_sensors"), scenario="cruise_gusts", port=0, folder=tmp_path, light=True) as cockpit:
        browser.open(cockpit.url)
        tops = []

        def look(words: str) -> None:
            wait_until(lambda: words in browser.text, words)
            tops.append(browser.driver.execute_script(WHERE_TUNE_IS))

        look("paused")
        browser.press("Play")
        look("running")
        browser.press("Pause")
        look("paused")
        cockpit.session.status = replace(cockpit.session.status, overruns=99_999)
        look("overruns 99999")
        browser.press("Record")
        look("● recording")
        browser.press("Play")
        look("running")
        assert tops == [tops[0]] * 6


def test_a_flight_at_the_page(start_cockpit: Start, browser: Browser) -> None:
    started = start_cockpit("quadcopter", "--scenario", "hover", "--light")
    browser.open(started.url)
    assert browser.clock == 0.0
    browser.press("Record")
    see_a_gain_act(browser)

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
    browser.press("Let go")

    browser.tab("View")
    browser.press("Push")
    browser.tab("Run")
    browser.press("Pause")
    browser.press("Stop recording")
    name = wait_until(lambda: next(iter(started.folder.glob("*.yaml")), None), "the recording is complete")
    flown = load_interventions(name)
    assert {item.path for item in flown.interventions} == {"control.gains.height.hover", "setpoints.z", "body_FLU"}
    assert [item.value for item in flown.interventions if item.kind == "set"][-1] == (0.56825,)  # however slowly it was typed

    log = Log.load(name.with_suffix(".mcap"))
    asked, height = log["setpoints.z"], log["truth.position.z"]
    begin = next(item.tick for item in flown.interventions if item.kind == "steer") / 400.0
    settled = float(height.values[np.searchsorted(height.time, begin) - 1])
    assert settled == pytest.approx(1.0 + 0.1 / 0.3, abs=0.01)  # 0.1 more of feed-forward against 0.3 of feedback per metre
    assert asked.values.max() > 1.8  # from 1 m, a second at 1 m/s, by hand
    assert height.values.max() > settled + 0.3
    replayed = load("quadcopter").simulate(scenario=flown.scenario, seed=flown.seed)
    assert replayed.run(flown.seconds, interventions=flown.interventions).sha256 == log.sha256

    undisturbed = load("quadcopter").simulate(scenario="hover").run(flown.seconds)
    undisturbed.save(started.folder / "undisturbed.mcap")
    replay(browser, name.with_suffix(".mcap").name, "undisturbed.mcap")
    assert started.end() == 0


def see_a_gain_act(browser: Browser) -> None:
    """Let it hover, type another feed-forward of its height, and see on the plot that it rises above where it is asked to be."""
    browser.switch("Stop at its end")  # a machine with much else to do is there before a person has typed
    browser.choose("Speed", "5")
    browser.press("Play")
    hovers = wait_until(lambda: (plot := browser.plot("setpoints.z")) and plot.times[0][1] > 6.0 and plot, "it has risen")
    assert "running" in browser.text
    assert hovers.visible
    assert min(hovers.drawn) > 20  # though one lies on the other
    assert abs(hovers.gap) < 5.0  # it hovers where it is asked to

    browser.tab("Tune")
    browser.write("height.hover", "0.56825")
    wait_until(lambda: "● height.hover" in browser.text, "a changed value is marked")
    since = browser.clock
    tuned = wait_until(lambda: (plot := browser.plot("setpoints.z")) and plot.times[0][1] > since + 8.0 and plot, "it answers")
    assert min(tuned.drawn) > 20
    assert tuned.gap > 10.0  # the plot shows the robot above where it is asked to be
    browser.picture("tuned")


def replay(browser: Browser, log: str, ghost: str) -> None:
    """Open two logs, let them play, see the ghost beside the robot and the error."""
    browser.tab("Replay")
    browser.choose("Log", log)
    browser.choose("Ghost", ghost)
    browser.press("Open")
    wait_until(lambda: "RMSE" in browser.text, "the error is shown")
    before = browser.still("replay_begin")
    browser.find(f"{TIMELINE}//*[@aria-label='Play']").click()
    browser.find(f"{TIMELINE}//*[@aria-label='Pause']")
    wait_until(lambda: change(before, browser.picture("replay")) > MOVED, "the picture changes")
    browser.press("Back to the run")


def test_two_pages_one_closed_and_a_server_that_ends(start_cockpit: Start, browser: Browser) -> None:
    started = start_cockpit("quadcopter", "--light")
    driver: Any = browser.driver
    browser.open(started.url)
    browser.switch("Stop at its end")  # two pages may take a busy machine longer to open than the scenario lasts
    browser.press("Play")
    driver.switch_to.new_window("tab")
    browser.open(started.url)
    browser.press("Record")
    wait_until(lambda: "● recording" in browser.text, "it records")
    driver.close()
    driver.switch_to.window(driver.window_handles[0])
    wait_until(lambda: "● recording" in browser.text, "the other page knows")
    since = browser.clock
    wait_until(lambda: browser.clock > since + 0.5, "the run goes on without the closed page")
    started.end(kill=True)
    wait_until(lambda: "Connection lost" in browser.text, "the page says that the cockpit is gone")
    browser.picture("lost")
    log = Log.load(next(started.folder.glob("*.mcap")))
    end = float(log["truth.position.z"].time[-1])
    assert end > since - 1.0  # a killed run keeps all but its last second
    whole = load("quadcopter").simulate(scenario="hover").run(end + 0.01)
    assert np.array_equal(whole["truth.position.z"].values, log["truth.position.z"].values)


def test_a_phone_sees_the_panels_and_why_a_run_stopped(make_twin: Any, browser: Browser, tmp_path: Path) -> None:
    twin = make_twin(world={"step": 0.001, "boundary": 2.0}, start={"velocity": [2.0, 0.0, 0.0]})
    size = browser.driver.get_window_size()
    screen = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        with Cockpit(twin, port=0, folder=tmp_path, light=True) as cockpit:
            browser.open(cockpit.url)
            assert browser.find("//button[normalize-space()='Fly by hand']").is_displayed()
            browser.press("Play")
            wait_until(lambda: "STOPPED" in browser.text, "the page says that the run stopped")
            wait_until(lambda: "left the world" in browser.text, "and why")
            browser.picture("phone")
            assert browser.driver.execute_script("return document.documentElement.scrollWidth") <= 390
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.driver.set_window_size(size["width"], size["height"])
