"""A world file under a twin: an SDF world, an MJCF scene; what joins, what is free, what is noted, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.errors import InputError

ROBOT = """<mujoco><worldbody><body name="probe" pos="0 0 9"><freejoint name="free"/>
  <geom type="sphere" size=".01" mass=".1"/></body></worldbody></mujoco>"""

SDF = """<sdf version="1.7"><world name="yard">
  <include><uri>model://sun</uri></include>
  <include><uri>model://ground_plane</uri></include>
  <gravity>0 0 -3</gravity>
  <light name="lamp" type="point"><pose>0 0 5 0 0 0</pose><diffuse>0.5 0.5 0.5 1</diffuse></light>
  <model name="wall"><static>true</static><pose>2 0 0.5 0 0 1.5707963267948966</pose><link name="l">
    <collision name="c"><geometry><box><size>1 0.2 1</size></box></geometry>
      <surface><friction><ode><mu>0.3</mu></ode></friction></surface></collision>
    <visual name="v"><geometry><box><size>1 0.2 1</size></box></geometry></visual></link></model>
  <model name="crate 1"><pose>-2 0 3 0 0 0</pose>
    <link name="l"><inertial><pose>0.1 0 0 0 0 0</pose><mass>4</mass>
        <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>
      <collision name="c"><geometry><box><size>0.4 0.4 0.4</size></box></geometry></collision></link>
    <link name="lid"><pose>0 0 0.3 0 0 0</pose><inertial><mass>1</mass>
        <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
    <joint name="hinge" type="revolute"><parent>l</parent><child>lid</child><axis><xyz>1 0 0</xyz></axis></joint></model>
  <model name="rover"><link name="base"/><link name="wheel"/>
    <joint name="axle" type="continuous"><parent>base</parent><child>wheel</child><axis><xyz>0 1 0</xyz></axis></joint>
    <plugin name="drive" filename="libdrive.so"/></model>
  <actor name="walker"/>
</world></sdf>"""

MJCF = """<mujoco><compiler angle="degree"/><asset><texture name="t" type="2d" builtin="checker" width="8" height="8"/>
  <material name="m" texture="t" rgba="1 0 0 1"/><hfield name="h" nrow="2" ncol="2" size="1 1 .5 .1" elevation="0 0 1 1"/></asset>
  <worldbody><light pos="0 0 3" dir="0 0 -1" directional="true"/><geom name="floor" type="plane" size="5 5 .1" material="m"/>
  <body name="table" pos="3 0 0" euler="0 0 90"><geom type="box" size=".5 .2 .4" pos="0 0 .4" friction=".2"/>
    <body pos="0 0 .9"><joint name="drawer" type="slide"/><geom type="box" size=".1 .1 .1" mass="1"/></body></body>
  <body name="ball" pos="0 2 1"><freejoint/><geom type="sphere" size=".1" mass="0.5"/></body>
  <body name="arm"><joint name="shoulder"/><geom type="capsule" fromto="0 0 0 1 0 0" size=".1"/></body>
  <geom type="hfield" hfield="h" pos="-3 0 0"/></worldbody>
  <actuator><motor joint="shoulder"/></actuator><sensor><jointpos joint="shoulder"/></sensor></mujoco>"""


def under(folder: Path, text: str, *, name: str = "yard.world", **world: Any) -> Any:
    (folder / "model.xml").write_text(ROBOT)
    (folder / name).write_text(text)
    keys = {"description": {"file": "model.xml"}, "world": {"file": name, **world}, "record": {"momentum": True}}
    (folder / "twin.yaml").write_text(json.dumps(keys))
    return didymos.load(folder)


def noted(twin: Any) -> str:
    return "\n".join(str(note) for note in twin.notes)


def test_an_sdf_world_stands_around_a_twin(tmp_path: Path) -> None:
    twin = under(tmp_path, SDF)
    scene = twin.surroundings.scene
    solid = [shape for shape in scene.shapes if shape.collides]
    assert len(solid) == 2  # the ground plane that Gazebo knows, and the wall
    assert len(scene.lights) == 2
    wall = next(shape for shape in solid if shape.size[2] == 0.5)
    np.testing.assert_allclose(wall.position, [2, 0, 0.5], atol=1e-12)
    np.testing.assert_allclose(wall.quaternion, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-9)
    assert wall.friction == 0.3
    notes = noted(twin)
    for sentence in ("<model> 'rover' is a robot, with joints that plugins drive", "joint 'crate 1::hinge' is held",
                     "<gravity> of <world> 'yard' is not used", "<actor> 'walker' of <world> 'yard' is not used"):  # fmt: skip
        assert sentence in notes, notes


def test_a_model_that_is_not_static_is_a_free_body(tmp_path: Path) -> None:
    """Its links are one body: 5 kg about the common centre, by Huygens and Steiner; it falls, lies, and its start can be set."""
    twin = under(tmp_path, SDF)
    (body,) = twin.surroundings.scene.bodies
    assert body.name == "crate_1"
    assert body.mass == 5.0
    com = (4 * np.array([0.1, 0, 0]) + np.array([0, 0, 0.3])) / 5
    np.testing.assert_allclose(body.com, com, atol=1e-12)
    expected = np.diag([0.11, 0.21, 0.26])
    for mass, place in ((4, [0.1, 0, 0]), (1, [0, 0, 0.3])):
        away = np.array(place) - com
        expected = expected + mass * (away @ away * np.eye(3) - np.outer(away, away))
    np.testing.assert_allclose(body.inertia, expected, atol=1e-12)
    twin.set("start.objects.crate_1.position.z", 1.0)
    twin.set("start.objects.crate_1.velocity.x", -0.5)
    log = twin.simulate().run(3.0)
    assert log["objects.crate_1.position.z"].values[0] == 1.0
    assert log["objects.crate_1.position.z"].values[-1] == pytest.approx(0.2, abs=1e-3)
    assert log["objects.crate_1.position.x"].values[-1] < -2.1
    assert log["momentum.linear.x"].values[0] == pytest.approx(-2.5, abs=1e-9)


def test_an_mjcf_scene_stands_around_a_twin(tmp_path: Path) -> None:
    twin = under(tmp_path, MJCF, name="scene.xml")
    scene = twin.surroundings.scene
    assert [body.name for body in scene.bodies] == ["ball"]
    assert len(scene.shapes) == 4  # floor, table, drawer, height field
    np.testing.assert_allclose(scene.shapes[0].rgba[:3], [1, 0, 0])
    assert {round(shape.friction, 6) for shape in scene.shapes} == {1.0, 0.2}
    notes = noted(twin)
    for sentence in ("1 actuators are not used", "1 sensors are not used", "body 'arm' is a robot", "joint 'drawer' of body",
                     "textures are not shown"):  # fmt: skip
        assert sentence in notes, notes
    log = twin.simulate().run(1.0)
    assert log["objects.ball.position.z"].values[-1] == pytest.approx(0.1, abs=1e-3)


def test_the_scale_of_friction_holds_for_a_scene(tmp_path: Path) -> None:
    simulation = under(tmp_path, MJCF, name="scene.xml", friction_scale=0.5).simulate()
    found = sorted(round(float(geom.friction[0]), 6) for geom in map(simulation.model.geom, range(simulation.model.ngeom))
                   if geom.name.startswith("didymos:world:"))  # fmt: skip
    assert found == [0.1, 0.5, 0.5, 0.5]
    simulation.set("world.friction_scale", 2.0)
    assert float(simulation.model.geom("didymos:world:0").friction[0]) == 2.0


def test_a_height_map_of_sdf_is_a_height_field(tmp_path: Path) -> None:
    from PIL import Image

    Image.fromarray(np.array([[0, 0, 0], [0, 255, 0], [0, 0, 0]], dtype=np.uint8)).save(tmp_path / "hill.png")
    text = """<sdf version="1.6"><world name="w"><model name="m"><static>1</static><link name="l"><collision name="c"><geometry>
      <heightmap><uri>hill.png</uri><size>4 4 2</size><pos>1 0 0.5</pos></heightmap>
      </geometry></collision></link></model></world></sdf>"""
    (shape,) = under(tmp_path, text).surroundings.scene.shapes
    assert shape.heights.max() == 2.0
    np.testing.assert_allclose(shape.position, [1, 0, 0.5])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<robot name='r'/>", "begins with <robot>, expected <sdf>"),
        ("<sdf version='1.7'><world name='w'><include><uri>model://house</uri></include></world></sdf>", "means no file"),
        ("<sdf version='1.7'><world name='w'><model name='m'><link name='l'><collision name='c'><geometry><mesh><uri>"
         "/etc/passwd.stl</uri></mesh></geometry></collision></link></model></world></sdf>", "outside of the description's"),
        ("<mujoco><asset><mesh name='m' file='../../secret.stl'/></asset></mujoco>", "cannot be opened|outside"),
        ("<sdf version='1.7'><world name='w'><light name='l' type='point'><diffuse>red</diffuse></light></world></sdf>", "'red'"),
        ("<sdf version='1.7'><world name='w'><light name='l'><direction>0 0 0</direction></light></world></sdf>", "a direction"),
        ("<sdf version='1.7'><world", "twin's|not well-formed|unclosed|no element"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        under(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_a_missing_or_foreign_file_is_a_mistake_of_the_twin(tmp_path: Path) -> None:
    twin = under(tmp_path, SDF)
    assert twin.surroundings.scene is not None
    for name, sentence in (("nowhere.sdf", "'nowhere.sdf' is not there"), ("../yard.sdf", "outside of the twin's folder")):
        keys = {"description": {"file": "model.xml"}, "world": {"file": name}}
        (tmp_path / "twin.yaml").write_text(json.dumps(keys))
        with pytest.raises(InputError, match=f"world.file: .*{sentence}"):
            didymos.load(tmp_path)


def test_two_free_bodies_of_one_name_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"world.objects.ball: .* has a free body of this name"):
        under(tmp_path, MJCF, name="scene.xml", objects={"ball": {"shape": "sphere", "size": [1, 1, 1], "mass": 1}})
