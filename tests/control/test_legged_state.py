"""What the walking program knows of itself, against the same physics written with matrices, on random bodies and motions.

It is told what a robot would measure whose feet stand, roll or swing as they should, and has to find out its motion. Rotations
come from scipy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from legged_records import DT, END, SIDE, G, Records
from scipy.spatial.transform import Rotation

from didymos.control import footing, leg_state, legged_state
from didymos.control.leg import torque_of


@pytest.mark.parametrize("seed", range(4))
def test_legs_whose_feet_roll_tell_the_velocity_and_the_turn_of_the_trunk(seed: int) -> None:
    records = Records(seed)
    records.turn_to(0.2, -0.15)
    records.place_feet()
    rate, velocity = records.random.normal(size=3), records.random.normal(size=3)
    up = records.rotation[2]
    records.body["rate"] = rate
    records.memory["contact"][:4] = 1.0
    for number in range(4):
        # the centre of the foot has v + w x p + J q', and, rolling on a plane across up, r W x up; both are linear in q'
        pose, radius = records.legs[number]["pose"], float(records.limbs[number]["radius"])
        jacobian, p = pose["jacobian"][:, :3].copy(), pose["foot"].copy()
        rolls = np.column_stack([radius * np.cross(axis, up) for axis in pose["axis"][:3]])
        right = radius * np.cross(rate, up) - velocity - np.cross(rate, p)
        records.legs[number]["velocity"][:3] = np.linalg.solve(jacobian - rolls, right)
    sx, sy, sz, count = legged_state._said_by_legs(records.settings, records.memory)
    assert count == 4.0
    assert np.array([sx, sy, sz]) / count == pytest.approx(velocity, abs=1e-9)
    records.memory["contact"][2] = 0.0
    assert legged_state._said_by_legs(records.settings, records.memory)[3] == 3.0


def test_the_bias_of_the_gyro_about_up_is_learnt_from_feet_that_do_not_turn() -> None:
    records = Records(1)
    records.place_feet()
    records.memory["contact"][:4] = 1.0
    spin, bias = 0.4, 0.05
    for number in range(4):  # a trunk that turns about its own z, feet that stand: p' = -w x p, rolling left out
        records.limbs[number]["radius"] = 0.0
        pose = records.legs[number]["pose"]
        records.legs[number]["velocity"][:3] = np.linalg.solve(pose["jacobian"][:, :3], -np.cross([0.0, 0.0, spin], pose["foot"]))
    for _ in range(20_000):  # 40 s at 0.5 1/s
        records.body["rate"] = [0.0, 0.0, spin + bias - records.body["gyro_bias"][2]]
        legged_state._heading_bias(records.settings, 0.5, DT, records.memory)
    assert records.body["gyro_bias"][2] == pytest.approx(bias, abs=1e-6)


def test_readings_of_an_imu_are_turned_into_the_frame_of_the_trunk() -> None:
    records = Records()
    mount = Rotation.from_euler("xyz", [0.3, -0.8, 2.0]).as_matrix()
    records.robot["imu"] = mount
    records.measured["gyro"], records.measured["accel"] = [0.1, 0.2, 0.3], [1.0, -2.0, 9.0]
    legged_state._sense(records.robot, records.measured, records.memory)
    assert records.body["rate"] == pytest.approx(mount @ [0.1, 0.2, 0.3])
    assert records.body["accel"] == pytest.approx(mount @ [1.0, -2.0, 9.0])


def _tilt(records: Records, gyro: Any, accel: Any, gain: float, dt: float) -> None:
    records.body["rate"], records.body["accel"] = gyro, accel
    legged_state._tilt(gain, dt, records.memory)


def test_up_turns_with_the_gyro_and_settles_where_the_accelerometer_points() -> None:
    records = Records()
    rate = np.array([0.4, -0.7, 0.9])
    up = Rotation.from_euler("xyz", [0.3, -0.2, 0.0]).as_matrix()[2]
    records.body["up"] = up
    _tilt(records, rate, 9.8 * up, 0.0, 1e-5)
    turned = Rotation.from_rotvec(-1e-5 * rate).apply(up)  # a fixed direction turns against the body
    assert records.body["up"] == pytest.approx(turned, abs=1e-9)
    assert records.memory["roll"] == pytest.approx(np.arctan2(turned[1], turned[2]), abs=1e-9)
    assert records.memory["pitch"] == pytest.approx(np.arcsin(-turned[0]), abs=1e-9)

    bias = np.array([0.02, -0.03, 0.0])  # at rest, so this is all bias
    truth = Rotation.from_euler("xyz", [-0.1, 0.2, 0.0]).as_matrix()[2]
    for _ in range(20_000):  # 200 s at a bandwidth of 0.5 rad/s
        _tilt(records, bias, 9.8 * truth, 0.5, 0.01)
    assert records.body["up"] == pytest.approx(truth, abs=1e-6)
    across = np.eye(3) - np.outer(truth, truth)  # a turn about up is not seen
    assert across @ records.body["gyro_bias"] == pytest.approx(across @ bias, abs=1e-6)
    assert across @ records.body["rate"] == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


def test_a_first_reading_that_is_no_rest_is_not_taken_for_up() -> None:
    for accel, up in (([1.0, 2.0, 9.5], np.array([1.0, 2.0, 9.5]) / np.sqrt(95.25)), ([0.0, 6.0, 9.8], [0.0, 0.0, 1.0])):
        records = Records()
        records.body["accel"] = accel
        legged_state._begin(records.robot, records.memory)
        assert records.body["up"] == pytest.approx(up)
        assert (records.legs["share"][:4] == 1.0).all()


def test_yaw_and_the_level_frame_follow_the_body_and_the_swing_follows_slowly() -> None:
    records = Records()
    attitude = Rotation.from_euler("ZYX", [0.5, -0.3, 0.4])
    records.memory["yaw"], records.memory["pitch"], records.memory["roll"] = attitude.as_euler("ZYX")
    rate, dt = np.array([0.3, -0.8, 0.6]), 1e-5
    records.body["rate"], records.clock["period"] = rate, dt
    legged_state._attitude(records.clock, records.time, records.memory)
    assert records.body["rotation"] == pytest.approx(Rotation.from_euler("ZYX", [0.0, -0.3, 0.4]).as_matrix())
    assert records.memory["yaw"] == pytest.approx((attitude * Rotation.from_rotvec(dt * rate)).as_euler("ZYX")[0], abs=1e-9)
    part = dt / (0.5 * records.time)
    assert records.body["steady_tilt"] == pytest.approx([0.4 * part, -0.3 * part])
    slow = Rotation.from_euler("ZYX", [0.0, -0.3 * part, 0.4 * part]).as_matrix()
    assert records.body["steady_rotation"] == pytest.approx(slow)


def test_joints_are_felt_less_what_friction_rotors_limbs_and_weight_take() -> None:
    for belt in (0.0, 1.0):
        records = Records(3)
        records.place_feet()
        limb, leg = records.limbs[1], records.legs[1]
        limb["joints"]["belt"][2], limb["joints"]["viscous"][:3] = belt, [0.2, 0.3, 0.4]
        velocity, acceleration, torque = records.random.normal(size=(3, 3))
        leg["velocity"][:3], leg["acceleration"][:3], leg["effort"][:3] = velocity, acceleration, 0.3
        records.memory["efforts"][3:6] = torque
        over = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, belt, 1.0]])  # motors by joints: a belt turns with both
        of_motor = torque - limb["joints"]["friction"][:3] * np.tanh(over @ velocity / 0.3)
        of_motor -= limb["joints"]["rotor"][:3] * (over @ acceleration) + np.array([0.2, 0.3, 0.4]) * (over @ velocity)
        carried = over.T @ of_motor - limb["inertia"][:3, :3] @ acceleration - leg["pose"]["weight"][:3]  # virtual work
        leg_state.carry(limb, records.memory["efforts"], 0.2, leg)
        assert leg["effort"][:3] == pytest.approx(0.3 + 0.2 * (carried - 0.3))


def test_an_effort_that_nothing_reads_is_the_one_that_was_asked_for_within_its_limit() -> None:
    records = Records()
    memory, measured = records.memory, records.measured
    measured["efforts"][:12] = 2.0
    records.limbs["joints"]["felt"][:4] = 3.0
    leg_state.read_efforts(records.settings, measured, memory)
    assert (memory["efforts"][:12] == 6.0).all()
    records.limbs["joints"]["felt"][:4] = 0.0
    goal = {"effort": 1.0, "kp": 10.0, "kd": 2.0, "position": 0.5, "velocity": 1.0}
    for name, value in goal.items():
        memory["goals"][name] = value
    measured["joints"]["position"], measured["joints"]["velocity"] = 0.2, 0.5
    records.settings["actuators"]["effort"] = 100.0
    leg_state.read_efforts(records.settings, measured, memory)
    assert memory["efforts"][:12] == pytest.approx(1.0 + 10.0 * 0.3 + 2.0 * 0.5)
    records.settings["actuators"]["effort"] = 4.0
    leg_state.read_efforts(records.settings, measured, memory)
    assert memory["efforts"][:12] == pytest.approx(4.0)


def test_a_foot_that_stands_is_believed_down_to_six_tenths_of_the_threshold() -> None:
    records = Records(1)
    records.place_feet()
    for load, before, after in ((30.0, 0.0, 1.0), (20.0, 0.0, 0.0), (20.0, 1.0, 1.0), (14.0, 1.0, 0.0)):
        records.memory["contact"] = before
        for leg in records.legs[:4]:
            leg["effort"][:3] = [torque_of(leg["pose"], i, *(load * records.rotation[2])) for i in range(3)]
        leg_state.feel_loads(records.settings, 25.0, records.memory)
        assert records.memory["load"][:4] == pytest.approx(4 * [load], rel=0.02)  # damped, see test_leg
        assert (records.memory["contact"][:4] == after).all()


def test_velocity_is_integrated_in_a_frame_that_turns_with_the_heading() -> None:
    records = Records(2)
    records.turn_to(0.1, 0.2)
    rate, velocity, accel = np.array([0.1, 0.2, 0.9]), np.array([0.7, -0.4, 0.2]), np.array([0.5, -1.0, 9.0])
    records.body["rate"], records.body["velocity"], records.body["accel"] = rate, velocity, accel
    spin = np.array([0.0, 0.0, (records.rotation @ rate)[2]])
    expected = velocity + DT * (records.rotation @ accel - [0.0, 0.0, G] - np.cross(spin, velocity))
    legged_state._velocity(records.settings, 25.0, DT, records.memory)  # no leg stands: fades over a second
    assert records.body["velocity"] == pytest.approx((1.0 - DT) * expected, abs=1e-9)

    records.body["velocity"] = velocity
    records.memory["contact"][0] = 1.0  # one that stands still says: no velocity but that of w x p
    records.place_feet()
    said = records.rotation @ np.array(legged_state._said_by_legs(records.settings, records.memory)[:3])
    legged_state._velocity(records.settings, 25.0, DT, records.memory)
    assert records.body["velocity"] == pytest.approx(expected + 25.0 * DT * (said - expected), abs=1e-9)


def test_footholds_stay_on_the_ground_while_the_trunk_moves_on() -> None:
    records = Records()
    velocity, dt, spin = np.array([0.5, -0.3, 0.1]), 1e-5, 0.8
    records.clock["period"], records.body["velocity"], records.body["rate"][2] = dt, velocity, spin
    points = records.random.normal(size=(4, 3))
    records.legs["foothold"][:4] = points
    records.memory["contact"][1] = 1.0
    records.legs[1]["foot_level"] = [9.0, 8.0, 7.0]
    footing.keep_footholds(records.clock, 4, records.memory)
    moved = Rotation.from_rotvec([0.0, 0.0, -spin * dt]).apply(points - dt * velocity)
    moved[1] = [9.0, 8.0, 7.0]  # one that stands now
    assert records.legs["foothold"][:4] == pytest.approx(moved, abs=1e-9)


def test_slope_and_height_are_those_of_the_plane_that_the_feet_stand_on() -> None:
    records = Records()
    feet = np.column_stack([0.32 * END, 0.27 * SIDE, np.zeros(4)]) + np.array([0.03, -0.02, 0.0])
    feet[:, 2] = -0.38 + 0.15 * feet[:, 0] - 0.1 * feet[:, 1]
    records.legs["foothold"][:4] = records.legs["foot_level"][:4] = feet
    records.clock["first"] = 1.0
    footing.find_slope(records.clock, records.robot, records.memory)
    assert records.memory["slope"] == pytest.approx([0.15, -0.1])
    footing.find_height(records.clock, records.settings, records.memory)
    assert records.memory["height"] == pytest.approx(0.38 + 0.035)

    records.clock["first"] = 0.0
    records.memory["slope"], records.memory["height"], records.body["velocity"] = 0.0, 0.5, [0.4, -0.2, 0.3]
    footing.find_slope(records.clock, records.robot, records.memory)
    assert records.memory["slope"] == pytest.approx(np.array([0.15, -0.1]) * DT / (1.93 * records.time))
    records.memory["slope"] = slope = np.array([0.15, -0.1])
    footing.find_height(records.clock, records.settings, records.memory)  # no foot stands: by the velocity across the slope
    assert records.memory["height"] == pytest.approx(0.5 + DT * (0.3 - slope @ [0.4, -0.2]))
    records.memory["contact"], records.memory["height"], records.body["velocity"] = 1.0, 0.5, 0.0
    footing.find_height(records.clock, records.settings, records.memory)
    assert records.memory["height"] == pytest.approx(0.5 + DT / (0.145 * records.time) * (0.415 - 0.5))
    records.legs["foothold"][:4, 2] = 5.0 * feet[:, 0] - 5.0 * feet[:, 1]
    records.clock["first"] = 1.0
    footing.find_slope(records.clock, records.robot, records.memory)
    assert records.memory["slope"] == pytest.approx([0.6, -0.6])  # steeper is not believed


def test_two_feet_tell_the_slope_along_the_line_between_them_and_none_across_it() -> None:
    """Also where they stand far apart both forward and aside: they lie on a line, so least squares alone have no answer."""
    records = Records()
    records.robot["legs"] = 2
    records.clock["first"] = 1.0
    ways = np.array([[0.5, 0.5], [0.75, 0.25], [-0.5, 1.0], [0.0, 1.0]])  # 0.5 and 0.25 are exact: the determinant is zero
    for way in ways:
        records.legs["foothold"][:2] = [[*way, 0.125], [*-way, -0.125]]
        footing.find_slope(records.clock, records.robot, records.memory)
        assert records.memory["slope"] == pytest.approx(0.125 * way / (way @ way), abs=1e-12)
        records.memory["slope"] = 0.0


def test_a_foot_moves_with_its_joints_and_its_acceleration_is_that_of_two_readings() -> None:
    records = Records(5)
    records.turn_to(-0.2, 0.1)
    records.place_feet()
    leg = records.legs[3]
    where = leg["pose"]["foot"].copy()
    leg["velocity"][:3], leg["pose"]["foot"] = [0.5, 0.0, 0.0], 0.0
    records.measured["joints"]["velocity"][9:12] = [1.0, 2.0, -3.0]
    leg_state.read_leg(records.clock, records.limbs[3], records.measured["joints"], G, records.body, leg)
    assert leg["pose"]["foot"] == pytest.approx(where)
    assert leg["foot_level"] == pytest.approx(records.rotation @ where)
    assert leg["acceleration"][:3] == pytest.approx(np.array([0.5, 2.0, -3.0]) / DT)
    assert leg["velocity"][:3] == pytest.approx([1.0, 2.0, -3.0])
