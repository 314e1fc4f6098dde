"""Sensors and plugins of Gazebo become parts and sensors of the twin that `didymos new` writes, with Gazebo's own laws."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.describe.formats.importer import read_description
from didymos.describe.new import new_twin
from didymos.twin import Twin

FILES = Path(__file__).parents[1] / "describe" / "gazebo_files"
GRAVITY = 9.80665  # [m/s^2]


def made(name: str, folder: Path) -> Twin:
    return didymos.load(new_twin("robot", FILES / name, folder), trust=True)


def notes(name: str) -> str:
    return "\n".join(note.what for note in read_description(FILES / name).notes)


@pytest.fixture(scope="module")
def quad(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    twin = made("quad.sdf", tmp_path_factory.mktemp("quad"))
    twin.set("start.position.z", 0.26)  # in the air: on the ground, where it starts, friction holds it
    return twin


def test_a_quadcopter_hovers_at_the_speed_of_its_motor_constant(quad: Twin) -> None:
    mass = 2.0 + 4 * 0.016
    speed = math.sqrt(mass * GRAVITY / (4 * 8.5e-6))  # w = sqrt(m g / 4 k)
    simulation = quad.simulate()
    rotors = [f"rotor_{i}" for i in range(4)]
    for _ in range(300):
        simulation.step(dict.fromkeys(rotors, speed / 1000.0), seconds=0.01)
    thrusts = [simulation.readouts(rotor)[0] for rotor in rotors]
    # Density falls by 1e-4 a metre; spinning up costs 12 ms of thrust, and the sinking that it leaves dies out in the inflow.
    assert sum(thrusts) == pytest.approx(mass * GRAVITY, rel=1e-3)
    state = simulation.reading("state", "velocity")
    assert np.abs(state).max() < 2e-2  # [m/s]
    position = simulation.reading("state", "position")
    assert abs(position[0]) + abs(position[1]) < 1e-3


def test_a_rotor_turns_its_joint_and_the_body_the_other_way(quad: Twin) -> None:
    simulation = quad.simulate()
    for _ in range(20):  # 0.2 s: both that turn counter-clockwise seen from above, so the body yaws clockwise
        simulation.step({"rotor_0": 0.8, "rotor_1": 0.8}, seconds=0.01)
    assert simulation.reading("state", "angular_velocity")[2] < -0.01
    assert simulation.reading("encoders", "velocity")[:2] == pytest.approx([800.0, 800.0], rel=0.02)


def test_sensors_keep_their_rates_poses_and_noise(quad: Twin) -> None:
    sensors, frames = quad.file.sensors, quad.description.frames
    assert {name: spec.kind for name, spec in sensors.items()} == {
        "state": "odometry", "imu_sensor": "imu", "navsat_sensor": "gps", "mag": "magnetometer", "baro": "barometer",
        "down": "rangefinder", "scan": "lidar", "front": "camera", "encoders": "joints",
    }  # fmt: skip
    assert [sensors[name].rate for name in ("imu_sensor", "navsat_sensor", "scan", "encoders")] == [250, 30, 10, 500]
    accel = sensors["imu_sensor"].accel
    assert tuple(accel.noise) == (0.002, 0.002, 0.003)
    assert accel.bias.z == pytest.approx(0.004 * math.sqrt(200 / 2))
    assert accel.bias_time == 200
    assert sensors["navsat_sensor"].position.noise.x == pytest.approx(1e-5 * math.pi / 180 * 6_371_000)
    assert tuple(frames["imu_sensor_frame"].position) == (0.01, 0.02, 0.03)
    np.testing.assert_allclose(frames["imu_sensor_frame"].quaternion, [math.sqrt(0.5), 0, 0, math.sqrt(0.5)], atol=1e-12)
    # Rays from 0 to 90 degrees: ours fan out about x, so the frame looks along 45.
    np.testing.assert_allclose(frames["scan_frame"].quaternion, [math.cos(math.pi / 8), 0, 0, math.sin(math.pi / 8)], atol=1e-12)


def test_a_range_finder_that_looks_down_in_the_file_looks_down(quad: Twin) -> None:
    simulation = quad.simulate()
    simulation.step({}, seconds=0.02)
    # The body's origin is at 0.26 m; the sensor is 0.03 m below it.
    assert simulation.reading("down", "range")[0] == pytest.approx(0.23, abs=0.005)


def test_what_has_no_law_is_noted_once_for_each_kind() -> None:
    said = notes("quad.sdf")
    assert said.count("libmystery.so") == 1
    assert "2 of these: 'first', 'second'" in said
    assert "<sensor> of type 'sonar' is not used" in said
    assert said.count("<timeConstantDown> 0.025") == 4


def gazebo_lift_and_drag(alpha: float) -> tuple[float, float]:
    """C_L and C_D of the plugin, written down from its source: lines that break at stall."""
    angle, stall = alpha + 0.06, 0.34
    if angle > stall:
        lift = max(0.0, 4.75 * stall - 3.85 * (angle - stall))
        drag = 0.64 * stall - 0.92 * (angle - stall)
    elif angle < -stall:
        lift = min(0.0, -4.75 * stall - 3.85 * (angle + stall))
        drag = -0.64 * stall - 0.92 * (angle + stall)
    else:
        lift, drag = 4.75 * angle, 0.64 * angle
    return lift, abs(drag)


@pytest.mark.parametrize("alpha", [-0.9, -0.5, -0.2, -0.06, 0.1, 0.27, 0.4, 0.6, 1.2])
def test_a_wing_lifts_as_gazebo_says(tmp_path: Path, alpha: float) -> None:
    # Forward is +y of the link: turned about x by alpha, its nose is up; the wind blows toward -y.
    file = tmp_path / "pitched.sdf"
    text = (FILES / "wing.sdf").read_text().replace('<model name="wing">', f'<model name="wing"><pose>0 0 3 {alpha} 0 0</pose>')
    file.write_text(text)
    twin = didymos.load(new_twin("robot", file, tmp_path), trust=True)
    speed = 12.0
    twin.set_all({"world.wind.speed": speed, "world.wind.direction": -math.pi / 2})
    simulation = twin.simulate()
    simulation.step({}, seconds=0.02)
    outputs = simulation.readouts("wing_surface")
    lift, drag = (c * 0.5 * 1.2041 * speed**2 * 0.6 for c in gazebo_lift_and_drag(alpha))
    ahead, up = lift * math.sin(alpha) - drag * math.cos(alpha), lift * math.cos(alpha) + drag * math.sin(alpha)
    assert outputs[:2] == pytest.approx([speed, alpha], rel=1e-6)  # airspeed and angle of attack, then the force
    # Density 3 m above sea level is 3e-4 less; numbers in the twin file have nine digits.
    np.testing.assert_allclose(outputs[2:5], [ahead, 0.0, up], rtol=1e-3, atol=1e-3)


def test_the_centre_of_pressure_and_the_control_joint_come_along(tmp_path: Path) -> None:
    twin = made("wing.sdf", tmp_path)
    surface, frame = twin.file.parts["wing_surface"], twin.description.frames["wing_surface_frame"]
    assert tuple(frame.position) == (0.2, 0.0, 0.1)
    assert (surface.limit_y, surface.lift_y) == (0.5, -0.3)
    drive = twin.file.parts["flap_joint"]
    assert (drive.kind, drive.ratio, drive.peak_torque) == ("drive", 1.0, 3.0)
    assert drive.kp == pytest.approx(2 * math.pi * 10)
    assert drive.kd == pytest.approx(2 * math.pi * 0.5)


def test_a_force_torque_sensor_reads_what_the_child_does_to_its_parent(tmp_path: Path) -> None:
    simulation = made("wing.sdf", tmp_path).simulate()
    simulation.step({}, seconds=0.05)
    # Gazebo's default direction: the flap of 0.1 kg pulls down on the wing.
    assert simulation.reading("root_load", "force")[2] == pytest.approx(-0.1 * GRAVITY, rel=0.02)


def test_wheels_of_gazebo_classic_drive_the_rover(tmp_path: Path) -> None:
    twin = made("rover.urdf", tmp_path)
    assert {name: part.kind for name, part in twin.file.parts.items()} == {
        "left_joint": "wheel_servo", "right_joint": "wheel_servo",
    }  # fmt: skip
    assert twin.file.parts["left_joint"].torque_limit == 2.0
    assert twin.file.sensors["encoders"].joints == ("left_joint", "right_joint")
    gyro = twin.file.sensors["imu"].gyro
    assert (gyro.noise_density, gyro.turn_on_bias) == (0.0003, 0.009)
    assert gyro.bias == pytest.approx(0.00004 * math.sqrt(200 / 2))
    assert twin.file.sensors["eye"].depth
    simulation, ways = twin.simulate(), []
    for _ in range(3):
        simulation.step({"left_joint": 5.0, "right_joint": 5.0}, seconds=1.0)
        ways.append(simulation.reading("state", "position")[0])
    # 5 rad/s on wheels of 0.1 m; a tail that slides takes a percent of slip
    assert ways[2] - ways[0] == pytest.approx(2 * 0.5, rel=0.02)
