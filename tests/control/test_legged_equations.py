"""Every equation of the walking program against the same physics written with matrices, on random bodies and motions.

The program is told what a robot would measure whose feet stand, roll or swing as they should, and has to find out its motion;
what it asks of its legs is worked out again from the modules' equations. Rotations come from scipy.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import didymos
from didymos.control import footing, gait, leg_drive, leg_state, legged_state, stance
from didymos.control.leg import pose_leg, torque_of, weigh_leg
from didymos.control.legged import Legged

G = 9.80665
DT = 0.002
END, SIDE = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])


@functools.cache
def _settings() -> Any:
    """The settings of the program for meldog: legs of three joints, four of them."""
    program = didymos.load("meldog").simulate().program
    assert isinstance(program, Legged)
    return program.settings


class Records:
    """The records that the program's functions read and write."""

    def __init__(self, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self.memory: Any = np.zeros(1, Legged.memory_layout)[0]
        self.gains: Any = np.zeros(1, Legged.gain_layout)[0]
        self.measured: Any = np.zeros(1, Legged.measurement_layout)[0]
        self.settings: Any = np.array([_settings()])[0]
        self.clock: Any = np.zeros(1, [("time", float), ("period", float), ("first", float)])[0]
        self.clock["period"] = DT
        self.robot: Any = self.settings["robot"]
        self.robot["imu"] = np.eye(3)
        self.limbs = self.settings["limbs"]
        for gain in Legged.gain_table:
            self.gains[gain.name] = gain.value
        self.body, self.legs, self.goal = self.memory["body"], self.memory["legs"], self.memory["goal"]
        self.time, self.length = float(self.robot["time"]), float(self.robot["length"])
        self.memory["period"], self.memory["duty"] = self.gains["period"] * self.time, self.gains["duty"]
        self.turn_to(0.0, 0.0)

    def turn_to(self, roll: float, pitch: float) -> None:
        """Let the program know its tilt."""
        self.memory["roll"], self.memory["pitch"] = roll, pitch
        self.rotation = Rotation.from_euler("ZYX", [0.0, pitch, roll]).as_matrix()
        self.body["rotation"], self.body["up"] = self.rotation, self.rotation[2]
        self.body["steady_rotation"] = self.rotation

    def place_feet(self) -> np.ndarray:
        """Random angles of all joints [4, 3], and where the feet are then."""
        angles = self.random.uniform([-0.5, -1.1, 0.6], [0.5, -0.2, 1.8], (4, 3))
        for number in range(4):
            leg = self.legs[number]
            leg["angle"][:3] = angles[number]
            pose_leg(self.limbs[number], leg["angle"], leg["pose"])
            weigh_leg(self.limbs[number], G, self.body["up"], leg["pose"])
            leg["foot_level"] = self.rotation @ leg["pose"]["foot"]
            self.measured["joints"]["position"][3 * number : 3 * number + 3] = angles[number]
        return angles


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


@pytest.mark.parametrize("number", range(4))
def test_a_foot_comes_down_where_the_robot_will_be_over_it(number: int) -> None:
    records = Records(number)
    records.turn_to(0.15, -0.1)
    memory, gains, robot, limb = records.memory, records.gains, records.robot, records.limbs[number]
    gains["stance_y"] = 0.05
    memory["height"], records.body["velocity"] = 0.42, [0.4, -0.2, 0.0]
    records.goal["velocity"], records.goal["acceleration"], memory["slope"] = [0.3, 0.1], [0.2, -0.1], [0.1, -0.05]
    stand, turn = memory["duty"] * memory["period"], 0.6
    home = np.array([limb["home"][0], limb["home"][1] + SIDE[number] * 0.05 * records.length, 0.0])
    level = (records.rotation @ home)[:2]
    level = level + 0.5 * stand * turn * np.array([-level[1], level[0]])
    capture = gains["capture"] * records.time
    step = 0.5 * stand * np.array([0.4, -0.2]) + capture * np.array([0.1, -0.3]) - 0.42 / G * np.array([0.2, -0.1])
    x, y = level + step
    found = gait._landing(robot, limb, gains, turn, memory)
    assert found == pytest.approx([x, y, 0.1 * x - 0.05 * y - (0.42 - 0.035)])
    records.body["velocity"] = [30.0, 0.0, 0.0]  # no further than the leg reaches
    x, y, _ = gait._landing(robot, limb, gains, turn, memory)
    assert np.hypot(*(np.array([x, y]) - level)) == pytest.approx(0.55 * 0.42)
    records.body["velocity"] = records.goal["velocity"] = records.goal["acceleration"] = 0.0
    memory["height"] = -0.1  # of a robot that lies, and believes its hips to be under its feet
    assert gait._landing(robot, limb, gains, turn, memory)[:2] == pytest.approx(level)


def test_a_foot_swings_along_a_cycloid_over_a_hump_and_searches_for_the_ground() -> None:
    records = Records()
    leg, gains, robot, memory = records.legs[0], records.gains, records.robot, records.memory
    whole = (1.0 - memory["duty"]) * memory["period"]
    leg["lift_off"] = start = np.array([0.1, 0.2, -0.4])
    goal = np.array([0.3, 0.15, -0.38])
    for done in (0.0, 0.2, 0.5, 0.9, 1.0):
        leg["since"] = done * whole
        forward = done - np.sin(2.0 * np.pi * done) / (2.0 * np.pi)
        lift = gains["lift"] * records.length * np.sin(np.pi * done) ** 2
        assert gait._curve(robot, gains, memory, leg, *goal) == pytest.approx(start + forward * (goal - start) + [0.0, 0.0, lift])
    leg["since"] = whole + 0.05
    deeper = 0.39 * 0.05 / records.time * records.length
    assert gait._curve(robot, gains, memory, leg, *goal) == pytest.approx(goal - [0.0, 0.0, deeper])
    leg["since"] = whole + 9.0
    assert gait._curve(robot, gains, memory, leg, *goal) == pytest.approx(goal - [0.0, 0.0, 0.36 * records.length])


def test_the_joints_of_a_swinging_leg_follow_the_curve_with_its_derivatives() -> None:
    records = Records()
    records.turn_to(0.1, 0.05)
    records.place_feet()
    memory, leg, limb = records.memory, records.legs[2], records.limbs[2]
    memory["height"], leg["lift_off"] = 0.42, records.legs[2]["foot_level"]
    leg["goal_angle"] = leg["angle"]
    asked, rates = [], []
    for step in range(1, 60):
        leg["since"] = step * DT
        gait.swing(records.settings, 2, records.gains, 0.0, DT, memory)
        curve = gait._curve(records.robot, records.gains, memory, leg, *leg["landing"])
        pose_leg(limb, leg["goal_angle"], memory["pose"])
        assert memory["pose"]["foot"] == pytest.approx(records.rotation.T @ np.array(curve), abs=1e-4)
        asked.append(leg["goal_angle"][:3].copy())
        rates.append(leg["goal_velocity"][:3].copy())
    assert rates[30] == pytest.approx((asked[30] - asked[29]) / DT)
    smooth = np.zeros(3)
    for step in range(2, 59):
        smooth += ((rates[step] - rates[step - 1]) / DT - smooth) / 3.0
    assert leg["goal_acceleration"][:3] == pytest.approx(smooth, rel=1e-6)


def _walk(records: Records, seconds: float, walking: bool = True, ground: bool = True, one_by_one: bool = False) -> np.ndarray:
    """Which legs swing [steps, 4], where a foot touches the ground at 0.7 of its swing, or never."""
    memory, swings = records.memory, []
    for _ in range(round(seconds / DT)):
        whole = (1.0 - memory["duty"]) * memory["period"]
        for number, leg in enumerate(records.legs[:4]):
            down = leg["swings"] < 0.5 or (ground and leg["since"] > 0.7 * whole)
            memory["contact"][number] = float(down)
        gait.advance_gait(records.settings, records.gains, walking, one_by_one, DT, memory)
        swings.append(records.legs["swings"][:4].copy())
    return np.array(swings)


def test_the_diagonals_swing_in_turn_for_their_part_of_the_period() -> None:
    records = Records()
    records.legs["since"] = 1.0
    period = records.gains["period"] * records.time
    swings = _walk(records, 10 * period)[round(period / DT) :]
    assert (swings[:, 0] == swings[:, 3]).all()
    assert (swings[:, 1] == swings[:, 2]).all()
    assert not (swings[:, 0] * swings[:, 1]).any()  # never both
    starts = np.flatnonzero(np.diff(swings[:, 0]) > 0.5)
    assert np.diff(starts) * DT == pytest.approx(period, abs=2 * DT)
    others = np.flatnonzero(np.diff(swings[:, 1]) > 0.5)
    assert (others[:4] - starts[:4]) * DT % period == pytest.approx(0.5 * period, abs=2 * DT)
    swing = 0.7 * (1.0 - records.gains["duty"])  # until it touches, once a period
    assert swings[:, 0].mean() == pytest.approx(swing, abs=0.02)


def test_in_a_walk_one_leg_swings_after_the_other() -> None:
    records = Records()
    records.legs["since"] = 1.0
    period = records.gains["walk_period"] * records.time
    swings = _walk(records, 6 * period, one_by_one=True)
    assert swings.sum(axis=1).max() == 1.0
    starts = [np.flatnonzero(np.diff(swings[:, leg]) > 0.5)[1:4] for leg in range(4)]
    order = np.argsort([start[0] for start in starts])
    assert np.diff(sorted(start[0] for start in starts)) * DT == pytest.approx(period / 4.0, abs=3 * DT)
    sides = [SIDE[leg] for leg in order]
    assert sides.count(1.0) == 2
    assert sides in ([1, 1, -1, -1], [-1, -1, 1, 1], [1, -1, -1, 1], [-1, 1, 1, -1])  # both of a side one after the other


def test_a_foot_that_finds_no_ground_is_waited_for_and_then_taken_to_stand() -> None:
    records = Records()
    records.legs["since"] = 1.0
    swings = _walk(records, 3.0, ground=False)
    whole = (1.0 - records.memory["duty"]) * records.memory["period"]
    begins, ends = np.flatnonzero(np.diff(swings[:, 0]) > 0.5), np.flatnonzero(np.diff(swings[:, 0]) < -0.5)
    assert (ends[:2] - begins[:2]) * DT == pytest.approx(whole + 0.72 * records.time, abs=2 * DT)
    assert not (swings[:, 0] * swings[:, 1]).any()


def test_a_robot_that_stops_puts_its_feet_down_and_keeps_them_there() -> None:
    records = Records()
    records.legs["since"] = 1.0
    _walk(records, 0.3)
    swings = _walk(records, 1.0, walking=False)
    assert not swings[-1].any()
    assert records.memory["phase"] == 0.0
    assert (records.legs["share"][:4] == 1.0).all()


def test_a_leg_takes_up_its_share_of_the_load_and_gives_it_away_before_it_leaves() -> None:
    leg = Records().legs[0]
    for since, left, walking, share in (
        (0.015, 0.2, True, 0.5), (1.0, 0.2, True, 1.0), (1.0, 0.02, True, 2.0 / 3.0), (1.0, 1e-4, True, 0.1),
        (1.0, 1e-4, False, 1.0), (1.0, -0.1, True, 1.0),
    ):  # fmt: skip
        leg["since"] = since
        assert gait._share(0.03, walking, left, leg) == pytest.approx(share)
    leg["swings"] = 1.0
    assert gait._share(0.03, True, 0.2, leg) == 0.0


@pytest.mark.parametrize("walking", [True, False])
def test_the_trunk_hangs_on_springs_and_dampers(walking: bool) -> None:
    records = Records(4)
    records.turn_to(0.05, -0.08)
    memory, gains, robot, goal, time = records.memory, records.gains, records.robot, records.goal, records.time
    feet = records.random.normal(0.0, 0.3, (4, 3))
    records.legs["foot_level"][:4] = feet
    records.body["centre"] = centre = np.array([-0.02, 0.01, -0.03])
    velocity, rate, slope, turn = np.array([0.2, -0.3, 0.1]), np.array([0.1, 0.2, -0.3]), np.array([0.1, -0.2]), 0.4
    records.body["velocity"], records.body["rate"] = velocity, rate
    memory["slope"], memory["height"], memory["yaw"] = slope, 0.4, 0.1
    goal["velocity"], goal["acceleration"], goal["height"], goal["yaw"] = [0.3, 0.1], [0.2, -0.1], 0.43, 0.25
    push = goal["acceleration"] if walking else gains["place_kp"] / time**2 * (feet.mean(axis=0) - centre)[:2]
    stance.balance_trunk(robot, gains, walking, turn, memory)
    wrench, inertia = memory["balance"]["wrench"], robot["inertia"]
    assert wrench[:2] == pytest.approx(robot["mass"] * (gains["speed_kp"] / time * ([0.3, 0.1] - velocity[:2]) + push))
    lift = G + gains["height_kp"] / time**2 * 0.03 - gains["height_kd"] / time * (velocity[2] - slope @ velocity[:2])
    assert wrench[2] == pytest.approx(robot["mass"] * lift)
    tilt = np.array([np.arctan(slope[1]) - 0.05, -np.arctan(slope[0]) + 0.08])
    level = records.rotation @ rate
    assert wrench[3:5] == pytest.approx(inertia[:2] * (gains["tilt_kp"] / time**2 * tilt - gains["tilt_kd"] / time * level[:2]))
    damping = gains["yaw_kd"] / time * (turn - level[2])
    assert wrench[5] == pytest.approx(inertia[2] * (gains["yaw_kp"] / time**2 * 0.15 + damping))
    goal["yaw"] = 9.0
    stance.balance_trunk(robot, gains, walking, turn, memory)
    assert wrench[5] == pytest.approx(inertia[2] * (gains["yaw_kp"] / time**2 * 0.3 + damping))


def test_the_feet_that_stand_share_a_wrench_with_the_least_forces() -> None:
    records = Records(6)
    memory, robot, gains = records.memory, records.robot, records.gains
    gains["friction"], gains["most_force"] = 50.0, 100.0
    feet = np.column_stack([0.3 * END, 0.25 * SIDE, np.full(4, -0.4)]) + records.random.normal(0.0, 0.02, (4, 3))
    share = np.array([1.0, 0.5, 0.7, 0.8])
    wrench = np.array([20.0, -10.0, 190.0, 3.0, -4.0, 2.0])
    records.legs["foot_level"][:4], records.legs["share"][:4], memory["balance"]["wrench"] = feet, share, wrench
    records.body["centre"] = centre = np.array([-0.02, 0.01, -0.03])
    stance.distribute(robot, gains, memory)
    cross = [np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]]) for r in feet - centre]
    a = np.hstack([np.vstack([np.eye(3), c]) for c in cross])
    w = np.diag(np.repeat(share, 3))
    soft = np.diag([0.02, 0.02, 0.004, *(records.length**2 * np.array([0.0057, 0.0057, 0.0227]))])
    force = (w @ a.T @ np.linalg.solve(a @ w @ a.T + soft, wrench)).reshape(4, 3)
    assert (force[:, 2] > 0.02 * robot["mass"] * G).all()  # else the least force of a foot would show
    assert records.legs["force"][:4] == pytest.approx(force, abs=1e-9)


@pytest.mark.parametrize("belt", [0.0, 1.0])
def test_joints_are_told_what_they_shall_do(belt: float) -> None:
    records = Records(7)
    records.turn_to(0.1, 0.2)
    records.place_feet()
    gains, leg, limb, goals = records.gains, records.legs[1], records.limbs[1], records.memory["goals"]
    limb["joints"]["belt"][2], limb["joints"]["viscous"][:3] = belt, [0.2, 0.3, 0.4]
    over = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, belt, 1.0]])  # motors by joints
    leg["force"] = force = np.array([10.0, -5.0, 90.0])
    leg_drive.drive_leg(records.settings, gains, 1, False, records.memory, goals)
    told, weight = goals[3:6], leg["pose"]["weight"][:3]
    inertia = np.diag(limb["inertia"])[:3] + limb["joints"]["rotor"][:3]
    assert told["effort"] == pytest.approx(weight - leg["pose"]["jacobian"][:, :3].T @ records.rotation.T @ force)
    assert told["kp"] == pytest.approx(3 * [0.0])
    assert told["kd"] == pytest.approx(gains["stance_damping"] * inertia / records.time)

    leg["swings"] = 1.0
    angle, velocity, acceleration = records.random.normal(size=(3, 3))
    leg["goal_angle"][:3], leg["goal_velocity"][:3], leg["goal_acceleration"][:3] = angle, velocity, acceleration
    leg_drive.drive_leg(records.settings, gains, 1, False, records.memory, goals)
    motors = limb["joints"]["rotor"][:3] * (over @ acceleration) + limb["joints"]["friction"][:3] * np.tanh(over @ velocity / 0.3)
    motors += np.array([0.2, 0.3, 0.4]) * (over @ velocity)
    assert told["effort"] == pytest.approx(weight + limb["inertia"][:3, :3] @ acceleration + over.T @ motors)  # virtual work
    assert told["position"] == pytest.approx(angle)
    assert told["velocity"] == pytest.approx(velocity)
    rate = gains["swing_frequency"] / records.time
    assert told["kp"] == pytest.approx(inertia * rate**2)
    assert told["kd"] == pytest.approx(2.0 * gains["swing_damping"] * inertia * rate)
    leg_drive.drive_leg(records.settings, gains, 1, True, records.memory, goals)
    assert told["effort"] == pytest.approx([0.0, 0.0, 0.0])  # limp
    assert told["kp"] == pytest.approx([0.0, 0.0, 0.0])
