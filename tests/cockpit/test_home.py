"""The home page: everything there is, one click away; one server for all, and what was open leaves nothing behind."""

from __future__ import annotations

import gc
import http.client
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import connect

from didymos.cli.home_models import load_entry
from didymos.cockpit.home import Home
from didymos.cockpit.thumbnails import BUNDLED
from didymos.describe.bundled import bundled, bundled_worlds

from .conftest import Browser, Started, wait_until
from .test_drop import TETRAHEDRON, URDF

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
COMPILES = 6000  # looks until a twin is there that nobody has opened before
DROP = """
const files = arguments[0].map(([name, text]) => new File([text], name)), transfer = new DataTransfer();
files.forEach((file) => transfer.items.add(file));
window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));"""
BOXES = """
const seen = {};
const names = { bar: "[data-didymos-edge=bar]", timeline: "[data-didymos-edge=timeline]", root: "#root",
  pilot: "#didymos-pilot button" };
for (const [name, what] of Object.entries(names)) {
  const box = document.querySelector(what)?.getBoundingClientRect();
  if (box && box.height) seen[name] = [box.left, box.top, box.right, box.bottom];
}
return seen;"""

APART = """
const seen = arguments[0].map((what) => document.querySelector(what)).filter((element) => element?.checkVisibility());
const [one, other] = seen.map((element) => element.getBoundingClientRect());
return Boolean(other) && (one.bottom <= other.top || other.bottom <= one.top);"""
TOLD = ".mantine-Notification-root"  # that the browser has no graphics card
WIDE = "return document.documentElement.scrollWidth"


def is_stacked(boxes: dict[str, list[float]]) -> bool:
    """Whether the bar is above viser's page, the timeline below it, and the pilot's button below the bar."""
    if not {"bar", "root", "pilot"} <= boxes.keys():
        return False
    below = "timeline" not in boxes or boxes["timeline"][1] >= boxes["root"][3] - 1
    return below and boxes["bar"][3] <= boxes["root"][1] + 1 and boxes["pilot"][1] >= boxes["bar"][3]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    folder = tmp_path / "recordings"
    with Home(load_entry, lambda source, file, ended: False, here=tmp_path, folder=folder, port=0, light=True) as made:
        yield made


class Page:
    """What the home page's script does, without a browser."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._line = connect(f"ws://127.0.0.1:{home.server.port}/feed", max_size=None, open_timeout=None)

    def ask(self, topic: str, *answers: str, **fields: Any) -> dict[str, Any]:
        self._line.send(json.dumps({"topic": topic, **fields}))
        while True:
            message = json.loads(self._line.recv())
            if message["topic"] in answers:
                return dict(message)

    def open(self, key: str, **fields: Any) -> dict[str, Any]:
        return self.ask("home.open", "home.opened", "home.error", "home.sure", "home.which", key=key, **fields)

    def drop(self, **files: bytes) -> dict[str, Any]:
        with connect(f"ws://127.0.0.1:{self._home.server.port}/drop", max_size=None, open_timeout=None) as line:
            for name, raw in files.items():
                line.send(json.dumps({"name": name.replace("_dot_", "."), "size": len(raw)}))
                line.send(raw)
                line.recv()
            line.send(json.dumps({"done": True}))
            return dict(json.loads(line.recv()))


def fetched(home: Home, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", home.server.port)
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_every_bundled_twin_and_world_has_a_light_picture() -> None:
    for name in (*bundled(), *bundled_worlds()):
        assert 0 < (BUNDLED / f"{name}.webp").stat().st_size < 15_000, f"{name}: python tools/make_thumbnails.py {name}"


def test_opening_switching_links_logs_and_mistakes(home: Home, tmp_path: Path) -> None:
    page = Page(home)
    entries = {entry["key"] for entry in page.ask("home.list", "home.entries")["entries"]}
    assert entries == {*bundled(), *bundled_worlds()}
    assert b"Drop your robot" in fetched(home, "/")[1]
    assert fetched(home, "/thumbnails/quadcopter") == (200, (BUNDLED / "quadcopter.webp").read_bytes())
    assert fetched(home, "/thumbnails/..%2F..%2Fhome.html")[0] == 404
    assert "there is no" in page.open("../../etc")["text"]
    assert page.open("quadcopter", scenario="climb", seed="7")["topic"] == "home.opened"
    about = page.ask("home.about", "home.about")
    assert (about["key"], about["scenario"], about["seed"]) == ("quadcopter", "climb", 7)
    assert b"Drop your robot" not in fetched(home, "/?twin=quadcopter")[1]
    assert b"Drop your robot" in fetched(home, "/?twin=hexacopter")[1]
    assert "variant" in page.open("quadcopter", variant="no_such")["text"]  # and what is open stays
    assert home.cockpit is not None
    first = home.cockpit
    first.session.record(True)
    first.session.step()
    wait_until(lambda: first.session.status.recording, "it records")
    asked = page.open("omni_base")
    assert asked["topic"] == "home.sure"
    assert home.cockpit is first
    assert page.open("omni_base", sure=True)["key"] == "omni_base"
    (log,) = (tmp_path / "recordings").glob("*.mcap")  # completed
    assert page.open(f"log:recordings/{log.name}")["topic"] == "home.opened"
    assert home.cockpit.session.twin.name == "quadcopter"
    shown = home.cockpit.page
    assert shown.replay.playbacks
    wait_until(lambda: "**replay** · quadcopter" in shown._status.content, "the status says that this is a log, and which")
    assert shown.replay._first.value == log.name
    assert shown._run._play.label == "Play the run"  # the timeline plays the log
    shown.replay.close()
    wait_until(lambda: "paused" in shown._status.content and shown._run._play.label == "Play", "back to the run")


def test_what_is_dropped_opens_and_what_is_wrong_with_it_is_said(home: Home) -> None:
    page = Page(home)
    assert "there is no twin" in page.drop(notes_dot_txt=b"hello")["error"]
    assert "no zip" in page.drop(a_dot_zip=b"hello")["error"]
    (entry,) = page.drop(stick_dot_urdf=URDF.format(mesh="meshes/t.stl").encode(), t_dot_stl=TETRAHEDRON.encode())["entries"]
    assert page.open(entry["key"])["topic"] == "home.opened"
    (entry,) = page.drop(bad_dot_urdf=b"<robot name='x'><link")["entries"]
    assert "bad.urdf" in page.open(entry["key"])["text"]
    about = page.ask("home.about", "home.about")
    assert (about["name"], about["dropped"]) == ("stick", True)
    for raw in (b"", b"{", b'{"name": 3}', b"[" * 5000, b'{"size": 1e400}'):
        with connect(f"ws://127.0.0.1:{home.server.port}/drop", open_timeout=None) as line:
            line.send(raw.decode())
            assert "error" in json.loads(line.recv())


def test_a_robot_whose_meshes_are_not_there_is_seen_by_its_inertia_and_the_report_says_which(home: Home) -> None:
    page = Page(home)
    (entry,) = page.drop(stick_dot_urdf=URDF.format(mesh="package://stick/meshes/t.stl").encode())["entries"]
    assert page.open(entry["key"])["topic"] == "home.opened"
    about = page.ask("home.about", "home.about")
    assert any("t.stl' means the file 'meshes/t.stl', which does not exist" in note for note in about["notes"])
    assert len(about["notes"]) == len(set(about["notes"]))
    assert home.cockpit is not None
    assert home.cockpit.page._view.shown["inertia"].value
    home.cockpit.session.record(True)
    home.cockpit.session.step()
    home.cockpit.session.record(False)
    home.cockpit.session.wait()
    (log,) = page.drop(again_dot_mcap=next(home.cockpit.session.folder.glob("*.mcap")).read_bytes())["entries"]
    assert page.open(log["key"])["topic"] == "home.opened"  # of the robot that was dropped, and nobody has to say so
    assert home.cockpit.page.replay.playbacks


@pytest.mark.timeout(900)  # it compiles on a fresh machine
def test_a_robot_dropped_on_a_run_opens_and_a_home_page_says_that_its_cockpit_has_ended(
    browser: Browser, start_cockpit: Callable[..., Started]
) -> None:
    driver = browser.driver
    started = start_cockpit("quadcopter", "--light")
    browser.open(started.url)
    browser.find("//button[starts-with(@title, 'Home')]")
    driver.execute_script(DROP, [["stick.urdf", URDF.format(mesh="t.stl")]])
    wait_until(lambda: "t = 0.0" in browser.text and "Import report" in browser.text, "what was dropped is open", COMPILES)
    wait_until(lambda: driver.execute_script(APART, ["#didymos-report", TOLD]), "a report and what is told are apart")
    sides = "return ['#didymos-report', '#root canvas'].map(what => document.querySelector(what).getBoundingClientRect().right)"
    wait_until(lambda: np.subtract(*driver.execute_script(sides)) <= 0, "it covers no panel")
    assert not any(hints.is_displayed() for hints in driver.find_elements("id", "didymos-hints"))
    browser.picture("dropped_on_a_run")
    driver.get(f"{started.url}home")
    wait_until(lambda: "Worlds" in browser.text, "the home page")
    started.end(kill=True)
    wait_until(lambda: "Connection lost" in browser.text, "it says so")
    browser.find("//*[@data-key='quadcopter']/button").click()
    assert "Opening" not in browser.text  # for ever
    told = "const {top} = document.getElementById('problem').getBoundingClientRect(); return top >= 0 && top < innerHeight"
    wait_until(lambda: driver.execute_script(told), "wherever a person has scrolled to")
    browser.picture("home_alone")


def test_twins_that_come_and_go_leave_no_threads_and_no_objects(home: Home) -> None:
    from didymos.cockpit.page import Page as Shown
    from didymos.cockpit.session import Session

    page = Page(home)

    def left() -> tuple[int, int, int, int]:
        gc.collect()
        kept = gc.get_objects()
        own = [thread for thread in threading.enumerate() if thread.name.startswith("didymos-")]
        buffer = home.server.viser._websock_server._broadcast_buffer.message_from_id
        standing = [message for message in buffer.values() if message.lifecycle_phase != "remove"]  # these go when a page opens
        return (
            len(own), sum(type(item) is Session for item in kept), sum(type(item) is Shown for item in kept),
            len(standing),
        )  # fmt: skip

    for key in ("quadcopter", "omni_base", "quadcopter"):
        page.open(key)
    before = left()
    for key in ("omni_base", "quadcopter") * 3:
        assert page.open(key)["topic"] == "home.opened"
    wait_until(lambda: left()[1:3] == (1, 1), "one session and one page are left", looks=100)  # others may be on their way out
    after = left()
    assert after[0] == before[0]
    assert after[3] <= 1.1 * before[3]


@pytest.mark.timeout(900)  # it compiles on a fresh machine
def test_a_person_finds_opens_switches_and_drops(browser: Browser, start_cockpit: Callable[..., Started], tmp_path: Path) -> None:
    """Search, open, dark, home again, a URDF with its mesh; then all of it as a phone has it."""
    driver = browser.driver
    started = start_cockpit("", "--light")
    driver.get(started.url)
    wait_until(lambda: "quadcopter" in browser.text and "Worlds" in browser.text, "all twins are listed")
    drawn = "return [...document.images].some(image => image.naturalWidth > 0)"
    wait_until(lambda: driver.execute_script(drawn), "pictures are there")
    browser.picture("home")
    search = browser.find("//input[@type='search']")
    search.send_keys("velma")
    wait_until(lambda: "omni_base" in browser.text and "quadcopter" not in browser.text, "the search finds one")
    browser.find("//*[@data-key='omni_base']/button").click()
    wait_until(lambda: "t = 0.0" in browser.text and "omni_base" in browser.text, "the twin is open", COMPILES)
    browser.find("//button[@title='Dark']").click()
    scheme = "return document.documentElement.dataset.mantineColorScheme"
    wait_until(lambda: driver.execute_script(scheme) == "dark", "viser is dark")
    wait_until(lambda: driver.execute_script(APART, ["#didymos-hints", TOLD]), "hints and what is told cover each other nowhere")
    tick = browser.find("//button[normalize-space()='One tick']")
    wait_until(lambda: tick.value_of_css_property("color") == "rgba(255, 255, 255, 1)", "words are light")
    assert not any(report.is_displayed() for report in driver.find_elements("css selector", "[title^='What was']"))  # no notes
    address = driver.execute_async_script("const done = arguments[0]; window.didymos.link.address().then(done)")
    assert "twin=omni_base" in address
    assert "initialCameraPosition=" in address
    browser.picture("home_dark_twin")
    browser.find("//button[starts-with(@title, 'Home')]").click()
    wait_until(lambda: "omni_base is open" in browser.text, "home says what is open")
    assert driver.execute_script("return document.documentElement.dataset.didymosTheme") == "dark"
    driver.execute_script(DROP, [["stick.urdf", URDF.format(mesh="package://stick/t.stl")], ["t.stl", TETRAHEDRON]])
    wait_until(lambda: "t = 0.0" in browser.text and "stick" in browser.text, "what was dropped is open", COMPILES)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        driver.get(address)
        browser.find("//button[normalize-space()='Open omni_base']").click()
        wait_until(lambda: "t = 0.0" in browser.text and "omni_base" in browser.text, "the link opens its twin", COMPILES)
        wait_until(lambda: is_stacked(driver.execute_script(BOXES)), "bar, scene and timeline are one below the other")
        wait_until(lambda: driver.execute_script(APART, ["#didymos-pilot button", TOLD]), "nor do a button and what is told")
        wait_until(lambda: driver.execute_script(WIDE) <= PHONE["width"], "nothing is wider than the phone")
        browser.picture("home_phone_twin")
        driver.get(f"{started.url}home")
        wait_until(lambda: "Worlds" in browser.text, "the home page on a phone")
        wait_until(lambda: driver.execute_script(WIDE) <= PHONE["width"], "nor is anything of home")
        browser.picture("home_phone")
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_script("localStorage.removeItem('didymos-theme')")
