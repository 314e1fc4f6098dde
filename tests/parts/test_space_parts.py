"""Gas, joint drives, reaction wheel, gripper and air bearing against closed forms, in the engine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import call
from pydantic import ValidationError

from didymos.parts import Part
from didymos.parts.gripper import Gripper, GripperReaction
from didymos.parts.joint_drive import JointDrive
from didymos.record.log import Log

BODY = """<mujoco><option gravity="0 0 0"/><worldbody><body name="body"><freejoint name="free"/>
  <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
WHEEL = """<mujoco><option gravity="0 0 0"/><worldbody><body name="base"><joint name="yaw" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/><body name="disc"><joint name="wheel" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="1" diaginertia="0.002 0.002 0.002"/></body></body></worldbody></mujoco>"""
PAIR = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="hand"><freejoint name="free"/><inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body>
  <body name="other" pos="{away} 0 0"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
  <joint name="turn" axis="0 0 1"/><inertial pos="0 0 0" mass="4" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
WORLD = {"step": 0.001, "integrator": "rk4", "gravity": 0.0}
THRUSTER = {"kind": "thruster_pair", "link": "body", "thrust": 0.3, "exhaust_speed": 400.0, "gas": 0.05, "period": 0.1}
GRIPPER = {
    "kind": "gripper", "link": "hand", "input_from": "port", "reach": 0.02, "reach_angle": 0.1, "seated": 0.005, "soft_time": 0.5,
    "hard_time": 0.3, "soft_stiffness": 30.0, "soft_damping": 10.0, "hard_stiffness": 1500.0, "hard_damping": 60.0, "arm": 0.05,
}  # fmt: skip


def fly(make_twin: Any, model: str, parts: dict[str, Any], seconds: float, *stimuli: dict[str, Any]) -> Log:
    run: dict[str, Any] = {"seconds": seconds, "stimuli": list(stimuli)}
    twin = make_twin(model, world=WORLD, parts=parts, scenarios={"run": run}, record={"momentum": True})
    log: Log = twin.simulate(scenario="run").run()
    return log


def always(target: str, value: float) -> dict[str, Any]:
    return {"target": target, "kind": "constant", "value": value}


def test_gas_runs_out_and_gives_all_its_momentum(make_twin: Any) -> None:
    log = fly(make_twin, BODY, {"jet": THRUSTER | {"gas": 1e-4}}, 0.5, always("inputs.jet", 1.0))
    assert log["truth.velocity.x"].values[-1] == pytest.approx(1e-4 * 400.0 / 2.0, rel=1e-9)  # m v_e / M
    assert log["parts.jet.gas"].values[-1] == pytest.approx(0.0, abs=1e-18)
    empty = log["parts.jet.force"].time[log["parts.jet.force"].values < 0.01 * 0.3][0]
    assert empty == pytest.approx(1e-4 * 400.0 / 0.3, abs=0.011)


def test_a_wheel_takes_momentum_until_it_is_full(make_twin: Any) -> None:
    """Torque t on the wheel, -t on the base: the wheel reaches its limit after I w / t, I of the two against each other."""
    drive = {"kind": "joint_drive", "link": "base", "joint": "wheel", "speed_limit": 20.0}
    log = fly(make_twin, WHEEL, {"drive": drive}, 1.0, always("inputs.drive", 0.1))
    reduced = 0.002 * 0.1 / 0.102
    full = log["parts.drive.saturated"].time[log["parts.drive.saturated"].values > 0.5][0]
    assert full == pytest.approx(reduced * 20.0 / 0.1, abs=0.011)
    assert log["joints.wheel.velocity"].values[-1] == pytest.approx(20.0, rel=0.003)  # one step of a millisecond too far
    assert log["joints.yaw.velocity"].values[-1] == pytest.approx(-20.0 * 0.002 / 0.102, rel=0.003)
    assert np.abs(log["momentum.angular.z"].values).max() < 1e-12


def test_a_full_wheel_can_be_slowed_down(make_twin: Any) -> None:
    drive = {"kind": "joint_drive", "link": "base", "joint": "wheel", "speed_limit": 20.0}
    turn = {"target": "inputs.drive", "kind": "step", "at": 0.6, "from": 0.1, "to": -0.1}
    log = fly(make_twin, WHEEL, {"drive": drive}, 0.7, turn)
    assert log["joints.wheel.velocity"].values[-1] < 17.0


def test_torque_goes_through_current_and_its_steps_and_limit() -> None:
    motor = {"joint": "j", "gear": 186.0, "torque_constant": 0.0134, "current_limit": 2.0, "current_step": 0.00049}
    stiff = 186.0 * 0.0134
    found = call(JointDrive, inputs={"torque": 0.5}, **motor)
    current = 0.00049 * round(0.5 / stiff / 0.00049)
    assert found.readouts["current"] == pytest.approx(current, rel=1e-12)
    assert found.joint_torque == pytest.approx(stiff * current, rel=1e-12)
    assert abs(found.joint_torque - 0.5) <= 0.5 * stiff * 0.00049
    assert call(JointDrive, inputs={"torque": 9.0}, **motor).joint_torque == pytest.approx(2.0 * stiff)
    assert call(JointDrive, inputs={"torque": 0.5}, memory={"tripped": 1.0, "awake": 1.0}, **motor).joint_torque == 0.0


@pytest.mark.parametrize(
    ("stimulus", "trips"),
    [
        ({"kind": "step", "at": 0.1, "from": 0.05, "to": 0.14}, False),
        ({"kind": "step", "at": 0.1, "from": 0.05, "to": 0.16}, True),  # a jump of more than 0.1 N m
        ({"kind": "step", "at": 0.1, "from": 0.05, "to": 0.0}, True),  # exactly zero
        ({"kind": "step", "at": 0.1, "from": 0.05, "to": 1e-5}, False),
        ({"kind": "ramp", "start": 0.1, "end": 0.2, "from": 0.05, "to": 0.9}, False),  # 0.085 N m a tick
    ],
)
def test_a_driver_trips_on_a_jump_and_at_zero_for_good(make_twin: Any, stimulus: dict[str, Any], trips: bool) -> None:
    drive = {"kind": "joint_drive", "link": "base", "joint": "wheel", "trip_jump": 0.1, "trip_at_zero": 1}
    log = fly(make_twin, WHEEL, {"drive": drive}, 0.4, {"target": "inputs.drive", **stimulus})
    assert bool(log["parts.drive.tripped"].values[-1]) is trips
    assert (log["parts.drive.torque"].values[-1] == 0.0) == trips


def grip(make_twin: Any, away: float, seconds: float, *stimuli: dict[str, Any]) -> Log:
    parts = {
        "port": {"kind": "gripper_port", "link": "other"},
        "gripper": GRIPPER,
        "back": {"kind": "gripper_reaction", "link": "other", "input_from": "gripper"},
    }
    return fly(make_twin, PAIR.format(away=away), parts, seconds, *stimuli)


def test_the_gripper_closes_softly_then_hard_and_reports_both(make_twin: Any) -> None:
    order = {"target": "inputs.gripper", "kind": "step", "at": 1.0, "from": 1.0, "to": 2.0}
    log = grip(make_twin, 0.004, 2.0, always("inputs.gripper", 0.0), order)
    time, stage, jaws = log["parts.gripper.stage"].time, log["parts.gripper.stage"].values, log["parts.gripper.jaws"].values
    assert time[stage >= 1.0][0] == pytest.approx(0.5, abs=0.021)
    assert time[stage >= 2.0][0] == pytest.approx(1.3, abs=0.021)
    assert jaws[time < 0.25].max() == pytest.approx(0.5, abs=0.03)
    assert jaws[-1] == 2.0
    assert log["parts.gripper.distance"].values[-1] < 1e-4


def test_what_the_gripper_pulls_on_one_body_it_pulls_on_the_other(make_twin: Any) -> None:
    log = grip(make_twin, 0.015, 2.0, always("inputs.gripper", 2.0))
    assert log["joints.x.velocity"].values.min() < -1e-3
    for axis in ("linear.x", "linear.y", "angular.z"):
        assert np.abs(log[f"momentum.{axis}"].values).max() < 1e-13
    meeting = log["tf.other.position.x"].values[-1]
    assert meeting == pytest.approx(0.015 * 4.0 / 5.0, abs=1e-4)  # the common centre of mass


def test_a_port_out_of_reach_is_not_taken(make_twin: Any) -> None:
    log = grip(make_twin, 0.021, 1.0, always("inputs.gripper", 2.0))
    assert not log["parts.gripper.jaws"].values.any()
    assert not log["joints.x.velocity"].values.any()


@pytest.mark.parametrize(("kind", "numbers", "missing"), [(Gripper, GRIPPER, "position"), (GripperReaction, {}, "force")])
def test_a_gripper_without_its_port_is_refused(kind: type[Part], numbers: dict[str, Any], missing: str) -> None:
    with pytest.raises(ValidationError, match=f"needs the key 'input_from': the part with the output '{missing}'"):
        kind.spec(**(numbers | {"link": "hand", "input_from": None}))


def test_a_bearing_drags_as_its_film_does_and_sits_down_when_its_air_is_gone(make_twin: Any) -> None:
    """v = v0 exp(-b t / m); then the dry friction mu g stops it within v / (mu g)."""
    parts = {"bearing": {"kind": "air_bearing", "link": "body", "load": 2.0, "drag": 0.5, "flight_time": 1.0}}
    twin = make_twin(BODY, world=WORLD, parts=parts, start={"velocity": [0.1, 0.0, 0.0]})
    log = twin.simulate().run(1.2)
    speed = log["truth.velocity.x"]
    before = speed.time < 0.99
    np.testing.assert_allclose(speed.values[before], 0.1 * np.exp(-0.25 * speed.time[before]), rtol=1e-6)
    landed = 0.1 * math.exp(-0.25)
    stopped = speed.time[speed.values < 0.01 * landed][0]
    assert stopped == pytest.approx(1.0 + landed / (0.2 * 9.80665), abs=0.02)


def test_a_table_that_leans_accelerates_by_its_slope(make_twin: Any) -> None:
    parts = {"bearing": {"kind": "air_bearing", "link": "body", "load": 2.0, "slope_x": 0.001, "slope_y": -0.002}}
    log = fly(make_twin, BODY, parts, 1.0)
    end = log["truth.velocity.x"].time[-1]
    assert log["truth.velocity.x"].values[-1] == pytest.approx(0.001 * 9.80665 * end, rel=1e-9)
    assert log["truth.velocity.y"].values[-1] == pytest.approx(-0.002 * 9.80665 * end, rel=1e-9)
