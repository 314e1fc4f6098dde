"""What only serves to be seen is not simulated, and still seen: by pictures, and by every ray that saw it before."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import didymos

# a mast that does not collide but weighs, on a trunk; a screen for the eye, one that stops rays, both ahead of the eye
SCENERY = """<mujoco>{}<asset><material name="red" rgba="1 0 0 1"/></asset><worldbody>
  <geom name="screen" type="box" size=".1 2 2" pos="3 0 0" contype="0" conaffinity="0" group="{}" material="red"/>
  <body name="trunk"><freejoint name="free"/><geom name="trunk" type="box" size=".1 .1 .1" mass="2"/>
    <geom name="mast" type="cylinder" size=".02 .5" pos="0 0 .5" contype="0" conaffinity="0" mass=".5"/>
    <body name="eye" pos=".3 0 0"><geom name="lens" size=".05" contype="0" conaffinity="0" mass=".1"/></body></body>
  </worldbody></mujoco>"""
STILL = {"gravity": 0.0, "step": 0.002, "integrator": "rk4"}
RAYS = {
    "lidar": {"kind": "lidar", "link": "eye", "rate": 100, "rays": 5, "field_of_view": 0.2, "farthest": 10.0},
    "rangefinder": {"kind": "rangefinder", "link": "eye", "rate": 100, "reach": 10.0},
}


def _names(model: mujoco.MjModel) -> set[str]:
    return {model.geom(i).name for i in range(model.ngeom)}


@pytest.mark.parametrize("name", ["quadcopter", "meldog", "cepheus"])
def test_everything_is_shown_where_the_physics_has_it(name: str) -> None:
    simulation = didymos.load(name).simulate()
    simulation.run(0.1)
    model, shown = simulation.model, simulation.shown.model
    described = simulation.twin.description.spec.copy().compile()
    assert shown.ngeom >= described.ngeom > model.ngeom
    assert _names(model) < _names(shown)
    assert (shown.nbody, shown.nq, shown.ntex) == (model.nbody, model.nq, 2 if simulation.twin.file.world.ground else 1)
    data, posed = mujoco.MjData(model), simulation.shown.pose(simulation.data)
    data.qpos[:] = simulation.data.qpos
    mujoco.mj_kinematics(model, data)
    np.testing.assert_array_equal(data.xpos, posed.xpos)
    for i in range(model.ngeom):
        np.testing.assert_array_equal(data.geom_xpos[i], posed.geom(model.geom(i).name).xpos)


@pytest.mark.parametrize(
    ("sensor", "group", "far", "left"),
    [
        (None, 0, None, {"trunk"}),
        ("lidar", 0, 2.6, {"trunk", "screen", "mast", "lens"}),
        ("lidar", 2, np.inf, {"trunk", "mast", "lens"}),
        ("rangefinder", 2, 2.6, {"trunk", "screen", "mast", "lens"}),
    ],
)
def test_shapes_that_a_ray_can_hit_stay(make_twin: Any, sensor: str | None, group: int, far: Any, left: set[str]) -> None:
    sensors = {} if sensor is None else {"ray": RAYS[sensor]}
    simulation = make_twin(SCENERY.format("", group), world=STILL, sensors=sensors).simulate()
    assert _names(simulation.model) == left
    log = simulation.run(0.1)
    if sensor is not None:
        name = "ray.ranges.2" if sensor == "lidar" else "ray.range"
        assert log[name].values[-1] == pytest.approx(far, rel=1e-6)  # recorded as float32


@pytest.mark.parametrize("inferred", ["", '<compiler inertiafromgeom="true"/>'])
def test_a_shape_that_is_not_simulated_weighs_what_it_weighs(make_twin: Any, inferred: str) -> None:
    twin = make_twin(SCENERY.format(inferred, 2), world=STILL)
    simulation, described = twin.simulate(), twin.description.spec.copy().compile()
    assert simulation.model.body_mass.sum() == pytest.approx(2.6, rel=1e-12)
    full = [np.zeros((6, 6)), np.zeros((6, 6))]
    for matrix, model in zip(full, (simulation.model, described), strict=True):
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, matrix)
    np.testing.assert_allclose(*full, rtol=0, atol=1e-12)


def _picture_groups(model: mujoco.MjModel) -> dict[str, bool]:
    """Whether a shape is in a picture, by its name; the engine draws groups 0 to 2."""
    return {model.geom(i).name: int(model.geom_group[i]) <= 2 for i in range(model.ngeom) if model.geom_bodyid[i]}


def test_links_whose_meshes_cannot_be_read_are_seen_by_what_they_collide_with(tmp_path: Any) -> None:
    """As many descriptions are without the extra for COLLADA: a picture of them was one of the ground alone."""
    inertial = '<inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>'
    box = '<collision><geometry><box size=".2 .2 .2"/></geometry></collision>'
    lost = '<visual><geometry><mesh filename="broken.obj"/></geometry></visual>'
    seen = '<visual><geometry><sphere radius=".1"/></geometry></visual>'
    links = {"base": lost + box, "pod": seen, "arm": lost + seen + box, "hand": box}
    joints = {"pod": "fixed", "arm": "continuous", "hand": "continuous"}
    (tmp_path / "broken.obj").write_text("nonsense")
    (tmp_path / "robot.urdf").write_text(
        '<robot name="r">' + "".join(f'<link name="{name}">{inertial}{shapes}</link>' for name, shapes in links.items())
        + "".join(f'<joint name="to_{name}" type="{kind}"><parent link="base"/><child link="{name}"/><axis xyz="0 0 1"/></joint>'
                  for name, kind in joints.items()) + "</robot>"
    )  # fmt: skip
    simulation = didymos.load(tmp_path / "robot.urdf").simulate()
    assert _picture_groups(simulation.shown.model) == {
        "base:collision0": True,  # although the pod, which is welded to it, has a shape that is seen
        "pod:visual0": True, "arm:visual0": True, "arm:collision0": False, "hand:collision0": True,
    }  # fmt: skip
