"""The program of the mecanum base without a simulator: its kinematics, its odometry, its paths and what stops it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.control.controller import Robot
from didymos.control.omni_drive import OmniDrive
from didymos.control.omni_path import CIRCLE, SQUARE, STAR, on_path
from didymos.errors import InputError

WHEELS = {f"joint_{i}": f"drive_{i}" for i in range(1, 5)}
RADIUS, LEVER, PERIOD = 0.1, 0.74, 0.01
S, T = np.array([1, -1, 1, -1]), np.array([1, -1, -1, 1])  # signs of v_y and w_z, wheel by wheel


class Base:
    """A base whose wheels do at once what the program demands."""

    def __init__(self, lidars: dict[str, list[float]] | None = None, *, forward: Any = "x", **gains: float) -> None:
        self.program = OmniDrive(RADIUS, LEVER, WHEELS, lidars=lidars, forward=forward)
        self.program.rate = 1.0 / PERIOD
        for path, value in gains.items():
            self.program.set_gain(path.replace("__", "."), value)
        names = [f"encoders.{joint}.{what}" for joint in WHEELS for what in ("position", "velocity")]
        names += ["encoders.stamp"]
        names += [f"{name}.ranges.{i}" for name, place in (lidars or {}).items() for i in range(int(place[3]))]
        self.program.start(Robot(tuple(WHEELS.values()), tuple(names), self.program.setpoints))
        self.measured: dict[str, float] = dict.fromkeys(names, math.inf) | dict.fromkeys(names[:9], 0.0)
        self.setpoints: dict[str, float] = dict.fromkeys(self.program.setpoints, 0.0)
        self.time = 0.0
        self.angles = dict.fromkeys(WHEELS, 0.0)

    def tick(self, read: bool = True, **setpoints: float) -> np.ndarray:
        """One call, after which the wheels turn for a period and the encoders `read`; the demanded speeds of the wheels."""
        self.setpoints |= setpoints
        answer = self.program.update(self.time, self.measured, self.setpoints)  # type: ignore[arg-type]
        self.time += PERIOD
        for joint, drive in WHEELS.items():
            self.angles[joint] += PERIOD * answer[drive]
            if read:
                self.measured[f"encoders.{joint}.position"] = self.angles[joint]
                self.measured[f"encoders.{joint}.velocity"] = answer[drive]
        if read:
            self.measured["encoders.stamp"] = self.time
        return np.array([answer[drive] for drive in WHEELS.values()])

    def reported(self) -> dict[str, float]:
        return dict(zip((item.name for item in OmniDrive.reports), self.program.reported().tolist(), strict=True))

    def odometry(self) -> Any:
        assert OmniDrive.odometry == "odom"
        return self.program._memory[OmniDrive.odometry]


@pytest.mark.parametrize(("vx", "vy", "wz"), [(0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.5), (-0.1, 0.25, -0.4)])
def test_wheel_speeds_are_those_of_the_matrix(vx: float, vy: float, wz: float) -> None:
    np.testing.assert_allclose(Base().tick(vx=vx, vy=vy, wz=wz), (vx + S * vy + T * LEVER * wz) / RADIUS, rtol=1e-12)


@pytest.mark.parametrize(
    "setpoints", [{"vx": 0.3, "vy": -0.2, "wz": 0.4}, {"mode": 1.0, "x": 0.5, "y": 0.2}, {"mode": 2.0}, {"mode": 3.0}]
)
def test_a_base_whose_y_is_forward_drives_the_same_way_in_its_own_axes(setpoints: dict[str, float]) -> None:
    """Its x is to the right, so what is (x, y) to the one is (-y, x) to the other: in its set-points, odometry and lidars."""
    ahead = {"scan": [0.1, 0.0, 0.0, 3.0, 1.0]}, {"scan": [0.0, 0.1, 0.5 * math.pi, 3.0, 1.0]}
    usual, turned = Base(ahead[0], stop__distance=0.3), Base(ahead[1], forward="y", stop__distance=0.3)
    pairs = {"vx": "vy", "vy": "vx", "x": "y", "y": "x"}
    in_its_axes = {pairs.get(name, name): -value if name in ("vy", "y") else value for name, value in setpoints.items()}
    for _ in range(300):
        for base in (usual, turned):
            base.measured["scan.ranges.1"] = 1.0  # 0.6 m ahead of the edge: it slows down
        np.testing.assert_allclose(turned.tick(**in_its_axes), usual.tick(**setpoints), atol=1e-9)  # rounding of 300 steps
    (x, y), (right, forward) = ([told["x"], told["y"]] for told in (usual.reported(), turned.reported()))
    assert math.hypot(x, y) > 0.1
    assert [forward, -right] == pytest.approx([x, y], abs=1e-9)
    np.testing.assert_allclose(turned.odometry()["velocity"][[1, 0]], usual.odometry()["velocity"][:2] * [1, -1], atol=1e-9)


def test_forward_is_x_or_y() -> None:
    with pytest.raises(InputError, match="found 'z', expected x or y"):
        OmniDrive(RADIUS, LEVER, WHEELS, forward="z")  # type: ignore[arg-type]


def test_demands_stay_within_the_top_speeds_and_keep_their_direction() -> None:
    wheels = Base(top__speed=0.5, top__turn=0.2).tick(vx=4.0, vy=3.0, wz=-9.0)
    np.testing.assert_allclose(wheels, (0.4 + S * 0.3 - T * LEVER * 0.2) / RADIUS, rtol=1e-12)


def test_odometry_follows_the_wheels_along_a_circle() -> None:
    """Forward at v while turning at w: a circle of radius v / w to the left, each period one arc by its middle heading."""
    base, v, w = Base(), 0.2, 0.4
    for _ in range(301):  # what the first call demands is seen by the second
        base.tick(vx=v, wz=w)
    turned, told = 300 * PERIOD * w, base.reported()
    shorter = 0.5 * PERIOD * w / math.sin(0.5 * PERIOD * w)  # a chord is shorter than its arc
    assert told["yaw"] == pytest.approx(turned, rel=1e-9)
    assert told["x"] == pytest.approx(v / w * math.sin(turned) * shorter, rel=1e-9)
    assert told["y"] == pytest.approx(v / w * (1.0 - math.cos(turned)) * shorter, rel=1e-9)
    odom = base.odometry()
    np.testing.assert_allclose(odom["position"], [told["x"], told["y"], 0.0])
    np.testing.assert_allclose(odom["orientation"], [math.cos(0.5 * turned), 0.0, 0.0, math.sin(0.5 * turned)], atol=1e-12)
    np.testing.assert_allclose(odom["velocity"], [v, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(odom["angular_velocity"], [0.0, 0.0, w], atol=1e-9)


@pytest.mark.parametrize("every", [2, 3, 5])
def test_encoders_slower_than_the_program_give_a_steady_twist(every: int) -> None:
    """Read every so many calls; dividing by the program's period made it 0.4, 0, 0.4, 0 of a steady 0.2 m/s."""
    base, v, w = Base(), 0.2, 0.4
    for k in range(301):
        base.tick(read=(k + 1) % every == 0, vx=v, wz=w)
        if k > every:
            np.testing.assert_allclose(base.odometry()["velocity"], [v, 0.0, 0.0], atol=1e-9)
            np.testing.assert_allclose(base.odometry()["angular_velocity"], [0.0, 0.0, w], atol=1e-9)
    turned = 300 // every * every * PERIOD * w
    assert base.reported()["yaw"] == pytest.approx(turned, rel=1e-9)


def test_the_first_reading_of_the_encoders_begins_the_odometry() -> None:
    """Until it comes, their stamp is -1 and their angles are zeros that nobody has read."""
    base = Base()
    base.measured["encoders.stamp"] = -1.0
    base.angles = dict.fromkeys(WHEELS, 12.0)
    base.tick(read=False)
    base.tick()
    base.tick(vx=0.2)
    base.tick(vx=0.2)
    told = base.reported()
    assert [told["x"], told["y"], told["yaw"]] == pytest.approx([PERIOD * 0.2, 0.0, 0.0], abs=1e-12)


def test_encoders_that_repeat_a_reading_do_not_move_the_odometry() -> None:
    base = Base()
    base.tick(vx=0.2)
    for _ in range(5):
        base.tick(read=False, vx=0.2)
    assert base.reported()["x"] == pytest.approx(PERIOD * 0.2)


def test_wheels_that_fight_show_as_slip() -> None:
    base = Base()
    for joint, speed in zip(WHEELS, (1.0, 0.5, -0.25, 2.0), strict=True):
        base.measured[f"encoders.{joint}.velocity"] = speed
    base.tick()
    assert base.reported()["slip"] == 1.0 + 0.5 + 0.25 - 2.0


def test_a_pose_is_reached_with_its_heading() -> None:
    base = Base()
    for _ in range(1500):
        base.tick(mode=1, x=0.8, y=0.5, yaw=3.0 + 2.0 * math.pi)  # a whole turn more is the same heading
    told = base.reported()
    assert [told["x"], told["y"], told["yaw"]] == pytest.approx([0.8, 0.5, 3.0], abs=1e-5)


@pytest.mark.parametrize(("mode", "length"), [(SQUARE, 4.0), (CIRCLE, math.pi), (STAR, 5.0)])
def test_a_path_is_closed_followed_and_over(mode: int, length: float) -> None:
    assert on_path(mode, 0.0, 1.0)[:2] == (0.0, 0.0)
    np.testing.assert_allclose(on_path(mode, length, 1.0), 0.0, atol=1e-12)
    base = Base(path__speed=0.5)
    off = []
    for k in range(round(length / 0.5 / PERIOD)):
        base.tick(mode=float(mode))
        told, (x, y, *_) = base.reported(), on_path(mode, 0.5 * k * PERIOD, 1.0)
        off.append(math.hypot(told["x"] - x, told["y"] - y))
    assert max(off) < 0.02  # [m]: two periods late at 0.5 m/s, and corners


def test_silence_of_the_commander_stops_it() -> None:
    base = Base(timeout=0.5)
    for k in range(60):
        wheels = base.tick(vx=0.2, alive=float(min(k, 5)))  # it counts for the last time at 0.05 s
        assert base.reported()["late"] == float(k > 55)
        assert (wheels != 0.0).all() == (k <= 55)


@pytest.mark.parametrize(("seen", "speed"), [(2.0, 0.2), (0.95, 0.1), (0.7, 0.0)])
def test_speed_falls_before_what_stands_in_the_way(seen: float, speed: float) -> None:
    """One lidar looks along +x from 0.1 m ahead of the middle; the edge is at 0.5 m, 0.3 m are kept, over 0.5 m it slows down."""
    ahead = {"scan": [0.1, 0.0, 0.0, 3.0, 1.0]}
    base = Base(ahead, stop__distance=0.3)
    base.measured["scan.ranges.1"] = seen  # the middle one of three rays
    wheels = base.tick(vx=0.2)
    assert base.reported()["room"] == pytest.approx(seen + 0.1 - 0.5)
    np.testing.assert_allclose(wheels, speed / RADIUS, atol=1e-12)
    np.testing.assert_allclose(base.tick(vx=-0.2), -0.2 / RADIUS)  # backward the way is free


@pytest.mark.parametrize("reading", [-math.inf, math.nan, 0.0])
def test_too_near_and_unknown_are_not_free(reading: float) -> None:
    """REP 117: -inf is too near, NaN an invalid one; 0 stands there before the first scan. One of three rays is enough."""
    base = Base({"scan": [0.1, 0.0, 0.0, 3.0, 1.0]}, stop__distance=0.3)
    base.measured["scan.ranges.2"] = reading
    np.testing.assert_array_equal(base.tick(vx=0.2), 0.0)
    assert base.reported()["room"] == 0.0
    np.testing.assert_allclose(base.tick(vx=-0.2), -0.2 / RADIUS)  # away from it there is a way
    base.measured["scan.ranges.2"] = math.inf
    np.testing.assert_allclose(base.tick(vx=0.2), 0.2 / RADIUS)


def test_a_lidar_in_the_middle_stops_it_as_well() -> None:
    """Its origin is not ahead of the middle, only its rays are; those that look back say nothing about the way."""
    base = Base({"scan": [0.0, 0.0, 0.0, 5.0, 2.0 * math.pi]}, stop__distance=0.3)
    base.measured["scan.ranges.2"] = -math.inf  # straight ahead
    np.testing.assert_array_equal(base.tick(vx=0.2), 0.0)
    base.measured |= {"scan.ranges.2": math.inf, "scan.ranges.0": -math.inf}  # straight back
    np.testing.assert_allclose(base.tick(vx=0.2), 0.2 / RADIUS)


def test_what_is_too_near_beside_the_way_does_not_stop_it() -> None:
    """A lidar 0.6 m to the right of the middle, beyond the half width of 0.5 m, that looks outward and ahead."""
    base = Base({"scan": [0.2, -0.6, -0.25 * math.pi, 2.0, 0.2]}, stop__distance=0.3)
    base.measured["scan.ranges.0"] = -math.inf
    np.testing.assert_allclose(base.tick(vx=0.2), 0.2 / RADIUS)
    inward = Base({"scan": [0.2, -0.6, 0.25 * math.pi, 2.0, 0.2]}, stop__distance=0.3)
    inward.measured["scan.ranges.0"] = -math.inf
    np.testing.assert_array_equal(inward.tick(vx=0.2), 0.0)


def test_more_rays_than_it_looks_along_are_refused() -> None:
    with pytest.raises(InputError, match="found 5000 rays, omni_drive looks along at most 4096"):
        Base({"scan": [0.0, 0.0, 0.0, 5000.0, 1.0]})


def test_a_reading_that_the_robot_does_not_have_is_named() -> None:
    with pytest.raises(InputError, match=r"needs the reading 'encoders\.joint_1\.position'"):
        OmniDrive(RADIUS, LEVER, WHEELS).start(Robot((), (), ()))
