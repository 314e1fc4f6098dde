"""`didymos new` decides from the shape of a robot whether its base is fixed or floats, and says why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from described_robots import BOX, arm, biped, drone, hand, joint, link, quadruped, robot, rover
from didymos.describe.formats.importer import read_description
from didymos.describe.new.base import Base, decide_base
from didymos.describe.new.body_geometry import BodyGeometry
from didymos.describe.new.posture import rest_positions
from didymos.describe.robot_model import robot_model


def decided(text: str, folder: Path, suffix: str = "urdf") -> Base:
    file = folder / f"r.{suffix}"
    file.write_text(text)
    geometry = BodyGeometry(read_description(file))
    geometry.place(rest_positions(geometry.description))
    return decide_base(geometry, robot_model(geometry.description))


@pytest.mark.parametrize(
    ("text", "floats", "why"),
    [
        (arm(), False, "one chain of joints on 'base'"),
        (hand(), False, "4 branches of joints on 'palm'"),
        (quadruped(), True, "it stands on 4 legs"),
        (biped(), True, "it stands on 2 legs"),
        (rover(), True, "it rolls on 2 wheels"),
        (drone(), True, "'rotor_0' is the name of one that flies"),
        (robot(link("crate", BOX.format(1, 1, 1))), True, "it has no joints"),
        (robot(link("floor", BOX.format(9, 9, 1), mass=0)), False, "neither its root link 'floor' nor a link welded to it"),
        (arm(link("world", mass=0), joint("mount", "world", "base", kind="fixed", limit="")), False, "'world' is the world"),
        (arm().replace("base", "base_footprint"), True, "'base_footprint' is the root of what moves about on the floor"),
    ],
    ids=["arm", "hand", "quadruped", "biped", "rover", "drone", "crate", "floor", "held", "footprint"],
)  # fmt: skip
def test_the_base_follows_from_the_shape(text: str, floats: bool, why: str, tmp_path: Path) -> None:
    base = decided(text, tmp_path)
    assert base.floating == floats
    assert why in base.why
    assert base.frees == floats  # a URDF leaves it open, so the twin file has to say it


def test_the_arms_of_a_humanoid_without_legs_are_no_legs(tmp_path: Path) -> None:
    without = "\n".join(line for line in biped().splitlines() if not any(word in line for word in ("thigh", "shank", "foot")))
    assert not decided(without, tmp_path).floating


def test_legs_along_y_float_and_are_turned(tmp_path: Path) -> None:
    turned = quadruped().replace("<link", '<link name="lying"/><joint name="turn" type="fixed"><parent link="lying"/>'
                                 '<child link="trunk"/><origin rpy="-1.5707963 0 0"/></joint><link', 1)  # fmt: skip
    base = decided(turned, tmp_path)
    assert (base.floating, base.up) == (True, 1)
    assert "with y upward" in base.why


@pytest.mark.parametrize(("free", "floats"), [("<freejoint/>", True), ("", False)])
def test_mjcf_says_itself_whether_it_floats(free: str, floats: bool, tmp_path: Path) -> None:
    body = f'<body name="b">{free}<geom size=".1"/><body name="c" pos="0 0 -1"><joint/><geom size=".1"/></body></body>'
    base = decided(f"<mujoco><worldbody>{body}</worldbody></mujoco>", tmp_path, "xml")
    assert (base.floating, base.frees) == (floats, False)


def test_joints_without_room_count_where_they_carry_weight(tmp_path: Path) -> None:
    stuck = 'effort="1" velocity="1"'
    pendulum = robot(link("stand"), link("rod", BOX.format(0.1, 0.1, 1)), joint("pivot", "stand", "rod", limit=stuck))
    assert not decided(pendulum, tmp_path).floating
    sensor = robot(link("crate"), link("imu", mass=0.01), joint("mount", "crate", "imu", limit=stuck))
    assert decided(sensor, tmp_path).floating


@pytest.mark.parametrize("shape", ['<sphere radius="0.3"/>', '<cylinder radius="0.2" length="0.5"/>', BOX.format(0.3, 0.4, 0.5)])
def test_the_lowest_point_is_that_of_many_points_of_the_surface(shape: str, tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    turned = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
    file.write_text(robot(link("a", shape)).replace('<origin xyz="0 0 0"/><geometry>', f"{turned}<geometry>"))
    geometry = BodyGeometry(read_description(file))
    rotation, centre = geometry.data.geom_xmat[0].reshape(3, 3), geometry.data.geom_xpos[0]
    around = np.random.default_rng(1).normal(size=(200_000, 3))
    around /= np.linalg.norm(around, axis=1)[:, None]
    if "sphere" in shape:
        surface = 0.3 * around
    elif "cylinder" in shape:
        flat = around[:, :2] / np.linalg.norm(around[:, :2], axis=1)[:, None]
        surface = np.column_stack([0.2 * flat, 0.25 * np.sign(around[:, 2])])
    else:
        surface = np.sign(around) * [0.15, 0.2, 0.25]
    lowest = (surface @ rotation.T + centre)[:, 2].min()
    assert geometry.lowest(geometry.groups) <= lowest + 1e-12
    assert geometry.lowest(geometry.groups) == pytest.approx(lowest, abs=1e-4)  # as dense as the points are
