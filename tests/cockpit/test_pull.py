"""A point of a robot on a spring to the pointer: it comes, whatever the robot weighs, and the run can be repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos.cockpit.live_run import LiveRun, RunChoice, from_its_start
from didymos.cockpit.pull import PERIOD
from didymos.cockpit.sticks import Sticks
from didymos.engine.intervention import Intervention
from didymos.web.hand_marks import HandMarks

FLOATING = {"step": 0.001, "gravity": 0.0}
BOX = """<mujoco><option timestep="0.001"/><worldbody><body name="body"><freejoint/>
  <geom type="box" size="{0} {0} {0}" mass="{1}"/><body name="blade" pos="0 0 {0}"><joint name="spin" axis="0 0 1"/>
  <geom type="box" size="{0} .001 .001" mass="{2}"/></body></body></worldbody></mujoco>"""


def _live(twin: Any) -> LiveRun:
    return LiveRun(twin, RunChoice(), begin=from_its_start, programs=None, hand=Sticks(), say=print, values={}, rows={})


@pytest.mark.parametrize(("half", "mass"), [(0.02, 0.03), (1.0, 1500.0)])  # [m] and [kg]: of a toy and of a car
def test_what_is_pulled_comes_to_the_pointer_and_stays(make_twin: Any, half: float, mass: float) -> None:
    """A robot of half a diagonal s is a spring of sqrt(g / s) and as good as damped: after ten of its times it is there."""
    live = _live(make_twin(BOX.format(half, mass, 1e-5 * mass), world=FLOATING))
    size, weight = 3**0.5 * half, 9.81 * mass
    live.pull("", "body", np.zeros(3), weight / size, weight)
    live.pull_to(np.array([2.0 * size, 0.0, 0.0]))
    time = (size / 9.81) ** 0.5
    live.advance(round(time / live.simulation.period))
    live.take_snapshot()
    pulled = live.snapshot.pulled
    assert pulled is not None
    assert 0.0 < pulled.point[0] < 2.0 * size
    live.advance(round(30.0 * time / live.simulation.period))
    assert live.simulation.data.qpos[:3] == pytest.approx([2.0 * size, 0.0, 0.0], abs=0.02 * size)
    live.let_go()
    pushes = [item for item in live.run.interventions if item.kind == "push"]
    assert len(pushes) <= live.simulation.time / PERIOD + 2
    assert pushes[-1].value == (0.0, 0.0, 0.0)
    live.close()


def test_a_pull_at_a_corner_turns_the_body_and_a_light_blade_is_not_pulled_off(make_twin: Any, tmp_path: Path) -> None:
    twin = make_twin(BOX.format(0.1, 1.0, 1e-4), world=FLOATING, record={"rate": 1000})
    live = _live(twin)
    live.pull("", "blade", np.array([0.1, 0.0, 0.1]), 50.0, 9.81)
    live.pull_to(np.array([0.1, 0.3, 0.1]))
    live.advance(200)
    assert {item.path for item in live.run.interventions} == {"body"}
    live.let_go()
    live.advance(100)
    state = live.simulation.data
    assert state.qpos[1] > 0.01
    assert state.qvel[5] > 0.1  # about z: the hand is ahead of the middle and pulls to the left
    live.run.close()
    again = twin.simulate().run(0.3, interventions=live.run.interventions)
    assert again.sha256 == live.run.log.sha256


def test_a_pull_is_one_mark_in_time_and_a_push_another() -> None:
    pull = [Intervention(tick, "push", "body", (1.0, 0, 0, 0, 0, 0.1)) for tick in range(100, 400, 2)]
    done = [Intervention(5, "set", "a.b", (2.0,)), *pull, Intervention(400, "push", "body", (0, 0, 0))]
    done += [Intervention(800, "push", "arm", (0, 3.0, 0)), Intervention(900, "put", "joints.elbow", (0.5,))]
    marks = HandMarks()
    texts = [text for item in done if (text := marks.text(item, 0.01 * item.tick))]
    assert texts == ["a.b = 2", "push body (1, 0, 0)", "push arm (0, 3, 0)", "put joints.elbow (0.5)"]


def test_a_branch_from_the_middle_of_a_pull_is_pulled_no_more(make_twin: Any) -> None:
    twin = make_twin(BOX.format(0.1, 1.0, 1e-4), world=FLOATING)
    live = _live(twin)
    live.pull("", "body", np.zeros(3), 50.0, 9.81)
    live.pull_to(np.array([0.5, 0.0, 0.0]))
    live.advance(20)
    options: dict[str, Any] = {"programs": None, "hand": Sticks(), "say": print, "values": {}, "rows": {}}
    branch = LiveRun(twin, RunChoice(), begin=from_its_start, past=live.past(10), **options)
    speed = branch.simulation.data.qvel[0]
    branch.advance(100)
    assert speed > 0.01
    assert branch.simulation.data.qvel[0] == pytest.approx(speed, rel=1e-12)  # nothing acts
    assert branch.run.interventions[-1].value == (0.0, 0.0, 0.0)
    for run in (live, branch):
        run.close()
