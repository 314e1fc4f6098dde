"""A shadow in the cockpit: what the page shows of robot and twin is so, and the shadow does not notice that it is watched."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.cockpit.cockpit import Cockpit
from didymos.cockpit.error_log import ErrorLog
from didymos.cockpit.open_loop import OpenLoop
from didymos.cockpit.plot_source import clearest
from didymos.cockpit.shadow_feed import MOST_UPDATES, Known, ShadowFeed, Update
from didymos.cockpit.shadow_panel import alarm_html, banner_html, notices_html, outlook_html, status_line
from didymos.cockpit.shadow_view import ShadowView, watch_shadow
from didymos.shadow.alarm import Alarm, Likely
from didymos.shadow.estimate import Estimate, Frame
from didymos.shadow.shadow import Shadow
from didymos.shadow.stepper import Stepper

from .conftest import PATIENCE, SOURCE, Browser, wait_until

SIGNALS = ("parts.drive.position", "parts.drive.velocity")
TICKS = 4  # of an update


@pytest.fixture(scope="module")
def sine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a power unit as its twin has it."""
    file = tmp_path_factory.mktemp("watched") / "sine.mcap"
    didymos.load("power_unit").simulate(scenario="sine").run(4.0, record=file)
    return file


def beside(file: Path, coulomb: float | None = None) -> Shadow:
    twin = didymos.load("power_unit")
    if coulomb is not None:
        twin.set("parts.drive.coulomb", coulomb)
    return Shadow(twin, f"log:{file}", scenario="sine")


def alarm(number: int, *signals: str, cause: str = "friction") -> Alarm:
    return Alarm(number, 2.0 * number, 2.0 * number - 0.5, signals, 30.0, 16.0, (Likely(cause, "knee", 0.5, 0.02, "1", 0.9),))


def view_of(page: Cockpit) -> ShadowView:
    assert page.page.shadow is not None
    return page.page.shadow


def frame(time: float, *rows: tuple[str, float, float]) -> Frame:
    """An update with signals, their innovations and standard deviations."""
    told = np.array([row[1:] for row in rows]).reshape(-1, 2)
    nothing = np.zeros(len(rows))
    return Frame(time, tuple(row[0] for row in rows), nothing, told[:, 0], told[:, 1], 0.0, nothing + time)


class Robot:
    """A power unit that is stepped with inputs of our own, and the updates that a shadow would give of it."""

    def __init__(self) -> None:
        self.twin = didymos.load("power_unit")
        self.stepper = Stepper(self.twin, SIGNALS)
        self.clock = 100.0

    def update(self, *, estimated: bool = True) -> Update:
        stepper = self.stepper
        given = {"position": np.sin(3.0 * stepper.period * stepper.tick), "kp_scale": 1.0, "kd_scale": 1.0, "mode": 10.0}
        row = [given.get(name.partition(".")[2], 0.0) for name in stepper.inputs]
        inputs = np.tile(row, (TICKS, 1))
        inputs[:, stepper.inputs.index("drive.beat")] = 1.0 + stepper.tick + np.arange(TICKS)  # a new command in each tick
        stepper.back()
        stepper.run(inputs)
        stepper.keep()
        time = self.clock + stepper.tick * stepper.period
        qpos, qvel, act = stepper.state()
        estimate = Estimate(time, qpos, qvel, act, np.zeros((1, 1)), {}, {}, stepper.vector.copy(), stepper.tick)
        return Update(frame(time), inputs, np.nan, Known(estimate, self.twin, None, False) if estimated else None)


def test_a_twin_left_alone_stands_where_its_robot_does_to_the_bit_and_apart_where_it_is_another() -> None:
    robot = Robot()
    other = robot.twin.copy()
    other.set("parts.drive.coulomb", 0.5)
    same, apart = OpenLoop(robot.twin, SIGNALS, None), OpenLoop(other, SIGNALS, None)
    ages = []
    first = robot.update().known
    assert first is not None
    for _ in range(round(1.5 / (TICKS * robot.stepper.period))):
        update = robot.update()
        assert update.known is not None
        same.advance([update])
        apart.advance([Update(update.frame, update.inputs, np.nan, Known(update.known.estimate, other, None, False))])
        assert same.qpos is not None
        assert same.qpos.tolist() == update.known.estimate.qpos.tolist()
        ages.append(same.age)
    assert max(ages) == pytest.approx(1.0, abs=TICKS * robot.stepper.period + 1e-9)
    assert min(ages[ages.index(max(ages)) :]) == pytest.approx(0.5, abs=TICKS * robot.stepper.period + 1e-9)
    assert np.abs(update.known.estimate.qpos - first.estimate.qpos).max() > 0.01  # it moved
    assert apart.qpos is not None
    assert np.abs(apart.qpos - same.qpos).max() > 1e-3  # more friction leaves it behind


def test_where_the_robot_is_found_anew_nothing_is_shown_until_there_is_an_estimate() -> None:
    robot = Robot()
    alone = OpenLoop(robot.twin, SIGNALS, None)
    alone.advance([robot.update(estimated=False)])
    assert alone.qpos is None
    alone.advance([robot.update()])
    assert alone.qpos is not None
    robot.clock += 5.0
    alone.advance([robot.update(estimated=False)])
    assert alone.qpos is None


def test_a_page_that_does_not_read_costs_the_shadow_its_oldest_updates_and_no_more() -> None:
    feed = ShadowFeed()
    for i in range(MOST_UPDATES + 7):
        feed.updates.append(Update(frame(float(i)), np.zeros((1, 1)), np.nan, None))
    assert (len(feed.updates), feed.updates[0].frame.time) == (MOST_UPDATES, 7.0)


def test_innovations_are_kept_by_signal_and_begin_anew_where_the_clock_goes_back() -> None:
    errors = ErrorLog({"a.x": "m", "b": "1"})

    def update(time: float, *rows: tuple[str, float, float]) -> Update:
        return Update(frame(time, *rows), np.zeros((1, 1)), 0.0, None)

    errors.add([update(1.0, ("a.x", 0.1, 0.2), ("b", 3.0, 4.0)), update(2.0, ("b", 5.0, 6.0))])
    assert (errors.log["b.innovation"].time.tolist(), errors.log["b.sigma"].values.tolist()) == ([1.0, 2.0], [4.0, 6.0])
    assert errors.log["a.x.innovation"].values.tolist() == [0.1]
    errors.add([update(2.5, ("b", 1.0, 1.0)), update(0.5, ("b", 7.0, 8.0))])
    assert (errors.log["b.innovation"].time.tolist(), errors.log["b.innovation"].values.tolist()) == ([0.5], [7.0])


def test_the_plots_are_of_what_shows_the_last_alarm_then_of_one_signal_of_each_sensor() -> None:
    names = ("imu.gyro.x", "imu.gyro.y", "gps.z", "baro")
    assert clearest(names, ()) == ["imu.gyro.x", "gps.z", "baro", "imu.gyro.y"]
    alarms = (alarm(1, "gps.z"), alarm(2, "imu.gyro.y", "not.compared", "baro"))
    assert clearest(names, alarms) == ["imu.gyro.y", "baro", "imu.gyro.x", "gps.z"]


def test_texts_say_what_lasts_newest_first_and_a_strangers_words_are_no_markup() -> None:
    alarms = (alarm(1, "imu.gyro.x"), alarm(2, "imu.gyro.x", cause="<script>"))
    shown = alarm_html(alarms, True)
    assert shown.index("2 · t = 4.00 s") < shown.index("1 · t = 2.00 s")
    assert "friction of knee +50 % ± 2 %: 90 %" in shown
    assert "<script>" not in shown + banner_html(True, True, alarms) + notices_html([(1.0, "<script>")])
    assert "ALARM: friction of knee +50 %" in banner_html(True, True, alarms[:1])
    assert "in step, 2 alarms before" in banner_html(True, False, alarms)
    assert "looking for the robot" in banner_html(False, False, ())
    latencies = [0.002] * 10 + [0.01]  # 99 % is 9/10 of the way to the last
    assert "2.0 ms behind\n\n99 %: 9.2 ms · its clock +10 ppm" in status_line(1.0, latencies, 1e-5)
    assert "by a recording" in status_line(1.0, [float("nan")], None)


@pytest.fixture
def watched(sine: Path, tmp_path: Path) -> Iterator[Callable[[Shadow], Cockpit]]:
    """A page of a shadow, on a free port."""
    opened: list[Cockpit] = []

    def watch(shadow: Shadow) -> Cockpit:
        opened.append(watch_shadow(shadow, port=0, folder=tmp_path, light=True))
        return opened[-1]

    yield watch
    for page in opened:
        page.close()


def test_a_shadow_sees_the_same_to_the_bit_whether_it_is_watched_or_not(
    sine: Path, watched: Callable[[Shadow], Cockpit]
) -> None:
    alone, seen = beside(sine, 0.5), beside(sine, 0.5)
    page = watched(seen)
    alone.run()
    seen.run()
    assert (seen.summary.nis, seen.summary.readings) == (alone.summary.nis, alone.summary.readings)
    assert [item.facts for item in seen.alarms] == [item.facts for item in alone.alarms]
    assert seen.estimate.vector.tolist() == alone.estimate.vector.tolist()
    view = view_of(page)
    wait_until(lambda: not view.feed.updates and view.shows_robot, "the page has read all")
    assert [item.number for item in view.feed.alarms] == [item.number for item in alone.alarms] != []


def test_a_what_if_begins_where_the_robot_is_and_plays_while_the_shadow_goes_on(
    sine: Path, watched: Callable[[Shadow], Cockpit]
) -> None:
    shadow = beside(sine)
    page = watched(shadow)
    view, session = view_of(page), page.session
    shadow.run(1.0)
    wait_until(lambda: view.shows_robot, "the robot is found")
    known = view.feed.known
    assert known is not None
    first, began = session.live, session.live.snapshot.positions
    view.what_if()
    wait_until(lambda: session.live is not first and not view.shows_robot, "the what-if is shown")
    begin = known.estimate.tick * shadow.observer.stepper.period  # of the scenario's clock
    wait_until(lambda: session.live.snapshot.time > begin + 0.1, "it plays")
    joint = session.live.log["joints.shaft_joint.position"]
    assert joint.time[0] == pytest.approx(begin, abs=1e-9)
    assert joint.values[0] == pytest.approx(known.estimate.qpos[0], abs=1e-9)
    assert abs(joint.values[0]) > 0.1  # not where the scenario begins
    before = shadow.time
    shadow.run()
    assert shadow.time > before + 0.5
    view.back()
    wait_until(lambda: view.shows_robot and not session.status.playing, "the robot is shown again")
    session.restart("sine", 0, piloted=True)
    wait_until(lambda: session.live.choice.piloted and not view.shows_robot, "a piloted one is another what-if")
    assert len(session.live.snapshot.positions) == len(began)


def test_what_may_come_is_said_while_somebody_wants_to_know(sine: Path, watched: Callable[[Shadow], Cockpit]) -> None:
    shadow = beside(sine)
    view = view_of(watched(shadow))
    ahead = view.ahead
    shadow.run(1.0)
    known = view.feed.known
    assert known is not None
    assert outlook_html(ahead.outlook, ahead.said) == ""
    ahead.switch(True)
    outlook = wait_until(lambda: ahead.outlook, "it looks ahead")
    assert (outlook.time, outlook.seconds, ahead.said) == (known.estimate.time, 3.0, "")
    assert "within 3 s" in outlook_html(outlook, "")
    ahead.switch(False)
    assert ahead.outlook is None


def test_the_command_says_where_the_page_is_and_keeps_it_after_the_recording(sine: Path, tmp_path: Path) -> None:
    words = ["shadow", "power_unit", "--robot", f"log:{sine}", "--cockpit", "--no-browser", "--port", "0", "--pace", "50"]
    process = subprocess.Popen(
        [sys.executable, "-m", "didymos.cli.main", *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(SOURCE)}, cwd=tmp_path,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        about = json.loads(process.stdout.readline())
        assert (about["event"], about["url"]) == ("cockpit", f"http://127.0.0.1:{about['port']}/")
        assert any("the page stays until Ctrl-C" in line for line in process.stderr)
        connection = http.client.HTTPConnection("127.0.0.1", about["port"])
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        process.send_signal(signal.SIGINT)
        summary = json.loads(process.communicate(timeout=PATIENCE)[0].splitlines()[-1])
        assert summary["event"] == "summary"
    finally:
        process.kill()


def test_a_person_sees_the_alarm_its_plot_and_a_what_if(
    sine: Path, watched: Callable[[Shadow], Cockpit], browser: Browser
) -> None:
    shadow = beside(sine, 0.5)
    page = watched(shadow)
    browser.open(page.url)
    wait_until(lambda: "looking for the robot" in browser.text, "the robot is looked for")
    shadow.run()
    wait_until(lambda: "ALARM: " in browser.text and "1 · t = " in browser.text, "the alarm is listed")
    shown = f"{shadow.alarms[-1].signals[0]}.innovation"
    plot = wait_until(lambda: (found := browser.plot(shown)) and found.drawn[0] > 50 and found, "innovations are drawn")
    assert "band: ±2 σ" in plot.legend[0]
    kinds = "return didymos.plots.events.map(({kind}) => kind)"
    wait_until(lambda: browser.driver.execute_script(kinds) == ["alarm"] * len(shadow.alarms), "alarms are marked")
    browser.press("What if")
    wait_until(lambda: "running" in browser.text, "the what-if plays")
    browser.press("Back to the robot")
    wait_until(lambda: "beside the robot" in browser.text, "the robot is shown again")
