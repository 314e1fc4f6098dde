"""Contacts are searched for wherever they can be, and nowhere else: the same bits as with a search in every evaluation."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest

from didymos import Controller
from didymos.engine.contact_plan import plan_search
from didymos.engine.contact_search import ALWAYS, ASK, HARDEST, NEVER, ContactSearch, anything_near
from didymos.engine.packed_context import pack_group

CONTACT = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
BALL, PLANE = '<body><freejoint/><geom size=".1"/></body>', '<geom type="plane" size="1 1 1"/>'


def _near(search: ContactSearch, qpos: Any, qvel: Any, ahead: float) -> bool:
    return bool(anything_near(pack_group(search)[0], qpos, qvel, ahead))


def _planned(text: str) -> tuple[mujoco.MjModel, ContactSearch]:
    model = mujoco.MjModel.from_xml_string(f"<mujoco><compiler angle='radian'/>{text}</mujoco>")
    return model, plan_search(model)


class _Nothing(Controller):
    """Lets everything fall."""

    rate = 100.0

    def update(self, t: float, measured: Any, setpoints: Any) -> dict[str, float]:
        return {}


def _logs(twin: Any, seconds: float, control: Any = None, scenario: str | None = None) -> list[Any]:
    """The logs of a run that asks first, and of one that always searches."""
    found = []
    for when in (ASK, ALWAYS):
        simulation = twin.simulate(control=control, scenario=scenario)
        assert simulation.context.contacts.when == ASK
        simulation.packed.world["contacts"]["when"] = when
        found.append(simulation.run(seconds))
        assert not int(simulation.model.opt.disableflags) & CONTACT  # whoever steps the model next finds contacts
    return found


def _same_bits(one: Any, other: Any) -> None:
    assert list(one.signals) == list(other.signals)
    for name in one.signals:
        assert one[name].values.tobytes() == other[name].values.tobytes(), name


def test_a_quadcopter_that_falls_from_three_metres_lands_in_the_same_bits(quadcopter: Any) -> None:
    twin = quadcopter.copy()
    twin.set_all({"start.position.z": 3.0, "start.angular_velocity.x": 1.0, "start.velocity.x": 1.0})
    one, other = _logs(twin, 1.5, _Nothing())
    _same_bits(one, other)
    height = one["truth.position.z"].values
    assert height[0] == 3.0
    assert height[-1] < 0.3
    assert np.abs(np.diff(one["truth.velocity.z"].values)).max() > 1.0  # it did hit the ground


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
@pytest.mark.parametrize("speed", [1.0, 30.0, 300.0])
def test_a_box_that_is_faster_than_its_size_per_step_hits_the_ground_in_the_same_bits(
    make_twin: Any, integrator: str, speed: float
) -> None:
    post = {"size": [0.2, 0.2, 3], "position": [1, 0, 0]}
    world = {"integrator": integrator, "step": 0.0025, "ground": {}, "objects": {"post": post}}
    start = {"position": [0.0, 0.0, 2.0], "velocity": [0.6 * speed, 0.1, -0.8 * speed], "angular_velocity": [3.0, 5.0, 0.0]}
    one, other = _logs(make_twin(world=world, start=start), 0.7)
    _same_bits(one, other)
    assert np.abs(np.diff(one["truth.velocity.z"].values)).max() > 0.1


@pytest.mark.parametrize("speed", [0.0, 2.0, 40.0])
@pytest.mark.parametrize("ahead", [0.0, 0.0025])
def test_a_ball_is_near_from_its_radius_and_the_way_of_a_step_on(speed: float, ahead: float) -> None:
    ball = BALL.replace('size=".1"', 'size=".1" pos="0 .2 0"')
    model, search = _planned(f'<worldbody><geom type="plane" size="1 1 1" pos="0 0 .5"/>{ball}</worldbody>')
    near = 0.1 + 0.2 + ahead * speed + ahead**2 * HARDEST
    state, rate = model.qpos0.copy(), np.array([0.6 * speed, 0, -0.8 * speed, 9.0, 9.0, 9.0])
    for height, expected in ((near - 1e-9, True), (near + 1e-9, False), (math.nan, True), (-5.0, True)):
        state[2] = 0.5 + height
        assert _near(search, state, rate, ahead) is expected
    assert not int(model.opt.disableflags) & CONTACT


def test_what_slides_out_of_a_robot_enlarges_it() -> None:
    _, search = _planned(
        """<worldbody><geom type="plane" size="1 1 1"/><body><freejoint/><geom size=".1"/>
           <body pos="0 0 .3"><joint type="hinge" axis="1 0 0" pos="0 0 .05"/><geom size=".05"/>
             <body><joint type="slide" axis="1 0 0"/><geom size=".02" pos="0 .1 0"/></body></body></body></worldbody>"""
    )
    assert search.when == ALWAYS  # the slider may come back to the trunk
    _, search = _planned(
        """<worldbody><geom type="plane" size="1 1 1"/><body><freejoint/><geom size=".1" contype="0" conaffinity="0"/>
           <body pos="0 0 .3"><joint type="hinge" axis="1 0 0" pos="0 0 .05"/><geom size=".05" contype="0" conaffinity="0"/>
             <body><joint type="slide" axis="1 0 0"/><geom size=".02" pos="0 .1 0"/></body></body></body></worldbody>"""
    )
    state, rate = np.array([0, 0, 0.0, 1, 0, 0, 0, 0.7, -0.4]), np.zeros(8)
    near = 0.3 + 2 * 0.05 + 0.1 + 0.02 + 0.4
    for height, expected in ((near - 1e-9, True), (near + 1e-9, False)):
        state[2] = height
        assert _near(search, state, rate, 0.0) is expected


@pytest.mark.parametrize(("apart", "when"), [(0.49, ALWAYS), (0.51, ASK)])
def test_rotors_that_cannot_meet_are_not_looked_at(apart: float, when: int) -> None:
    """Two blades whose tips reach 0.1 + 0.1 + 0.05 m from their axes: they meet where the axes are less than 0.5 m apart."""
    blade = '<joint axis="0 0 1" pos=".1 0 0"/><geom size=".05" pos=".3 0 0"/>'  # the axis goes through x = 0.1 m
    _, search = _planned(
        f"""<worldbody><geom type="plane" size="1 1 1"/><body><freejoint/><geom size=".01" contype="0" conaffinity="0" mass="1"/>
            <body pos="0 0 0">{blade}</body><body pos="{apart} 0 0">{blade}</body></body></worldbody>"""
    )
    assert search.when == when


@pytest.mark.parametrize(
    "text",
    [
        f"<worldbody>{BALL}</worldbody>",
        f'<worldbody><geom type="plane" size="1 1 1" contype="2" conaffinity="4"/>{BALL}</worldbody>',
        f"""<worldbody>{PLANE}{BALL.replace("<body", "<body name='b'")}</worldbody>
            <contact><exclude body1="world" body2="b"/></contact>""",
        f'<option><flag contact="disable"/></option><worldbody>{PLANE}{BALL}</worldbody>',
    ],
    ids=["nothing else", "bits that do not match", "excluded", "switched off by the file"],
)
def test_where_nothing_can_meet_the_search_is_off_for_good(text: str) -> None:
    model, search = _planned(text)
    assert search.when == NEVER
    assert int(model.opt.disableflags) & CONTACT
    assert not _near(search, model.qpos0, np.zeros(model.nv), 0.01)


CLUTTER = """<worldbody><geom type="plane" size="1 1 1" pos="0 0 -2" euler=".2 .1 0"/>
  <geom type="box" size=".3 .2 .5" pos="1 .5 0" euler=".3 .4 .5" margin=".02"/>
  <geom type="capsule" size=".1 .4" pos="-1 0 .3" euler="1 0 .4"/> <geom type="ellipsoid" size=".1 .3 .2" pos="0 1 .4"/>
  <body name="flyer" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .05" pos=".05 0 0"/>
    <body pos=".2 .1 0"><joint axis="0 1 1" pos=".02 0 .01"/><geom type="cylinder" size=".05 .1" contype="2" conaffinity="1"/>
      <body name="tip" pos=".1 0 .1"><joint type="ball"/><geom size=".06" pos="0 .1 0" gap=".01"/></body></body></body>
  <body name="cart" pos="0 -3 .3" euler="0 0 .5"><joint type="slide" axis="1 0 0" ref=".1"/><joint type="slide" axis="0 0 1"/>
    <joint axis="0 0 1" pos=".1 0 0"/><geom type="box" size=".2 .1 .1"/></body>
  <body name="door" pos="-3 -1 .2"><joint axis="0 0 1" pos="-.2 0 0"/><geom type="box" size=".2 .02 .2"/></body>
</worldbody><contact><exclude body1="tip" body2="flyer"/></contact>"""


def test_no_contact_of_the_engine_is_ever_missed() -> None:
    model, search = _planned(CLUTTER)
    assert (search.when, len(search.trees), len(search.planes), len(search.boxes), len(search.pairs)) == (ASK, 3, 3, 9, 3)
    data = mujoco.MjData(model)
    draw = np.random.default_rng(1)
    found = np.zeros((2, 2), dtype=int)
    for _ in range(4000):
        data.qpos[:] = model.qpos0
        mujoco.mj_integratePos(model, data.qpos, draw.normal(0.0, draw.choice([0.3, 1.0, 3.0]), model.nv), 1.0)
        data.qvel[:] = draw.normal(0.0, 30.0, model.nv)
        near = _near(search, data.qpos, data.qvel, 0.002)
        for _ in range(3):  # now and within the time ahead
            mujoco.mj_fwdPosition(model, data)
            found[int(near), int(data.ncon > 0)] += 1
            mujoco.mj_integratePos(model, data.qpos, data.qvel, 0.001)
    assert found[0, 1] == 0
    assert found.min(initial=100, where=[[True, False], [True, True]]) > 50  # all other cases do occur


def test_a_body_that_a_hand_moves_is_always_looked_at() -> None:
    _, search = _planned(f'<worldbody><body mocap="true"><geom size=".1"/></body>{BALL}</worldbody>')
    assert search.when == ALWAYS
