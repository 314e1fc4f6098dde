"""The session: what people do to a run reaches it between two ticks, is kept, and can be repeated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import viser

from didymos import Log
from didymos.cli.main import main
from didymos.cockpit.pilot_panel import table
from didymos.cockpit.replay import Replay, find_log, logs_in
from didymos.cockpit.run_panel import about
from didymos.cockpit.session import Session
from didymos.cockpit.sticks import Sticks
from didymos.cockpit.tune import bounds
from didymos.control.pilot import CHANNELS, SteerSpec
from didymos.control.policy import new_policy
from didymos.describe.parameters import Parameter
from didymos.engine.intervention import load_interventions
from didymos.engine.playback import Playback
from didymos.errors import InputError
from didymos.twin import Twin, load

from .conftest import wait_until


@pytest.fixture
def session(quadcopter: Twin, tmp_path: Path) -> Iterator[Session]:
    made = Session(quadcopter, scenario="hover", folder=tmp_path / "recordings")
    made.notified = []  # type: ignore[attr-defined]
    made.notify = lambda title, text: made.notified.append((title, text))  # type: ignore[attr-defined]
    yield made
    made.close()


def play_until(session: Session, time: float, sticks: str = "{}") -> None:
    """Play to a time [s]; the page says where the sticks are again and again, or they would be let go."""
    session.play()
    wait_until(lambda: session.sticks.receive(sticks) or session.live.snapshot.time >= time, f"the clock reaches {time} s")
    session.pause()
    session.wait()


def test_a_run_that_nobody_touched_has_the_bytes_of_a_run_without_a_page(
    session: Session, quadcopter: Twin, tmp_path: Path
) -> None:
    session.record(True)
    play_until(session, 1.3)
    for _ in range(3):
        session.step()
    session.record(False)
    session.wait()
    alone = quadcopter.simulate(scenario="hover").run(session.live.simulation.time, record=tmp_path / "alone.mcap")
    recorded = next(session.folder.glob("*.mcap"))
    assert session.live.run.log.sha256 == alone.sha256
    assert recorded.read_bytes() == (tmp_path / "alone.mcap").read_bytes()


def test_everything_done_by_hand_is_repeated_to_the_same_bytes(session: Session, quadcopter: Twin, tmp_path: Path) -> None:
    session.record(True)
    play_until(session, 0.2)
    session.play()
    session.set("control.gains.height.kp", 0.8)
    session.push("body_FLU", (0.5, 0.0, 0.2), 0.1)
    for value in (0.3, 1.0, -0.4, 0.0):
        said, here = f'{{"axes": [0, {value}, {value}, 0]}}', session.live.snapshot.time
        later = here + 0.15
        wait_until(
            lambda said=said, later=later: session.sticks.receive(said) or session.live.snapshot.time > later, "the run goes on"
        )
    session.pause()
    session.record(False)
    session.wait()
    done = load_interventions(next(session.folder.glob("*.yaml")))
    kinds = [item.kind for item in done.interventions]
    assert kinds.count("push") == 2
    assert kinds.count("steer") > 4
    again = quadcopter.simulate(scenario=done.scenario, seed=done.seed)
    log = again.run(done.seconds, record=tmp_path / "again.mcap", interventions=done.interventions)
    assert log.sha256 == session.live.run.log.sha256
    assert (tmp_path / "again.mcap").read_bytes() == next(session.folder.glob("*.mcap")).read_bytes()


def test_what_was_done_to_a_variant_is_repeated_with_that_variant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(load("cepheus", variant="thesis"), folder=tmp_path)
    session.record(True)
    session.push(session.twin.description.root, (1.0, 0.0, 0.0), 0.05)
    play_until(session, 0.1)
    session.record(False)
    session.close()
    done = next(tmp_path.glob("*.yaml"))
    assert load_interventions(done).variant == load_interventions(done.with_suffix(".mcap")).variant == "thesis"
    assert main(["run", "cepheus", "--interventions", str(done), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["log_sha256"] == session.live.run.log.sha256


def test_tuned_values_outlive_a_restart_and_are_part_of_the_new_run(session: Session) -> None:
    session.set("control.gains.roll.kp", 0.2)
    session.restart("climb", 5)
    session.wait()
    assert (session.live.choice.scenario, session.live.choice.seed, session.live.simulation.tick) == ("climb", 5, 0)
    assert session.live.simulation.get("control.gains.roll.kp") == 0.2
    assert [item.path for item in session.live.run.interventions] == ["control.gains.roll.kp"]
    session.set("control.gains.roll.kp", session.twin.get("control.gains.roll.kp"))
    session.wait()
    assert session.values == {}


def test_what_does_not_fit_is_said_and_changes_nothing(session: Session) -> None:
    session.set("control.gains.roll.kp", -1.0)
    session.set("no.such.path", 1.0)
    session.push("nowhere", (1.0, 0.0, 0.0), 0.1)
    session.restart("no_such_scenario", 0)
    session.wait()
    assert len(session.notified) == 4  # type: ignore[attr-defined]
    assert session.live.run.interventions == []
    assert session.live.choice.scenario == "hover"
    play_until(session, 0.05)


def test_the_page_lists_what_does_not_apply_to_another_program(tmp_path: Path) -> None:
    twin = load("omni_base")
    twin.replace_program("idle")
    session = Session(twin, scenario="silence", folder=tmp_path)
    assert r"skipped: gain timeout (of the program omni\_drive)" in about(session)
    session.close()


def test_the_page_says_who_drives_and_which_sticks_move_nothing(quadcopter: Twin, tmp_path: Path) -> None:
    twin = quadcopter.copy()
    height = new_policy(["setpoints.z - state.position.z"], {f"inputs.motor{i}": (0, 1) for i in (1, 2, 3, 4)}, 100)
    twin.replace_program(str(height.save(tmp_path / "height.npz")))
    session = Session(twin, scenario="hover", folder=tmp_path)
    assert f"Driven by `{tmp_path / 'height.npz'}`" in about(session)
    said = table(session.live.pilot, session.live.simulation.robots[""].unread_setpoints)
    assert "does not read setpoints.roll, setpoints.pitch, setpoints.yaw: moving them does nothing" in said
    session.close()


def test_gains_of_a_scenarios_own_program_can_be_tuned(quadcopter: Twin, tmp_path: Path) -> None:
    session = Session(quadcopter, scenario="gusts", folder=tmp_path)
    session.set("control.gains.position.kp", 0.5)
    session.wait()
    assert session.live.simulation.get("control.gains.position.kp") == 0.5
    session.restart("hover", 0)
    session.restart("gusts", 0)
    session.wait()
    assert session.live.simulation.get("control.gains.position.kp") == 0.5
    session.close()


def test_gains_of_a_program_of_the_users_own_can_be_tuned(quadcopter: Twin, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import didymos\n"
        "class Mine(didymos.Controller):\n"
        "    rate = 100\n"
        "    throttle = didymos.Gain(0.0, low=0, high=1)\n"
        "    def update(self, t, measured, setpoints):\n"
        "        return {f'motor{i}': self.throttle for i in (1, 2, 3, 4)}\n"
    )
    twin = quadcopter.copy()
    twin.replace_program("mine.py:Mine", tmp_path)
    assert twin.parameters["control.gains.throttle"].live
    session = Session(twin, scenario=None, folder=tmp_path)
    session.set("control.gains.throttle", 0.25)
    play_until(session, 0.1)
    assert session.live.run.log["inputs.motor1"].values[-1] == 0.25
    session.close()


def test_a_scenario_says_what_is_untuned(session: Session) -> None:
    session.restart("side_wind", 0)
    session.set("world.wind.direction", 1.0)
    session.wait()
    assert session.live.untuned.get("world.wind.direction") == 0.0
    assert session.values == {"world.wind.direction": 1.0}
    session.set("world.wind.direction", 0.0)
    session.wait()
    assert session.values == {}


def test_a_single_tick_is_a_single_tick(session: Session) -> None:
    session.step()
    session.step()
    session.wait()
    assert session.live.simulation.tick == 2


def test_a_run_that_fails_says_why_and_keeps_its_log(make_twin: Any, tmp_path: Path) -> None:
    twin = make_twin(world={"step": 0.001, "boundary": 2.0}, start={"velocity": [10.0, 0.0, 0.0]})
    session = Session(twin, folder=tmp_path)
    session.play()
    wait_until(lambda: session.status.ended, "the body leaves the world")
    assert "left the world" in session.status.ended
    assert not session.status.playing
    session.play()
    session.wait()
    assert not session.status.playing
    assert session.live.run.log["truth.position.x"].values[-1] == pytest.approx(2.0, abs=0.11)
    session.restart(None, 0)
    session.wait()
    assert session.status.ended == ""
    session.close()


def test_closing_completes_the_recording(session: Session) -> None:
    session.record(True)
    session.play()
    wait_until(lambda: session.live.snapshot.time > 0.3, "the run goes on")
    session.close()
    log = Log.load(next(session.folder.glob("*.mcap")))
    assert "damage" not in log.metadata
    assert log.sha256 == session.live.run.log.sha256


def test_a_snapshot_shows_thrust_where_the_motors_are_and_the_wind(session: Session) -> None:
    play_until(session, 0.5)
    snapshot, simulation = session.live.snapshot, session.live.simulation
    weight = float(np.sum(simulation.model.body_mass)) * 9.81
    thrust = snapshot.robots[""].forces["thrust"]
    assert thrust.shape == (5, 2, 3)  # four motors, one drag
    assert 0.3 * weight < thrust[:4, 1, 2].sum() < 5.0 * weight
    root = snapshot.positions[simulation.links.root_body(simulation.model)]
    assert np.linalg.norm(thrust[:4, 0] - root, axis=1) == pytest.approx(np.full(4, 0.21), abs=0.1)
    height = root[2]
    assert snapshot.robots[""].wind == pytest.approx([0.0, -1.0 * (height / 10.0) ** 0.28, 0.0], abs=1e-9)


def test_the_sticks_are_channels_of_the_pilot() -> None:
    sticks = Sticks()
    assert set(sticks.read(0.0)) == {None}
    sticks.receive('{"axes": [0.1, 1, 0.5, 2], "buttons": [0, 1]}')
    assert sticks.read(0.0)[:9] == (0.5, -1.0, 0.1, 1.0, None, None, 0.0, 1.0, None)  # forward lowers the nose
    sticks.receive("{}")
    assert set(sticks.read(0.0)) == {None}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"axes": 3}', '{"axes": [1]}', '{"axes": ["a", 0, 0, 0]}', '{"axes": [NaN, 0, 0, 0]}', "[" * 900,
     '{"axes": [1e999, 0, 0, 0]}', "x" * 5000, b"\xff\xfe", '{"axes": [null, 0, 0, 0]}', '{"axes": [0, 0, 0, 0], "buttons": "a"}',
     '{"buttons": [1]}'],
)  # fmt: skip
def test_the_sticks_do_not_hear_nonsense(text: str | bytes) -> None:
    sticks = Sticks()
    sticks.receive(text)
    assert set(sticks.read(0.0)) == {None}


def test_a_stick_can_move_something_else(session: Session) -> None:
    session.assign([SteerSpec(channel=0, target="inputs.motor1", span=0.1)])
    play_until(session, 0.1, '{"axes": [0, 1, 1, 0]}')
    assert {item.path for item in session.live.run.interventions} == {"inputs.motor1"}
    assert "inputs.motor1 (+0.1)" in table(session.live.pilot)
    session.live.pilot.table = (-0.001,) * CHANNELS
    assert "-0.00" not in table(session.live.pilot)  # one at rest has no sign of its own
    session.restart("climb", 0)
    session.wait()
    assert [row.target for row in session.live.pilot.rows] == ["inputs.motor1"]


def test_a_piloted_run_keeps_its_channels_and_drops_boxes(session: Session, quadcopter: Twin) -> None:
    session.press("drop")
    session.wait()
    assert session.notified[-1][0] == "Not done"  # type: ignore[attr-defined]
    session.restart("hover", 0, piloted=True)
    session.record(True)
    play_until(session, 0.3, '{"axes": [0, 1, 0, 0]}')
    session.press("drop")
    play_until(session, 0.4)
    session.record(False)
    session.wait()
    assert session.live.log["channels.ch3"].values.max() == 1.0
    assert len(table(session.live.pilot).split("·")) + len(session.live.pilot.buttons) + 4 == CHANNELS
    done = load_interventions(next(session.folder.glob("*.yaml")))
    again = quadcopter.simulate(scenario=done.scenario, seed=done.seed, piloted=done.piloted)
    assert again.run(done.seconds, interventions=done.interventions).sha256 == session.live.run.log.sha256


def test_a_replay_shows_the_boxes_of_a_piloted_run(session: Session) -> None:
    session.restart("hover", 0, piloted=True)
    session.press("drop")
    play_until(session, 0.2)
    model, log = session.live.simulation.model, session.live.run.log
    boxes = [body for body in range(model.nbody) if model.body(body).name.startswith("didymos:")]
    shown = Playback(session.live.simulation, log).at(1e9)
    for body in boxes:
        first = model.jnt_qposadr[model.body_jntadr[body]]
        name = model.body(body).name.removeprefix("didymos:")
        assert list(shown[first : first + 3]) == [log[f"boxes.{name}.position.{axis}"].values[-1] for axis in "xyz"]
    assert len(boxes) > 1


def test_a_log_of_other_names_still_moves_the_robot(session: Session) -> None:
    play_until(session, 0.4)
    playback = Playback(session.live.simulation, session.live.run.log)
    assert playback.at(1e9)[2] == session.live.run.log["truth.position.z"].values[-1]
    from dataclasses import replace

    layouts = [replace(layout, name="mocap.body") for layout in session.live.run.log.layouts if layout.name == "truth"]
    foreign = Log(layouts)
    index = next(i for i, layout in enumerate(session.live.run.log.layouts) if layout.name == "truth")
    foreign.append(0, *session.live.run.log.rows(index))
    assert np.array_equal(Playback(session.live.simulation, foreign).at(0.2)[:7], playback.at(0.2)[:7])
    with pytest.raises(InputError, match="no pose"):
        Playback(session.live.simulation, Log([replace(layouts[0], columns=(), units=())]))


def test_where_a_log_has_no_number_its_robot_stays_where_it_was(session: Session) -> None:
    play_until(session, 0.4)
    whole = session.live.run.log
    blind = Log(whole.layouts)
    for index, layout in enumerate(whole.layouts):
        times, values = (np.array(rows) for rows in whole.rows(index))
        if layout.name == "truth":  # as of cameras that lose sight of one number, then of all
            values[(times > 0.1) & (times < 0.2), layout.columns.index("orientation.x")] = np.nan
            values[times > 0.3] = np.nan
        blind.append(index, times, values)
    simulation = session.live.simulation
    shown, seen = Playback(simulation, blind), Playback(simulation, whole)
    times = whole["truth.position.x"].time
    for time, held in ((0.15, times[times <= 0.1][-1]), (0.25, 0.25), (1e9, times[times <= 0.3][-1])):
        assert np.array_equal(shown.at(time)[:7], seen.at(float(held))[:7])
    lost = Log([layout for layout in whole.layouts if layout.name == "truth"])
    lost.append(0, times, np.full((len(times), len(lost.layouts[0].columns)), np.nan))
    with pytest.raises(InputError, match="no pose"):
        Playback(simulation, lost)


def test_a_log_of_nothing_holds_no_pose_and_a_log_of_no_setpoints_is_about_its_height(session: Session) -> None:
    simulation = session.live.simulation
    with pytest.raises(InputError, match="no pose"):
        Playback(simulation, Log(session.live.run.log.layouts))
    play_until(session, 0.1)
    whole = session.live.run.log
    bare = Log([layout for layout in whole.layouts if layout.name == "truth"])
    bare.append(0, *whole.rows(next(i for i, layout in enumerate(whole.layouts) if layout.name == "truth")))
    session.folder.mkdir(parents=True, exist_ok=True)
    bare.save(session.folder / "mocap.mcap")
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        replay = Replay(server.gui, session)
        replay.show(session.folder / "mocap.mcap")
        assert replay.plotted is not None
        assert "truth.position.z" in replay.plotted.first[0]
    finally:
        server.stop()


def test_only_logs_of_the_folder_can_be_opened(tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    assert logs_in(folder) == ()
    folder.mkdir()
    (folder / "a.csv").write_text("time\n0\n")
    (tmp_path / "secret.csv").write_text("time\n0\n")
    (folder / "notes.txt").write_text("x")
    assert logs_in(folder) == ("a.csv",)
    assert find_log(folder, "a.csv") == folder / "a.csv"
    for name in ("../secret.csv", str(tmp_path / "secret.csv"), "notes.txt", "", "..", "a.csv/../a.csv"):
        with pytest.raises(InputError):
            find_log(folder, name)


def test_sliders_reach_around_the_value_and_stay_within_bounds() -> None:
    assert bounds(Parameter("a", 0.3, "1", 0.0, 10.0)) == pytest.approx((0.0, 1.2, 0.001))
    assert bounds(Parameter("a", 5.0, "1", 0.0, 10.0)) == pytest.approx((0.0, 10.0, 0.01))
    assert bounds(Parameter("a", 0.0, "1", 0.0, None)) is None
    low, high, _ = bounds(Parameter("a", -2.0, "1", None, None)) or (0.0, 0.0, 0.0)
    assert (low, high) == (-8.0, 8.0)
