"""The capture program without a simulator: what it watches for, and what it does when it stops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from didymos.control import capture_stages as st
from didymos.control.capture import Capture
from didymos.control.capture_act import _brake, _fallback
from didymos.control.capture_layout import MODEL, POSES
from didymos.control.capture_observe import fault, feel, has_seen, now, observe, wake
from didymos.control.capture_path import Axes
from didymos.control.controller import Robot
from didymos.errors import InputError

ROBOT = {  # the twin's own numbers, by the original's letters
    "m0": 12.0, "i0": 0.1176, "r0x": 0.1425, "r0y": 0.0, "m1": 0.4409, "i1": 0.0068, "l1": 0.269, "r1": 0.101, "m2": 0.1304,
    "i2": 0.010, "l2": 0.15, "r2": 0.143, "m3": 1.0, "i3": 0.007908, "l3": 0.15, "r3": 0.15, "mt": 10.0, "it": 0.15, "dt": 0.15,
    "shoulder_low": -1.33, "shoulder_high": 1.86, "elbow_low": -0.97, "elbow_high": 2.33, "wrist_low": -0.3, "wrist_high": 1.5708,
    "shoulder_home": 1.84447, "elbow_home": -0.9542, "wrist_home": -0.2856, "shoulder_start": -1.0472, "elbow_start": 1.8326,
    "wrist_start": 0.7854,
}  # fmt: skip


@pytest.fixture(scope="module")
def settings() -> Any:
    return Capture(robot=ROBOT).settings[()]


def blank(layout: np.dtype[Any]) -> Any:
    """A record of zeros, as compiled code takes it."""
    return np.zeros((), dtype=layout)[()]


def gains(**changed: float) -> Any:
    record = blank(Capture.gain_layout)
    for gain in Capture.gain_table:
        record[gain.name] = changed.pop(gain.name, gain.value)
    assert not changed
    return record


def at_rest(settings: Any) -> tuple[Any, Any]:
    """Readings of the robot in its starting posture and a memory that has seen them."""
    measured, memory = blank(Capture.measurement_layout), blank(Capture.memory_layout)
    for name in POSES:
        measured[name]["orientation_w"] = 1.0
    measured["port"]["position"] = 0.45, 0.2  # within reach
    measured["encoders"]["position"] = settings["joints"]["start"]
    wake(measured, gains(), settings, memory)
    memory["stage"] = st.APPROACH
    return measured, memory


def test_the_letters_of_the_model_are_all_its_settings() -> None:
    program = Capture(robot={name: float(i + 1) for i, name in enumerate(MODEL)})
    numbers = program.settings.reshape(1).view(np.float64)
    assert np.all(numbers != 0.0)
    assert set(range(1, len(MODEL) + 1)) <= set(numbers.tolist())
    with pytest.raises(InputError, match="the model has no 'sholder_low', did you mean 'shoulder_low'"):
        Capture(robot=ROBOT | {"sholder_low": 1.0})
    with pytest.raises(InputError, match="the model needs 'dt'"):
        Capture(robot={name: value for name, value in ROBOT.items() if name != "dt"})


def test_gains_carry_the_name_of_their_path() -> None:
    assert all(gain.name == gain.path.replace(".", "_") for gain in Capture.gain_table)


def test_every_number_that_it_reads_and_writes_has_a_name_on_the_robot() -> None:
    program = Capture(robot=ROBOT)
    program.start(Robot(inputs=(), measured=(), setpoints=("abort",)))
    assert sorted(offset for _, offset in program.read_offsets) == list(range(program.measurement_layout.itemsize // 8))
    assert sorted(offset for _, offset in program.write_offsets) == list(range(program.command_layout.itemsize // 8))


def test_it_waits_with_the_smallest_torque_until_it_has_seen_and_then_approaches() -> None:
    program = Capture(robot=ROBOT)
    program.start(Robot(inputs=(), measured=(), setpoints=("abort",)))
    measured = {name: 0.0 for name, _ in program.read_offsets}
    inputs = program.update(0.0, measured, {"abort": 0.0})  # type: ignore[arg-type]
    assert [inputs[name] for name in ("wheel", "shoulder", "elbow", "wrist")] == [1e-5] * 4  # at exactly zero the drivers fault
    reported = dict(zip((item.name for item in Capture.reports), program.reported(), strict=True))
    labels = {item.name: item.labels for item in Capture.reports}
    assert labels["stage"][int(reported["stage"])] == "waiting"
    measured |= {f"{name}.orientation.w": 1.0 for name in POSES} | {f"{name}.stamp": 0.01 for name in (*POSES, "encoders")}
    measured |= {"port.position.x": 0.45, "port.position.y": 0.2}
    measured |= {f"encoders.{joint}.position": ROBOT[f"{joint}_start"] for joint in ("shoulder", "elbow", "wrist")}
    program.update(0.01, measured, {"abort": 0.0})  # type: ignore[arg-type]
    assert labels["stage"][int(program.reported()[0])] == "approach"
    inputs = program.update(0.02, measured, {"abort": 1.0})  # type: ignore[arg-type]
    assert labels["stage"][int(program.reported()[0])] == "aborted"
    assert labels["reason"][int(program.reported()[1])] == "the operator"
    assert inputs["gripper"] == 0.0


def test_nothing_forbids_to_go_on_at_rest(settings: Any) -> None:
    measured, memory = at_rest(settings)
    assert fault(measured, 0.0, gains(), settings, memory) == st.FINE


@pytest.mark.parametrize("joint", [0, 1, 2])
@pytest.mark.parametrize(("end", "inward"), [("low", 1.0), ("high", -1.0)])
def test_a_joint_near_the_end_of_its_travel_stops_the_mission(settings: Any, joint: int, end: str, inward: float) -> None:
    measured, memory = at_rest(settings)
    limit, angles = settings["joints"][joint][end], memory["estimate"]["joints"]["position"]
    angles[joint] = limit + 0.019 * inward
    assert fault(measured, 0.0, gains(), settings, memory) == st.TRAVEL
    angles[joint] = limit + 0.021 * inward
    assert fault(measured, 0.0, gains(), settings, memory) != st.TRAVEL
    memory["stage"] = st.UNFOLD  # the encoders' posture lies at the ends
    assert fault(measured, 0.0, gains(), settings, memory) != st.TRAVEL


def test_encoders_are_set_in_the_known_posture(settings: Any) -> None:
    measured, memory = blank(Capture.measurement_layout), blank(Capture.memory_layout)
    measured["encoders"]["position"] = 12.5, -3.0, 0.25  # counts begin anywhere
    wake(measured, gains(unfold_set_encoders=1.0), settings, memory)
    joints = memory["estimate"]["joints"]
    assert [now(joints, i) for i in range(3)] == pytest.approx([1.84447, -0.9542, -0.2856])
    measured["encoders"]["position"][0] += 0.1
    measured["encoders"]["stamp"] = 0.01
    observe(measured, gains(unfold_set_encoders=1.0, filter_joints=200.0), 0.01, memory)
    assert joints["position"][0] == pytest.approx(1.84447 + 0.1 * (1.0 - np.exp(-4.0)))


def test_the_program_waits_for_its_first_poses(settings: Any) -> None:
    measured, _ = at_rest(settings)
    assert has_seen(measured)
    measured["port"]["orientation_w"] = 0.0
    assert not has_seen(measured)


def test_a_late_reading_is_carried_to_the_present(settings: Any) -> None:
    """A base that moves at 0.3 m/s, seen 20 ms late: the track follows the readings, `now` the base."""
    measured, memory = at_rest(settings)
    for k in range(1, 400):
        measured["base"]["position"][0], measured["base"]["stamp"] = 0.3 * (0.01 * k - 0.02), 0.01 * k - 0.02
        observe(measured, gains(), 0.01 * k, memory)
    assert now(memory["estimate"]["base"], 0) == pytest.approx(0.3 * 3.99, abs=1e-9)


def test_the_oldest_pose_tells_that_motion_capture_is_lost(settings: Any) -> None:
    measured, memory = at_rest(settings)
    for name, stamp in (("base", 5.0), ("tool", 5.0), ("port", 4.79), ("encoders", 5.0)):
        measured[name]["stamp"] = stamp
    observe(measured, gains(), 5.0, memory)
    assert fault(measured, 0.0, gains(), settings, memory) == st.MOCAP
    measured["port"]["stamp"] = 4.81
    observe(measured, gains(), 5.0, memory)
    assert fault(measured, 0.0, gains(), settings, memory) == st.FINE


def test_the_zero_of_the_force_follows_until_the_arm_reaches_out() -> None:
    memory = blank(Capture.memory_layout)
    memory["stage"] = st.APPROACH
    for k in range(3000):
        feel(0.05 + 0.001 * k * 0.01, k * 0.01, gains(), 0.01, memory)  # a sensor that creeps by 1 mN a second
    assert memory["force"] == pytest.approx(0.001 * 2.0, rel=0.01)  # it is 2 s late
    memory["stage"] = st.CONTACT
    zero = float(memory["force_filter"]["tare"])
    for k in range(500):
        feel(zero + 0.1, 30.0 + k * 0.01, gains(), 0.01, memory)
    assert memory["force"] == pytest.approx(0.1)


@pytest.mark.parametrize("calls", [2, 3, 7])
def test_it_makes_no_difference_how_often_the_program_is_called_between_two_readings(settings: Any, calls: int) -> None:
    """Readings every 10 ms of a base and joints that swing and of a force that creeps; to the last bits of the times."""
    found = []
    for often in (1, calls):
        measured, memory = at_rest(settings)
        for k in range(1, 120):
            stamp = 0.01 * k
            measured["base"]["position"][0], measured["base"]["stamp"] = 0.1 * np.sin(3.0 * stamp), stamp
            measured["encoders"]["position"][1] = 0.2 * np.cos(5.0 * stamp)
            measured["encoders"]["stamp"] = stamp
            for j in range(often):
                observe(measured, gains(), stamp + 0.01 * j / often, memory)
                feel(0.05 + 0.2 * np.sin(stamp), stamp, gains(force_window=8.0), 0.01 / often, memory)
        observe(measured, gains(), 1.2, memory)
        base, joints = memory["estimate"]["base"], memory["estimate"]["joints"]
        found.append([now(base, 0), base["velocity"][0], now(joints, 1), joints["velocity"][1], float(memory["force"])])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)
    # 0.1 sin(3 t) at 1.2 s and its rate; 2 / bandwidth late in the rate, whose own rate is 0.9
    assert found[0][0] == pytest.approx(0.1 * np.sin(3.6), abs=0.01)
    assert found[0][1] == pytest.approx(0.3 * np.cos(3.6), abs=0.9 * 2.0 / 20.0)


def test_the_brake_takes_energy_and_is_stable_when_it_is_held_for_a_period() -> None:
    random = np.random.default_rng(3)
    for _ in range(50):
        root = random.normal(size=(6, 6))
        h = root @ root.T + 1e-3 * np.eye(6)
        damping = np.zeros((6, 6))
        for i in range(4):
            zd, tau = np.zeros(6), np.zeros(4)
            zd[2 + i] = 1.0
            _brake(10.0, h, zd, tau)
            damping[2 + i, 2 + i] = -tau[i]
        assert (np.diag(damping)[2:] > 0.0).all()
        decay = np.linalg.eigvals(np.eye(6) - 0.01 * np.linalg.solve(h, damping))
        assert np.abs(decay).max() < 1.0 + 1e-9


def test_the_fallback_pulls_the_end_effector_along_its_error() -> None:
    """Power of the joints' torques is that of the force: J^T makes no other."""
    memory, random = blank(Capture.memory_layout), np.random.default_rng(1)
    memory["estimate"]["tool"]["position"][2] = 0.7  # angle of the end effector
    je = random.normal(size=(3, 6))
    e, v, tau = Axes(0.02, -0.01, 0.03), Axes(0.0, 0.0, 0.0), np.zeros(4)
    _fallback(memory, gains(pd_cross=0.0), e, v, je, 0.0, tau)
    cos, sin = np.cos(0.7), np.sin(0.7)
    world = np.array([cos * e.normal - sin * e.across, sin * e.normal + cos * e.across, e.turn])
    force = -np.array([2.0, 2.5, 1.5]) * world
    np.testing.assert_allclose(tau[1:], je[:, 3:].T @ force, rtol=1e-12)
