"""`model.read`: q and v as the sensors say, with their errors, and never the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import didymos
from didymos.control import Robot, Values
from didymos.rotations import axis_angle_to_matrix
from didymos.twin import Twin

DRONE = """<robot name="drone">
  <link name="base"><inertial><mass value="2"/><inertia ixx=".02" iyy=".03" izz=".04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="mast"/>
  <link name="arm"><inertial><origin xyz=".1 0 0"/><mass value=".3"/>
    <inertia ixx=".001" iyy=".002" izz=".002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rail"><inertial><mass value=".1"/>
    <inertia ixx=".001" iyy=".001" izz=".001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="foot" type="fixed"><parent link="base"/><child link="mast"/><origin xyz=".2 -.1 .3" rpy=".4 -.3 1.1"/></joint>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="9"/></joint>
  <joint name="slider" type="prismatic"><parent link="arm"/><child link="rail"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="9"/></joint>
</robot>"""
START = {
    "position": [1.0, 2.0, 3.0], "orientation": [0.3, -0.2, 0.8], "velocity": [0.4, 0.1, -0.3],
    "angular_velocity": [0.5, -0.7, 0.2], "joints": {"elbow": 0.3, "slider": -0.2},
    "joint_velocities": {"elbow": 0.9, "slider": 0.4},
}  # fmt: skip
ENCODERS = {"kind": "joints", "rate": 1000}


def drone(start: Any = None, **sensors: Any) -> Twin:
    world = {"step": 0.001, "gravity": 9.81}
    return Twin.from_dict(
        {"description": {"file": "drone.urdf", "base": "floating"}, "world": world, "sensors": sensors, "start": start or START},
        {"drone.urdf": DRONE},
    )


class Watch(didymos.Controller):
    """Keeps what it reads, and what the model makes of it."""

    rate = 1000

    def start(self, robot: Robot) -> None:
        self.model = robot.model
        self.read: list[tuple[np.ndarray, np.ndarray]] = []

    def update(self, t: float, measured: Values, setpoints: Values) -> dict[str, float]:
        self.read.append(self.model.read(measured))
        return {}


def watched(twin: Twin, seconds: float = 0.003, seed: int = 0) -> tuple[np.ndarray, np.ndarray, Any]:
    """q and v that a program read at the first tick, and the simulation, put back to that instant."""
    simulation = twin.simulate(control=Watch(), seed=seed)
    simulation.run(seconds)
    program: Any = simulation.program
    q, v = program.read[0]
    return q, v, simulation


def true_state(twin: Twin) -> tuple[np.ndarray, np.ndarray]:
    data = twin.simulate().data
    return np.array(data.qpos), np.array(data.qvel)


@pytest.mark.parametrize("link", ["base", "mast"])
def test_odometry_and_encoders_tell_all_of_it(link: str) -> None:
    """Wherever on the base the odometry sits."""
    twin = drone(state={"kind": "odometry", "rate": 1000, "link": link}, encoders=ENCODERS)
    q, v, _ = watched(twin)
    true_q, true_v = true_state(twin)
    np.testing.assert_allclose(np.abs(q[3:7] @ true_q[3:7]), 1.0, rtol=1e-14)
    np.testing.assert_allclose(q[:3], true_q[:3], atol=1e-14)
    np.testing.assert_allclose(q[7:], true_q[7:], atol=1e-14)
    np.testing.assert_allclose(v, true_v, atol=1e-14)


def test_a_pose_and_a_gyro_leave_only_the_velocity_unknown() -> None:
    twin = drone(
        capture={"kind": "pose", "rate": 1000, "link": "mast"},
        imu={"kind": "imu", "rate": 1000, "link": "mast"},
        encoders=ENCODERS,
    )
    q, v, _ = watched(twin)
    true_q, true_v = true_state(twin)
    np.testing.assert_allclose(q[:3], true_q[:3], atol=1e-14)
    np.testing.assert_allclose(np.abs(q[3:7] @ true_q[3:7]), 1.0, rtol=1e-14)
    np.testing.assert_array_equal(v[:3], 0.0)
    np.testing.assert_allclose(v[3:], true_v[3:], atol=1e-14)


def test_an_accelerometer_tells_the_tilt_of_a_robot_that_stands() -> None:
    """Roll and pitch at which gravity is where it is felt, and no heading; here it is handed over, on a turned mast."""
    twin = drone(imu={"kind": "imu", "rate": 1000, "link": "mast"})
    model = twin.model
    mount = model.at(model.reference).rotation("mast")
    tilt = axis_angle_to_matrix(np.array([0.0, 1.0, 0.0]), 0.25) @ axis_angle_to_matrix(np.array([1.0, 0.0, 0.0]), -0.4)
    felt, turning = mount.T @ tilt.T @ [0.0, 0.0, 9.81], mount.T @ [0.1, 0.2, 0.3]
    readings = {f"imu.accel.{axis}": felt[i] for i, axis in enumerate("xyz")}
    readings |= {f"imu.gyro.{axis}": turning[i] for i, axis in enumerate("xyz")}
    q, v = model.read(readings)
    np.testing.assert_allclose(model.at(q).rotation("base"), tilt, atol=1e-14)
    np.testing.assert_array_equal(q[:3], model.reference[:3])
    np.testing.assert_allclose(v, [0, 0, 0, 0.1, 0.2, 0.3, 0, 0], atol=1e-15)


def test_without_sensors_it_knows_nothing() -> None:
    """The truth is another one: nothing of it leaks."""
    twin = drone()
    q, v, simulation = watched(twin)
    np.testing.assert_array_equal(q, twin.model.reference)
    np.testing.assert_array_equal(v, 0.0)
    assert np.abs(simulation.data.qpos - q).max() > 0.1


def test_a_sensor_on_a_moving_link_does_not_tell_the_base() -> None:
    twin = drone(state={"kind": "odometry", "rate": 1000, "link": "rail"})
    assert twin.model.base_reading.pose is None


def test_noise_of_sensors_is_in_what_is_read() -> None:
    """As much of it as the sensors have: with 400 readings the deviation is known to 1/sqrt(800), 3.5 %; five times that."""
    sigma = 0.02
    twin = drone(
        start={"position": [0, 0, 500]},
        state={"kind": "odometry", "rate": 1000, "link": "base", "position": {"noise": sigma}},
        encoders={**ENCODERS, "position": {"noise": sigma}, "velocity": {"noise": sigma}},
    )
    simulation = twin.simulate(control=Watch())
    simulation.run(0.4)
    program: Any = simulation.program
    q, v = (np.array(each) for each in zip(*program.read, strict=True))
    for column in (q[:, 0], q[:, 1], q[:, 7], q[:, 8], v[:, 6]):
        assert np.std(column) == pytest.approx(sigma, rel=5 / np.sqrt(800))


def test_a_delay_of_sensors_is_in_what_is_read() -> None:
    twin = drone(encoders={**ENCODERS, "delay": 0.002})
    simulation = twin.simulate(control=Watch())
    simulation.run(0.005)
    program: Any = simulation.program
    elbows = [q[7] for q, _ in program.read]
    assert elbows[:2] == [0.0, 0.0]
    assert elbows[2] == pytest.approx(0.3, abs=1e-12)


def test_readings_that_a_robot_does_not_tell_stay_at_the_reference() -> None:
    model = drone(encoders=ENCODERS, imu={"kind": "imu", "rate": 1000, "link": "base"}).model
    q, v = model.read(Values({"encoders.elbow.position": 0, "encoders.elbow.velocity": 1}, np.array([0.4, 0.5])))
    np.testing.assert_array_equal(q, [*model.reference[:7], 0.4, 0.0])
    np.testing.assert_array_equal(v, [0, 0, 0, 0, 0, 0, 0.5, 0])
