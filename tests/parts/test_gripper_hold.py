"""What a gripper holds: the true angle, no more than its jaws can, nothing that broke away, and no energy from nowhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import Law
from numpy.typing import NDArray

from didymos.parts.gripper import Gripper, GripperReaction
from didymos.record.log import Log

NUMBERS = {
    "reach": 0.02, "reach_angle": 0.1, "seated": 0.005, "soft_time": 0.1, "hard_time": 0.1, "soft_stiffness": 30.0,
    "soft_damping": 10.0, "hard_stiffness": 1500.0, "hard_damping": 60.0, "arm": 0.05,
}  # fmt: skip
HARD = {"jaws": 2.0, "holds": 1.0, "awake": 1.0}
PAIR = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="hand"><freejoint name="free"/><inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body>
  <body name="other" pos="{away} 0 0" euler="0 0 {turn}"><joint name="x" type="slide" axis="1 0 0"/>
  <joint name="y" type="slide" axis="0 1 0"/><joint name="turn" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="4" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""


def law(**numbers: float) -> Law:
    return Law(Gripper, input_from="port", **(NUMBERS | numbers))


def turned(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rotation matrix of a rotation vector (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector / (angle or 1.0)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross)


def grip(make_twin: Any, seconds: float, *stimuli: dict[str, Any], away: float = 0.0, turn: float = 0.0, **numbers: float) -> Log:
    parts = {
        "port": {"kind": "gripper_port", "link": "other"},
        "gripper": {"kind": "gripper", "link": "hand", "input_from": "port"} | NUMBERS | numbers,
        "back": {"kind": "gripper_reaction", "link": "other", "input_from": "gripper"},
    }
    twin = make_twin(
        PAIR.format(away=away, turn=math.degrees(turn)),
        world={"step": 0.001, "integrator": "rk4", "gravity": 0.0},
        parts=parts,
        scenarios={"run": {"seconds": seconds, "stimuli": [*stimuli]}},
        record={"momentum": True},
    )
    log: Log = twin.simulate(scenario="run").run()
    return log


CLOSE = {"target": "inputs.gripper", "kind": "constant", "value": 2.0}


def test_a_port_that_looks_the_other_way_is_not_taken(make_twin: Any) -> None:
    """Of 3.1 rad the sine is 0.04, within reach; the angle is not."""
    log = grip(make_twin, 0.3, CLOSE, turn=3.1)
    assert log["parts.gripper.angle"].values[0] == pytest.approx(3.1, abs=1e-9)
    assert not log["parts.gripper.jaws"].values.any()


def test_angle_and_torque_are_those_of_the_rotation_vector() -> None:
    held, rng = law(), np.random.default_rng(1)
    for _ in range(10_000):
        mine = turned(rng.normal(size=3))
        error = rng.normal(size=3)
        error *= rng.uniform(0.0, 3.1) / np.linalg.norm(error)
        inputs = {"rotation": (turned(error) @ mine).ravel()}
        found = held(memory=HARD, inputs=inputs, rotation=mine.ravel())
        assert found.readouts["angle"] == pytest.approx(np.linalg.norm(error), abs=1e-9)
        np.testing.assert_allclose(mine @ found.torque, 1500.0 * 0.05**2 * error, atol=1e-9)


def saturated(vector: NDArray[np.float64], most: float) -> NDArray[np.float64]:
    size = np.linalg.norm(vector)
    return vector * min(1.0, most / size) if size > 0.0 else vector


def test_a_gripper_gives_back_no_more_than_its_spring_stored() -> None:
    """Power of force and torque on both bodies, and the rate of what sat(k gap) stores: never above zero; 10,000 states."""
    hold, twist = 20.0, 0.3
    held, rng = law(holding_force=hold, holding_torque=twist), np.random.default_rng(2)
    back = Law(GripperReaction, input_from="gripper")
    stiffness, turning = 1500.0, 1500.0 * 0.05**2
    for _ in range(10_000):
        mine, gap, v, w = turned(rng.normal(size=3)), *rng.normal(size=(3, 3)) * [[0.02], [0.3], [2.0]]
        port_v, port_w = rng.normal(size=(2, 3)) * [[0.3], [2.0]]
        axis = rng.normal(size=3)
        error = axis / np.linalg.norm(axis) * rng.uniform(0.0, 0.4)
        port = np.array([0.3, -0.2, 0.1])
        inputs = {"position": port, "rotation": (turned(error) @ mine).ravel(), "velocity": port_v, "rate": port_w}
        found = held(
            memory=HARD, inputs=inputs, rotation=mine.ravel(), position_world=port + gap, velocity=mine.T @ v, rate=mine.T @ w
        )  # fmt: skip
        force, torque = mine @ found.force, mine @ found.torque
        assert np.linalg.norm(force) <= hold * (1 + 1e-12)
        assert np.linalg.norm(torque) <= twist * (1 + 1e-12)
        there = back(inputs={"force": force, "torque": torque, "point": port + gap}, position_world=port)
        np.testing.assert_allclose(there.force, -force, rtol=0, atol=1e-12)
        np.testing.assert_allclose(there.torque + np.cross(port, there.force), -torque - np.cross(port + gap, force), atol=1e-12)
        power = force @ v + torque @ w + there.force @ port_v + there.torque @ port_w
        gap_rate = v - port_v - np.cross(port_w, gap)
        stored = saturated(stiffness * gap, hold) @ gap_rate + saturated(turning * error, twist) @ (port_w - w)
        assert power + stored <= 1e-10


def test_below_its_holding_force_the_port_gives_by_the_springs_way_and_stays(make_twin: Any) -> None:
    pull = {"target": "push.other.x", "kind": "ramp", "start": 0.5, "end": 1.5, "from": 0.0, "to": 15.0}
    log = grip(make_twin, 3.0, CLOSE, pull, holding_force=20.0)
    relative = 15.0 * 1.0 / 5.0  # both bodies run away together: the hand of 1 kg of 5 kg feels a fifth of the pull
    assert log["parts.gripper.distance"].values[-1] == pytest.approx(relative / 1500.0, rel=0.01)
    assert log["parts.gripper.stage"].values[-1] == 2.0
    assert not log["parts.gripper.lost"].values.any()


def test_beyond_its_holding_force_the_port_slips_breaks_away_and_is_not_taken_again(make_twin: Any) -> None:
    pull = {"target": "push.other.x", "kind": "pulse", "start": 0.5, "end": 1.0, "value": 40.0}
    log = grip(make_twin, 2.0, CLOSE, pull, holding_force=4.0)
    time, lost = log["parts.gripper.lost"].time, log["parts.gripper.lost"].values
    force = np.linalg.norm([log[f"parts.gripper.force.{axis}"].values for axis in "xyz"], axis=0)
    assert force.max() == pytest.approx(4.0, rel=1e-9)
    assert 0.5 < time[lost > 0.5][0] < 0.7
    assert lost[-1] == 1.0
    assert force[-1] == 0.0
    assert log["parts.gripper.stage"].values[-1] == 0.0
    momentum = log["momentum.linear.x"].values[-1]
    assert momentum == pytest.approx(40.0 * 0.5, rel=1e-9)


def test_jaws_that_were_opened_take_hold_again(make_twin: Any) -> None:
    order = {"target": "inputs.gripper", "kind": "step", "at": 1.0, "from": 0.0, "to": -2.0}
    again = {"target": "inputs.gripper", "kind": "step", "at": 1.2, "from": 0.0, "to": 2.0}
    log = grip(make_twin, 2.0, CLOSE, order, again, holding_force=4.0, away=0.001)
    assert log["parts.gripper.jaws"].values[-1] == 2.0
    assert log["parts.gripper.jaws"].values[105] == 0.0
