"""Friction with a direction: it grips along the axis that the twin names, slides across it, and follows that frame."""

from __future__ import annotations

import gc
import math
import threading
from typing import Any

import numpy as np
import pytest

from didymos.engine import contact_frame
from didymos.errors import InputError

SLED = """<mujoco><worldbody><body name="sled" pos="0 0 .1">
  <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
  <joint name="z" type="slide" axis="0 0 1"/>
  <geom type="box" size=".05 .05 .01" mass="1" contype="0" conaffinity="0"/><site name="blade" euler="0 0 {yaw}"/>
  <body name="runner"><geom type="sphere" size=".1" mass="1"/></body></body></worldbody></mujoco>"""


def _speeds(make_twin: Any, yaw: float) -> tuple[float, float]:
    """Speed along and across the blade after a push at 45 deg to it, one second later [m/s]."""
    twin = make_twin(
        SLED.format(yaw=math.degrees(yaw)),
        world={"ground": {}, "contact_time": 0.01},
        contacts={"runner": {"link": "runner", "frame": "blade", "along": 0.5, "across": 0.01}},
    )
    simulation = twin.simulate()
    simulation.data.qvel[:2] = math.cos(yaw + math.pi / 4), math.sin(yaw + math.pi / 4)
    simulation.run(1.0)
    vx, vy = simulation.data.qvel[:2]
    return vx * math.cos(yaw) + vy * math.sin(yaw), -vx * math.sin(yaw) + vy * math.cos(yaw)


@pytest.mark.parametrize("yaw", [0.0, 0.5, 2.0])
def test_it_grips_along_and_slides_across_whichever_way_it_looks(make_twin: Any, yaw: float) -> None:
    along, across = _speeds(make_twin, yaw)
    assert abs(along) < 0.02
    assert across == pytest.approx(math.sqrt(0.5) - 0.01 * 9.80665, abs=0.03)  # a second of friction across


def test_the_floors_friction_multiplies_the_grip(make_twin: Any) -> None:
    twin = make_twin(
        SLED.format(yaw=0),
        world={"ground": {"friction": 0.5}},
        contacts={"runner": {"link": "runner", "frame": "blade", "along": 0.4}},
    )
    simulation = twin.simulate()
    assert simulation.model.pair_friction[0, 0] == pytest.approx(0.2)
    simulation.set("world.ground.friction", 0.25)
    assert simulation.model.pair_friction[0, 0] == pytest.approx(0.1)
    simulation.set("contacts.runner.along", 1.0)
    assert simulation.model.pair_friction[0, 0] == pytest.approx(0.25)


def test_a_link_that_is_not_round_is_refused_unless_it_has_a_radius(make_twin: Any) -> None:
    box = SLED.format(yaw=0).replace('type="sphere" size=".1"', 'type="box" size=".1 .1 .1"')
    runner = {"link": "runner", "frame": "blade", "along": 0.4}
    with pytest.raises(InputError, match="give the 'radius' of a sphere"):
        make_twin(box, world={"ground": {}}, contacts={"runner": runner}).simulate()
    round_ = make_twin(box, world={"ground": {}}, contacts={"runner": runner | {"radius": 0.1}}).simulate()
    assert round_.model.geom("didymos_runner").size[0] == 0.1


def test_an_angle_turns_the_grip_in_its_frame(make_twin: Any) -> None:
    moved = []
    for yaw, angle in ((0.0, 0.5), (0.5, 0.0)):
        runner = {"link": "runner", "frame": "blade", "along": 0.4, "angle": angle}
        twin = make_twin(SLED.format(yaw=math.degrees(yaw)), world={"ground": {}}, contacts={"runner": runner})
        simulation = twin.simulate()
        simulation.data.qvel[:2] = 1.0, 0.0
        simulation.run(0.3)
        moved.append(simulation.data.qvel[:2].copy())
    np.testing.assert_allclose(moved[0], moved[1], atol=1e-9)
    assert moved[0][1] < -0.1  # it slides across 0.5 rad, to the right


def test_models_without_directed_contacts_slide_the_same_in_all_directions(make_twin: Any) -> None:
    slid = []
    for yaw in (0.0, 1.0):
        simulation = make_twin(SLED.format(yaw=0), world={"ground": {"friction": 0.1}, "friction_cone": "elliptic"}).simulate()
        simulation.data.qvel[:2] = math.cos(yaw), math.sin(yaw)
        simulation.run(0.5)
        slid.append(np.linalg.norm(simulation.data.qpos[:2]))
    assert slid[0] == pytest.approx(slid[1], rel=1e-3)


def test_friction_across_is_of_the_bearings_on_any_floor_but_no_more_than_the_floor_holds(make_twin: Any) -> None:
    """`across` is what rollers take of the load: it does not change with the floor until the floor holds less than that."""
    twin = make_twin(
        SLED.format(yaw=0),
        world={"ground": {"friction": 1.0}},
        contacts={"runner": {"link": "runner", "frame": "blade", "along": 0.8, "across": 0.1, "spin": 0.02}},
    )
    simulation = twin.simulate()
    for floor, expected in ((1.0, [0.8, 0.1, 0.02]), (0.5, [0.4, 0.1, 0.01]), (0.05, [0.04, 0.04, 0.001])):
        simulation.set("world.ground.friction", floor)
        assert simulation.model.pair_friction[0, :3] == pytest.approx(expected)


def _replaced() -> set[bool]:
    """Whether the engine's functions are replaced by ours, of all that may be."""
    gc.collect()  # simulations of other tests
    return {table[place] != own for table, place, _, own, _ in contact_frame._entries()}


def test_the_engine_has_its_own_functions_again_when_the_last_twin_is_gone() -> None:
    assert _replaced() == {False}
    first, second = contact_frame.ContactFrames(), contact_frame.ContactFrames()
    assert _replaced() == {True}
    del first
    assert _replaced() == {True}
    del second
    assert _replaced() == {False}


def test_a_twin_that_the_search_for_garbage_ends_while_another_is_made_holds_nobody_up() -> None:
    def make_and_end() -> None:
        gone = contact_frame.ContactFrames()
        with contact_frame._lock:  # as one that is made does
            del gone

    thread = threading.Thread(target=make_and_end, daemon=True)
    thread.start()
    thread.join(60.0)
    assert not thread.is_alive()
    assert _replaced() == {False}
