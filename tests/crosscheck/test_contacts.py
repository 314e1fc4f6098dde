"""Contacts of two engines beside closed forms: a sledge on four feet, a cart on four wheels, bundled twins."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import didymos
from didymos.crosscheck.contact_check import ContactFinding, check_contact
from didymos.crosscheck.libraries import require_engines
from didymos.crosscheck.our_mechanism import our_mechanism

require_engines()

MU, RADIUS = 0.3, 0.05


def _ball(radius: float, x: float, y: float) -> str:
    return f'<collision><origin xyz="{x} {y} -0.05"/><geometry><sphere radius="{radius}"/></geometry></collision>'


def _inertial(mass: float, inertia: float) -> str:
    turn = f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/>'
    return f'<inertial><mass value="{mass}"/>{turn}</inertial>'


CORNERS = [(x, y) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
FEET = "".join(_ball(0.02, x, y) for x, y in CORNERS)
SLEDGE = f'<robot name="sledge"><link name="box">{_inertial(4, 0.1)}{FEET}</link></robot>'
CART = f'<robot name="cart"><link name="box">{_inertial(4, 0.1)}</link>' + "".join(
    f'<link name="wheel{i}">{_inertial(0.5, 0.002)}<collision><geometry><sphere radius="{RADIUS}"/></geometry></collision></link>'
    f'<joint name="axle{i}" type="continuous"><parent link="box"/><child link="wheel{i}"/><origin xyz="{x} {y} 0"/>'
    '<axis xyz="0 1 0"/></joint>'
    for i, (x, y) in enumerate(CORNERS)
) + "</robot>"  # fmt: skip


def _twin(text: str) -> didymos.Twin:
    world = {"ground": {"friction": MU}, "step": 0.001, "contact_time": 0.005, "gravity": 9.81, "friction_cone": "elliptic"}
    return didymos.Twin.from_urdf(text, description={"file": "robot.urdf", "base": "floating"}, world=world)


@cache
def _sledge(case: str) -> ContactFinding:
    return check_contact(_twin(SLEDGE), case)


def _figures(found: ContactFinding) -> dict[str, tuple[float, float, float | None]]:
    return {x.name: (x.ours, x.theirs, x.closed_form) for x in found.figures}


def test_a_dropped_sledge_touches_after_the_time_of_fall_and_bears_its_weight() -> None:
    found = _figures(_sledge("drop"))
    assert _sledge("drop").verdict == "agree within their softness"
    assert found["touches"][2] == pytest.approx(np.sqrt(2 * 0.1 / 9.81))
    assert found["rests at"][2] == pytest.approx(0.07)
    for ours, theirs, closed in (found["touches"], found["ground bears"]):
        assert [ours, theirs] == pytest.approx([closed, closed], rel=0.01)


@pytest.mark.parametrize(
    ("case", "name", "closed"),
    [
        ("slide", "slides", 1.0 / (2 * MU * 9.81)),
        ("slide", "a tenth as fast after", 0.9 / (MU * 9.81)),
        ("ramp", "accelerates by", 9.81 * (np.sin(np.arctan(MU) + 0.2) - MU * np.cos(np.arctan(MU) + 0.2))),
    ],
)
def test_a_sledge_slides_by_coulombs_friction_in_both(case: str, name: str, closed: float) -> None:
    assert _sledge(case).verdict == "agree within their softness"
    ours, theirs, form = _figures(_sledge(case))[name]
    assert form == pytest.approx(closed)
    assert [ours, theirs] == pytest.approx([closed, closed], rel=0.05)


def test_a_cart_rolls_on_with_what_its_wheels_leave_it() -> None:
    found = check_contact(_twin(CART), "roll")
    assert found.verdict == "agree within their softness"
    ours, theirs, closed = _figures(found)["rolls at"]
    assert closed == pytest.approx(0.5 * 6.0 / (6.0 + 4 * 0.002 / RADIUS**2))
    assert [ours, theirs] == pytest.approx([closed, closed], rel=0.02)


def test_a_quadcopter_dropped_on_its_frame_comes_to_rest_in_both() -> None:
    assert check_contact(didymos.load("quadcopter"), "drop").verdict == "agree within their softness"


def test_less_friction_in_one_engine_is_found_out() -> None:
    twin = _twin(SLEDGE)
    ours = our_mechanism(twin)
    ours.model.geom_friction[:, 0] *= 0.8
    found = check_contact(twin, "slide", ours)
    assert found.agrees is False
    assert found.verdict.startswith("differ: slides")


@pytest.mark.parametrize(
    ("name", "case", "reason"),
    [
        ("power_unit", "drop", "it touches no ground"),
        ("omni_base", "roll", "its contacts grip along an axis"),
        ("quadcopter", "roll", "it has no wheels with level axles"),
    ],
)
def test_what_cannot_be_put_on_the_ground_says_why(name: str, case: str, reason: str) -> None:
    found = check_contact(didymos.load(name), case)
    assert found.agrees is None
    assert found.verdict.startswith(f"not comparable: {reason}")
