"""Where and how fast a run begins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from didymos.errors import InputError

RAISED = """<mujoco><worldbody><body name="body" pos="1 2 3"><freejoint name="free"/><geom size=".1" mass="1"/>
  <body name="arm"><joint name="hinge"/><geom size=".1" pos="0 0 1" mass="1"/></body></body></worldbody></mujoco>"""


def test_a_start_that_names_only_velocities_keeps_the_place_of_the_description(make_twin: Any) -> None:
    twin = make_twin(RAISED, scenarios={"push": {"start": {"velocity": [1, 0, 0]}}})
    data = twin.simulate(scenario="push").data
    assert data.qpos[:3].tolist() == [1, 2, 3]
    assert data.qvel[:3].tolist() == [1, 0, 0]


def test_a_scenario_changes_what_it_names_and_keeps_the_rest(make_twin: Any) -> None:
    start = {"position": [0, 0, 5], "velocity": [1, 2, 3], "joints": {"hinge": 0.25}}
    twin = make_twin(RAISED, start=start, scenarios={"push": {"start": {"velocity": {"y": -1}}}})
    data = twin.simulate(scenario="push").data
    assert data.qpos[:3].tolist() == [0, 0, 5]
    assert data.qvel[:3].tolist() == [0, -1, 0]
    assert data.qpos[7] == 0.25


def test_velocities_are_in_the_frame_of_the_root_link(make_twin: Any) -> None:
    start = {"orientation": [0.0, 0.0, np.pi / 2], "velocity": [2.0, 0.0, 0.0], "angular_velocity": [0.1, 0.2, 0.3]}
    data = make_twin(RAISED, start=start).simulate().data
    # x of the body is y of the world; a product of four roundings (2.2e-16 each) times 2 m/s
    np.testing.assert_allclose(data.qvel[:3], [0.0, 2.0, 0.0], atol=2e-15)
    np.testing.assert_array_equal(data.qvel[3:6], [0.1, 0.2, 0.3])  # the engine's free joint turns in its own frame


def test_orientation_is_yaw_then_pitch_then_roll(make_twin: Any) -> None:
    roll, pitch, yaw = 0.3, -0.5, 1.1
    data = make_twin(RAISED, start={"orientation": [roll, pitch, yaw]}).simulate().data
    half = np.array([roll, pitch, yaw]) / 2
    (cr, cp, cy), (sr, sp, sy) = np.cos(half), np.sin(half)
    expected = [
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    ]
    np.testing.assert_allclose(data.qpos[3:7], expected, atol=1e-15)  # sums of two products of three roundings


def test_a_robot_that_is_held_cannot_start_elsewhere(make_twin: Any) -> None:
    held = RAISED.replace('<freejoint name="free"/>', "")
    with pytest.raises(InputError, match="held in the world"):
        make_twin(held, start={"position": [0, 0, 1]}).simulate()
    make_twin(held, start={"position": [0, 0, 0]}).simulate()


def test_what_is_set_by_hand_wins_over_the_scenario(make_twin: Any) -> None:
    scenarios = {"heavy": {"set": {"links.arm.mass": 5.0, "world.wind.speed": 4.0, "world.gravity": 1.0}}}
    twin = make_twin(RAISED, scenarios=scenarios)
    twin.set("links.arm.mass", 3.0)
    twin.set("world.wind.speed", 2.0)
    run = twin.simulate(scenario="heavy")
    paths = ("links.arm.mass", "world.wind.speed", "world.gravity")
    assert [run.twin.get(path) for path in paths] == [3.0, 2.0, 1.0]
    assert run.model.body("arm").mass == 3.0


def test_a_program_that_was_chosen_by_hand_wins_over_the_scenarios_own(make_twin: Any, tmp_path: Any) -> None:
    code = "import didymos\nclass {}(didymos.Controller):\n  rate = 100\n  def update(self, t, *_): return {{}}\n"
    (tmp_path / "mine.py").write_text(code.format("Mine"))
    control = {"program": "theirs.py:Theirs", "rate": 100.0}
    twin = make_twin(RAISED, scenarios={"theirs": {"control": control}}, files={"theirs.py": code.format("Theirs")})
    assert type(twin.simulate(scenario="theirs").program).__name__ == "Theirs"
    twin.replace_program("mine.py:Mine", tmp_path)
    assert type(twin.simulate(scenario="theirs").program).__name__ == "Mine"
