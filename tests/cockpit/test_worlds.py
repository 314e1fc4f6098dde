"""Worlds at the page: robots go by their names in the run, in what is tuned, pushed, flown, drawn and replayed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos import Log, World
from didymos.cli.main import main
from didymos.cockpit.cockpit import Cockpit
from didymos.cockpit.page import Page
from didymos.cockpit.pilots import Pilots
from didymos.cockpit.robots import WORLD, RunParameters, figures_of
from didymos.cockpit.run_panel import MOST_VERDICTS, about
from didymos.cockpit.session import Session
from didymos.cockpit.signals import heights, is_there, names
from didymos.cockpit.snapshot import SnapshotTaker
from didymos.control.pilot import CHANNELS, SteerSpec
from didymos.engine.intervention import load_interventions
from didymos.engine.playback import Playback
from didymos.engine.verdict import Verdict
from didymos.errors import InputError
from didymos.record.setpoint_pairs import pairs

from .conftest import Browser, Started, wait_until
from .test_hands import Scene
from .test_session import play_until

PAIR = """
world: {wind: {speed: 2.0, direction: 0.0, reference_height: 10.0, exponent: 0.28}}
robots:
  a: {twin: quadcopter, start: {position: [0, 0, 1]}, scenario: hover}
  b: {twin: quadcopter, start: {position: [3, 0, 2]}, scenario: hover}
  base: {twin: omni_base, start: {position: [0, 4, 0.1016]}}
scenarios:
  rise:
    seconds: 3
    robots: {a: {scenario: hover}, b: {scenario: hover}}
    setpoints: {a.z: 1.0, b.z: 2.0}
    expect: [{name: apart, distance: [a, b], measure: min, low: 1.0}]
"""


WIDE = """
robots:
  base: {twin: omni_base}
  a: {twin: quadcopter, start: {position: [1.5, 0, 0.6]}}
  b: {twin: quadcopter, start: {position: [-1.5, 1, 0.6]}}
  c: {twin: quadcopter, start: {position: [0.5, 3.3, 0.3]}}
"""


@pytest.fixture
def pair(tmp_path: Path) -> World:
    folder = tmp_path / "pair"
    folder.mkdir()
    (folder / "world.yaml").write_text(PAIR)
    return didymos.load_world(folder)


@pytest.fixture
def session(pair: World, tmp_path: Path) -> Iterator[Session]:
    made = Session(pair, scenario="rise", folder=tmp_path / "recordings")
    made.notified = []  # type: ignore[attr-defined]
    made.notify = lambda title, text: made.notified.append((title, text))  # type: ignore[attr-defined]
    yield made
    made.close()


def test_a_world_that_nobody_touched_has_the_bytes_of_a_run_without_a_page(
    session: Session, pair: World, tmp_path: Path
) -> None:
    session.record(True)
    play_until(session, 0.5)
    session.record(False)
    session.wait()
    pair.simulate(scenario="rise").run(session.live.simulation.time, record=tmp_path / "alone.mcap")
    assert next(session.folder.glob("pair-rise-*.mcap")).read_bytes() == (tmp_path / "alone.mcap").read_bytes()


def test_what_is_done_to_single_robots_is_repeated_to_the_same_bytes(
    session: Session, pair: World, capsys: pytest.CaptureFixture[str]
) -> None:
    session.restart("rise", 3, piloted=True)
    session.wait()
    assert session.live.choice.robot == "a"
    session.record(True)
    play_until(session, 0.2, '{"axes": [0, 0.5, 0, 0]}')
    session.set("b.links.body_FLU.mass", 0.7)
    session.set("world.wind.speed", 4.0)
    session.push(_root(pair), (30.0, 0.0, 0.0), 0.1)
    session.press("drop")
    play_until(session, 0.5)
    session.record(False)
    session.wait()
    assert session.notified == [("Recorded", session.notified[0][1])]  # type: ignore[attr-defined]
    done = next(session.folder.glob("*.yaml"))
    kept = load_interventions(done)
    assert kept.piloted_robots == ("a",)
    assert {item.path for item in kept.interventions} >= {"a.setpoints.z", "b.links.body_FLU.mass", "world.wind.speed", "a.boxes"}
    assert main(["run", str(pair.folder), "--interventions", str(done), "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["log_sha256"] == session.live.run.log.sha256


def _root(world: World) -> str:
    return f"base.{world.robots['base'].twin.description.root}"


def test_the_sticks_go_to_another_robot_and_the_first_one_rests(session: Session) -> None:
    session.assign([SteerSpec(channel=3, target="setpoints.z", span=1.0, moves=True)])
    forward = '{"axes": [0, 1, 0, 0]}'
    play_until(session, 0.3, forward)
    simulation = session.live.simulation
    moved = simulation.setpoints["a.z"]
    assert moved > 1.0
    session.fly("b")
    session.wait()
    assert session.live.pilot.rows[0].target == "setpoints.roll"  # b is flown as its twin says
    play_until(session, 0.6, '{"axes": [0, 1, 1, 0]}')
    assert simulation.setpoints["a.z"] == moved  # where it was moved to
    assert simulation.setpoints["b.z"] > 2.0
    assert simulation.setpoints["b.roll"] > 0.0
    assert simulation.setpoints["a.roll"] == 0.0
    session.fly("nobody")
    session.wait()
    assert "no robot 'nobody'" in session.notified[-1][1]  # type: ignore[attr-defined]
    assert session.live.choice.robot == "b"


def test_sticks_of_a_piloted_run_that_go_elsewhere_begin_it_again_there(session: Session) -> None:
    session.restart("rise", 0, piloted=True)
    play_until(session, 0.1)
    session.fly("b")
    session.wait()
    robots = session.live.simulation.robots
    assert (robots["a"].piloted, robots["b"].piloted, session.live.simulation.tick) == (False, True, 0)


class _Hand:
    lost = ""

    def read(self, time: float) -> tuple[float | None, ...]:
        return (1.0,) * CHANNELS


def test_a_robot_without_a_channel_table_is_only_steered(pair: World) -> None:
    simulation = pair.simulate(scenario="rise", piloted=("b",))
    pilots = Pilots(simulation, _Hand(), print, {}, "a")
    assert {kind for kind, _, _ in pilots.look(0.0, 0.02)} == {"steer"}
    pilots.give_to("b")
    deeds = list(pilots.look(0.02, 0.02))
    assert {path.partition(".")[0] for kind, path, _ in deeds if kind != "steer"} == {"b"}
    assert ("reset", "b.robot", ()) in deeds


def test_parameters_are_listed_by_robot_with_the_worlds_in_front(pair: World) -> None:
    parameters = RunParameters(pair.simulate(scenario="rise"))
    assert list(parameters.live) == [WORLD, "a", "b", "base"]
    assert next(iter(parameters.parameters)).startswith("world.")
    assert all(path.startswith("world.") for path in parameters.live[WORLD])
    assert all(path.startswith("b.") for path in parameters.live["b"])
    assert set(parameters.live["a"]) == {path.replace("b.", "a.", 1) for path in parameters.live["b"]}
    assert parameters.get("world.wind.speed") == 2.0
    assert parameters.get("b.links.body_FLU.mass") == 0.6


def test_a_tuned_robot_leaves_its_neighbour_alone_and_outlives_a_restart(session: Session) -> None:
    session.set("b.control.gains.roll.kp", 0.2)
    session.restart("rise", 5)
    session.wait()
    simulation = session.live.simulation
    assert simulation.get("b.control.gains.roll.kp") == 0.2
    assert simulation.get("a.control.gains.roll.kp") == 0.09
    session.set("b.control.gains.roll.kp", 0.09)
    session.wait()
    assert session.values == {}


def test_a_snapshot_shows_what_acts_on_each_robot(pair: World) -> None:
    simulation = pair.simulate(scenario="rise")
    simulation.run(1.5)
    snapshot = SnapshotTaker(simulation).take(simulation)
    figures = figures_of(simulation)
    for name in "ab":
        acting, here = snapshot.robots[name], simulation.robots[name]
        root = snapshot.positions[here.links.root_body(simulation.model)]
        thrust = acting.forces["thrust"]
        assert thrust[:4, 1, 2].sum() == pytest.approx(figures[name].weight, rel=0.02)  # it hovers
        assert np.linalg.norm(thrust[:4, 0] - root, axis=1).max() < 0.4
        assert acting.wind == pytest.approx([2.0 * (root[2] / 10.0) ** 0.28, 0.0, 0.0], abs=1e-9)
        assert len(acting.forces["contacts"]) == 0
    assert figures["a"].weight == pytest.approx(1.0128 * 9.81, rel=1e-4)
    carried = snapshot.robots["base"].forces["contacts"][:, 1, 2].sum()
    assert carried == pytest.approx(figures["base"].weight, rel=0.02)  # it stands on its wheels
    assert {name for name in snapshot.ranges if name.startswith("base.")} == set(snapshot.ranges) != set()


def test_an_extent_is_that_of_the_robot_where_it_begins(pair: World) -> None:
    figures = figures_of(pair.simulate())
    assert figures["a"].extent.size == pytest.approx(figures["b"].extent.size)
    assert figures["b"].extent.middle - figures["a"].extent.middle == pytest.approx([3.0, 0.0, 1.0])
    a = figures["a"]  # it stands upright at (0, 0, 1)
    assert a.above == pytest.approx(a.extent.middle + np.array([0.0, 0.0, 0.7 * a.extent.size - 1.0]))


def test_a_log_of_a_world_is_replayed_with_all_robots(session: Session, pair: World, tmp_path: Path) -> None:
    play_until(session, 0.4)
    simulation, log = session.live.simulation, session.live.run.log
    shown = Playback(simulation, log).at(1e9)
    last = log["b.truth.position.x"].time[-1]
    again = pair.simulate(scenario="rise")
    again.advance(round(last / again.period))
    assert shown == pytest.approx(again.data.qpos, abs=1e-6)  # angles of wheels and axles are kept as they are
    lone = Log([layout for layout in log.layouts if layout.namespace == "b"])
    rows = dict(zip((layout.name for layout in log.layouts), range(len(log.layouts)), strict=True))
    for i, layout in enumerate(lone.layouts):
        lone.append(i, *log.rows(rows[layout.name]))
    half = Playback(simulation, lone).at(1e9)
    places = {name: int(simulation.model.joint(simulation.model.body(f"{name}/{root}").jntadr[0]).qposadr[0])
              for name, root in (("a", "body_FLU"), ("b", "body_FLU"))}  # fmt: skip
    assert np.array_equal(half[places["b"] : places["b"] + 7], shown[places["b"] : places["b"] + 7])
    assert np.array_equal(half[places["a"] : places["a"] + 7], simulation.model.qpos0[places["a"] : places["a"] + 7])
    alone = didymos.load("quadcopter").simulate(scenario="hover").run(0.1)
    with pytest.raises(InputError, match="no robot of pair"):
        Playback(simulation, alone)


def test_signals_are_offered_by_robot(pair: World) -> None:
    log = pair.simulate(scenario="rise").run(0.05)
    assert log.robots == ("a", "b", "base")
    offered = names(log, "b")
    assert {"b.truth.position.z", "b.truth.roll", "tf.b/arm1.position.x"} <= set(offered)
    assert not [name for name in offered if name.startswith(("a.", "base.", "tf.a/"))]
    assert ("b.setpoints.z", "b.truth.position.z") in pairs(offered, "b")
    assert heights(log) == ("a.truth.position.z", "b.truth.position.z", "base.truth.position.z")
    assert is_there(log, "b.truth.tilt")
    assert not is_there(log, "truth.tilt")


def test_many_verdicts_are_told_by_those_that_were_missed(session: Session) -> None:
    play_until(session, 0.05)
    good = tuple(Verdict(f"q{i}: height", 1.0, 0.0, 2.0, True, "m") for i in range(MOST_VERDICTS))
    session.live.verdicts = (*good, Verdict("q99: height", 3.0, 0.0, 2.0, False, "m"))
    text = about(session)
    assert f"✓ {MOST_VERDICTS} of {MOST_VERDICTS + 1} as expected" in text
    assert "MISSED q99: height: 3 m" in text
    assert "q1: height" not in text


def test_a_low_robot_of_a_wide_world_stands_on_its_ground_and_not_below_it(browser: Browser, tmp_path: Path) -> None:
    """A ground that reaches too far is drawn decimetres too high, and hides all that is low; its lines are lighter than 130."""
    folder = tmp_path / "wide"
    folder.mkdir()
    (folder / "world.yaml").write_text(WIDE)
    with Cockpit(didymos.load_world(folder), port=0, folder=tmp_path, light=True) as cockpit:
        browser.open(cockpit.url)
        browser.press("Got it")
        browser.tab("View")
        browser.switch("Names of robots")
        base, scene = cockpit.session.live.snapshot.robots["base"].com, Scene(browser, cockpit)
        wait_until(lambda: scene.darkest(base, "wide_world") < 100.0, "the dark plate of the base is seen", looks=60)


def test_a_world_at_the_page_is_seen_tuned_and_pushed_by_robot(pair: World, browser: Browser, tmp_path: Path) -> None:
    with Cockpit(pair, scenario="rise", port=0, folder=tmp_path, light=True) as cockpit:
        browser.open(cockpit.url)
        session = cockpit.session
        browser.press("Play")
        wait_until(lambda: browser.clock > 0.2, "the clock advances")
        browser.press("Pause")
        wait_until(lambda: "b.truth.position.z" in browser.text, "the heights of all robots are plotted")
        browser.tab("Tune")
        browser.choose("Robot", "b")
        browser.write("Search", "height.kp")
        browser.write("control.gains.height.kp", "0.4")
        wait_until(lambda: session.values == {"b.control.gains.height.kp": 0.4}, "b is tuned")
        browser.tab("View")
        browser.choose("Look at", "b")
        wait_until(lambda: _centre(cockpit.page) == "b", "the view is about b")
        browser.choose("Robot", "b")
        browser.press("Push")
        wait_until(lambda: any(item.path == "b.body_FLU" for item in session.live.run.interventions), "b is pushed")
        browser.picture("world")


def _centre(page: Page) -> str | None:
    return page._target


def test_the_command_takes_a_world(pair: World, start_cockpit: object) -> None:
    started: Started = start_cockpit(str(pair.folder), "--set", "b.links.body_FLU.mass=0.7")  # type: ignore[operator]
    assert started.end() == 0
