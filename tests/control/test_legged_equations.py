"""Every equation of the walking program against the same physics written with matrices, on random bodies and motions.

The program is told what a robot would measure whose feet stand, roll or swing as they should, and has to find out its motion;
what it asks of its legs is worked out again from the modules' equations. Rotations come from scipy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from didymos.control import gait, leg_drive, legged_state, stance
from didymos.control.leg import foot, inverse, torques
from didymos.control.quadruped import Quadruped

G = 9.80665
DT = 0.002
END, SIDE = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])
NUMBERS = {
    "t_x": 0.15, "t_y": 0.175, "h_x": 0.174, "h_y": 0.0925, "limb": 0.25, "ratio": 9.0, "friction": 0.07, "inertia_T": 0.04,
    "inertia_H": 0.02, "inertia_K": 0.006, "foot_radius": 0.035, "mass": 19.0, "delay": 0.005, "com_x": -0.02, "com_z": -0.03,
    "rotor": 0.033,
}  # fmt: skip


class Records:
    """The records that the program's functions read and write."""

    def __init__(self, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self.memory: Any = np.zeros(1, Quadruped.memory_layout)[0]
        self.gains: Any = np.zeros(1, Quadruped.gain_layout)[0]
        self.measured: Any = np.zeros(1, Quadruped.measurement_layout)[0]
        self.settings: Any = np.zeros(1, Quadruped.setting_layout)[0]
        self.inputs: Any = np.zeros(1, Quadruped.command_layout)[0]
        self.clock: Any = np.zeros(1, [("time", float), ("period", float), ("first", float)])[0]
        self.clock["period"] = DT
        self.robot: Any = self.settings["robot"]
        for name, value in NUMBERS.items():
            self.robot[name] = value
        for gain in Quadruped.gain_table:
            self.gains[gain.name] = gain.value
        self.body, self.legs, self.goal = self.memory["body"], self.memory["legs"], self.memory["goal"]
        self.turn_to(0.0, 0.0)

    def turn_to(self, roll: float, pitch: float) -> None:
        """Let the program know its tilt."""
        self.memory["roll"], self.memory["pitch"] = roll, pitch
        self.rotation = Rotation.from_euler("ZYX", [0.0, pitch, roll]).as_matrix()
        self.body["rotation"], self.body["up"] = self.rotation, self.rotation[2]

    def place_feet(self) -> np.ndarray:
        """Random angles of all joints [4, 3], and where the feet are then."""
        angles = self.random.uniform([-0.5, -1.1, 0.6], [0.5, -0.2, 1.8], (4, 3))
        for number in range(4):
            self.measured["legs"][number]["angle"] = angles[number]
            foot(self.robot, number, angles[number], self.legs[number]["foot"], self.legs[number]["jacobian"])
            self.legs[number]["foot_level"] = self.rotation @ self.legs[number]["foot"]
        return angles


def _limb(number: int, angle: np.ndarray) -> np.ndarray:
    """Rotation of a lower limb in the trunk."""
    return (
        Rotation.from_rotvec([SIDE[number] * angle[0], 0.0, 0.0]) * Rotation.from_rotvec([0.0, -(angle[1] + angle[2]), 0.0])
    ).as_matrix()


def _limb_rate(number: int, angle: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Angular velocity [rad/s] of a lower limb relative to the trunk, by differences."""
    h = 1e-6
    after, before = _limb(number, angle + h * velocity), _limb(number, angle - h * velocity)
    skew = (after - before) / (2.0 * h) @ _limb(number, angle).T
    return np.array([skew[2, 1], skew[0, 2], skew[1, 0]])


@pytest.mark.parametrize("seed", range(4))
def test_legs_whose_feet_roll_tell_the_velocity_of_the_trunk(seed: int) -> None:
    records = Records(seed)
    records.turn_to(0.2, -0.15)
    angles = records.place_feet()
    rate, velocity = records.random.normal(size=3), records.random.normal(size=3)
    up, radius = records.rotation[2], float(records.robot["foot_radius"])
    records.body["rate"] = rate
    records.memory["contact"] = 1.0
    for number in range(4):
        # the centre of the foot has v + w x p + J q', and, rolling on a plane across up, r W x up; both are linear in q'
        jacobian, p = records.legs[number]["jacobian"].copy(), records.legs[number]["foot"].copy()
        columns = np.column_stack([_limb_rate(number, angles[number], axis) for axis in np.eye(3)])
        rolls = np.column_stack([radius * np.cross(column, up) for column in columns.T])
        right = radius * np.cross(rate, up) - velocity - np.cross(rate, p)
        records.legs[number]["velocity"] = np.linalg.solve(jacobian - rolls, right)
    sx, sy, sz, count = legged_state._said_by_legs(records.measured, radius, records.memory)
    assert count == 4.0
    assert np.array([sx, sy, sz]) / count == pytest.approx(velocity, abs=1e-7)  # differences over 1e-6
    records.memory["contact"][2] = 0.0
    assert legged_state._said_by_legs(records.measured, radius, records.memory)[3] == 3.0


def test_up_turns_with_the_gyro_and_settles_where_the_accelerometer_points() -> None:
    records = Records()
    rate = np.array([0.4, -0.7, 0.9])
    up = Rotation.from_euler("xyz", [0.3, -0.2, 0.0]).as_matrix()[2]
    records.body["up"], records.measured["gyro"] = up, rate
    records.measured["accel"] = 9.8 * up
    legged_state._tilt(records.measured, 0.0, 1e-5, records.memory)
    turned = Rotation.from_rotvec(-1e-5 * rate).apply(up)  # a fixed direction turns against the body
    assert records.body["up"] == pytest.approx(turned, abs=1e-9)
    assert records.memory["roll"] == pytest.approx(np.arctan2(turned[1], turned[2]), abs=1e-9)
    assert records.memory["pitch"] == pytest.approx(np.arcsin(-turned[0]), abs=1e-9)

    records.measured["gyro"] = bias = np.array([0.02, -0.03, 0.0])  # at rest, so this is all bias
    truth = Rotation.from_euler("xyz", [-0.1, 0.2, 0.0]).as_matrix()[2]
    records.measured["accel"] = 9.8 * truth
    for _ in range(20_000):  # 200 s at a bandwidth of 0.5 rad/s
        legged_state._tilt(records.measured, 0.5, 0.01, records.memory)
    assert records.body["up"] == pytest.approx(truth, abs=1e-6)
    across = np.eye(3) - np.outer(truth, truth)  # a turn about up is not seen
    assert across @ records.body["gyro_bias"] == pytest.approx(across @ bias, abs=1e-6)
    assert across @ records.body["rate"] == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


def test_a_first_reading_that_is_no_rest_is_not_taken_for_up() -> None:
    for accel, up in (([1.0, 2.0, 9.5], np.array([1.0, 2.0, 9.5]) / np.sqrt(95.25)), ([0.0, 6.0, 9.8], [0.0, 0.0, 1.0])):
        records = Records()
        records.measured["accel"] = accel
        legged_state._begin(records.measured, records.memory)
        assert records.body["up"] == pytest.approx(up)
        assert (records.legs["share"] == 1.0).all()


def test_yaw_and_the_level_frame_follow_the_body() -> None:
    records = Records()
    attitude = Rotation.from_euler("ZYX", [0.5, -0.3, 0.4])
    records.memory["yaw"], records.memory["pitch"], records.memory["roll"] = attitude.as_euler("ZYX")
    rate, dt = np.array([0.3, -0.8, 0.6]), 1e-5
    records.body["rate"] = rate
    legged_state._attitude(dt, records.memory)
    assert records.body["rotation"] == pytest.approx(Rotation.from_euler("ZYX", [0.0, -0.3, 0.4]).as_matrix())
    assert records.memory["yaw"] == pytest.approx((attitude * Rotation.from_rotvec(dt * rate)).as_euler("ZYX")[0], abs=1e-9)


def test_joints_are_felt_less_what_friction_rotors_and_limbs_take() -> None:
    for belt in (0.0, 1.0):
        records = Records(3)
        records.settings["belt"] = belt
        robot, leg, reading = records.robot, records.legs[1], records.measured["legs"][1]
        velocity, acceleration, torque = records.random.normal(size=(3, 3))
        leg["velocity"], leg["acceleration"], leg["torque"], reading["motor_torque"] = velocity, acceleration, 0.3, torque
        over = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, belt, 1.0]])  # motors by joints: a belt turns with both
        at_motor = torque - robot["friction"] * np.tanh(over @ velocity / 0.3)
        of_motor = robot["ratio"] * at_motor - robot["rotor"] * (over @ acceleration)
        inertia = np.array([robot["inertia_T"], robot["inertia_H"], robot["inertia_K"]])
        carried = over.T @ of_motor - inertia * acceleration  # virtual work
        legged_state._carried(records.settings, reading, DT, leg)
        assert leg["torque"] == pytest.approx(0.3 + DT / 0.01 * (carried - 0.3))


def test_a_foot_that_stands_is_believed_down_to_six_tenths_of_the_threshold() -> None:
    records = Records(1)
    records.place_feet()
    for load, before, after in ((30.0, 0.0, 1.0), (20.0, 0.0, 0.0), (20.0, 1.0, 1.0), (14.0, 1.0, 0.0)):
        records.memory["contact"] = before
        for leg in records.legs:
            leg["torque"] = torques(leg["jacobian"], *(load * records.rotation[2]))
        legged_state._loads(25.0, records.memory)
        assert records.memory["load"] == pytest.approx(4 * [load])
        assert (records.memory["contact"] == after).all()


def test_velocity_is_integrated_in_a_frame_that_turns_with_the_heading() -> None:
    records = Records(2)
    records.turn_to(0.1, 0.2)
    rate, velocity, accel = np.array([0.1, 0.2, 0.9]), np.array([0.7, -0.4, 0.2]), np.array([0.5, -1.0, 9.0])
    records.body["rate"], records.body["velocity"], records.measured["accel"] = rate, velocity, accel
    spin = np.array([0.0, 0.0, (records.rotation @ rate)[2]])
    expected = velocity + DT * (records.rotation @ accel - [0.0, 0.0, G] - np.cross(spin, velocity))
    legged_state._velocity(records.measured, 0.035, 25.0, DT, records.memory)  # no leg stands: fades over a second
    assert records.body["velocity"] == pytest.approx((1.0 - DT) * expected, abs=1e-9)

    records.body["velocity"] = velocity
    records.memory["contact"][0] = 1.0  # one that stands still says: no velocity but that of w x p
    records.place_feet()
    said = records.rotation @ np.array(legged_state._said_by_legs(records.measured, 0.035, records.memory)[:3])
    legged_state._velocity(records.measured, 0.035, 25.0, DT, records.memory)
    assert records.body["velocity"] == pytest.approx(expected + 25.0 * DT * (said - expected), abs=1e-9)


def test_footholds_stay_on_the_ground_while_the_trunk_moves_on() -> None:
    records = Records()
    velocity, dt, spin = np.array([0.5, -0.3, 0.1]), 1e-5, 0.8
    records.clock["period"], records.body["velocity"], records.body["rate"][2] = dt, velocity, spin
    points = records.random.normal(size=(4, 3))
    records.legs["foothold"] = points
    records.memory["contact"][1] = 1.0
    records.legs[1]["foot_level"] = [9.0, 8.0, 7.0]
    legged_state._footholds(records.clock, records.memory)
    moved = Rotation.from_rotvec([0.0, 0.0, -spin * dt]).apply(points - dt * velocity)
    moved[1] = [9.0, 8.0, 7.0]  # one that stands now
    assert records.legs["foothold"] == pytest.approx(moved, abs=1e-9)


def test_slope_and_height_are_those_of_the_plane_that_the_feet_stand_on() -> None:
    records = Records()
    feet = np.column_stack([0.32 * END, 0.27 * SIDE, np.zeros(4)])
    feet[:, 2] = -0.38 + 0.15 * feet[:, 0] - 0.1 * feet[:, 1]
    records.legs["foothold"] = records.legs["foot_level"] = feet
    records.clock["first"] = 1.0
    legged_state._slope(records.clock, records.memory)
    assert records.memory["slope"] == pytest.approx([0.15, -0.1])
    legged_state._height(records.clock, 0.035, records.memory)
    assert records.memory["height"] == pytest.approx(0.38 + 0.035)

    records.clock["first"] = 0.0
    records.memory["slope"], records.memory["height"], records.body["velocity"] = 0.0, 0.5, [0.4, -0.2, 0.3]
    legged_state._slope(records.clock, records.memory)
    assert records.memory["slope"] == pytest.approx(np.array([0.15, -0.1]) * DT / 0.4)
    records.memory["slope"] = slope = np.array([0.15, -0.1])
    legged_state._height(records.clock, 0.035, records.memory)  # no foot stands: by the velocity across the slope
    assert records.memory["height"] == pytest.approx(0.5 + DT * (0.3 - slope @ [0.4, -0.2]))
    records.memory["contact"], records.memory["height"], records.body["velocity"] = 1.0, 0.5, 0.0
    legged_state._height(records.clock, 0.035, records.memory)
    assert records.memory["height"] == pytest.approx(0.5 + DT / 0.03 * (0.415 - 0.5))
    records.legs["foothold"][:, 2] = 5.0 * feet[:, 0] - 5.0 * feet[:, 1]
    records.clock["first"] = 1.0
    legged_state._slope(records.clock, records.memory)
    assert records.memory["slope"] == pytest.approx([0.6, -0.6])  # steeper is not believed


def test_a_foot_moves_with_its_joints_and_its_acceleration_is_that_of_two_readings() -> None:
    records = Records(5)
    records.turn_to(-0.2, 0.1)
    angles = records.place_feet()
    reading, leg = records.measured["legs"][3], records.legs[3]
    where = leg["foot"].copy()
    reading["velocity"], leg["velocity"], leg["foot"] = [1.0, 2.0, -3.0], [0.5, 0.0, 0.0], 0.0
    legged_state._foot(records.clock, records.robot, reading, 3, records.body, leg)
    assert leg["foot"] == pytest.approx(where)
    assert leg["foot_level"] == pytest.approx(records.rotation @ where)
    assert leg["acceleration"] == pytest.approx(np.array([0.5, 2.0, -3.0]) / DT)
    assert leg["velocity"] == pytest.approx([1.0, 2.0, -3.0])
    assert angles[3] == pytest.approx(inverse(records.robot, 3, *where), abs=1e-9)


@pytest.mark.parametrize("number", range(4))
def test_a_foot_comes_down_where_the_robot_will_be_over_it(number: int) -> None:
    records = Records(number)
    records.turn_to(0.15, -0.1)
    memory, gains, robot = records.memory, records.gains, records.robot
    gains["stance_y"] = 0.02
    memory["height"], records.body["velocity"] = 0.42, [0.4, -0.2, 0.0]
    records.goal["velocity"], records.goal["acceleration"], memory["slope"] = [0.3, 0.1], [0.2, -0.1], [0.1, -0.05]
    stand, turn = gains["duty"] * gains["period"], 0.6
    hip = np.array([END[number] * 0.324 - 0.02, SIDE[number] * (0.175 + 0.0925 + 0.02), 0.0])
    level = (records.rotation @ hip)[:2]
    level = level + 0.5 * stand * turn * np.array([-level[1], level[0]])
    step = 0.5 * stand * np.array([0.4, -0.2]) + gains["capture"] * np.array([0.1, -0.3]) - 0.42 / G * np.array([0.2, -0.1])
    x, y = level + step
    found = gait._landing(robot, number, gains, turn, memory)
    assert found == pytest.approx([x, y, 0.1 * x - 0.05 * y - (0.42 - 0.035)])
    records.body["velocity"] = [30.0, 0.0, 0.0]  # no further than the leg reaches
    x, y, _ = gait._landing(robot, number, gains, turn, memory)
    assert np.hypot(*(np.array([x, y]) - level)) == pytest.approx(0.55 * 0.42)


def test_a_foot_swings_along_a_cycloid_over_a_hump_and_searches_for_the_ground() -> None:
    records = Records()
    leg, gains = records.legs[0], records.gains
    whole = (1.0 - gains["duty"]) * gains["period"]
    leg["lift_off"] = start = np.array([0.1, 0.2, -0.4])
    goal = np.array([0.3, 0.15, -0.38])
    for done in (0.0, 0.2, 0.5, 0.9, 1.0):
        leg["since"] = done * whole
        forward = done - np.sin(2.0 * np.pi * done) / (2.0 * np.pi)
        expected = start + forward * (goal - start) + [0.0, 0.0, gains["lift"] * np.sin(np.pi * done) ** 2]
        assert gait._curve(gains, leg, *goal) == pytest.approx(expected)
    leg["since"] = whole + 0.05
    assert gait._curve(gains, leg, *goal) == pytest.approx(goal - [0.0, 0.0, 0.04])
    leg["since"] = whole + 9.0
    assert gait._curve(gains, leg, *goal) == pytest.approx(goal - [0.0, 0.0, 0.15])


def test_the_joints_of_a_swinging_leg_follow_the_curve_with_its_derivatives() -> None:
    records = Records()
    records.turn_to(0.1, 0.05)
    memory, gains, robot, leg = records.memory, records.gains, records.robot, records.legs[2]
    memory["height"], leg["lift_off"] = 0.42, [-0.3, 0.25, -0.38]
    asked, rates = [], []
    for step in range(1, 60):
        leg["since"] = step * DT
        gait.swing(robot, 2, gains, 0.2, DT, memory)
        point = records.rotation.T @ gait._curve(gains, leg, *gait._landing(robot, 2, gains, 0.2, memory))
        assert leg["goal_angle"] == pytest.approx(inverse(robot, 2, *point))
        asked.append(leg["goal_angle"].copy())
        rates.append(leg["goal_velocity"].copy())
    assert rates[0] == pytest.approx([0.0, 0.0, 0.0])  # nothing to compare the first one with
    assert rates[30] == pytest.approx((asked[30] - asked[29]) / DT)
    smooth = np.zeros(3)
    for step in range(2, 59):
        smooth += DT / 0.006 * ((rates[step] - rates[step - 1]) / DT - smooth)
    assert leg["goal_acceleration"] == pytest.approx(smooth, rel=1e-6)


def _walk(records: Records, seconds: float, walking: bool = True, ground: bool = True) -> np.ndarray:
    """Which legs swing [steps, 4], where a foot touches the ground at 0.7 of its swing, or never."""
    gains, swings = records.gains, []
    whole = (1.0 - gains["duty"]) * gains["period"]
    for _ in range(round(seconds / DT)):
        for number, leg in enumerate(records.legs):
            down = leg["swings"] < 0.5 or (ground and leg["since"] > 0.7 * whole)
            records.memory["contact"][number] = float(down)
        gait.advance_gait(walking, gains, DT, records.memory)
        swings.append(records.legs["swings"].copy())
    return np.array(swings)


def test_the_diagonals_swing_in_turn_for_their_part_of_the_period() -> None:
    records = Records()
    records.legs["since"] = 1.0
    swings = _walk(records, 4.4)[round(0.44 / DT) :]
    assert (swings[:, 0] == swings[:, 3]).all()
    assert (swings[:, 1] == swings[:, 2]).all()
    assert not (swings[:, 0] * swings[:, 1]).any()  # never both
    starts = np.flatnonzero(np.diff(swings[:, 0]) > 0.5)
    assert np.diff(starts) * DT == pytest.approx(records.gains["period"], abs=2 * DT)
    others = np.flatnonzero(np.diff(swings[:, 1]) > 0.5)
    assert (others[:4] - starts[:4]) * DT % 0.44 == pytest.approx(0.22, abs=2 * DT)
    swing = 0.7 * (1.0 - records.gains["duty"]) * records.gains["period"]  # until it touches, once a period
    assert swings[:, 0].mean() == pytest.approx(swing / records.gains["period"], abs=0.02)


def test_a_foot_that_finds_no_ground_is_waited_for_and_then_taken_to_stand() -> None:
    records = Records()
    records.legs["since"] = 1.0
    swings = _walk(records, 3.0, ground=False)
    whole = (1.0 - records.gains["duty"]) * records.gains["period"]
    begins, ends = np.flatnonzero(np.diff(swings[:, 0]) > 0.5), np.flatnonzero(np.diff(swings[:, 0]) < -0.5)
    assert (ends[:2] - begins[:2]) * DT == pytest.approx(whole + 0.15, abs=2 * DT)
    assert not (swings[:, 0] * swings[:, 1]).any()


def test_a_robot_that_stops_puts_its_feet_down_and_keeps_them_there() -> None:
    records = Records()
    records.legs["since"] = 1.0
    _walk(records, 0.3)
    swings = _walk(records, 1.0, walking=False)
    assert not swings[-1].any()
    assert records.memory["phase"] == 0.0
    assert (records.legs["share"] == 1.0).all()


def test_a_leg_takes_up_its_share_of_the_load_and_gives_it_away_before_it_leaves() -> None:
    records = Records()
    leg, gains = records.legs[0], records.gains
    for since, phase, walking, share in (
        (0.015, 0.1, True, 0.5), (1.0, 0.1, True, 1.0), (1.0, gains["duty"] - 0.02 / gains["period"], True, 2.0 / 3.0),
        (1.0, gains["duty"] - 1e-4, True, 0.1), (1.0, gains["duty"] - 1e-4, False, 1.0), (1.0, 0.9, True, 1.0),
    ):  # fmt: skip
        leg["since"] = since
        assert gait._share(gains, walking, phase, leg) == pytest.approx(share)
    leg["swings"] = 1.0
    assert gait._share(gains, True, 0.1, leg) == 0.0


@pytest.mark.parametrize("walking", [True, False])
def test_the_trunk_hangs_on_springs_and_dampers(walking: bool) -> None:
    records = Records(4)
    records.turn_to(0.05, -0.08)
    memory, gains, robot, goal = records.memory, records.gains, records.robot, records.goal
    feet = records.random.normal(0.0, 0.3, (4, 3))
    records.legs["foot_level"] = feet
    velocity, rate, slope, turn = np.array([0.2, -0.3, 0.1]), np.array([0.1, 0.2, -0.3]), np.array([0.1, -0.2]), 0.4
    records.body["velocity"], records.body["rate"] = velocity, rate
    memory["slope"], memory["height"], memory["yaw"] = slope, 0.4, 0.1
    goal["velocity"], goal["acceleration"], goal["height"], goal["yaw"] = [0.3, 0.1], [0.2, -0.1], 0.43, 0.25
    push = goal["acceleration"] if walking else gains["place_kp"] * (feet.mean(axis=0)[:2] - [robot["com_x"], 0.0])
    stance.balance_trunk(robot, gains, walking, turn, memory)
    wrench = memory["balance"]["wrench"]
    assert wrench[:2] == pytest.approx(robot["mass"] * (gains["speed_kp"] * ([0.3, 0.1] - velocity[:2]) + push))
    lift = G + gains["height_kp"] * 0.03 - gains["height_kd"] * (velocity[2] - slope @ velocity[:2])
    assert wrench[2] == pytest.approx(robot["mass"] * lift)
    tilt = np.array([np.arctan(slope[1]) - 0.05, -np.arctan(slope[0]) + 0.08])
    level = records.rotation @ rate
    assert wrench[3:5] == pytest.approx(gains["tilt_kp"] * tilt - gains["tilt_kd"] * level[:2])
    assert wrench[5] == pytest.approx(gains["yaw_kp"] * 0.15 + gains["yaw_kd"] * (turn - level[2]))
    goal["yaw"] = 9.0
    stance.balance_trunk(robot, gains, walking, turn, memory)
    assert wrench[5] == pytest.approx(gains["yaw_kp"] * 0.3 + gains["yaw_kd"] * (turn - level[2]))


def test_the_feet_that_stand_share_a_wrench_with_the_least_forces() -> None:
    records = Records(6)
    records.turn_to(0.1, -0.12)
    memory, robot, gains = records.memory, records.robot, records.gains
    gains["friction"], gains["most_force"] = 50.0, 1e4
    feet = np.column_stack([0.3 * END, 0.25 * SIDE, np.full(4, -0.4)]) + records.random.normal(0.0, 0.02, (4, 3))
    share = np.array([1.0, 0.5, 0.7, 0.8])
    wrench = np.array([20.0, -10.0, 190.0, 3.0, -4.0, 2.0])
    records.legs["foot_level"], records.legs["share"], memory["balance"]["wrench"] = feet, share, wrench
    stance.distribute(robot, gains, memory)
    levers = feet - records.rotation @ [robot["com_x"], 0.0, robot["com_z"]]
    cross = [np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]]) for r in levers]
    a = np.hstack([np.vstack([np.eye(3), c]) for c in cross])
    w = np.diag(np.repeat(share, 3))
    soft = np.diag([0.02, 0.02, 0.004, 0.001, 0.001, 0.004])
    force = (w @ a.T @ np.linalg.solve(a @ w @ a.T + soft, wrench)).reshape(4, 3)
    assert (force[:, 2] > 4.0).all()  # else the least force of a foot would show
    assert records.legs["force"] == pytest.approx(force, abs=1e-9)


@pytest.mark.parametrize("belt", [0.0, 1.0])
def test_drives_are_told_what_the_joints_shall_do(belt: float) -> None:
    records = Records(7)
    records.turn_to(0.1, 0.2)
    records.place_feet()
    robot, gains, leg, drives = records.robot, records.gains, records.legs[1], records.inputs["drives"]
    records.settings["belt"], records.memory["beat"] = belt, 7.0
    over = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, belt, 1.0]])  # motors by joints
    n = robot["ratio"]
    leg["force"] = force = np.array([10.0, -5.0, 90.0])
    leg_drive.drive_leg(records.settings, gains, 1, False, records.memory, drives)
    joints = -leg["jacobian"].T @ records.rotation.T @ force
    motors = np.linalg.solve(over.T, joints)  # virtual work
    told = drives[3:6]
    assert told["feedforward"] == pytest.approx(motors / n)
    assert told["kp_scale"] == pytest.approx(3 * [0.0])
    assert told["kd_scale"] == pytest.approx(3 * [gains["stance_damping"]])

    leg["swings"] = 1.0
    angle, velocity, acceleration = records.random.normal(size=(3, 3))
    leg["goal_angle"], leg["goal_velocity"], leg["goal_acceleration"] = angle, velocity, acceleration
    leg_drive.drive_leg(records.settings, gains, 1, False, records.memory, drives)
    inertia = np.array([robot["inertia_T"], robot["inertia_H"], robot["inertia_K"]])
    motor_velocity = over @ velocity
    torque = np.linalg.solve(over.T, inertia * acceleration) + robot["rotor"] * (over @ acceleration)
    torque += n * robot["friction"] * np.tanh(motor_velocity / 0.3)
    assert told["feedforward"] == pytest.approx(torque / n)
    assert told["position"] == pytest.approx(n / (2.0 * np.pi) * (over @ angle + robot["delay"] * motor_velocity))
    assert told["velocity"] == pytest.approx(n / (2.0 * np.pi) * motor_velocity)
    assert told["kp_scale"] == pytest.approx(3 * [gains["swing_stiffness"]])
    leg_drive.drive_leg(records.settings, gains, 1, True, records.memory, drives)
    assert told["feedforward"] == pytest.approx([0.0, 0.0, 0.0])  # limp
