"""A person at the plots, in a real browser: opened on a running twin, after a restart; drag and drop, search, CSV, layouts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains

from didymos.cockpit.cockpit import Cockpit
from didymos.twin import load

from .conftest import Browser, Plot, wait_until

LATE = 5.0  # [s] of the run's clock before anybody looks
BEHIND = 0.3  # [s] of the run's clock between its samples and a snapshot that comes 30 times a second, at five times real time


def shown(browser: Browser) -> list[Plot]:
    """All plots of the page; none where one of them has no data."""
    script = "return didymos?.plots?.plots.map(plot => plot.signals[0]) ?? []"
    firsts = browser.driver.execute_script(f"try {{ {script} }} catch {{ return [] }}")
    found = [browser.plot(name) for name in firsts]
    return [plot for plot in found if plot is not None] if all(found) else []


def right(plot: Plot) -> bool:
    """Whether a plot shows the run up to now: the last seconds of each curve, pixels of each, a number beside each name."""
    from_, to = plot.seconds
    return bool(
        from_ <= plot.now <= to + 1e-6
        and all(first <= max(from_, 0.0) + BEHIND and plot.now - BEHIND <= last for first, last in plot.times)
        and min(plot.drawn) > 20
        and not any("–" in text or "not in this run" in text for text in plot.legend)
    )


def wait_for_plots(browser: Browser, least: float, most: float = np.inf) -> list[Plot]:
    """The plots, as soon as they show a run at a time between two [s]."""
    def look() -> list[Plot]:
        plots = shown(browser)
        return plots if plots and all(right(plot) and least <= plot.now <= most for plot in plots) else []

    return list(wait_until(look, f"plots show the run between {least:g} and {most:g} s"))


@pytest.mark.parametrize("name", ["omni_base", "power_unit", "cepheus"])
def test_plots_of_a_page_that_comes_late_are_right_and_stay_so_after_a_restart(
    name: str, browser: Browser, tmp_path: Path
) -> None:
    twin = load(name)
    with Cockpit(twin, scenario=next(iter(twin.scenarios), None), port=0, folder=tmp_path, light=True) as cockpit:
        session = cockpit.session
        session.stops_at_end = False  # some are over before a busy machine has opened the page
        session.set_speed(5.0)
        session.play()
        wait_until(lambda: session.live.snapshot.time > LATE, "the run has gone on alone")
        browser.open(cockpit.url)
        first = wait_for_plots(browser, LATE)
        later = wait_for_plots(browser, first[0].now + 3.0)  # mid-run: it goes on
        session.restart(session.live.choice.scenario, 1)
        wait_for_plots(browser, 0.5, later[0].now - 1.0)


def test_signals_are_found_dragged_crossed_saved_and_taken_away(browser: Browser, tmp_path: Path) -> None:
    with Cockpit(load("quadcopter"), scenario="hover", port=0, folder=tmp_path, light=True) as cockpit:
        session = cockpit.session
        session.play()
        wait_until(lambda: session.live.snapshot.time > 2.0, "the run has gone on alone")
        browser.open(cockpit.url)
        plots = wait_for_plots(browser, 2.0)
        assert [plot.names for plot in plots] == [["truth.position.z", "setpoints.z"], [f"inputs.motor{i}" for i in (1, 2, 3, 4)]]

        search(browser, "gyro x")
        leaf = browser.find("//*[@data-signal='imu.gyro.x'][contains(@class, 'leaf')]")
        drop(browser, leaf, "0")
        plot = wait_until(lambda: (found := browser.plot("imu.gyro.x")) and right(found) and found, "it is on a plot")
        assert plot.names == ["truth.position.z", "setpoints.z", "imu.gyro.x"]
        assert look(browser, "Object.keys(didymos.plots.plots[0].scales).length") == 3
        row = browser.find("//*[contains(@class, 'legend')]//*[@data-signal='imu.gyro.x']")
        drop(browser, row, "1")
        wait_until(lambda: (plot := browser.plot("imu.gyro.x")) and "inputs.motor1" in plot.names, "from one plot to the other")
        wait_until(lambda: (plot := browser.plot("inputs.motor2")) and "= inputs.motor1" in plot.legend[1], "they are equal")

        press(browser, "Add a plot")
        search(browser, "truth.position.y")
        browser.find("//*[@data-signal='truth.position.y'][contains(@class, 'leaf')]").click()  # onto the new one
        wait_until(lambda: browser.plot("truth.position.y"), "a click adds as well")
        assert look(browser, "didymos.plots.plots[2].signals") == ["truth.position.y"]
        browser.driver.execute_script("didymos.plots.addSignal('truth.position.x', didymos.plots.plots[2], {x: true})")
        wait_until(lambda: look(browser, "didymos.plots.plots[2].curves[0].path?.t.length"), "x over y")

        wait_until(lambda: on_sight(browser, 2), "far below the others, but seen")
        script = "import('/web/curves.js').then(m => done(values.map(y => m.isDust({count: 1, min: 0, max: y}, y))))"
        found = browser.driver.execute_async_script(f"const [values, done] = arguments; {script}", [2e-12, 5e-10, 5e-9, 0.0])
        assert found == [True, True, False, False]
        seen = "didymos.plots.plots[2].scales.x.high - didymos.plots.plots[2].scales.x.low"
        wait_until(lambda: (look(browser, seen) or 1.0) < 1.0, "as wide as what is on it")

        browser.driver.execute_script("didymos.plots.column.scrollTop = 0")
        press(browser, "Add a table of what happened")
        wait_until(lambda: on_sight(browser, 3), "what is added is seen")
        press(browser, "Remove this table")
        browser.driver.execute_script("didymos.plots.choose(didymos.plots.plots[1])")
        for name in ("x", "y", "z", "roll", "pitch", "yaw", "tilt"):
            browser.driver.execute_script(f"didymos.plots.addSignal('tf.body_FLU.{name}')")
        assert look(browser, "didymos.plots.plots.map(plot => plot.signals.length)") == [2, 8, 1, 4]  # none of them is lost
        browser.driver.execute_script("didymos.plots.remove(didymos.plots.plots[3])")
        for name in ("x", "y", "z"):
            browser.driver.execute_script(f"didymos.plots.removeSignal(didymos.plots.plots[1], 'tf.body_FLU.{name}')")

        press(browser, "Statistics of the window")
        wait_until(lambda: (plot := browser.plot("setpoints.z")) and "RMS" in plot.legend[0], "statistics are said")
        press(browser, "Hold")
        session.pause()
        session.wait()
        kept_until = session.live.simulation.time - 0.0101  # of 100 rows a second; they are in the log soon after
        wait_until(lambda: session.live.log["truth.position.z"].time[-1] > kept_until, "all of the run is in its log")
        ended = session.live.log["truth.position.z"].time[-1]
        zoom(browser, 0.25, 0.5)
        begin, end = look(browser, "didymos.plots.seconds()")
        wait_until(lambda: look(browser, "didymos.plots.source.stretch?.from") == begin, "what is looked at has come")
        table = take_csv(browser)
        log = session.live.log["truth.position.z"]
        inside = (log.time >= begin) & (log.time <= end)
        assert 0 < inside.sum() < len(log.time)
        head, rows = table[0], [row for row in table[1:] if row[1]]
        assert head[:3] == ["t [s]", "truth.position.z [m]", "setpoints.z [m]"]
        assert [float(row[0]) for row in rows] == log.time[inside].tolist()
        assert [float(row[1]) for row in rows] == log.values[inside].tolist()  # every sample, to the bit

        save_layout(browser, "mine")
        browser.open(cockpit.url)
        wait_until(lambda: look(browser, "didymos?.plots?.plots.length") == 3, "what was there is there again")
        last = lambda: (plots := shown(browser)) and max(last for _, last in plots[0].times)  # noqa: E731
        wait_until(lambda: last() == ended, "a run that stands still is shown to its end")
        browser.picture("plots")
        wait_until(lambda: kept("quadcopter") == ["mine"], "the layout is kept")


def look(browser: Browser, what: str) -> Any:
    return browser.driver.execute_script(f"return {what} ?? null")


def on_sight(browser: Browser, plot: int) -> bool:
    """Whether half of a plot, or more, is within the column that is seen."""
    script = "const one = (e) => e.getBoundingClientRect(), {column, plots} = didymos.plots;"
    script += "const [inner, outer] = [one(plots[arguments[0]]?.element ?? document.body), one(column)];"
    script += "const seen = Math.min(inner.bottom, outer.bottom) - Math.max(inner.top, outer.top);"
    return bool(browser.driver.execute_script(f"{script} return seen > 0.5 * Math.min(inner.height, outer.height)", plot))


def search(browser: Browser, text: str) -> None:
    browser.driver.execute_script("didymos.plots.tree.search.value = ''")
    browser.find("//input[@type='search']").send_keys(text)


def press(browser: Browser, title: str) -> None:
    browser.find(f"//*[contains(@class, 'didymos-plots')]//button[starts-with(@aria-label, '{title}') or .='{title}']").click()


def drop(browser: Browser, element: Any, plot: str) -> None:
    target = browser.driver.execute_script(f"return didymos.plots.plots[{plot}].chart.over")
    ActionChains(browser.driver).click_and_hold(element).move_by_offset(12, -12).move_to_element(target).release().perform()


def zoom(browser: Browser, begin: float, end: float) -> None:
    """Drag over a part of the first plot."""
    over = browser.driver.execute_script("return didymos.plots.plots[0].chart.over")
    width = over.size["width"]
    actions = ActionChains(browser.driver).move_to_element_with_offset(over, round((begin - 0.5) * width), 0).click_and_hold()
    actions.move_by_offset(round((end - begin) * width), 0).release().perform()
    wait_until(lambda: look(browser, "didymos.plots.view"), "it is zoomed")


def take_csv(browser: Browser) -> list[list[str]]:
    text = browser.driver.execute_async_script("didymos.plots.download().then(arguments[0])")
    return [line.split(",") for line in text.splitlines()]


def save_layout(browser: Browser, name: str) -> None:
    browser.find("//summary[.='Layouts']").click()
    browser.find("//input[@aria-label='Name of the layout']").send_keys(name, "\n")


def kept(twin: str) -> list[str]:
    from didymos.cockpit.layouts import Layouts

    return [one["name"] for one in Layouts().offered(twin) if one["own"]]
