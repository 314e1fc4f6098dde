"""MJCF: nothing is lost, everything has a name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from didymos.describe.description import JointKind
from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.errors import InputError

DOG = """<mujoco model="dog">
  <option timestep="0.005"/>
  <worldbody><geom type="plane" size="1 1 0.1"/>
    <body name="trunk" pos="0 0 1"><freejoint name="root"/><geom type="box" size="0.1 0.2 0.3" density="1000"/>
      <site name="imu" pos="0 0 0.1"/>
      <body pos="0.1 0 0"><joint axis="0 1 0" range="-57.29577951308232 90" damping="0.2" frictionloss="0.1"/>
        <geom type="sphere" size="0.1" density="1000"/></body>
      <body name="tail"><joint name="wag"/><geom size="0.1"/></body>
    </body>
    <body name="post" pos="3 0 0"><geom type="box" size="1 1 1"/></body>
  </worldbody>
  <actuator><motor name="hip" joint="wag"/></actuator>
  <sensor><gyro name="gyro" site="imu"/></sensor>
  <keyframe><key name="home" qpos="0 0 1 1 0 0 0 0.1 0.2"/></keyframe>
</mujoco>"""


@pytest.fixture
def dog(tmp_path: Path) -> Path:
    file = tmp_path / "dog.xml"
    file.write_text(DOG)
    return file


def test_bodies_joints_and_sites_are_tabled(dog: Path) -> None:
    description = read_description(dog)
    assert (description.name, description.root, description.floating) == ("dog", "trunk", True)
    assert list(description.links) == ["trunk", "body_2", "tail", "post"]
    assert description.links["trunk"].mass == pytest.approx(1000 * 0.2 * 0.4 * 0.6, rel=1e-12)
    np.testing.assert_allclose(
        np.diag(description.links["trunk"].inertia),
        48 / 12 * np.array([0.4**2 + 0.6**2, 0.2**2 + 0.6**2, 0.2**2 + 0.4**2]),
        rtol=1e-12,
    )
    hip = description.joints["joint_2"]
    assert (hip.kind, hip.parent, hip.child) == (JointKind.REVOLUTE, "trunk", "body_2")
    assert (hip.lower, hip.damping, hip.friction) == (pytest.approx(-1, rel=1e-12), 0.2, 0.1)
    assert description.joints["wag"].kind is JointKind.CONTINUOUS
    assert description.frames["imu"].link == "trunk"


def test_the_robot_is_what_actuators_drive_and_not_the_ball_that_it_throws(tmp_path: Path) -> None:
    file = tmp_path / "scene.xml"
    ball = '<body name="ball" pos="0 0 1"><freejoint/><geom size="0.1"/></body>'
    arm = '<body name="arm"><joint name="elbow"/><geom size="0.1"/></body>'
    for actuator, root in (('<actuator><motor joint="elbow"/></actuator>', "arm"), ("", "ball")):
        file.write_text(f"<mujoco><worldbody>{ball}{arm}</worldbody>{actuator}</mujoco>")
        assert read_description(file).root == root


def test_a_file_called_mjcf_is_read_with_what_it_includes(tmp_path: Path) -> None:
    (tmp_path / "tail.mjcf").write_text('<mujoco><worldbody><body name="tail"><geom size="0.1"/></body></worldbody></mujoco>')
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "corner.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    )
    file = tmp_path / "dog.mjcf"
    file.write_text(
        '<mujoco><compiler meshdir="meshes"/><include file="tail.mjcf"/><asset><mesh name="corner" file="corner.obj"/></asset>'
        '<worldbody><body name="trunk"><freejoint/><geom type="mesh" mesh="corner" density="600"/></body></worldbody></mujoco>'
    )
    description = read_description(file)
    assert set(description.links) == {"trunk", "tail"}
    assert description.links["trunk"].mass == pytest.approx(600 / 6, rel=1e-6)  # a corner of a unit cube
    assert [child.name for child in tmp_path.iterdir() if child.suffix == ".xml"] == []  # nothing was written beside it


def test_actuators_sensors_and_keyframes_stay(dog: Path) -> None:
    model = read_description(dog).spec.compile()
    assert (model.nu, model.nsensor, model.nkey, model.opt.timestep) == (1, 1, 1, 0.005)
    np.testing.assert_array_equal(model.key("home").qpos, [0, 0, 1, 1, 0, 0, 0, 0.1, 0.2])


def test_what_got_a_name_is_noted(dog: Path) -> None:
    notes = "\n".join(map(str, read_description(dog).notes))
    assert "1 of 4 body elements have no name and get one: body_2" in notes
    assert "2 bodies stand in the world; 'trunk' is taken as the root link" in notes


def test_a_root_on_rails_cannot_float(tmp_path: Path) -> None:
    file = tmp_path / "cart.xml"
    file.write_text(
        '<mujoco><worldbody><body name="cart"><joint name="rail" type="slide"/><geom size="1"/></body>'
        "</worldbody></mujoco>"
    )
    with pytest.raises(InputError, match="link 'cart' cannot float: it moves in the world by joint 'rail' already"):
        float_base(read_description(file))


def test_included_files_and_meshes_are_found_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "leg.xml").write_text(
        '<mujoco><worldbody><body name="leg"><geom size="0.1"/></body></worldbody></mujoco>'
    )
    file = tmp_path / "a.xml"
    file.write_text('<mujoco><include file="parts/leg.xml"/></mujoco>')
    assert list(read_description(file).links) == ["leg"]
