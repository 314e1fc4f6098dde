"""The timeline on a real page: scrub, look back while the run goes on, back to live, branch, the end of a scenario, keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from didymos.cockpit.cockpit import Cockpit
from didymos.cockpit.playhead import Playhead
from didymos.twin import Twin

from .conftest import TIMELINE, Browser, change, wait_until

EDGE = 7  # [pixels] at either end of the track


def boxes(browser: Browser) -> dict[str, Any]:
    """Where things are on the page [pixels]."""
    return dict(browser.driver.execute_script("""
        const box = (path) => { const found = document.querySelector(path)?.getBoundingClientRect();
            return found && {left: found.left, right: found.right, top: found.top, bottom: found.bottom}; };
        return {timeline: box(".didymos-timeline .bar"), pilot: box("#didymos-pilot button"), scene: box("#root canvas"),
            notice: box(".didymos-timeline .notice")};"""))


def is_apart(browser: Browser) -> bool:
    """Whether all of them are there, one below the other."""
    found = boxes(browser)
    if not all(found.values()):
        return False
    tops, bottoms = ({name: box[side] for name, box in found.items()} for side in ("top", "bottom"))
    over_timeline = max(bottoms["notice"], bottoms["scene"]) <= tops["timeline"]
    return bool(over_timeline and bottoms["pilot"] <= tops["notice"])


def scrub(browser: Browser, time: float, whole: float) -> None:
    """Click on the track at a time of the whole that it shows [s]."""
    track = browser.find(f"{TIMELINE}//*[@role='slider']")
    width = track.size["width"]
    ActionChains(browser.driver).move_to_element_with_offset(
        track, round(EDGE + (width - 2 * EDGE) * time / whole - width / 2), 0
    ).click().perform()


def go_live(browser: Browser, timeline: Any) -> None:
    browser.find(f"{TIMELINE}//button[normalize-space()='Live']").click()
    wait_until(lambda: timeline.is_live and "looking back" not in browser.text, "back to the run as it is now")


def test_time_is_in_the_hands_of_the_person_at_the_page(quadcopter: Twin, browser: Browser, tmp_path: Path) -> None:
    with Cockpit(quadcopter, scenario="climb", port=0, folder=tmp_path, light=True) as cockpit:
        session, timeline = cockpit.session, cockpit.page.timeline
        browser.open(cockpit.url)
        whole = session.live.simulation.seconds
        session.set("control.gains.height.kp", 0.4)
        session.step(round(8.0 / session.live.simulation.period))
        session.wait()
        wait_until(lambda: browser.find(f"{TIMELINE}//*[@class='time']").text == "8.0000 s", "it shows every tick")
        wait_until(lambda: browser.clock == 8.0, "so does the panel")
        now = browser.still("time_now")
        browser.find("//input[@type='search']").send_keys("position x")
        leaf = "//*[@data-signal='truth.position.x'][contains(@class, 'leaf')]"
        wait_until(lambda: "–" not in browser.find(leaf).text, "the tree has the values of a run that stands still")
        Select(browser.find(f"{TIMELINE}//select")).select_by_visible_text("5×")
        wait_until(lambda: cockpit.page._run._speed.value == "5", "the panel says the speed that the timeline has set")
        assert session.speed == 5.0

        scrub(browser, 1.0, whole)
        wait_until(lambda: "looking back" in browser.text, "the page says that it looks back")
        assert not timeline.is_live
        assert abs(timeline.time - 1.0) < 2.0 * whole / 300.0  # pixels
        wait_until(lambda: change(now, browser.picture("time_back")) > 20.0, "it stands on the ground again")
        tip = browser.find("//*[@class='tip']").text
        assert tip.endswith(" s")
        session.play()
        since = session.live.snapshot.time
        wait_until(lambda: session.live.snapshot.time > since + 0.5, "the run goes on")
        assert "looking back" in browser.text
        session.pause()

        driver: Any = browser.driver
        at = timeline.time
        ActionChains(driver).send_keys(Keys.ARROW_RIGHT).perform()
        wait_until(lambda: abs(timeline.time - at - 0.1) < 1e-9, "an arrow key moves by a tenth of a second")
        ActionChains(driver).send_keys(Keys.SPACE).perform()
        wait_until(lambda: timeline.playing and timeline.time > at + 0.3, "space plays what was")
        ActionChains(driver).send_keys(Keys.SPACE).perform()
        wait_until(lambda: not timeline.playing, "and holds it")
        at = timeline.time
        address = driver.execute_async_script("const done = arguments[0]; window.didymos.link.address().then(done)")
        go_live(browser, timeline)
        driver.get(address)
        wait_until(lambda: not timeline.is_live and abs(timeline.time - at) < 1e-3, "a link looks back to the same time")
        go_live(browser, timeline)

        scrub(browser, 2.0, whole)
        wait_until(lambda: not timeline.is_live, "it looks back again")
        there, before = timeline.time, session.live
        browser.find(f"{TIMELINE}//button[@aria-label='Branch']").click()
        wait_until(lambda: session.live is not before, "another run")
        session.wait()
        assert abs(session.live.simulation.time - there) <= session.live.simulation.period
        wait_until(lambda: "paused" in browser.text and timeline.is_live, "it stands where it left the other")
        wait_until(lambda: "Ghost of the run before" in browser.text, "what the other did can be seen beside")
        assert np.array_equal(before.history.at(1.5), session.live.history.at(1.5))

        session.step(session.live.end)
        browser.find(f"{TIMELINE}//button[normalize-space()='Go on']")
        wait_until(lambda: "climb is over: " in browser.text, "it says what is over")
        wait_until(lambda: is_apart(browser), "nothing covers anything")
        browser.picture("time_over")
        browser.press("Go on")
        wait_until(lambda: session.live.simulation.tick > session.live.end, "it goes on")


def test_a_playhead_goes_with_the_wall_clock_at_its_speed() -> None:
    now = [100.0]
    head = Playhead(lambda: now[0])
    head.seek(3.0)
    now[0] += 5.0
    assert head.time == 3.0
    head.play()
    now[0] += 2.0
    assert head.time == 5.0
    head.set_speed(0.5)
    now[0] += 2.0
    assert head.time == 6.0
    head.seek(1.0)
    now[0] += 1.0
    assert head.time == 1.5
    head.pause()
    now[0] += 1.0
    assert head.time == 1.5
