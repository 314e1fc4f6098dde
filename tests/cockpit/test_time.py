"""Time in the cockpit: what was can be seen again, another run can begin at any moment, a scenario ends, memory does not grow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from didymos.cli.main import main
from didymos.cockpit.checkpoints import Checkpoints
from didymos.cockpit.session import Session
from didymos.engine.intervention import load_interventions
from didymos.engine.run import Run
from didymos.record.log import Log
from didymos.twin import Twin, load
from didymos.world import load_world

from .conftest import wait_until

Make = Callable[..., Session]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Session] = []

    def begin(twin: object, **options: object) -> Session:
        made.append(Session(twin, folder=tmp_path / "recordings", **options))  # type: ignore[arg-type]
        made[-1].notified = []  # type: ignore[attr-defined]
        made[-1].notify = lambda title, text: made[-1].notified.append((title, text))  # type: ignore[attr-defined]
        return made[-1]

    yield begin
    for session in made:
        session.close()


def step_to(session: Session, time: float, sticks: str = "{}") -> None:
    """Go to a time [s] with the sticks held somewhere."""
    session.wait()
    session.sticks.receive(sticks)
    session.step(round(time / session.live.simulation.period) - session.live.simulation.tick)
    session.wait()
    session.sticks.receive("{}")


def touched(session: Session) -> None:
    """Fly for some seconds with all that a person may do: gains, masses, pushes, sticks."""
    step_to(session, 0.4)
    session.set("control.gains.height.kp", 0.8)
    session.set("links.body_FLU.mass", 0.5)
    step_to(session, 1.3, '{"axes": [0, 1, 0.5, 0]}')
    session.push("body_FLU", (0.5, 0.0, 0.2), 0.6)
    step_to(session, 1.5)
    session.set("world.wind.speed", 3.0)
    step_to(session, 2.6)


def test_a_branch_has_the_past_of_the_run_that_it_leaves_to_the_bit(make: Make, quadcopter: Twin, tmp_path: Path) -> None:
    session = make(quadcopter, scenario="side_wind")
    touched(session)
    first = session.live
    before = first.run.interventions.copy()
    qpos, whole = first.simulation.data.qpos.copy(), first.run.log.sha256
    end = first.simulation.time

    session.branch(1.61)  # while it is being pushed, a second and more after a checkpoint
    session.wait()
    branch = session.live
    assert branch is not first
    assert not session.status.playing
    assert branch.simulation.tick == round(1.61 / branch.simulation.period)
    assert branch.branched == (branch.simulation.tick,)
    assert [item for item in before if item.tick < branch.simulation.tick] == branch.run.interventions
    assert session.values == {"control.gains.height.kp": 0.8, "links.body_FLU.mass": 0.5, "world.wind.speed": 3.0}

    step_to(session, end)
    alone = quadcopter.simulate(scenario="side_wind").run(branch.simulation.time, interventions=branch.run.interventions)
    assert branch.run.log.sha256 == alone.sha256
    assert branch.run.interventions == before  # the push ended again, when it had to
    assert np.array_equal(branch.simulation.data.qpos, qpos)
    assert np.array_equal(branch.history.at(2.0), first.history.at(2.0))
    assert whole == branch.run.log.sha256


def test_a_branch_is_recorded_whole_and_repeated_by_the_command_line(make: Make, quadcopter: Twin, tmp_path: Path) -> None:
    session = make(quadcopter, scenario="hover", seed=3)
    session.record(True)
    touched(session)
    session.branch(1.2345)
    session.set("control.gains.roll.kp", 0.1)
    session.record(True)
    step_to(session, 2.0)
    session.branch(1.9)
    session.branch(0.0)
    session.wait()
    files = sorted(session.folder.glob("*.yaml"))
    assert len(files) == 2
    done = load_interventions(files[1])
    assert load_interventions(files[0]).branched == ()
    assert done.branched == (round(1.2345 // quadcopter.simulate().period),)
    (own,) = (item for item in done.interventions if item.path == "control.gains.roll.kp")
    assert (own.tick, own.value) == (done.branched[0], (0.1,))
    again = tmp_path / "again.mcap"
    assert main(["run", "quadcopter", "--interventions", str(files[1]), "--record", str(again)]) in (0, 1)
    assert again.read_bytes() == files[1].with_suffix(".mcap").read_bytes()
    assert session.live.simulation.tick == 0
    assert session.live.run.interventions == []


@pytest.mark.parametrize("name", ["meldog", "omni_base", "skywalker_2013", "cepheus"])
def test_every_kind_of_robot_can_be_left_at_any_moment(make: Make, name: str) -> None:
    twin = load(name)
    session = make(twin, scenario="silence" if name == "omni_base" else next(iter(twin.scenarios)))
    step_to(session, 2.3)
    session.branch(1.7)
    step_to(session, 2.5)
    live = session.live
    alone = load(name).simulate(scenario=live.choice.scenario).run(live.simulation.time, interventions=live.run.interventions)
    assert live.run.log.sha256 == alone.sha256


def test_a_branch_of_a_world_and_of_a_program_in_python(make: Make, quadcopter: Twin, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import didymos\n"
        "class Mine(didymos.Controller):\n"
        "    rate = 100\n"
        "    def __init__(self): self.calls = 0\n"
        "    def update(self, t, measured, setpoints):\n"
        "        self.calls += 1\n"
        "        return {f'motor{i}': 0.4 + 0.001 * (self.calls % 7) for i in (1, 2, 3, 4)}\n"
    )
    twin = quadcopter.copy()
    twin.replace_program("mine.py:Mine", tmp_path)
    session = make(twin, scenario=None)
    step_to(session, 1.5)
    session.branch(1.234)
    step_to(session, 1.6)
    assert session.live.run.log.sha256 == twin.simulate().run(session.live.simulation.time).sha256

    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "world.yaml").write_text(
        "robots:\n  a: {twin: quadcopter, start: {position: [0, 0, 0.3]}, scenario: hover}\n"
        "  b: {twin: quadcopter, start: {position: [2, 0, 0.3]}, scenario: hover}\n"
    )
    world = load_world(tmp_path / "two")
    session = make(world)
    session.fly("b")
    step_to(session, 1.3, '{"axes": [0, 1, 0, 0]}')
    session.push("a.body_FLU", (0.5, 0.0, 0.0), 0.2)
    step_to(session, 1.7)
    session.branch(1.35)
    step_to(session, 1.8)
    live = session.live
    assert {item.path for item in live.run.interventions} == {"a.body_FLU", "b.setpoints.z"}
    again = world.simulate().run(live.simulation.time, interventions=live.run.interventions)
    assert live.run.log.sha256 == again.sha256


def test_sticks_go_on_from_where_they_had_moved_a_setpoint_to(make: Make, quadcopter: Twin) -> None:
    session = make(quadcopter, scenario="hover")
    step_to(session, 1.5, '{"axes": [0, 1, 0, 0]}')
    moved = session.live.run.interventions[-1].value[0]
    assert moved > 1.0
    session.branch(1.4)
    session.wait()
    moved = session.live.run.interventions[-1].value[0]
    step_to(session, 1.45, '{"axes": [0, 1, 0, 0]}')
    steps = [item.value[0] for item in session.live.run.interventions if item.tick >= session.live.branched[0]]
    (row,) = (row for row in session.live.pilot.rows if row.target == "setpoints.z")
    assert steps[0] == pytest.approx(moved + 0.02 * row.span)  # a look each 0.02 s


def test_checkpoints_stay_few_and_the_first_one_stays(quadcopter: Twin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("didymos.cockpit.checkpoints.MOST_BYTES", 1)
    run = Run(quadcopter.simulate(scenario="hover"))
    kept = Checkpoints(run)
    for _ in range(60):
        run.advance(kept.every)
        kept.keep()
        assert len(kept) <= 8
    ticks = [kept.before(i * kept.every).state.tick // kept.every for i in range(61)]
    assert ticks[0] == 0
    assert ticks[-1] == 60
    assert all(after <= i for i, after in enumerate(ticks))
    assert max(np.diff(sorted(set(ticks)))) > min(np.diff(sorted(set(ticks))))  # coarser, the longer ago
    run.close()


def test_what_was_is_seen_again_as_it_was(make: Make, quadcopter: Twin) -> None:
    session = make(quadcopter, scenario="climb")
    step_to(session, 3.0)
    history, log = session.live.history, session.live.run.log
    heights = log["truth.position.z"]
    assert history.begin == 0.0
    assert history.end >= 2.98
    rows = {round(time, 9): value for time, value in zip(heights.time, heights.values, strict=True)}
    for time in (0.0, 0.5, 1.234, 2.0, 2.9):
        assert history.at(time)[2] == rows[round(0.02 * int(time / 0.02 + 1e-9), 9)]
    assert np.array_equal(history.at(1e9), history.at(history.end))


def test_a_history_beyond_its_memory_is_on_the_disk(make: Make, quadcopter: Twin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("didymos.cockpit.history.MOST_BYTES", 2**12)
    session = make(quadcopter, scenario="climb")
    step_to(session, 5.0)
    history = session.live.history
    assert history._rows.nbytes == 0
    again = quadcopter.simulate(scenario="climb")
    again.advance(round(4.0 / again.period))
    assert np.array_equal(history.at(4.0), again.data.qpos)


def test_a_run_stands_still_at_the_end_of_its_scenario_and_goes_on_where_that_is_wanted(make: Make, quadcopter: Twin) -> None:
    session = make(quadcopter, scenario="hover")
    session.set_speed(float("inf"))
    session.play()
    wait_until(lambda: session.status.over, "the scenario is over")
    live = session.live
    assert not session.status.playing
    assert live.simulation.time == pytest.approx(live.simulation.seconds)
    assert live.verdicts
    assert all(verdict.ok for verdict in live.verdicts)
    assert live.result == f"{len(live.verdicts)} of {len(live.verdicts)} as expected"
    alone = quadcopter.simulate(scenario="hover").run()
    assert live.run.log.sha256 == alone.sha256
    step_to(session, live.simulation.seconds + 1.0)
    assert not session.status.over
    session.restart("hover", 0)
    session.stops_at_end = False
    step_to(session, live.simulation.seconds + 0.5)
    assert not session.status.over
    assert session.notified[-1] == ("hover is over", live.result)  # type: ignore[attr-defined]


def test_nobody_is_stopped_with_the_sticks_in_hand(make: Make, quadcopter: Twin) -> None:
    session = make(quadcopter, scenario="hover")
    step_to(session, session.live.simulation.seconds + 0.5, '{"axes": [0, 0.1, 0, 0]}')
    assert session.live.verdicts


def test_a_long_run_keeps_its_log_on_the_disk_and_nothing_is_lost(
    make: Make, quadcopter: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("didymos.cockpit.live_run.MOST_BYTES", 2**20)
    session = make(quadcopter, scenario="hover")
    session.stops_at_end = False
    step_to(session, 22.0)
    session.record(True)  # whatever lies on the disk goes into the recording
    step_to(session, 22.5)
    session.record(False)
    session.wait()
    assert session.live.log.nbytes == 0
    assert session.live.verdicts
    assert all(verdict.ok for verdict in session.live.verdicts)
    alone = quadcopter.simulate(scenario="hover").run(session.live.simulation.time)
    recorded = Log.load(next(session.folder.glob("*.mcap")))
    assert session.live.run.log.sha256 == alone.sha256 == recorded.sha256
    assert np.array_equal(session.live.log["truth.position.z"].values, alone["truth.position.z"].values)
    assert session.notified[-1][0] == "Recorded"  # type: ignore[attr-defined]
