"""What the turning, round Earth does to bodies: closed forms, what is conserved, and what the sensors feel of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import didymos
from didymos.air.atmosphere import density, pressure
from didymos.air.earth import EARTH_RATE, J2, MU, EarthSpec, earth_record, uniform_gravity
from didymos.air.geodesy import EQUATOR, FLATTENING, geodetic

G = 9.80665
BRICK = """<mujoco><worldbody><body name="body"><freejoint/>
  <geom type="box" size=".1 .15 .2" pos=".02 .01 -.03" mass="1.5"/></body></worldbody></mujoco>"""
POINT = """<mujoco><worldbody><body name="body"><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>"""
PENDULUM = """<mujoco><worldbody><body name="rod" pos="0 0 0"><joint name="ball" type="ball"/>
  <geom size=".01" pos="0 0 -10" mass="1"/></body></worldbody></mujoco>"""


def _world(step: float = 0.005, **earth: Any) -> dict[str, Any]:
    gravity = {} if "gravity" in earth and earth["gravity"] == "j2" else {"gravity": earth.pop("weight", G)}
    return {"step": step, "integrator": "rk4", "boundary": 1e7, "earth": earth, **gravity}


def _end(log: Any, name: str, axes: str = "xyz") -> Any:
    return np.array([log[f"{name}.{axis}"].values[-1] for axis in axes])


@pytest.mark.parametrize("latitude", [0.0, 0.7, -1.0])
def test_a_falling_body_drifts_east(make_twin: Any, latitude: float) -> None:
    """W g t^3 cos(latitude) / 3. With W for `W x`, the whole is g t^2 / 2 - W g t^3 / 3 + W W g t^4 / 8 - W W W g t^5 / 30, and
    what follows is 1e-13 m."""
    t = 10.0
    log = make_twin(POINT, world=_world(latitude=latitude, rotation=True), record={"rate": 10}).simulate().run(t + 0.1)
    found = _end(log, "truth.position")
    assert found[0] == pytest.approx(EARTH_RATE * G * t**3 * math.cos(latitude) / 3, rel=1e-6)
    spin, gravity = EARTH_RATE * np.array([0.0, math.cos(latitude), math.sin(latitude)]), np.array([0.0, 0.0, -G])
    once = np.cross(spin, gravity)
    twice = np.cross(spin, once)
    expected = gravity * t**2 / 2 - once * t**3 / 3 + twice * t**4 / 8 - np.cross(spin, twice) * t**5 / 30
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_what_flies_straight_among_the_stars_turns_over_the_ground(make_twin: Any) -> None:
    """Without weight: d(t) = R(-W t) (d_0 + (v_0 + W x d_0) t)."""
    spin = EARTH_RATE * np.array([0.0, math.cos(0.6), math.sin(0.6)])
    start, velocity = np.array([300.0, -200.0, 100.0]), np.array([200.0, 50.0, -20.0])
    twin = make_twin(POINT, world=_world(0.01, latitude=0.6, rotation=True, weight=0.0), record={"rate": 1},
                     start={"position": start.tolist(), "velocity": velocity.tolist()})  # fmt: skip
    found = _end(twin.simulate().run(601.0), "truth.position")
    expected = Rotation.from_rotvec(-spin * 600.0).apply(start + (velocity + np.cross(spin, start)) * 600.0)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_plane_of_a_pendulum_turns_with_the_sine_of_the_latitude(make_twin: Any) -> None:
    """Foucault: -W sin(latitude). The swing is an ellipse, as it begins at rest on the ground: that adds 3/8 (a / L)^2 of it."""
    latitude, tilt = 0.9, 0.01
    twin = make_twin(PENDULUM, world=_world(0.01, latitude=latitude, rotation=True), record={"rate": 100, "tf_rate": 100},
                     start={"joints": {"ball": [0.0, tilt, 0.0]}})  # fmt: skip
    log = twin.simulate().run(130.0)
    period = 2 * math.pi * math.sqrt(10.0 / G)
    samples = round(3 * period * 100)
    turn = Rotation.from_quat(np.column_stack([log[f"tf.rod.orientation.{axis}"].values for axis in "xyzw"]))
    swing = turn.apply([0.0, 0.0, -10.0])[:, :2]
    planes, times = [], []
    for first in (0, len(swing) - samples):
        part = swing[first : first + samples]
        axis = np.linalg.svd(part)[2][0]
        planes.append(math.atan2(axis[1], axis[0]))
        times.append((first + samples / 2) / 100.0)
    turned = (planes[1] - planes[0] + math.pi / 2) % math.pi - math.pi / 2
    assert turned / (times[1] - times[0]) == pytest.approx(-EARTH_RATE * math.sin(latitude), rel=2e-3)


def test_a_body_at_rest_among_the_stars_turns_against_the_ground(make_twin: Any) -> None:
    """Whatever its inertia: its attitude is R(-W t), and its rates against the stars stay none."""
    spin = EARTH_RATE * np.array([0.0, math.cos(1.1), math.sin(1.1)])
    start = Rotation.from_euler("xyz", [0.3, -0.4, 1.0])
    begin = {"orientation": [0.3, -0.4, 1.0], "angular_velocity": (-start.inv().apply(spin)).tolist()}
    twin = make_twin(BRICK, world=_world(0.01, latitude=1.1, rotation=True, weight=0.0), record={"rate": 1}, start=begin)
    log = twin.simulate().run(301.0)
    found = Rotation.from_quat(_end(log, "truth.orientation", "xyzw"))
    difference = (Rotation.from_rotvec(-spin * 300.0) * start).inv() * found
    assert difference.magnitude() < 1e-10  # of 0.022
    for name in "pqr":
        assert abs(log[f"earth.{name}"].values).max() < 1e-13


def test_the_integral_of_jacobi_is_conserved(make_twin: Any) -> None:
    """v^2 / 2 - U - (W x r)^2 / 2 of a body thrown high: its parts change by 1e6 m^2/s^2."""
    twin = make_twin(POINT, world=_world(0.02, latitude=0.6, gravity="j2", rotation=True, shape="ellipsoid"),
                     record={"rate": 1}, start={"velocity": [900.0, 400.0, 1500.0]})  # fmt: skip
    log = twin.simulate().run(200.0)
    earth = earth_record(EarthSpec(latitude=0.6, gravity="j2", rotation=True), G)[()]
    position = np.column_stack([log[f"truth.position.{axis}"].values for axis in "xyz"])
    speed = np.linalg.norm(np.column_stack([log[f"truth.velocity.{axis}"].values for axis in "xyz"]), axis=1)
    r = position + earth["origin"]
    d = np.linalg.norm(r, axis=1)
    potential = MU / d * (1 - J2 * (EQUATOR / d) ** 2 * (3 * (r @ earth["axis"] / d) ** 2 - 1) / 2)
    energy = speed**2 / 2 - potential - np.linalg.norm(np.cross(earth["rate"], r), axis=1) ** 2 / 2
    assert np.ptp(speed**2 / 2) > 1e6
    assert np.ptp(energy) < 1e-5  # U is 6e7, and has 8 digits after its point left out of 16


def test_inertial_sensors_feel_the_earth(make_twin: Any) -> None:
    """At rest on the ground a gyro turns with the Earth and an accelerometer shows the gravity there; in free fall none."""
    keys = {"latitude": 0.8, "gravity": "j2", "rotation": True, "shape": "ellipsoid"}
    fixed = """<mujoco><worldbody><body name="body"><geom size=".1" mass="1"/>
      <body name="arm" pos="0 0 1"><joint name="hinge" axis="0 0 1"/><geom size=".1" mass="1"/></body></body>
      </worldbody></mujoco>"""
    imu = {"imu": {"kind": "imu", "link": "body", "rate": 50}}
    log = make_twin(fixed, world=_world(**keys), sensors=imu).simulate().run(0.5)
    spin = EARTH_RATE * np.array([0.0, math.cos(0.8), math.sin(0.8)])
    np.testing.assert_allclose(_end(log, "imu.gyro"), spin, atol=1e-15)
    np.testing.assert_allclose(_end(log, "imu.accel"), -np.array(uniform_gravity(EarthSpec(**keys), G)), atol=1e-12)
    start = {"position": [2e4, -1e4, 8e3], "velocity": [200, 100, -50], "angular_velocity": [0.2, -0.1, 0.3]}
    falling = {"imu": {"kind": "imu", "link": "body", "rate": 50}}
    log = make_twin(POINT, world=_world(**keys), sensors=falling, start=start).simulate().run(0.5)
    np.testing.assert_allclose(_end(log, "imu.accel"), 0.0, atol=1e-12)
    turned = Rotation.from_quat(_end(log, "truth.orientation", "xyzw")).inv().apply(spin)
    np.testing.assert_allclose(_end(log, "imu.gyro") - _end(log, "truth.angular_velocity"), turned, atol=1e-6)


@pytest.mark.parametrize("shape", ["round", "ellipsoid"])
def test_receiver_and_barometer_know_the_place(make_twin: Any, shape: str) -> None:
    """A hundred kilometres east on the plane that touches the Earth, the ground has fallen by 784 m, and the air thins so."""
    mount = {"link": "body", "rate": 50}
    sensors = {"gps": {"kind": "gps", "fix": True} | mount, "baro": {"kind": "barometer"} | mount}
    world = _world(latitude=0.5, longitude=0.2, height=100.0, shape=shape, weight=0.0)
    log = make_twin(POINT, world=world, sensors=sensors, start={"position": [1e5, 0, 0]}).simulate().run(0.1)
    earth = EarthSpec(latitude=0.5, longitude=0.2, height=100.0, shape=shape)
    latitude, longitude, height = geodetic(0.5, 0.2, 100.0, 1e5, 0.0, 0.0, *earth.ellipsoid)
    assert height == pytest.approx(100.0 + 784.0, abs=3.0)
    assert log["gps.fix.latitude"].values[-1] == pytest.approx(math.degrees(latitude), abs=1e-12)
    assert log["gps.fix.longitude"].values[-1] == pytest.approx(math.degrees(longitude), abs=1e-12)
    assert log["gps.fix.altitude"].values[-1] == pytest.approx(height, abs=1e-8)
    assert log["baro.pressure"].values[-1] == pytest.approx(pressure(height, 288.15, 101325.0), rel=1e-12)
    assert log["earth.density"].values[-1] == pytest.approx(density(height, 288.15, 101325.0), rel=1e-12)
    assert (earth.ellipsoid == (EQUATOR, FLATTENING)) == (shape == "ellipsoid")


def test_wind_blows_along_the_ground_where_the_robot_is(make_twin: Any) -> None:
    """Eastward wind at a place turned by an angle about the Earth's axis leans down by it; the shear counts heights there."""
    keys: dict[str, Any] = {"record": {"air": True, "rate": 100}, "start": {"position": [1e5, 0, 0]}}
    keys["parts"] = {"hull": {"kind": "body_drag", "link": "body", "area_x": 1.0, "area_y": 1.0, "area_z": 1.0}}
    world = _world(latitude=0.0, longitude=0.0, shape="ellipsoid", weight=0.0)
    world["wind"] = {"speed": 1.0, "reference_height": 10.0, "shear": 0.01}
    log = make_twin(POINT, world=world, **keys).simulate().run(0.05)
    angle = math.atan2(1e5, EQUATOR)
    height = math.hypot(1e5, EQUATOR) - EQUATOR
    speed = 1.0 + 0.01 * (height - 10.0)
    wind = np.array([log[f"air.wind.{axis}"].values[0] for axis in "xyz"])
    np.testing.assert_allclose(wind, speed * np.array([math.cos(angle), 0.0, -math.sin(angle)]), atol=1e-8)
    drag = np.array([log[f"parts.hull.force.{axis}"].values[0] for axis in "xyz"])
    np.testing.assert_allclose(drag, 0.5 * density(height, 288.15, 101325.0) * speed * wind, rtol=1e-9, atol=1e-9)


def test_attitude_is_told_against_north_east_down(make_twin: Any) -> None:
    """Nose west of north by 0.3, up by 0.2, right wing down by 0.1: yaw -0.3, in flight angles; FLU yaw counts from east."""
    world = _world(latitude=0.5, rotation=True, weight=0.0)
    start = {"orientation": [0.1, -0.2, math.pi / 2 + 0.3], "velocity": [10, 0, 0], "angular_velocity": [0.1, 0.2, 0.3]}
    log = make_twin(POINT, world=world, start=start).simulate().run(0.02)
    first = {name: float(log[f"earth.{name}"].values[0]) for name in ("roll", "pitch", "yaw", "p", "q", "r")}
    assert (first["roll"], first["pitch"], first["yaw"]) == pytest.approx((0.1, 0.2, -0.3))
    assert (first["p"], first["q"], first["r"]) == pytest.approx((0.1, -0.2, -0.3), abs=8e-5)
    flat = 10 * math.cos(0.2)
    velocity = [float(log[f"earth.velocity.{axis}"].values[0]) for axis in ("north", "east", "down")]
    assert velocity == pytest.approx([flat * math.cos(0.3), -flat * math.sin(0.3), -10 * math.sin(0.2)])


def test_a_place_alone_changes_nothing(make_twin: Any) -> None:
    """Off by default, to the bit, and without a stream."""
    keys: dict[str, Any] = {"start": {"position": [0, 0, 900], "velocity": [30, 4, 5], "angular_velocity": [1, 2, 3]}}
    keys["parts"] = {"hull": {"kind": "body_drag", "link": "body", "area_x": 1.0, "damping_y": 1e-3}}
    plain = make_twin(BRICK, world={"integrator": "rk4"}, **keys).simulate().run(0.5)
    placed = make_twin(BRICK, world={"integrator": "rk4", "earth": {"latitude": 1.0, "height": 30.0}}, **keys).simulate().run(0.5)
    for name in ("truth.position.x", "truth.angular_velocity.z", "truth.orientation.w"):
        np.testing.assert_array_equal(plain[name].values, placed[name].values)
    with pytest.raises(didymos.InputError):
        placed["earth.height"]


def test_gravity_of_a_model_does_not_change_during_a_run(make_twin: Any) -> None:
    simulation = make_twin(POINT, world={"earth": {"gravity": "inverse_square"}}).simulate()
    with pytest.raises(didymos.InputError, match="cannot change during a run"):
        simulation.set("world.gravity", 9.0)
