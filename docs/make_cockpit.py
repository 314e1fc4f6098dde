"""Measure what an open page costs each bundled twin, and take the pictures of the cockpit.

    python docs/make_cockpit.py [TWIN... | pictures [home hands time flight world shadow] | slider]

Prints the table of docs/cockpit.md; `pictures` writes docs/pictures/cockpit_*.png instead, for which it needs chromium; `slider`
says what a slider costs that is moved 30 times a second. The page of the table reads all that it is sent and draws nothing:
drawing is the work of the visitor's machine.
"""

from __future__ import annotations

import base64
import io
import math
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import viser
import viser.transforms as tf
from PIL import Image
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from didymos.cli.home_models import load_entry
from didymos.cockpit.cockpit import Cockpit
from didymos.cockpit.home import Home
from didymos.cockpit.shadow_view import watch_shadow
from didymos.describe.bundled import bundled
from didymos.engine.run import Run
from didymos.shadow.shadow import Shadow
from didymos.shadow.source import SourceOptions
from didymos.twin import load
from didymos.world import load_world

PICTURES = Path(__file__).parent / "pictures"
SECONDS = 3.0
FREE = float("inf")


class Page:
    """A page that reads and counts."""

    def __init__(self, port: int) -> None:
        self.count = 0
        speaks = f"viser-v{viser.__version__}"
        self._line = connect(f"ws://127.0.0.1:{port}/", subprotocols=[speaks], max_size=None)  # type: ignore[list-item]
        threading.Thread(target=self._read, daemon=True).start()
        self._send(  # viser believes in a page once it says where its camera is
            "ViewerCameraMessage", fov=1.0, near=0.01, far=100.0, image_height=600, image_width=800,
            wxyz=(1.0, 0.0, 0.0, 0.0), position=(3.0, 0.0, 1.0), look_at=(0.0, 0.0, 0.0), up_direction=(0.0, 0.0, 1.0),
        )  # fmt: skip

    def _send(self, kind: str, **fields: object) -> None:
        self._line.send(msgspec.msgpack.encode({"type": kind, **fields}))

    def move(self, slider: str, value: float) -> None:
        """Say that a person moved a slider."""
        self._send("GuiUpdateMessage", uuid=slider, updates={"value": value})

    def _read(self) -> None:
        try:
            for message in self._line:
                self.count += len(message)
        except ConnectionClosed:
            pass


def speed_of(cockpit: Cockpit, speed: float) -> float:
    """Seconds of the twin's clock per second of the wall's, at a speed that is asked for."""
    cockpit.session.set_speed(speed)
    cockpit.session.restart(cockpit.session.live.choice.scenario, 0)
    cockpit.session.play()
    cockpit.session.wait()
    time.sleep(1.0)
    begin, since = cockpit.session.live.snapshot.time, time.perf_counter()
    time.sleep(SECONDS)
    return (cockpit.session.live.snapshot.time - begin) / (time.perf_counter() - since)


def measure(name: str) -> None:
    """Print the row of a twin."""
    began = time.perf_counter()
    twin = load(name)
    with Cockpit(twin, scenario=next(iter(twin.scenarios), None), port=0) as cockpit:
        opened = time.perf_counter() - began
        cockpit.session.stops_at_end = False
        alone = speed_of(cockpit, FREE)
        page = Page(cockpit.server.port)
        watched = speed_of(cockpit, FREE)
        sent, drawn = page.count, cockpit.page.pictures
        real = speed_of(cockpit, 1.0)
        seconds = SECONDS + 1.0
        rate, size = (cockpit.page.pictures - drawn) / seconds, (page.count - sent) / seconds
    print(f"| `{name}` | {opened:.1f} | {real:.2f} | {watched:.0f} | {alone:.0f} | {rate:.0f} | {size / 1000:.0f} |", flush=True)


def measure_slider(name: str = "quadcopter", path: str = "control.gains.height.kp", pairs: int = 10) -> None:
    """Print the speed of a run while a slider is moved, over its speed while nobody touches it: medians of pairs in turn."""
    with Cockpit(load(name), scenario="hover", port=0) as cockpit:
        cockpit.session.stops_at_end = False  # as fast as it can, it is over before anybody has moved anything
        page = Page(cockpit.server.port)
        value, moves = cockpit.session.live.untuned.get(path), threading.Event()

        def move() -> None:
            count = 0
            while not ended.wait(1.0 / 30.0):
                rows = cockpit.page._tune._rows  # those of this run
                if moves.is_set() and path in rows:
                    count += 1
                    page.move(rows[path]._impl.uuid, value * (1.0 + 0.1 * (count % 7)))

        ended = threading.Event()
        threading.Thread(target=move, daemon=True).start()
        for speed in (1.0, FREE):
            ratios = []
            for _ in range(pairs):
                moves.clear()
                alone = speed_of(cockpit, speed)
                moves.set()
                ratios.append(speed_of(cockpit, speed) / alone)
                assert len(cockpit.session.live.run.interventions) > 20 * SECONDS
            low, middle, high = (sorted(ratios)[i] for i in (pairs // 4, pairs // 2, pairs - 1 - pairs // 4))
            print(f"speed {speed:g}: {middle:.3f} of that without (quartiles {low:.3f} to {high:.3f})", flush=True)
        ended.set()


def browser() -> Any:
    """Chromium without a window."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or sys.exit("there is no chromium")
    software = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
    for flag in ("--headless=new", "--no-sandbox", *software, "--window-size=1180,780"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def save(driver: Any, name: str) -> None:
    """A screenshot in few colours, so that it is small."""
    # by the browser's own command, since the driver's gives up after 10 s, whatever the machine has to do
    shot = base64.b64decode(driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])
    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    picture.quantize(160, kmeans=1, dither=Image.Dither.NONE).save(PICTURES / f"cockpit_{name}.png", optimize=True)


def tab(driver: Any, name: str) -> None:
    driver.find_element("xpath", f"//*[@role='tab'][@title='{name}']").click()


def opened(driver: Any, cockpit: Cockpit) -> None:
    driver.get(cockpit.url)
    while "Replay" not in driver.execute_script("return document.body.innerText"):
        time.sleep(0.2)
    for cross in driver.find_elements("css selector", ".mantine-Notification-closeButton"):
        driver.execute_script("arguments[0].click()", cross)  # says that the browser has no graphics card
    press(driver, "Got it")  # how the mouse moves the view


def until(cockpit: Cockpit, seconds: float) -> None:
    while cockpit.session.live.snapshot.time < seconds:
        time.sleep(0.05)


WORLD = """
title: A base, a dog and two quadcopters
robots:
  base: {twin: omni_base, variant: walled}
  a: {twin: quadcopter, start: {position: [1.5, 0, 0.6]}, scenario: hover}
  b: {twin: quadcopter, start: {position: [-1.5, 1, 0.6]}, scenario: hover}
  dog: {twin: meldog}
"""


def take_picture_of_a_world(driver: Any) -> None:
    """Four robots in one scene."""
    with tempfile.TemporaryDirectory() as folder:
        yard = Path(folder) / "yard"
        yard.mkdir()
        (yard / "world.yaml").write_text(WORLD)
        world = load_world(yard)
        world.set_all({"dog.start.position.y": 3.0, "dog.start.position.x": 0.5})
        with Cockpit(world, port=0, folder=folder) as cockpit:
            opened(driver, cockpit)
            cockpit.session.play()
            tab(driver, "Tune")
            until(cockpit, 3.0)
            cockpit.session.pause()
            time.sleep(4.0)
            save(driver, "world")


WEAK, FAILS_AT = "parts.motor2.efficiency", 6.0  # [s]
AFTER = 0.45  # [s] after the alarm, in which the twin that is left alone falls behind


def take_picture_of_a_shadow(driver: Any) -> None:
    """A quadcopter whose rotor 2 gives 10 % less from one moment on, beside its twin."""
    with tempfile.TemporaryDirectory() as folder:
        robot, file = load("quadcopter"), Path(folder) / "robot.mcap"
        run = Run(robot.simulate(scenario="attitude_steps", seed=1))
        run.start_recording(file)
        run.advance(round(FAILS_AT / run.simulation.period))
        run.intervene("set", WEAK, 0.9 * robot.get(WEAK))
        run.advance(round(4.0 / run.simulation.period))
        run.stop_recording()
        run.close()
        shadow = Shadow(load("quadcopter"), f"log:{file}", options=SourceOptions(pace=1.0))
        with watch_shadow(shadow, port=0, folder=folder, light=True) as cockpit:
            opened(driver, cockpit)
            beside = threading.Thread(target=shadow.run, daemon=True)
            beside.start()
            while beside.is_alive() and not (shadow.alarms and shadow.time > shadow.alarms[0].time + AFTER):
                time.sleep(0.005)
            shadow.stop()
            beside.join()
            time.sleep(4.0)
            print(*shadow.alarms, *shadow.notices, sep="\n")
            for cross in driver.find_elements("css selector", ".mantine-Notification-closeButton"):
                driver.execute_script("arguments[0].click()", cross)
            time.sleep(2.0)
            save(driver, "shadow")


def take_picture_of_home(driver: Any) -> None:
    """All there is, one click away."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Home(load_entry, lambda source, file, ended: False, here=Path(folder), folder=Path(folder), port=0) as home,
    ):
        driver.get(home.url)
        time.sleep(6.0)
        save(driver, "home")


def take_picture_of_hands(driver: Any) -> None:
    """A quadruped that stands is pulled sideways by its trunk: the spring, its force, and the contacts that hold against it."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    with tempfile.TemporaryDirectory() as folder, Cockpit(load("meldog"), port=0, folder=folder) as cockpit:
        opened(driver, cockpit)
        tab(driver, "View")
        cockpit.session.play()
        until(cockpit, 1.5)
        canvas = driver.find_element("xpath", "//*[@id='root']//canvas[@data-engine]")
        x, y = on_canvas(cockpit, canvas, cockpit.session.live.snapshot.robots[""].com)
        pointer = ActionChains(driver, duration=60).move_to_element_with_offset(canvas, x, y).key_down(Keys.CONTROL)
        pointer.click_and_hold().move_by_offset(40, -15).move_by_offset(40, -15).perform()
        until(cockpit, cockpit.session.live.snapshot.time + 0.8)
        save(driver, "hands")
        ActionChains(driver).release().key_up(Keys.CONTROL).perform()


def on_canvas(cockpit: Cockpit, canvas: Any, point: Any) -> tuple[int, int]:
    """Where a point of the world [m] is seen, in pixels from the middle of the scene."""
    camera = next(iter(cockpit.server.viser.get_clients().values())).camera
    seen = tf.SO3(camera.wxyz).inverse() @ (cockpit.page._stage._world.root.position + point - camera.position)
    focal = 0.5 * canvas.size["height"] / math.tan(0.5 * camera.fov)
    return round(float(seen[0] / seen[2] * focal)), round(float(seen[1] / seen[2] * focal))


def take_picture_of_time(driver: Any) -> None:
    """Steps of attitude with a gain changed on the way, looked back at."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Cockpit(load("quadcopter"), scenario="attitude_steps", port=0, folder=folder) as cockpit,
    ):
        opened(driver, cockpit)
        session = cockpit.session
        session.step(round(3.0 / session.live.simulation.period))
        session.set("control.gains.roll.kd", 0.004)
        session.step(round(4.0 / session.live.simulation.period))
        session.wait()
        time.sleep(2.0)
        cockpit.page.timeline.seek(4.45)
        time.sleep(5.0)
        save(driver, "time")


def take_pictures_of_a_flight(driver: Any) -> None:
    """Fly, tune and replay the quadcopter."""
    from selenium.webdriver.common.action_chains import ActionChains

    with tempfile.TemporaryDirectory() as folder:
        quadcopter = load("quadcopter")
        for name, mass in (("light.mcap", None), ("heavy.mcap", 0.7)):
            if mass is not None:
                quadcopter.set("links.body_FLU.mass", mass)
            quadcopter.simulate(scenario="climb").run(record=Path(folder) / name)
        with Cockpit(load("quadcopter"), scenario="hover", port=0, folder=folder) as cockpit:
            opened(driver, cockpit)
            cockpit.session.play()
            tab(driver, "Pilot")
            until(cockpit, 4.0)
            press(driver, "Fly by hand")
            ActionChains(driver).key_down("w").key_down("d").perform()
            until(cockpit, 7.0)
            save(driver, "fly")
            ActionChains(driver).key_up("w").key_up("d").perform()
            press(driver, "Let go")
            tab(driver, "Tune")
            cockpit.session.set("control.gains.roll.kd", 0.004)
            cockpit.session.restart("attitude_steps", 0)
            cockpit.session.wait()
            until(cockpit, 4.6)
            cockpit.session.pause()
            time.sleep(4.0)
            save(driver, "tune")
            tab(driver, "Replay")
            cockpit.page.replay.open("light.mcap", "heavy.mcap")
            time.sleep(1.0)
            cockpit.page.timeline.seek(4.0)
            time.sleep(4.0)
            save(driver, "replay")


def press(driver: Any, label: str) -> None:
    driver.find_element("xpath", f"//button[normalize-space()='{label}']").click()


TAKES = {
    "home": take_picture_of_home,
    "hands": take_picture_of_hands,
    "time": take_picture_of_time,
    "flight": take_pictures_of_a_flight,
    "world": take_picture_of_a_world,
    "shadow": take_picture_of_a_shadow,
}


def take_pictures(names: Iterable[str]) -> None:
    """Each with a page of its own."""
    for name in names:
        driver = browser()
        try:
            TAKES[name](driver)
        finally:
            driver.quit()


if __name__ == "__main__":
    words = sys.argv[1:]
    if words == ["slider"]:
        measure_slider()
    elif words[:1] == ["pictures"]:
        take_pictures(words[1:] or TAKES)
    else:
        print("| twin | opens [s] | real-time factor | as fast as it can | without a page | pictures/s | sent [kB/s] |")
        print("|---|---|---|---|---|---|---|")
        for twin in words or bundled():
            measure(twin)
