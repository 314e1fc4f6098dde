"""Which joints of a description are wheels, what steers them, and of what kind the base is."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from didymos.control.wheel_finder import find_wheels
from didymos.control.wheels import Kind, Wheels
from didymos.describe.formats.importer import read_description
from didymos.describe.robot_model import robot_model
from didymos.model import RobotModel
from wheeled_robots import ackermann, differential, mecanum, omni, skid, swerve


def model_of(urdf: str, folder: Path) -> RobotModel:
    file = folder / "robot.urdf"
    file.write_text(urdf)
    return robot_model(read_description(file))


def found(urdf: str, folder: Path, kind: Kind | None = None, driven: set[str] | None = None) -> Wheels:
    wheels = find_wheels(model_of(urdf, folder), driven, kind=kind)
    assert wheels is not None
    return wheels


def test_two_wheels_and_a_ball_are_a_differential_base(tmp_path: Path) -> None:
    base = found(differential(), tmp_path)
    assert (base.kind, [wheel.joint for wheel in base.wheels], base.balls) == (
        "differential", ["left_joint", "right_joint"], {"ball": 0.0}
    )  # fmt: skip
    assert [wheel.radius for wheel in base.wheels] == pytest.approx([0.1, 0.1], abs=1e-12)
    np.testing.assert_allclose(base.wheels[0].position, [-0.1, 0.2, -0.05], atol=1e-12)
    np.testing.assert_allclose(base.wheels[0].forward, [1, 0, 0], atol=1e-12)
    assert base.contacts == {
        "ball": {"link": "ball", "frame": "base", "along": 0.01, "across": 0.01, "softness": 0.05}
    }  # the wheels need none
    assert not base.skids


def test_four_wheels_without_steering_skid(tmp_path: Path) -> None:
    base = found(skid(), tmp_path)
    assert (base.kind, len(base.wheels), base.skids, base.contacts) == ("differential", 4, True, {})


def test_upright_hinges_above_wheels_steer_a_car(tmp_path: Path) -> None:
    driven = {"rear_left_joint", "rear_right_joint", "left_hinge_joint", "right_hinge_joint"}
    base = found(ackermann(), tmp_path, driven=driven)
    assert base.kind == "ackermann"
    steering = {wheel.joint: wheel.steering for wheel in base.wheels if wheel.steering is not None}
    assert {joint: item.joint for joint, item in steering.items()} == {
        "front_left_joint": "left_hinge_joint", "front_right_joint": "right_hinge_joint"
    }  # fmt: skip
    assert {item.upper for item in steering.values()} == {0.6}
    assert [wheel.joint for wheel in base.driven] == ["rear_left_joint", "rear_right_joint"]


def test_an_upright_hinge_that_nothing_drives_makes_a_caster(tmp_path: Path) -> None:
    base = found(ackermann(), tmp_path, driven={"rear_left_joint", "rear_right_joint"})
    assert base.kind == "differential"
    assert [wheel.joint for wheel in base.casters] == ["front_left_joint", "front_right_joint"]


def test_wheels_that_are_all_steered_go_anywhere(tmp_path: Path) -> None:
    base = found(swerve(), tmp_path)
    assert base.kind == "swerve"
    assert base.sideways


@pytest.mark.parametrize("count", [3, 4])
def test_tyres_could_not_roll_on_axles_that_cross_so_they_are_omni_wheels(tmp_path: Path, count: int) -> None:
    base = found(omni(count), tmp_path)
    assert (base.kind, len(base.wheels)) == ("omni", count)
    for i in range(count):
        (wheel,) = (wheel for wheel in base.wheels if wheel.joint == f"wheel_{i}_joint")
        angle = 2 * math.pi * i / count + 0.5 * math.pi  # grips along the circle, not towards the middle
        np.testing.assert_allclose(wheel.grip, [math.cos(angle), math.sin(angle), 0], atol=1e-9)


SIGNS = {"fl": -1, "fr": 1, "rl": 1, "rr": -1}  # of y in the line of grip (1, +-1): a diamond on the ground


def test_names_that_say_mecanum_make_a_diamond_of_grips(tmp_path: Path) -> None:
    base = found(mecanum(), tmp_path)
    assert base.kind == "mecanum"
    for wheel in base.wheels:
        sign = SIGNS[wheel.joint.split("_")[1]]
        np.testing.assert_allclose(wheel.grip, np.array([1, sign, 0]) / math.sqrt(2), atol=1e-12)
        assert base.contacts[wheel.joint]["angle"] == pytest.approx(sign * math.pi / 4)


def test_rollers_say_themselves_how_they_are_mounted(tmp_path: Path) -> None:
    base = found(mecanum(rollers=8), tmp_path)
    assert (base.kind, len(base.wheels), base.contacts) == ("mecanum", 4, {})
    for wheel in base.wheels:
        np.testing.assert_allclose(wheel.grip, np.array([1, SIGNS[wheel.joint[:2]], 0]) / math.sqrt(2), atol=1e-6)
        assert wheel.radius == pytest.approx(0.0475, rel=0.01)


def test_the_user_knows_better_what_a_plain_base_is(tmp_path: Path) -> None:
    plain = mecanum().replace("mecanum_", "")
    assert found(plain, tmp_path).kind == "differential"
    assert {wheel.roller for wheel in found(plain, tmp_path, "mecanum").wheels} == {math.pi / 4, -math.pi / 4}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('type="continuous"', 'type="fixed"'), "no joint turns"),
        (("cylinder radius", "sphere radius"), None),
        (('<axis xyz="0 1 0"/>', '<axis xyz="0 0 1"/>'), "axles stand upright"),
        (('rpy="1.5707963267948966 0 0"', 'rpy="0 0 0"'), "cylinders lie across their axles"),
        (('xyz="0.15 0 -0.1"', 'xyz="0.15 0 -0.4"'), "they hang in the air above something else"),
    ],
)
def test_what_is_no_wheel_is_none(tmp_path: Path, change: tuple[str, str], why: str | None) -> None:
    assert (find_wheels(model_of(differential().replace(*change), tmp_path)) is None) == (why is not None), why


def test_a_caster_of_any_shape_slides_as_a_ball(tmp_path: Path) -> None:
    # As TurtleBot3 has it: a box below the base that is called a caster. Its origin is 0.05 m above the ground.
    boxed = differential().replace('"ball"', '"caster_link"').replace('<sphere radius="0.05"/>', '<box size="0.03 0.01 0.1"/>')
    base = found(boxed, tmp_path)
    assert base.balls == pytest.approx({"caster_link": 0.05})
    assert base.contacts["caster_link"]["radius"] == pytest.approx(0.05)
