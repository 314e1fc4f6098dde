"""The world `yard`: the dog walks over rough ground among moving obstacles; its lidars see them where they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.world import find_world, load_world

SECONDS = 8.0  # 7 s at 0.4 m/s: onto the rough ground, which begins at 1.5 m
HEIGHT = 0.605  # [m] of imu_link above base_link
RADIUS = 0.4  # [m] of crosser_1


def _walked(**values: float) -> Any:
    file = find_world("yard")
    assert file is not None
    world = load_world(file)
    world.set_all({path.replace("__", "."): value for path, value in values.items()})
    return world.simulate(scenario="cross", seed=1).run(SECONDS)


@pytest.fixture(scope="module")
def walked() -> Any:
    return _walked()


def test_it_walks_onto_the_rough_ground_and_stays_up(walked: Any) -> None:
    """Limits of the whole run; 7 s of 0.4 m/s are 2.8 m, less what it takes to gather speed."""
    assert 2.4 < walked["dog.truth.position.x"].values[-1] < 2.9
    assert walked["dog.control.height"].values.min() > 0.35
    assert _tilt(walked) < 0.3


def test_the_ground_tilts_it_more_than_a_level_floor_does(walked: Any) -> None:
    level = _walked(world__objects__rough__terrain__height=0.0)
    assert _tilt(walked) > 1.5 * _tilt(level)


def test_the_lidar_sees_a_moving_obstacle_at_its_true_distance(walked: Any) -> None:
    """The ray nearest to the axis of crosser_1 is as long as the distance d to the axis less its radius r, within five deviations
    of the noise, 50 mm. It misses the axis by at most e = 0.5 deg, which makes it longer by about d^2 e^2 / 2 r, and the dog's
    tilt t by d t^2 / 2: with d < 4 m and t < 0.06 less than 9 mm."""
    middle = (3.0, lambda t: 2.5 * math.sin(2.0 * math.pi * 0.06 * t - 1.633))
    angles = np.linspace(-0.5 * 6.265732, 0.5 * 6.265732, 360)
    seen = 0
    for index, time in enumerate(walked["dog.lidar.ranges.0"].time):
        x, y, yaw = _pose(walked, time)
        ahead = math.atan2(middle[1](time) - y, middle[0] - x)
        ray = int(np.argmin(np.abs(angles - (ahead - yaw))))
        away = math.hypot(middle[0] - x, middle[1](time) - y) - RADIUS
        found = walked[f"dog.lidar.ranges.{ray}"].values[index]
        seen += 1
        assert abs(found - away) < 5.0 * 0.01 + 0.009, f"at {time:g} s: {found:g} m of {away:g} m"
    assert seen >= 70


def test_the_obstacles_leave_room(walked: Any) -> None:
    """More than the dog reaches, 0.61 m from the lidar to a knee; and the rays do meet something."""
    nearest = min(walked[f"dog.guard.ranges.{i}"].values.min() for i in range(8))
    assert 0.64 < nearest < 3.0


def test_one_that_stands_in_the_way_is_judged() -> None:
    """crosser_1 goes through the middle at 8.5 s, when the dog is there; it runs into the dog from the right."""
    file = find_world("yard")
    assert file is not None
    world = load_world(file)
    world.set("world.objects.crosser_1.motion.phase", -2.0 * math.pi * 0.06 * 8.5)
    simulation = world.simulate(scenario="cross", seed=1)
    failed = {verdict.name for verdict in simulation.judge(simulation.run()) if not verdict.ok}
    assert any(name.startswith("room") for name in failed)


def _tilt(log: Any) -> float:
    x, y = (log[f"dog.truth.orientation.{axis}"].values for axis in "xy")
    return float(np.arccos(1.0 - 2.0 * (x * x + y * y)).max())


def _pose(log: Any, time: float) -> tuple[float, float, float]:
    """Place of the lidar on the plan [m] and heading [rad]."""
    w, x, y, z = (
        float(np.interp(time, log[f"dog.truth.orientation.{a}"].time, log[f"dog.truth.orientation.{a}"].values)) for a in "wxyz"
    )
    place = [float(np.interp(time, log[f"dog.truth.position.{a}"].time, log[f"dog.truth.position.{a}"].values)) for a in "xy"]
    up = 2.0 * (x * z + w * y), 2.0 * (y * z - w * x)
    yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return place[0] + HEIGHT * up[0], place[1] + HEIGHT * up[1], yaw
