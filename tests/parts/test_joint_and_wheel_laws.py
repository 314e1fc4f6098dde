"""Servos, drives, rolling drag and kinematic parts over 10,000 random states: passive, continuous, mirrored, within limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from laws import Law

from didymos.parts.drive import COMMAND, POSITION, ZERO_VELOCITY, Drive
from didymos.parts.joint_drive import JointDrive
from didymos.parts.kinematic_drive import KinematicBase, KinematicWheel
from didymos.parts.mount_servo import MountServo
from didymos.parts.rolling_drag import RollingDrag
from didymos.parts.wheel_servo import WheelServo

COUNT = 10_000


def draws(seed: int, *sizes: float) -> Any:
    """Rows of normal numbers of these sizes."""
    return np.random.default_rng(seed).normal(size=(COUNT, len(sizes))) * sizes


def test_rolling_drag_takes_power_and_is_the_same_both_ways() -> None:
    law = Law(RollingDrag, drag_x=121.0, drag_y=7.86)
    for velocity in draws(1, 1.0, 1.0, 1.0):
        found = law(velocity=velocity)
        assert found.force @ velocity == pytest.approx(-121.0 * velocity[0] ** 2 - 7.86 * velocity[1] ** 2, rel=1e-12)
        np.testing.assert_array_equal(law(velocity=-velocity).force, -found.force)


def test_a_mount_servo_at_its_place_only_brakes_and_never_exceeds_its_limit() -> None:
    """Power and the rate of what the saturated spring stores, together never above zero."""
    k, d, most = 4.0, 0.3, 1.5
    law = Law(MountServo, joint="j", stiffness=k, damping=d, torque_limit=most)
    for position, velocity, commanded in draws(2, 1.0, 3.0, 0.5):
        torque = law(memory={"commanded": commanded}, joint_position=position, joint_velocity=velocity).joint_torque
        assert abs(torque) <= most
        spring = min(max(k * (commanded - position), -most), most)
        assert (torque - spring) * velocity <= 1e-12
        other = law(memory={"commanded": -commanded}, joint_position=-position, joint_velocity=-velocity).joint_torque
        assert other == -torque
        near = law(memory={"commanded": commanded}, joint_position=position + 1e-9, joint_velocity=velocity).joint_torque
        assert abs(near - torque) <= 1.01e-9 * k


def test_a_wheel_servo_stays_within_its_torque_and_winds_up_no_further() -> None:
    law = Law(WheelServo, joint="j", proportional=6.0, integral=30.0, torque_limit=100.0, largest_demand=15.0)
    for accepted, speed, integral in draws(3, 8.0, 12.0, 60.0):
        found = law(memory={"accepted": accepted}, state={"integral": integral}, joint_velocity=speed)
        wish = 6.0 * (accepted - speed) + integral
        assert found.joint_torque == pytest.approx(min(max(wish, -100.0), 100.0), rel=1e-12)
        if abs(wish) > 100.0:
            assert found.rate["integral"] * integral <= 0.0 or found.rate["integral"] == 0.0
        other = law(memory={"accepted": -accepted}, state={"integral": -integral}, joint_velocity=-speed)
        assert other.joint_torque == -found.joint_torque
        still = law(state={"integral": 0.0}, joint_velocity=speed)  # told to stand still, it only brakes
        assert still.joint_torque * speed <= 0.0


def test_a_joint_drive_never_pushes_beyond_its_speed_and_its_current() -> None:
    law = Law(JointDrive, joint="j", gear=186.0, torque_constant=0.0134, current_limit=2.0, speed_limit=4.0)
    stiff = 186.0 * 0.0134
    for torque, speed in draws(4, 4.0, 4.0):
        found = law(inputs={"torque": torque}, joint_velocity=speed)
        assert abs(found.joint_torque) <= 2.0 * stiff * (1 + 1e-12)
        assert found.joint_torque * speed <= 0.0 or abs(speed) < 4.0
        if abs(speed) < 0.99 * 4.0 or torque * speed < 0.0:
            assert found.joint_torque == pytest.approx(min(max(torque, -2.0 * stiff), 2.0 * stiff), rel=1e-12)
        assert law(inputs={"torque": -torque}, joint_velocity=-speed).joint_torque == -found.joint_torque


@pytest.mark.parametrize(("given", "knee"), [({}, 3.96), ({"knee_speed": 1.0}, 1.0)])
def test_a_joint_drives_torque_falls_to_nothing_at_its_speed_without_a_jump(given: dict[str, float], knee: float) -> None:
    law = Law(JointDrive, joint="j", speed_limit=4.0, **given)
    speeds = np.array([-9.0, 0.0, knee, knee + 0.25 * (4.0 - knee), 4.0 - 1e-12, 4.0, 9.0])
    found = [law(inputs={"torque": 2.0}, joint_velocity=speed) for speed in speeds]
    assert [answer.joint_torque for answer in found] == pytest.approx([2.0, 2.0, 2.0, 1.5, 0.0, 0.0, 0.0], abs=1e-9)
    assert [answer.readouts["saturated"] for answer in found] == [0, 0, 0, 1, 1, 1, 1]
    slope = 2.0 / (4.0 - knee)
    for speed in np.linspace(0.9 * knee, 4.1, 500):
        change = law(inputs={"torque": 2.0}, joint_velocity=speed).joint_torque
        change -= law(inputs={"torque": 2.0}, joint_velocity=speed + 1e-7).joint_torque
        assert abs(change) <= slope * 1e-7 * (1.0 + 1e-6) + 1e-13


def test_a_knee_above_the_speed_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="expected less than speed_limit"):
        Law(JointDrive, joint="j", speed_limit=4.0, knee_speed=4.0)


def test_a_drive_that_damps_takes_power_and_is_the_same_both_ways() -> None:
    """Zero velocity: tau v <= 0 for any speed and heat; friction that the law gives back is less than what the joint holds."""
    n, coulomb, stribeck = 9.0, 0.05, 0.03
    law = Law(
        Drive, joint="j", ratio=n, kp=1.0, kd=0.05, peak_torque=4.0, continuous_torque=2.0, thermal_time=30.0, top_speed=40.0,
        knee_speed=20.0, coulomb=coulomb, stribeck=stribeck,
    )  # fmt: skip
    commands = np.zeros(64, COMMAND)
    commands[0]["mode"], commands[0]["kd_scale"] = ZERO_VELOCITY, 1.0
    for heat, speed in draws(5, 1.0, 20.0):
        memory = {"heat": abs(heat), "sent": 1.0, "commands": commands}
        found = law(memory=memory, joint_velocity=speed)
        assert found.readouts["torque"] * speed <= 0.0
        assert (found.joint_torque - n * found.readouts["torque"]) * speed <= n * stribeck * abs(speed) * (1 + 1e-12)
        assert law(memory=memory, joint_velocity=-speed).joint_torque == -found.joint_torque


def test_a_drives_torque_does_not_jump_with_speed_position_or_heat() -> None:
    law = Law(
        Drive, joint="j", ratio=9.0, kp=1.7, kd=0.05, ki=0.4, integral_limit=0.3, peak_torque=4.0, continuous_torque=2.0,
        thermal_time=30.0, top_speed=40.0, knee_speed=20.0, stribeck=0.03,
    )  # fmt: skip
    commands = np.zeros(64, COMMAND)
    commands[0]["mode"], commands[0]["kp_scale"], commands[0]["kd_scale"] = POSITION, 1.0, 1.0
    step = 1e-8
    # steepest: 4 N m over 20 rev/s and (4 - 2) N m over a heat of 0.1, and the gains, times the ratio at motor and output
    slope = 9.0 * (9.0 * (1.7 + 0.05 + 4.0 / 20.0) + 9.0 * 2.0 * 0.03 / 0.1) + 9.0 * 2.0 / 0.1
    for heat, speed, position, feedforward in draws(6, 0.7, 20.0, 0.5, 3.0):
        commands[0]["feedforward"] = feedforward
        one, other = (
            law(
                memory={"heat": abs(heat) + by, "sent": 1.0, "commands": commands}, joint_velocity=speed + by,
                joint_position=position + by, time=1.0,
            ).joint_torque
            for by in (0.0, step)
        )  # fmt: skip
        assert abs(other - one) <= slope * step + 1e-12


def test_kinematic_parts_reach_what_they_are_told_within_one_step_of_any_length() -> None:
    base = Law(KinematicBase, mass=83.7, inertia_x=6, inertia_y=6, inertia_z=9)
    wheel = Law(KinematicWheel, joint="j", per_x=0.025, per_y=0.025, per_turn=0.03, inertia=1e-3)
    for u, v, turn, speed, now, length in draws(7, 1.0, 1.0, 1.0, 5.0, 5.0, 1.0):
        h = 10.0 ** (-3.0 + 0.5 * length)
        found = base(inputs={"velocity": (u, v), "turn": turn}, velocity=(0.3, -0.2, 0.1), rate=(0.1, 0.2, 0.3), step=h)
        after = np.array([0.3, -0.2, 0.1]) + h * found.force / 83.7
        middle = np.array([[np.cos(0.5 * turn * h), -np.sin(0.5 * turn * h)], [np.sin(0.5 * turn * h), np.cos(0.5 * turn * h)]])
        chord = np.sinc(0.5 * turn * h / np.pi) * middle @ (u, v)  # of an arc: along its middle direction, by sin(x) / x
        np.testing.assert_allclose(after, [*chord, 0.0], atol=1e-9)
        np.testing.assert_allclose(np.array([0.1, 0.2, 0.3]) + h * found.torque / (6, 6, 9), [0, 0, turn], atol=1e-12)
        turned = wheel(inputs={"speed": speed}, joint_velocity=now, step=h)
        assert now + h * turned.joint_torque / 1e-3 == pytest.approx(speed, abs=1e-9)
        assert turned.torque[1] == turned.joint_torque  # about y of its frame, given back to the link
