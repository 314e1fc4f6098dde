"""What the walking program asks of its legs, worked out again from the modules' equations, on random bodies and motions."""

from __future__ import annotations

import numpy as np
import pytest
from legged_records import DT, END, SIDE, G, Records

from didymos.control import gait, leg_drive, stance
from didymos.control.leg import pose_leg


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
