"""Descriptions written as URDF: pinocchio, which shares no code with us, finds links and masses where the engine has them."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio
import pytest

import didymos
from didymos.describe.description import Description
from didymos.describe.formats.importer import read_description
from didymos.describe.formats.urdf_geometry import rpy_of
from didymos.describe.formats.urdf_writer import urdf_text
from didymos.rotations import rpy_to_matrix

BUNDLED = (
    "cepheus", "crazyflie", "daedalus", "flying_wing", "hexacopter", "meldog", "omni_base", "plane_1wing", "plane_1wing_sensors",
    "plane_3wing_2motor", "power_unit", "quadcopter", "skywalker_2013", "vtol",
)  # fmt: skip
# Chains of fewer than 20 products of rotations and lengths below 2 m, in float64, in both programs: 20 * 2 * 2 * 2^-52 = 2e-14.
ROUNDING = 1e-13

SEVERAL = """<mujoco><worldbody><body name="base" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" mass="2"/>
  <body name="wrist" pos=".3 0 0" euler="10 20 30">
    <joint name="slide" type="slide" axis="1 0 0" range="-1 1" limited="true"/>
    <joint name="swing" axis="0 1 0" pos="0.1 0.05 -0.2" ref="30"/><joint name="roll" axis="0 0 1" pos="0 0.3 0"/>
    <geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass="1"/><site name="tip" pos=".2 0 0" euler="0 90 0"/>
    <body name="hand" pos="0 .1 .1"><geom type="ellipsoid" size=".05 .06 .07" pos=".01 0 0" mass=".5"/></body>
  </body></body></worldbody>
  <equality><joint joint1="roll" joint2="slide" polycoef="0.1 -2 0 0 0"/></equality></mujoco>"""
OFF_CENTRE = """<sdf version="1.9"><model name="door"><link name="frame"><inertial><mass>3</mass></inertial></link>
  <link name="leaf"><pose>0.5 0.2 1 0 0.1 0.4</pose><inertial><pose>0 0 0.1 0 0 0</pose><mass>2</mass></inertial>
  <collision name="c"><geometry><cylinder><radius>0.1</radius><length>0.4</length></cylinder></geometry></collision></link>
  <joint name="hinge" type="revolute"><pose>-0.5 0.1 0 0 0 0</pose><parent>frame</parent><child>leaf</child>
  <axis><xyz>0 0.6 0.8</xyz><limit><lower>-1</lower><upper>2</upper><effort>7</effort><velocity>3</velocity></limit></axis>
  </joint>
  <frame name="handle" attached_to="leaf"><pose>0.4 0 0 0 1.5707963267948966 0</pose></frame></model></sdf>"""


def compare(description: Description) -> None:
    """Places of links and frames relative to the root, and mass and its centre, at random positions of all joints."""
    described = description.as_read
    text = urdf_text(described)
    theirs = pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer())
    data = theirs.createData()
    model = described.spec.copy().compile()
    state = mujoco.MjData(model)
    random = np.random.default_rng(11)
    for _ in range(4):
        q = pinocchio.neutral(theirs)
        for joint in described.joints.values():
            if len(joint.engine_joints) != 1 or joint.kind.value not in ("revolute", "continuous", "prismatic"):
                continue
            value = random.uniform(-2.0, 2.0)
            state.qpos[model.joint(joint.engine_joints[0]).qposadr[0]] = value
            if joint.child == described.root and not theirs.existJointName(joint.name):
                continue  # by which the root moves in the world: the tree of frames has that
            own = theirs.joints[theirs.getJointId(joint.name)]
            q[own.idx_q : own.idx_q + own.nq] = value if own.nq == 1 else [math.cos(value), math.sin(value)]
        mujoco.mj_kinematics(model, state)
        pinocchio.framesForwardKinematics(theirs, data, q)
        root = state.body(described.links[described.root].body)
        turn = root.xmat.reshape(3, 3)

        def place(name: str) -> pinocchio.SE3:
            return data.oMf[theirs.getFrameId(name, pinocchio.FrameType.BODY)]

        def check(name: str, position: np.ndarray, rotation: np.ndarray) -> None:
            seen = place(described.root).actInv(place(name))
            np.testing.assert_allclose(seen.translation, turn.T @ (position - root.xpos), atol=ROUNDING, err_msg=name)  # noqa: B023
            np.testing.assert_allclose(seen.rotation, turn.T @ rotation, atol=ROUNDING, err_msg=name)  # noqa: B023

        for link in described.links.values():
            check(link.name, state.body(link.body).xpos, state.body(link.body).xmat.reshape(3, 3))
        for frame in described.frames.values():
            check(frame.name, state.site(frame.site).xpos, state.site(frame.site).xmat.reshape(3, 3))
        mass = sum(link.mass for link in described.links.values())
        centre = sum(
            link.mass * (state.body(link.body).xpos + state.body(link.body).xmat.reshape(3, 3) @ link.com)
            for link in described.links.values()
        ) / mass  # fmt: skip
        base = place(described.root)
        assert pinocchio.computeTotalMass(theirs) == pytest.approx(mass, rel=1e-12)
        seen = base.actInv(pinocchio.centerOfMass(theirs, data, q))
        np.testing.assert_allclose(seen, turn.T @ (centre - root.xpos), atol=ROUNDING)


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_twins_have_the_same_kinematics_as_urdf(name: str) -> None:
    compare(didymos.load(name).description)


def read(text: str, name: str, folder: Path) -> Description:
    (folder / name).write_text(text)
    return read_description(folder / name)


def test_joints_off_the_origin_and_several_at_one_link_keep_their_motion(tmp_path: Path) -> None:
    compare(read(SEVERAL, "several.xml", tmp_path))
    compare(read(OFF_CENTRE, "door.sdf", tmp_path))


def test_limits_shapes_ties_and_inertias_are_written(tmp_path: Path) -> None:
    door = ElementTree.fromstring(urdf_text(read(OFF_CENTRE, "door.sdf", tmp_path)))
    limit = door.find("joint[@name='hinge']/limit")
    assert limit is not None
    assert {key: float(value) for key, value in limit.attrib.items()} == {"lower": -1, "upper": 2, "effort": 7, "velocity": 3}
    cylinder = door.find("link[@name='leaf']/collision/geometry/cylinder")
    assert cylinder is not None
    assert (float(cylinder.attrib["radius"]), float(cylinder.attrib["length"])) == (0.1, 0.4)
    several = ElementTree.fromstring(urdf_text(read(SEVERAL, "several.xml", tmp_path)))
    mimic = several.find("joint[@name='roll']/mimic")
    assert mimic is not None
    assert mimic.attrib == {"joint": "slide", "multiplier": "-2.0", "offset": "0.1"}
    kinds = [shape.tag for shape in several.findall("link[@name='wrist']/visual/geometry/*")]
    assert kinds == ["cylinder", "sphere", "sphere"]  # a capsule
    assert [shape.tag for shape in several.findall("link[@name='hand']/collision/geometry/*")] == ["box"]


def test_a_mesh_is_the_file_it_came_from_where_that_file_has_it(tmp_path: Path) -> None:
    corners = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    faces = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["f " + " ".join(str(i + 1) for i in face) for face in faces]
    (tmp_path / "wedge.obj").write_text("\n".join(lines) + "\n")
    mjcf = """<mujoco><asset><mesh name="w" file="wedge.obj" scale="2 2 2"/></asset><worldbody><body name="b"><freejoint/>
      <geom type="mesh" mesh="w" pos=".1 .2 .3" euler="0 0 90" mass="1"/></body></worldbody></mujoco>"""
    description = read(mjcf, "wedge.xml", tmp_path)
    robot = ElementTree.fromstring(urdf_text(description))
    mesh, place = robot.find("link/visual/geometry/mesh"), robot.find("link/visual/origin")
    assert mesh is not None
    assert place is not None
    assert mesh.attrib["filename"] == (tmp_path / "wedge.obj").resolve().as_uri()
    assert [float(value) for value in mesh.attrib["scale"].split()] == [2, 2, 2]
    xyz, rpy = (np.array([float(value) for value in place.attrib[key].split()]) for key in ("xyz", "rpy"))
    # meshes are float32 in the engine, and so is where it puts them
    np.testing.assert_allclose(xyz, [0.1, 0.2, 0.3], atol=1e-5)
    np.testing.assert_allclose(rpy_to_matrix(rpy), rpy_to_matrix(np.array([0, 0, math.pi / 2])), atol=1e-5)


def test_a_plain_urdf_stays_as_it_is(tmp_path: Path) -> None:
    text = '<robot name="r"><!-- mine --><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'  # noqa: E501
    assert urdf_text(read(text, "r.urdf", tmp_path)) == text


@pytest.mark.parametrize("pitch", [0.3, math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9])
def test_angles_give_the_rotation_back_at_the_poles_as_well(pitch: float) -> None:
    rotation = rpy_to_matrix(np.array([0.7, pitch, -2.1]))
    np.testing.assert_allclose(rpy_to_matrix(rpy_of(rotation)), rotation, atol=4e-16)
