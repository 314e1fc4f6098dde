"""What an ideal IMU reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

BOX = """<mujoco><worldbody><body name="body" pos="0 0 .1"><freejoint name="free"/>
  <geom type="box" size=".1 .1 .1" mass="2"/><site name="imu" pos=".05 .02 .03" euler="0 0 90"/></body>
  </worldbody></mujoco>"""
IMU = {"imu": {"kind": "imu", "link": "imu", "rate": 200}}


def _rows(log: Any, name: str) -> np.ndarray:
    return np.column_stack([log[f"{name}.{axis}"].values for axis in "xyz"])


def test_at_rest_it_reads_gravity_upwards(make_twin: Any) -> None:
    twin = make_twin(BOX, world={"ground": {}, "gravity": 9.81}, sensors=IMU)
    log = twin.simulate().run(3.0)
    # the contact is a damped spring with a time constant of 20 ms: nothing moves after a hundred of them
    np.testing.assert_allclose(_rows(log, "imu.accel")[-1], [0, 0, 9.81], atol=1e-6)
    np.testing.assert_allclose(_rows(log, "imu.gyro")[-1], 0.0, atol=1e-6)


def test_in_free_fall_it_reads_nothing(make_twin: Any) -> None:
    log = make_twin(BOX, world={"integrator": "rk4"}, sensors=IMU).simulate().run(1.0)
    np.testing.assert_allclose(_rows(log, "imu.accel"), 0.0, atol=1e-14)  # 9.8 - 9.8, to some roundings


def test_the_gyro_reads_the_rate_of_the_body_in_the_sensors_axes(make_twin: Any) -> None:
    start = {"angular_velocity": [0.3, -0.2, 0.5], "orientation": [0.4, 0.2, -1.0]}
    log = make_twin(BOX, world={"integrator": "rk4"}, sensors=IMU, start=start).simulate().run(0.1)
    # a cube turns about any axis at a constant rate; the sensor is turned by 90 deg about z: x' = y, y' = -x
    np.testing.assert_allclose(_rows(log, "imu.gyro"), np.tile([-0.2, -0.3, 0.5], (20, 1)), atol=1e-14)


def test_off_the_centre_it_feels_the_centripetal_acceleration(make_twin: Any) -> None:
    start = {"angular_velocity": [0.0, 0.0, 4.0]}
    log = make_twin(BOX, world={"integrator": "rk4"}, sensors=IMU, start=start).simulate().run(0.1)
    # a = -w^2 r = -16 (0.05, 0.02) in the body, turned by 90 deg about z into the sensor
    np.testing.assert_allclose(_rows(log, "imu.accel"), np.tile([-0.32, 0.8, 0.0], (20, 1)), atol=1e-12)


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
def test_thrust_is_felt_as_force_over_mass(make_twin: Any, integrator: str) -> None:
    rotor = {"kind": "rotor", "link": "body", "direction": 1, "thrust_coefficient": 1e-4, "speed_per_input": 300.0}
    twin = make_twin(
        BOX,
        world={"integrator": integrator, "gravity": 0.0},
        parts={"rotor": rotor},
        sensors=IMU,
        scenarios={"go": {"stimuli": [{"target": "inputs.rotor", "kind": "constant", "value": 1.0}]}},
    )
    log = twin.simulate(scenario="go").run(0.05)
    rho = 101_325.0 / (287.05287 * 288.15) * (1 - 0.0065 * 0.1 / 288.15) ** (9.80665 / (287.05287 * 0.0065) - 1)
    felt = 1e-4 * 300.0**2 * rho / 1.225 / 2.0  # along the body's x, the sensor's -y
    # the first reading is taken before the first input is handed over, every other with the input of the last tick
    np.testing.assert_allclose(_rows(log, "imu.accel")[1:], np.tile([0, -felt, 0], (9, 1)), atol=1e-12)
