"""Hands on the page, in a real browser: numbers that are typed, a robot that is dragged, put and bent, pictures of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import viser.transforms as tf
from numpy.typing import NDArray
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from didymos.cockpit.cockpit import Cockpit
from didymos.twin import load

from .conftest import FIELD, Browser, wait_until

GAIN = "control.gains.height.hover"


def test_a_joint_that_turns_for_ever_is_bent_within_a_turn(tmp_path: Path) -> None:
    """Its slider used to say thousands of rad, and to unwind all of it when it was touched."""
    with Cockpit(load("quadcopter"), scenario="hover", port=0, folder=tmp_path, light=True) as cockpit:
        session, panel, name = cockpit.session, cockpit.page._pose, "motor1_to_axle1"
        session.step(800)
        session.wait()
        place = panel._rows[name].place
        turned = float(session.live.simulation.data.qpos[place])
        assert abs(turned) > 100.0
        rest = math.remainder(turned, math.tau)
        wait_until(lambda: panel._rows[name].handle.value == pytest.approx(rest), "the slider shows where the propeller is")
        panel._bend(name, 1.0)
        session.wait()
        assert session.live.simulation.data.qpos[place] == pytest.approx(turned - rest + 1.0)
        assert session.live.run.interventions[-1].path == f"joints.{name}"


def test_a_number_is_applied_when_it_is_done_and_not_key_by_key(browser: Browser, tmp_path: Path) -> None:
    with Cockpit(load("quadcopter"), scenario="hover", port=0, folder=tmp_path, light=True) as cockpit:
        session = cockpit.session
        browser.open(cockpit.url)
        browser.tab("Tune")
        untuned = session.live.untuned.get(GAIN)

        def box() -> Any:
            return browser.find(FIELD.format("height.hover"))

        def type_over(text: str) -> None:
            box().click()
            box().send_keys(Keys.CONTROL, "a")
            for key in text:
                box().send_keys(key)

        def applied() -> list[float]:
            session.wait()
            return [item.value[0] for item in session.live.run.interventions if item.path == GAIN]

        type_over("0.5682512")
        assert applied() == []
        box().send_keys(Keys.ENTER)
        wait_until(lambda: "● height.hover" in browser.text, "a changed value is marked")
        assert applied() == [0.5682512]
        assert box().get_property("scrollWidth") <= box().get_property("clientWidth")  # all its digits are seen
        type_over("0.1")
        box().send_keys(Keys.ESCAPE)
        wait_until(lambda: box().get_attribute("value") == "0.5682512", "what stood there stands there again")
        box().send_keys(Keys.TAB)
        assert applied() == [0.5682512]
        type_over("0.9")
        box().send_keys(Keys.TAB)
        wait_until(lambda: applied() == [0.5682512, 0.9], "leaving a box applies it")
        type_over("5")  # an input is never more than 1
        box().send_keys(Keys.TAB)
        wait_until(lambda: "Not done" in browser.text and box().get_attribute("value") == "0.9", "what does not fit is refused")
        browser.write("height.kp", "9")  # beyond its slider, which is only as long as is handy
        wait_until(lambda: session.values.get("control.gains.height.kp") == 9.0, "a number of any size is taken")
        type_over("nothing")
        box().send_keys(Keys.ENTER)
        assert applied() == [0.5682512, 0.9]
        type_over(f"{untuned:e}")
        box().send_keys(Keys.ARROW_UP)
        wait_until(lambda: len(applied()) == 4, "an arrow key steps from what was typed")
        assert applied()[2] == untuned
        assert applied()[3] > untuned
        browser.write("height.kp", "9e99")
        wait_until(lambda: "found 9e+99" in browser.text, "a number without end is refused as what it is")
        browser.write("Search", "height.kp")  # now its box is the last one, and a button comes after it
        wait_until(lambda: not browser.driver.find_elements("xpath", FIELD.format("height.hover")), "others are not listed")
        alone = browser.find(FIELD.format("height.kp"))
        alone.click()
        alone.send_keys(Keys.CONTROL, "a")
        alone.send_keys(" 0,25 ", Keys.TAB)
        wait_until(lambda: session.values.get("control.gains.height.kp") == 0.25, "leaving the last box applies it as well")
        browser.picture("boxes")


class Scene:
    """The scene of a cockpit's page as a person points into it."""

    def __init__(self, browser: Browser, cockpit: Cockpit) -> None:
        self._browser, self._cockpit = browser, cockpit
        self._canvas = browser.find("//*[@id='root']//canvas[@data-engine]")

    def at(self, point: NDArray[np.float64]) -> tuple[int, int]:
        """Where a point of the world [m] is seen: [pixels] right of and below the middle of the scene."""
        camera = next(iter(self._cockpit.server.viser.get_clients().values())).camera
        seen = tf.SO3(camera.wxyz).inverse() @ (self._cockpit.page._stage._world.root.position + point - camera.position)
        focal = 0.5 * self._canvas.size["height"] / np.tan(0.5 * camera.fov)
        return round(float(seen[0] / seen[2] * focal)), round(float(seen[1] / seen[2] * focal))

    def darkest(self, point: NDArray[np.float64], name: str) -> float:
        """The least grey value, from 0 to 255, within 8 pixels of where a point of the world [m] is seen; keeps the picture."""
        picture, place, size = self._browser.still(name), self._canvas.location, self._canvas.size
        x, y = (int(place[a] + size[b] / 2 + c) for a, b, c in zip("xy", ("width", "height"), self.at(point), strict=True))
        return float(picture[y - 8 : y + 8, x - 8 : x + 8].min())

    def touch(self, get_point: Callable[[], NDArray[np.float64]]) -> NDArray[np.float64]:
        """Move the mouse to a point of the world [m] until the page shows that there is something to take hold of."""

        def is_over() -> bool:
            actions = ActionChains(self._browser.driver, duration=60)
            actions.move_to_element_with_offset(self._canvas, *self.at(get_point())).perform()
            return str(self._canvas.value_of_css_property("cursor")) == "pointer"

        wait_until(is_over, "the robot is drawn where it is pointed at")
        return get_point()

    def drag(self, point: NDArray[np.float64], *offsets: tuple[int, int], key: str | None = None) -> None:
        """Press at a point of the world [m] and move by pixels; the button stays pressed."""
        actions = ActionChains(self._browser.driver, duration=60).move_to_element_with_offset(self._canvas, *self.at(point))
        if key is not None:
            actions = actions.key_down(key)
        actions = actions.click_and_hold()
        for offset in offsets:
            actions = actions.move_by_offset(*offset)
        actions.perform()

    def release(self, key: str | None = None) -> None:
        actions = ActionChains(self._browser.driver).release()
        (actions if key is None else actions.key_up(key)).perform()


def switch(browser: Browser, label: str) -> None:
    """Press the box beside a label."""
    box = browser.find(f"//label[normalize-space()='{label}']/ancestor::*[.//input][1]//input")
    browser.driver.execute_script("arguments[0].click()", box)


def test_a_robot_is_pulled_placed_bent_and_taken_home_in_pictures(browser: Browser, tmp_path: Path) -> None:
    with Cockpit(load("meldog"), port=0, folder=tmp_path / "kept", light=True) as cockpit:
        session = cockpit.session
        browser.open(cockpit.url)
        scene = Scene(browser, cockpit)
        browser.press("Got it")

        held = scene.touch(lambda: session.live.snapshot.robots[""].com)
        session.play()
        scene.drag(held, (8, -4), (8, -4), (8, -4), key=Keys.CONTROL)
        wait_until(lambda: (pull := session.live.snapshot.pulled) and np.linalg.norm(pull.force) > 1.0, "it is pulled")
        browser.picture("pulled")
        scene.release(Keys.CONTROL)
        wait_until(lambda: session.live.snapshot.pulled is None, "it is let go")
        session.pause()
        session.wait()
        pushes = [item for item in session.live.run.interventions if item.kind == "push"]
        assert {len(item.value) for item in pushes[:-1]} == {6}
        assert pushes[-1].value == (0.0, 0.0, 0.0)

        browser.tab("Pose")
        switch(browser, "Gizmo")
        wait_until(lambda: cockpit.page._pose._gizmo is not None, "the gizmo is there")
        browser.still("gizmo")
        before = session.live.snapshot.robots[""].com
        up = tf.SO3(session.live.snapshot.quaternions[cockpit.page._stage.root("")]) @ np.array([0.0, 0.0, 1.0])
        arrow = 0.75 * 0.8 * cockpit.page._figures[""].extent.size * up  # a point on it
        scene.drag(before + arrow, (0, -10), (0, -10), (0, -10), (0, -10))
        scene.release()
        wait_until(lambda: session.live.snapshot.robots[""].com[2] > before[2] + 0.05, "the robot is higher")
        assert np.cross(session.live.snapshot.robots[""].com - before, up) == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
        browser.write("LFT_joint", "0.31")
        wait_until(lambda: session.live.run.interventions[-1].path == "joints.LFT_joint", "a joint is bent")
        place = cockpit.page._pose._rows["LFT_joint"].place
        assert session.live.simulation.data.qpos[place] == 0.31

        browser.tab("View")
        switch(browser, "Inertia of links as boxes")
        switch(browser, "Centres of mass")
        wait_until(lambda: cockpit.page._stage._masses[""]._boxes, "there are boxes")
        browser.still("masses")
        session.play()
        wait_until(lambda: session.live.snapshot.tick > pushes[-1].tick + 10, "it goes on from there")
        session.pause()
        session.wait()
        log, done = session.live.log, session.live.run.interventions
        assert load("meldog").simulate().run(session.live.simulation.time, interventions=done).sha256 == log.sha256

        browser.find("//button[@title='Picture']").click()
        file = wait_until(lambda: next((tmp_path / "kept").glob("*.png"), None), "a picture is in the folder")
        wait_until(lambda: file.stat().st_size > 0, "all of it")
        assert len(np.unique(np.asarray(Image.open(file).convert("L")))) > 30  # a sky, a ground and a robot
        browser.find("//button[@title='Video']").click()
        browser.find("//button[@title='Stop the video']").click()
        wait_until(lambda: next((tmp_path / "kept").glob("*.webm"), None), "a film is in the folder")
        browser.find("//button[@title='Share as a page']").click()
        page = wait_until(lambda: next((tmp_path / "kept").glob("*.html"), None), "the run as a page is in the folder")
        wait_until(lambda: "</html>" in page.read_text(encoding="utf-8")[-200:], "all of it")
