"""A lean model moves as the described one does: the same inertias, poses, contacts, readings and pushes, with fewer bodies."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import didymos
from didymos.engine import assemble as assembling
from didymos.engine.fuse import Fused, fuse
from didymos.engine.intervention import Intervention
from didymos.engine.link_inertia import LinkInertias, combined

ROUNDING = 1e-12  # relative: sums of some twenty numbers
TWINS = didymos.bundled()
STATES = 5


def _model(description: Any, keep: Any = ()) -> tuple[Fused, mujoco.MjModel]:
    fused = fuse(description, keep)
    for body in fused.spec.bodies:
        body.simple = False
    model = fused.spec.compile()
    LinkInertias(fused, fused.links, {name: link.body for name, link in description.links.items()}).write_fused(model)
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return fused, model


def _random_state(model: mujoco.MjModel, data: mujoco.MjData, seed: int) -> None:
    draw = np.random.default_rng(seed)
    data.qpos[:] = model.qpos0
    mujoco.mj_integratePos(model, data.qpos, draw.normal(0.0, 0.5, model.nv), 1.0)
    data.qvel[:], data.qfrc_applied[:] = draw.normal(0.0, 2.0, model.nv), draw.normal(0.0, 5.0, model.nv)
    mujoco.mj_forward(model, data)


def _full(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    found = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, found)
    return found


@pytest.mark.parametrize("name", TWINS)
def test_every_bundled_robot_has_the_inertia_and_the_accelerations_of_its_description(name: str) -> None:
    description = didymos.load(name).description
    fused, lean = _model(description)
    _, whole = _model(description, description.links)
    assert whole.nbody == 1 + len(description.links) > lean.nbody
    assert lean.body_mass.sum() == pytest.approx(whole.body_mass.sum(), rel=ROUNDING)
    for model in (lean, whole):
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    one, other = mujoco.MjData(lean), mujoco.MjData(whole)
    for seed in range(STATES):
        for model, data in ((lean, one), (whole, other)):
            _random_state(model, data, seed)
        a, b = _full(lean, one), _full(whole, other)
        np.testing.assert_allclose(a, b, rtol=0, atol=ROUNDING * np.abs(b).max())
        np.testing.assert_allclose(one.subtree_com[0], other.subtree_com[0], rtol=0, atol=ROUNDING * 10.0)
        # an inverse carries the rounding of the matrix times its condition
        amplified = np.finfo(np.float64).eps * 50.0 * np.linalg.cond(b) * np.abs(other.qacc).max()
        np.testing.assert_allclose(one.qacc, other.qacc, rtol=0, atol=amplified)
        for link, frame in fused.links.links.items():
            body, place = lean.body(frame.body).id, whole.body(description.links[link].body).id
            turn = one.xmat[body].reshape(3, 3)
            np.testing.assert_allclose(one.xpos[body] + turn @ frame.pose.position, other.xpos[place], rtol=0, atol=ROUNDING)
            np.testing.assert_allclose((turn @ frame.pose.rotation).ravel(), other.xmat[place], rtol=0, atol=ROUNDING)
        for kind in ("geom", "site"):
            for i in range(getattr(lean, f"n{kind}")):
                there = getattr(whole, kind)(getattr(lean, kind)(i).name).id
                for field in (f"{kind}_xpos", f"{kind}_xmat"):
                    np.testing.assert_allclose(getattr(one, field)[i], getattr(other, field)[there], rtol=0, atol=ROUNDING)


def test_two_point_masses_are_a_dumb_bell() -> None:
    """Masses 1 and 3 kg at x = 0 and 2 m: their centre is at 1.5 m, their inertia across is m1 m2 d^2 / (m1 + m2) = 3 kg m^2."""
    mass, com, inertia = combined(np.array([1.0, 3.0]), np.array([[0.0, 0, 0], [2.0, 0, 0]]), np.zeros((2, 3, 3)))
    assert (mass, com.tolist()) == (4.0, [1.5, 0.0, 0.0])
    np.testing.assert_allclose(inertia, np.diag([0.0, 3.0, 3.0]), atol=1e-15)
    assert combined(np.zeros(1), np.ones((1, 3)), np.zeros((1, 3, 3)))[0] == 0.0


# A trunk with two plates welded to it and two hinged arms whose tips are welded on: everything overlaps everything.
CROWD = """<mujoco><worldbody><geom name="wall" type="box" size=".3 .3 .01" pos="0 0 -.2"/>
  <body name="trunk"><freejoint name="free"/><geom name="trunk" type="box" size=".1 .1 .1" mass="2"/>
    <body name="plate" pos=".05 0 .1" euler="10 20 30"><geom name="plate" type="box" size=".1 .1 .02" mass=".3"/>
      <body name="knob" pos="0 .05 0"><geom name="knob" size=".05" mass=".1"/>
        <camera name="eye" pos=".1 0 0"/><light name="lamp" pos="0 0 .1"/><site name="mark" pos="0 0 .02"/></body></body>
    <body name="left" pos="0 .05 0"><joint name="left" axis="1 0 0"/><geom name="left" size=".06" pos="0 .1 0" mass=".2"/>
      <body name="left_tip" pos="0 .15 0"><geom name="left_tip" size=".1" mass=".2"/></body></body>
    <body name="right" pos="0 -.05 0"><joint name="right" axis="1 0 0"/><geom name="right" size=".06" pos="0 -.1 0" mass=".2"/>
      <body name="right_tip" pos="0 -.05 0"><geom size=".1" mass=".2"/></body></body></body></worldbody>
  <contact>{}</contact></mujoco>"""
PART = '<exclude body1="left" body2="right_tip"/>'
WHOLE = "".join(f'<exclude body1="{a}" body2="{b}"/>' for a in ("left", "left_tip") for b in ("right", "right_tip"))
WORLD = '<exclude body1="world" body2="left"/><exclude body1="world" body2="left_tip"/>'
HALF_WORLD = '<exclude body1="world" body2="knob"/>'
CHILD = '<exclude body1="trunk" body2="left"/>'


def _touching(fused: Fused, model: mujoco.MjModel) -> set[frozenset[str | None]]:
    data = mujoco.MjData(model)
    found: set[frozenset[str | None]] = set()
    for seed in range(20):
        _random_state(model, data, seed)
        data.qpos[:3] = 0.0, 0.0, 0.02 * seed - 0.2
        mujoco.mj_forward(model, data)
        found |= {frozenset(fused.links.link_of_geom(model, g) for g in contact.geom) for contact in data.contact}
    return found


@pytest.mark.parametrize(
    ("excludes", "bodies", "left"),
    [("", 3, 0), (WHOLE, 3, 1), (CHILD, 3, 0), (WORLD, 3, 1), (PART, 5, 1), (HALF_WORLD, 5, 1), (WHOLE + PART, 3, 1)],
    ids=["none", "whole groups", "neighbours", "the world", "one pair of four", "the world and one of three", "twice"],
)
def test_the_same_shapes_meet_as_in_the_description(make_twin: Any, excludes: str, bodies: int, left: int) -> None:
    description = make_twin(CROWD.format(excludes)).description
    fused, lean = _model(description)
    kept, whole = _model(description, description.links)
    assert (lean.nbody - 1, lean.nexclude) == (bodies, left)
    assert whole.nbody - 1 == 7
    found = _touching(fused, lean)
    assert found == _touching(kept, whole)
    assert len(found) > 3


def test_cameras_lights_and_sites_move_over_with_their_names(make_twin: Any) -> None:
    description = make_twin(CROWD.format("")).description
    (fused, lean), (_, whole) = _model(description), _model(description, description.links)
    one, other = mujoco.MjData(lean), mujoco.MjData(whole)
    for model, data in ((lean, one), (whole, other)):
        _random_state(model, data, 3)
    for field in ("cam_xpos", "cam_xmat", "light_xpos", "light_xdir", "site_xpos"):
        np.testing.assert_allclose(getattr(one, field), getattr(other, field), rtol=0, atol=ROUNDING)
    assert (lean.camera(0).name, lean.light(0).name, lean.site(0).name) == ("eye", "lamp", "mark")
    mark = fused.links["mark"]
    body = lean.body(mark.body).id
    place = one.xpos[body] + one.xmat[body].reshape(3, 3) @ mark.pose.position
    np.testing.assert_allclose(place, other.site("mark").xpos, rtol=0, atol=ROUNDING)


def test_a_link_without_weight_on_one_that_has_it_stays_a_body(make_twin: Any) -> None:
    text = CROWD.format("").replace('<body name="plate"', '<body name="plate" gravcomp="1"')
    fused, lean = _model(make_twin(text).description)
    assert fused.links["plate"].body == "plate"
    assert fused.links["knob"].body == "knob"  # it does weigh
    assert lean.nbody - 1 == 5


FLYER = """<mujoco><worldbody><body name="trunk"><freejoint name="free"/><geom type="box" size=".1 .1 .1" mass="2"/>
  <body name="boom" pos=".3 .1 0" euler="0 0 40"><geom type="box" size=".2 .02 .02" pos=".1 0 0" mass=".3"/>
    <body name="tip" pos=".2 0 .05" euler="30 0 0"><geom size=".04" pos="0 0 .1" mass=".5"/>
      <body name="wheel" pos="0 0 .1"><joint name="spin" axis="0 1 0"/><geom type="cylinder" size=".05 .01" mass=".1"/></body>
  </body></body></body></worldbody></mujoco>"""
SENSORS = {
    "imu": {"kind": "imu", "link": "tip", "rate": 500},
    "pose": {"kind": "odometry", "link": "boom", "rate": 500},
    "below": {"kind": "rangefinder", "link": "tip", "rate": 500, "pitch": 0.9, "reach": 50},
    "fan": {"kind": "lidar", "link": "tip", "rate": 500, "rays": 30, "field_of_view": 6.0, "farthest": 50},
    "load": {"kind": "force_torque", "link": "tip", "rate": 500},
}
PARTS = {
    "fan": {
        "kind": "rotor", "link": "tip", "direction": 1, "thrust_coefficient": 1e-4, "speed_per_input": 100, "speed_at_zero": 150,
    },
    "air": {"kind": "body_drag", "link": "boom", "area_x": 0.1, "area_y": 0.2, "area_z": 0.1},
}  # fmt: skip


def _runs(make_twin: Any, monkeypatch: pytest.MonkeyPatch, sensors: Any, deeds: Any = (), **keys: Any) -> list[Any]:
    """The logs of the same run with as few bodies as can be and with one per link; how many there were first."""
    twin = make_twin(
        FLYER,
        parts=PARTS,
        sensors={name: SENSORS[name] for name in sensors},
        start={"position": [0, 0, 3], "angular_velocity": [1, 2, 3], "velocity": [1, 0, 0]},
        world={"step": 0.002, "integrator": "rk4", "ground": {}},
        record={"tf_rate": 100},
        **keys,
    )
    found = []
    for whole in (False, True):
        if whole:
            monkeypatch.setattr(assembling, "links_to_keep", lambda twin: set(twin.description.links))
        simulation = twin.simulate()
        log = simulation.run(0.5, interventions=deeds)
        found.append((simulation.model.nbody - 1, log))
    return found


@pytest.mark.parametrize(("sensors", "bodies"), [(("imu", "pose", "fan"), 2), (("below",), 3), (("load", "imu"), 3)])
def test_sensors_read_what_they_read_on_a_body_of_their_own(make_twin: Any, monkeypatch: Any, sensors: Any, bodies: int) -> None:
    (few, lean), (many, whole) = _runs(make_twin, monkeypatch, sensors)
    assert (few, many) == (bodies, 4)
    for name in whole.signals:
        np.testing.assert_allclose(lean[name].values, whole[name].values, rtol=1e-7, atol=1e-8, err_msg=name)
    assert len(whole["tf.tip.position.x"].values) > 40


@pytest.mark.parametrize("link", ["trunk", "boom", "tip", "wheel"])
def test_a_push_acts_at_the_centre_of_mass_of_its_link(make_twin: Any, monkeypatch: Any, link: str) -> None:
    deeds = [Intervention(10, "push", link, (3.0, -2.0, 5.0)), Intervention(150, "push", link, (0.0, 0.0, 0.0))]
    (_, lean), (_, whole) = _runs(make_twin, monkeypatch, ("pose",), deeds)
    for name in whole.signals:
        np.testing.assert_allclose(lean[name].values, whole[name].values, rtol=1e-7, atol=1e-8, err_msg=name)


def test_pushes_on_two_links_of_a_body_add_up_and_end(make_twin: Any) -> None:
    """Opposite forces on two links of one body are a couple: no change of momentum, and after them nothing acts any more."""
    simulation = make_twin(FLYER, world={"gravity": 0.0, "step": 0.001, "integrator": "rk4"}).simulate()
    for link, force in (("boom", (0.0, 2.0, 0.0)), ("tip", (0.0, -2.0, 0.0))):
        simulation.intervene(Intervention(0, "push", link, force))
    assert set(simulation.pushes) == {"boom", "tip"}
    simulation.run(0.1)
    mujoco.mj_subtreeVel(simulation.model, simulation.data)
    assert np.abs(simulation.data.subtree_linvel[0]).max() < 1e-9  # the integrator; one force alone gives 0.07 m/s
    assert np.linalg.norm(simulation.data.subtree_angmom[0]) > 0.01
    for link in ("boom", "tip"):
        simulation.intervene(Intervention(0, "push", link, (0.0, 0.0, 0.0)))
    simulation.run(0.01)
    assert not simulation.data.xfrc_applied.any()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("tip.mass", 0.9), ("tip.com.x", 0.07), ("boom.inertia.xy", 1e-5), ("trunk.mass", 1.0), ("boom.mass", 0.0),
        ("wheel.com.y", 0.02),
    ],
)  # fmt: skip
def test_masses_of_fused_links_change_while_a_run_goes_on(make_twin: Any, monkeypatch: Any, path: str, value: float) -> None:
    found = []
    values = {f"links.{path}": value} | ({f"links.boom.inertia.{axes}": 0.0 for axes in ("xx", "yy", "zz", "xy", "xz", "yz")}
                                         if path == "boom.mass" else {})  # fmt: skip
    twin = make_twin(FLYER, parts=PARTS, world={"step": 0.002, "integrator": "rk4"}, start={"angular_velocity": [1, 2, 3]})
    for whole in (False, True):
        if whole:
            monkeypatch.setattr(assembling, "links_to_keep", lambda twin: set(twin.description.links))
        simulation = twin.simulate()
        simulation.run(0.1)
        simulation.set_all(values)
        simulation.intervene(Intervention(0, "push", "tip", (1.0, 2.0, 3.0)))
        simulation.run(0.1)
        changed = twin.copy()
        changed.set_all(values)
        fresh = changed.simulate().model
        np.testing.assert_allclose(simulation.model.body_inertia, fresh.body_inertia, rtol=0, atol=1e-15)
        np.testing.assert_allclose(simulation.model.body_ipos, fresh.body_ipos, rtol=0, atol=1e-15)
        found.append((simulation.data.qpos.copy(), simulation.data.qvel.copy()))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=0, atol=1e-11)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0, atol=1e-10)
