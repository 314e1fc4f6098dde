"""MJCF as strangers write it: what stands in the world, and defaults for actuators that are not ours."""

from __future__ import annotations

import numpy as np

WORLD_SITE = """<mujoco><worldbody><site name="goal" pos="1 2 3"/>
  <body name="b" pos="0 0 1"><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>"""

OWN_DEFAULTS = """<mujoco><default>
  <general ctrllimited="true" ctrlrange="-1 1" forcelimited="true" forcerange="-2 2" dyntype="integrator" biastype="affine"
    biasprm="3 -4 -5" gainprm="6"/>
  </default>
  <worldbody><body name="b" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0" mass="1"/></body></worldbody>
  <actuator><general name="m" joint="j"/></actuator></mujoco>"""


def test_a_site_in_the_world_is_a_frame_that_does_not_move(make_twin) -> None:
    sensors = {"goal": {"kind": "pose", "link": "goal", "rate": 100}}
    simulation = make_twin(WORLD_SITE, sensors=sensors).simulate()
    simulation.step({}, seconds=0.2)
    np.testing.assert_allclose(simulation.reading("goal", "position"), [1, 2, 3], atol=1e-12)


def test_defaults_for_actuators_of_a_description_do_not_reach_the_one_that_carries_our_laws(make_twin) -> None:
    """Their ranges made the engine refuse ours; their integrator would have given it a state."""
    simulation = make_twin(OWN_DEFAULTS, parts={"drag": {"kind": "body_drag", "link": "b", "area_x": 0.1}}).simulate()
    model = simulation.model
    ours = model.actuator("didymos.parts").id
    assert not model.actuator_ctrllimited[ours]
    assert not model.actuator_forcelimited[ours]
    assert not model.actuator_biasprm[ours].any()
    assert model.na == 1  # of the description's own integrator
    simulation.step({"m": 0.5}, seconds=0.1)


def test_points_that_are_welded_together_are_one_body(make_twin) -> None:
    """Masses without inertia, as PyFlyt's aircraft are made of: the engine alone refuses the sum of the first two."""
    link = '<link name="{0}"><inertial><mass value="{1}"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link>'
    weld = '<joint name="{0}_weld" type="fixed"><parent link="a"/><child link="{0}"/><origin xyz="{1}"/></joint>'
    places = {"b": "0.3 0.1 0.2", "c": "0 0.7 0.1", "d": "-0.1 0 0.5"}
    links = "".join(link.format(name, mass) for name, mass in (("a", 0.3), ("b", 0.1), ("c", 0.2), ("d", 0.4)))
    robot = f'<robot name="r">{links}{"".join(weld.format(*item) for item in places.items())}</robot>'
    model = make_twin(robot, description={"base": "floating"}).simulate().model
    masses = np.array([0.3, 0.1, 0.2, 0.4])
    points = np.array([[0, 0, 0], *([float(x) for x in place.split()] for place in places.values())])
    away = points - masses @ points / masses.sum()
    exact = sum(m * (float(p @ p) * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, away, strict=True))
    np.testing.assert_allclose(np.sort(model.body("a").inertia), np.linalg.eigvalsh(exact), rtol=1e-6)
