"""Lidars: distances against plane geometry and the engine's own rays, reach, noise, the message."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from didymos import InputError

FLYING_EYE = """<mujoco><worldbody><body name="eye" pos="0 0 1"><freejoint/><geom type="sphere" size=".05" mass="1"/></body>
  </worldbody></mujoco>"""
ROOM = {
    "east": {"position": [3.05, 0, 1], "size": [0.1, 20, 4]},
    "west": {"position": [-2.05, 0, 1], "size": [0.1, 20, 4]},
    "north": {"position": [0, 4.05, 1], "size": [20, 0.1, 4]},
    "post": {"shape": "cylinder", "position": [1, -1, 1], "size": [0.4, 0.4, 3]},
    "ball": {"shape": "sphere", "position": [-1, -1, 1.1], "size": [0.6, 0.6, 0.6]},
    "low": {"position": [1, 1, 0.2], "size": [1, 1, 0.4]},
}


def _twin(make_twin: Any, **lidar: Any) -> Any:
    sensor = {"kind": "lidar", "link": "eye", "rate": 50, "rays": 361, "field_of_view": 2 * math.pi, "farthest": 10.0} | lidar
    return make_twin(FLYING_EYE, world={"gravity": 0.0, "objects": ROOM, "ground": {}}, sensors={"scan": sensor})


def _ranges(log: Any, rays: int = 361) -> Any:
    return np.array([log[f"scan.ranges.{i}"].values[-1] for i in range(rays)])


def test_distances_to_walls_are_those_of_plane_geometry(make_twin: Any) -> None:
    found = _ranges(_twin(make_twin).simulate().run(0.1))
    angles = -math.pi + np.arange(361) * 2 * math.pi / 360
    for angle, distance in ((0.0, 3.0), (math.pi / 2, 4.0), (math.radians(160), 2.0 / math.cos(math.radians(20)))):
        assert found[np.argmin(np.abs(angles - angle))] == pytest.approx(distance, abs=1e-6)
    assert found[np.argmin(np.abs(angles + math.pi / 4))] == pytest.approx(math.sqrt(2) - 0.2, abs=1e-6)


def test_every_ray_agrees_with_the_engines_own(make_twin: Any) -> None:
    simulation = _twin(make_twin).simulate()
    for roll in (0.0, 0.2):
        simulation.reset()
        simulation.data.qpos[3:7] = math.cos(roll / 2), math.sin(roll / 2), 0, 0
        found = _ranges(simulation.run(0.02))
        angles = -math.pi + np.arange(361) * 2 * math.pi / 360
        body = simulation.model.body("eye").id
        for angle, distance in zip(angles, found, strict=True):
            ray = simulation.data.xmat[body].reshape(3, 3) @ [math.cos(angle), math.sin(angle), 0]
            hit = np.zeros(1, np.int32)
            engine = mujoco.mj_ray(simulation.model, simulation.data, simulation.data.xpos[body], ray, None, 1, body, hit)
            expected = engine if 0 <= engine <= 10.0 else math.inf
            assert distance == pytest.approx(expected, rel=2**-24)  # a LaserScan holds float32


def test_too_far_is_infinite_and_too_near_minus_infinite(make_twin: Any) -> None:
    found = _ranges(_twin(make_twin, farthest=2.5, nearest=1.3).simulate().run(0.1))
    assert found[180] == math.inf  # the wall at 3 m
    assert np.isneginf(found).any()  # the post at 1.21 m
    finite = found[np.isfinite(found)]
    assert ((finite >= 1.3) & (finite <= 2.5)).all()


def test_noise_has_the_deviation_it_was_given(make_twin: Any) -> None:
    log = _twin(make_twin, ranges={"noise": 0.012}).simulate(seed=3).run(20.0)
    east = log["scan.ranges.180"].values
    assert east.mean() == pytest.approx(3.0, abs=4 * 0.012 / math.sqrt(len(east)))
    assert east.std() == pytest.approx(0.012, rel=4 / math.sqrt(2 * len(east)))


def test_a_scan_is_recorded_as_a_laser_scan(make_twin: Any, tmp_path: Any) -> None:
    log = _twin(make_twin).simulate().run(0.1)
    layout = next(layout for layout in log.layouts if layout.name == "scan")
    assert layout.kind.value == "laser_scan"
    assert layout.topics == ("/scan",)
    assert log["scan.angle.min"].values[0] == pytest.approx(-math.pi)
    assert log["scan.range.max"].values[0] == 10.0
    log.save(tmp_path / "scan.mcap")


def test_errors_leave_what_is_no_distance_alone(make_twin: Any) -> None:
    """A limit, a bias and a scale do not make a distance of infinity; and no distance becomes negative."""
    errors = {"noise": 2.0, "bias": 0.5, "scale": 0.5, "limit": 1.0}
    plain = _ranges(_twin(make_twin, farthest=2.5, nearest=1.3).simulate().run(0.1))
    found = _ranges(_twin(make_twin, farthest=2.5, nearest=1.3, ranges=errors).simulate(seed=2).run(0.1))
    np.testing.assert_array_equal(found[np.isinf(plain)], plain[np.isinf(plain)])
    seen = found[np.isfinite(plain)]
    assert seen.min() == 0.0
    assert seen.max() == 1.0


def test_a_resolution_leaves_the_infinite_infinite(make_twin: Any) -> None:
    found = _ranges(_twin(make_twin, farthest=2.5, nearest=1.3, ranges={"resolution": 0.25}).simulate().run(0.1))
    assert found[180] == math.inf
    assert np.isneginf(found).any()
    seen = found[np.isfinite(found)]
    assert (seen == np.round(seen / 0.25) * 0.25).all()


def test_a_mount_turns_the_scan(make_twin: Any) -> None:
    mast = """<mujoco><worldbody><body name="mast" pos="0 0 1"><geom type="sphere" size=".01" pos="-1 0 0"/><body name="eye">
      <joint name="turn" axis="0 1 0"/><inertial pos="0 0 0" mass="0.01" diaginertia="1e-6 1e-6 1e-6"/>
      </body></body></worldbody></mujoco>"""
    sensor = {"kind": "lidar", "link": "eye", "rate": 50, "rays": 3, "field_of_view": 1.0, "farthest": 10.0}
    twin = make_twin(mast, world={"gravity": 0.0, "ground": {}}, sensors={"scan": sensor}, start={"joints": {"turn": 0.3}})
    found = _ranges(twin.simulate().run(0.02), 3)
    # the ground, 1 m below, along rays that point down by 0.3 rad in the middle
    down = [math.sin(0.3) * math.cos(angle) for angle in (-0.5, 0.0, 0.5)]
    assert found == pytest.approx([1.0 / part for part in down], rel=1e-6)


def _moving(make_twin: Any, velocity: list[float], turn: list[float], **lidar: Any) -> Any:
    """A lidar that moves and turns freely in the room, without gravity: its motion is the twist of its first ray, exactly."""
    sensor = {"kind": "lidar", "link": "eye", "rate": 10, "rays": 181, "field_of_view": math.pi, "farthest": 30.0} | lidar
    walls = {"east": {"position": [5.05, 0, 0], "size": [0.1, 60, 60]}}
    return make_twin(
        FLYING_EYE, world={"gravity": 0.0, "objects": walls}, sensors={"scan": sensor}, record={"rate": 10},
        start={"velocity": velocity, "angular_velocity": turn},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("velocity", "turn"),
    [([2.0, 0.0, 0.0], [0.0, 0.0, 0.0]), ([0.0, 0.0, 0.0], [0.0, 0.0, 3.0]), ([-1.0, 2.0, 0.5], [1.0, -2.0, 1.5])],
)
def test_each_ray_of_a_moving_lidar_is_cast_at_its_own_time(make_twin: Any, velocity: list[float], turn: list[float]) -> None:
    """The wall x = 5: a ray along u from p meets it after (5 - p_x) / u_x; it turns about an axis that stands."""
    log = _moving(make_twin, velocity, turn, scan_time=0.08, delay=0.08).simulate().run(0.1)
    found = _ranges(log, 181)
    assert log["scan.ranges.0"].time[0] == 0.0  # the stamp is the first ray's
    times = 0.08 * np.arange(181) / 180
    angles = -math.pi / 2 + np.arange(181) * math.pi / 180
    rays = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(181)])
    rays = np.array([Rotation.from_rotvec(t * np.array(turn)).apply(ray) for t, ray in zip(times, rays, strict=True)])
    with np.errstate(divide="ignore"):
        expected = (5.0 - times * velocity[0]) / rays[:, 0]
    expected[(rays[:, 0] <= 0.0) | (expected > 30.0)] = np.inf
    sure = np.abs(expected - 30.0) > 1.0  # neither rounding decides
    np.testing.assert_allclose(found[sure], expected[sure], rtol=1e-6)  # a LaserScan holds float32
    still = _ranges(_moving(make_twin, velocity, turn).simulate().run(0.05), 181)
    both = np.isfinite(still) & np.isfinite(found)
    assert np.abs(still[both] - found[both]).max() > 0.1  # which it is not without


def test_the_times_of_the_rays_are_in_the_message(make_twin: Any, tmp_path: Any) -> None:
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory

    twin = _moving(make_twin, [0.0] * 3, [0.0] * 3, scan_time=0.09, delay=0.1)
    twin.simulate().run(0.3, record=tmp_path / "scan.mcap")
    with (tmp_path / "scan.mcap").open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        scans = [message for _, _, _, message in reader.iter_decoded_messages(topics=["/scan"])]
    assert scans[0].time_increment == pytest.approx(0.09 / 180, rel=1e-6)
    assert scans[0].scan_time == pytest.approx(0.1, rel=1e-6)


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [({"scan_time": 0.2, "delay": 0.2}, "expected at most 0.1 s at 10 Hz"), ({"scan_time": 0.05}, "a delay of at least that")],
)
def test_a_scan_that_cannot_be_over_is_refused(make_twin: Any, keys: dict[str, float], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        _moving(make_twin, [0.0] * 3, [0.0] * 3, **keys)
