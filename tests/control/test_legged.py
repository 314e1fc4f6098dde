"""Robots with legs of any make: their legs are found, they stand as they can, and one set of gains walks them all."""

from __future__ import annotations

import numpy as np
import pytest
from legged_robots import Walker, walker_twin

from didymos.control.leg_finder import find_legs, legs_of
from didymos.control.leg_posture import bend_of, standing_posture
from didymos.errors import InputError
from didymos.model import RobotModel
from didymos.record.log import Log
from didymos.twin import Twin

DOG = Walker()
WALKERS = {
    "dog": DOG,
    "knees forward, axes turned": Walker(knees=1.0, sign=-1.0),
    "small": Walker(length=0.25, width=0.1, thigh=0.1, shank=0.12, mass=1.5, foot=0.008),
    "large, with an arm": Walker(length=1.0, width=0.4, thigh=0.4, shank=0.35, mass=80.0, foot=0.03, sign=-1.0, arm=True),
    "hexapod": Walker(rows=3, length=0.8),
    "insect": Walker(rows=3, sprawl=True, length=0.4, thigh=0.12, shank=0.18, mass=4.0, foot=0.01),
}


def _model(walker: Walker) -> RobotModel:
    sections = {"description": {"file": "robot.urdf", "base": "floating"}}
    return Twin.from_dict(sections, {"robot.urdf": walker.urdf()}).model


@pytest.mark.parametrize("name", WALKERS)
def test_legs_are_found_whatever_they_are_called(name: str) -> None:
    walker = WALKERS[name]
    legs = find_legs(_model(walker))
    ends = {2: "FR", 3: "FMR"}[walker.rows]
    assert [leg.name for leg in legs] == [side + end for end in ends for side in "LR"]
    numbers = [2 * row + side for row in range(walker.rows) for side in (1, 0)]  # the right leg of a pair is described first
    assert [leg.joints for leg in legs] == [(f"{n}x", f"{n}y", f"{n}z") for n in numbers]
    for leg, number in zip(legs, numbers, strict=True):
        assert leg.foot.link == f"{number}w"
        assert leg.foot.centre == pytest.approx([0.0, 0.0, 0.0])
        assert leg.foot.radius == walker.foot


_ROUND = '<collision><origin xyz="0 0 -0.1"/><geometry><cylinder radius="0.02" length="0.2"/></geometry></collision>'
_SOLE = '<collision><origin xyz="0.03 0 -0.22"/><geometry><box size="0.16 0.08 0.04"/></geometry></collision>'


def _humanoid() -> str:
    """A trunk with two legs that end in soles and two arms that end in capsules, hung on the trunk like the legs."""
    inertial = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links, joints = f'<link name="t">{inertial.format(20)}</link>', ""
    for limb, z, shape in (("leg", 0.0, _SOLE), ("arm", 0.5, _ROUND)):
        for side, y in (("a", 0.1), ("b", -0.1)):
            above = "t"
            for i in range(3):
                name = f"{limb}_{side}_{i}"
                place = f"0 {y} {z}" if i == 0 else "0 0 -0.3"
                own = shape if i == 2 else ""
                links += f'<link name="{name}">{inertial.format(2)}{own}</link>'
                joints += (
                    f'<joint name="{name}" type="revolute"><parent link="{above}"/><child link="{name}"/><origin xyz="{place}"/>'
                    f'<axis xyz="{int(i == 0)} {int(i > 0)} 0"/><limit lower="-2" upper="2" effort="50" velocity="9"/></joint>'
                )
                above = name
    return f'<robot name="h">{links}{joints}</robot>'


def test_arms_of_a_humanoid_are_no_legs_and_a_sole_is_touched_in_its_middle() -> None:
    sections = {"description": {"file": "robot.urdf", "base": "floating"}}
    legs = find_legs(Twin.from_dict(sections, {"robot.urdf": _humanoid()}).model)
    assert [(leg.name, leg.joints[0]) for leg in legs] == [("L", "leg_a_0"), ("R", "leg_b_0")]
    assert legs[0].foot.centre == pytest.approx([0.03, 0.0, -0.24])


def test_a_robot_without_two_limbs_alike_has_no_legs() -> None:
    arm = Walker(rows=0, arm=True)
    assert find_legs(_model(arm)) == ()
    with pytest.raises(InputError, match="without legs"):
        standing_posture(_model(arm), ())


@pytest.mark.parametrize("name", WALKERS)
def test_a_robot_stands_with_bent_knees_on_a_level_floor_under_its_centre_of_mass(name: str) -> None:
    walker = WALKERS[name]
    model = _model(walker)
    legs = find_legs(model)
    posture = standing_posture(model, legs)
    state = model.at(posture.q)
    lower, upper = dict(zip(model.joints, model.lower, strict=True)), dict(zip(model.joints, model.upper, strict=True))
    assert all(lower[joint] <= angle <= upper[joint] for joint, angle in posture.joints.items())
    feet = np.array([state.position(leg.foot.link) for leg in legs])
    assert feet[:, 2] == pytest.approx(walker.foot, abs=1e-3)  # on the floor at z = 0
    reach = walker.thigh + walker.shank
    assert feet.mean(axis=0)[:2] == pytest.approx(state.center_of_mass[:2], abs=0.02 * reach)
    if not walker.sprawl:
        hips = np.array([state.position(f"{leg.joints[1]}") for leg in legs])
        straight = np.linalg.norm(hips - feet, axis=1) / reach
        assert (straight > 0.7).all()
        assert (straight < 0.85).all()
        knees = np.array([state.position(leg.joints[2]) for leg in legs])
        ahead = (knees - 0.5 * (hips + feet))[:, 0]
        assert (ahead * walker.knees > 0.0).all()  # the side that the limits leave
    height = bend_of(legs, float(posture.height) + 0.02)
    assert standing_posture(model, legs, height).height == pytest.approx(posture.height + 0.02, abs=1e-3)


def test_legs_can_be_named_and_what_is_no_leg_is_refused() -> None:
    model = _model(DOG)
    found = find_legs(model)
    named = legs_of(model, {leg.name: leg.joints for leg in found})
    assert [leg.joints for leg in named] == [leg.joints for leg in found]
    assert [leg.reach for leg in named] == [leg.reach for leg in found]
    with pytest.raises(InputError, match="one behind the other"):
        legs_of(model, {"LF": ["0x", "1y"]})
    with pytest.raises(InputError, match="no movable joint"):
        legs_of(model, {"LF": ["0x", "hip"]})
    with pytest.raises(InputError, match="begins with L or R"):
        legs_of(model, {"front": ["0x", "0y", "0z"]})


def _late(log: Log, name: str) -> np.ndarray:
    return log[name].values[log[name].time > 3.0]


@pytest.mark.parametrize("name", WALKERS)
def test_one_set_of_gains_trots_them_all(name: str) -> None:
    """At 0.3 m/s within a tenth; the trunk tilts by less than 0.1 rad and keeps its height within a twentieth."""
    twin = walker_twin(WALKERS[name])
    log = twin.simulate(seed=1, scenario="trot").run(6.0)
    assert _late(log, "truth.velocity.x").mean() == pytest.approx(0.3, abs=0.03)
    assert log["truth.tilt"].values.max() < 0.1
    height = log["truth.position.z"].values
    assert height.min() > 0.95 * height[0]
    swings = np.array([_late(log, f"control.contact.{leg.name}") for leg in find_legs(twin.model)])
    assert 0.3 < swings.mean() < 0.75  # they do walk: a leg stands for 0.55 of the time


@pytest.mark.parametrize("mode", ["stand", "walk"])
def test_it_stands_and_walks_too(mode: str) -> None:
    log = walker_twin(DOG).simulate(seed=2, scenario=mode).run(6.0)
    assert _late(log, "truth.velocity.x").mean() == pytest.approx({"stand": 0.0, "walk": 0.1}[mode], abs=0.02)
    assert log["truth.tilt"].values.max() < 0.15
    standing = np.array([_late(log, f"control.contact.{leg}") for leg in ("LF", "RF", "LR", "RR")]).sum(axis=0)
    assert standing.min() >= (4 if mode == "stand" else 3) - (mode == "walk")  # a foot that has just come down is felt late


def test_it_walks_without_readings_of_effort() -> None:
    log = walker_twin(DOG, efforts=False).simulate(seed=3, scenario="trot").run(5.0)
    assert _late(log, "truth.velocity.x").mean() == pytest.approx(0.3, abs=0.03)
    assert log["truth.tilt"].values.max() < 0.1


def test_joints_of_no_leg_stay_where_they_start() -> None:
    log = walker_twin(WALKERS["large, with an arm"]).simulate(seed=1, scenario="trot").run(3.0)
    for name in ("b1", "b2", "b3"):
        angle = log[f"joints.{name}.position"].values
        assert np.abs(angle - angle[0]).max() < 0.1


def test_a_robot_that_has_fallen_goes_limp() -> None:
    twin = walker_twin(DOG)
    twin.set("start.orientation.x", 1.5)
    twin.set("start.position.z", 0.2)
    log = twin.simulate(seed=1).run(2.0)
    efforts = np.array([log[f"parts.m{n}y.effort"].values[-1] for n in range(4)])
    assert np.abs(efforts).max() < 1.0  # damping of joints that are at rest


def test_a_robot_on_two_legs_that_falls_is_told_finite_numbers_and_goes_limp() -> None:
    """Thrown forward and aside it steps until it lies, its feet far apart on a diagonal: they say nothing of the floor across."""
    twin = walker_twin(Walker(rows=1, length=0.2))
    twin.set("start.velocity.x", 2.0)
    twin.set("start.velocity.y", 2.0)
    log = twin.simulate(seed=1).run(3.0)
    assert log["truth.tilt"].values.max() > 1.3  # it fell
    assert log["control.mode"].values[-1] == 0.0  # limp
    assert all(np.isfinite(log[name].values).all() for name in ("control.slope.x", "control.slope.y", "control.height"))
