"""Descriptions: URDF, SDF, MJCF and xacro, with other elements, other text or other bytes, and the meshes that they name."""

from __future__ import annotations

import shutil
import struct
import xml.etree.ElementTree as ET
from pathlib import Path
from random import Random

import didymos
from didymos.describe.formats.importer import read_description
from fuzzing.mutators import edit_bytes, edit_markup, edit_tree
from fuzzing.target import Case, Target
from fuzzing.twins import SMALL, run_three_ticks

__all__ = ["SEEDS", "Descriptions"]

_XACRO = 0.005  # share of cases that go through xacro, which costs a process each
_FULL = 0.05  # share of the small twin's descriptions with which the twin is also run

SEEDS = {
    "arm.urdf": """<robot name="arm">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base"><inertial><origin xyz="0 0 0.1"/><mass value="2.0"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.02"/></inertial>
    <visual><geometry><mesh filename="shape.stl" scale="1 1 1"/></geometry><material name="red"/></visual>
    <collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
    <collision><geometry><mesh filename="shape.obj"/></geometry></collision></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2" rpy="0 0.1 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="3"/>
    <dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="flange" type="fixed"><parent link="upper"/><child link="tool"/><mimic joint="shoulder"/></joint>
  <gazebo reference="base"><mu1>0.5</mu1></gazebo>
  <transmission name="t"><type>Simple</type><joint name="shoulder"/></transmission>
</robot>""",
    "model.sdf": """<sdf version="1.9"><model name="m"><pose>0 0 1 0 0 0</pose>
  <link name="base"><inertial><mass>2</mass><inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.02</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
    <visual name="v"><geometry><mesh><uri>shape.stl</uri><scale>1 1 1</scale></mesh></geometry></visual>
    <sensor name="imu" type="imu"><update_rate>100</update_rate></sensor></link>
  <link name="arm"><pose relative_to="j">0 0 0.1 0 0 0</pose></link>
  <frame name="f" attached_to="base"><pose>0.1 0 0 0 0 0</pose></frame>
  <joint name="j" type="revolute"><pose relative_to="f">0 0 0 0 0 0.5</pose><parent>base</parent><child>arm</child>
    <axis><xyz expressed_in="f">0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
  <model name="inner"><pose relative_to="arm"/><link name="tip"/></model>
  <joint name="k" type="fixed"><parent>arm</parent><child>inner::tip</child></joint>
  <plugin name="p" filename="libp.so"><speed>1</speed></plugin>
</model></sdf>""",
    "model.xml": """<mujoco model="m"><size memory="1M" nuserdata="3"/><compiler angle="radian"/>
  <default><geom density="500"/><default class="leg"><joint damping="0.1"/></default></default>
  <asset><texture name="t" type="2d" builtin="checker" width="32" height="32"/>
    <material name="mat" texture="t"/><mesh name="s" file="shape.stl"/></asset>
  <worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1" material="mat"/>
    <body name="leg" childclass="leg"><joint name="hip" axis="0 1 0" range="-1 1"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/><geom type="mesh" mesh="s"/></body>
    <replicate count="3" euler="0 0 1"><site pos="0.3 0 0"/></replicate></body></worldbody>
  <actuator><position joint="hip" kp="10"/></actuator><sensor><jointpos joint="hip"/></sensor>
  <keyframe><key qpos="0 0 1 1 0 0 0 0.1"/></keyframe>
</mujoco>""",
    "arm.urdf.xacro": """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="0.3"/><xacro:property name="length" value="$(arg length)"/>
  <xacro:property name="sizes" value="${[0.1, 2 * length, pi / 8]}"/>
  <xacro:macro name="segment" params="name mass:=1.0 *origin"><link name="${name}"><inertial>
    <mass value="${mass}"/><inertia ixx="${mass * length**2 / 12}" iyy="0.01" izz="0.01"/></inertial></link></xacro:macro>
  <xacro:segment name="base"><origin xyz="0 0 0"/></xacro:segment>
  <xacro:segment name="upper" mass="${2 if length > 0.2 else 1}"><origin xyz="0 0 ${length}"/></xacro:segment>
  <xacro:if value="${length > 0.1}"><joint name="hinge" type="continuous"><parent link="base"/><child link="upper"/>
    <axis xyz="0 ${cos(0)} 0"/></joint></xacro:if>
</robot>""",
}
_OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def _stl() -> bytes:
    """A tetrahedron as binary STL."""
    points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    faces = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    triangles = b"".join(struct.pack("<12fH", 0, 0, 0, *points[a], *points[b], *points[c], 0) for a, b, c in faces)
    return bytes(80) + struct.pack("<I", len(faces)) + triangles


class Descriptions(Target):
    """A description and, now and then, one of its meshes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        small = {file.name: file.read_text() for file in sorted(SMALL.glob("robot.*"))}
        self._texts = small | {name: text for name, text in SEEDS.items() if not name.endswith(".xacro")}
        self._meshes = {"shape.stl": _stl(), "shape.obj": _OBJ}
        for name, data in self._meshes.items():
            (folder / name).write_bytes(data)
        for name, text in (self._texts | SEEDS).items():
            (folder / name).write_text(text)
        self._damaged: str | None = None
        shutil.copytree(SMALL, folder / "small", dirs_exist_ok=True)
        self._twin = (SMALL / "twin.yaml").read_text()
        run_three_ticks(didymos.load(folder / "small", run_code=False))  # what compiles here is no hang of a case

    def case(self, dice: Random) -> Case:
        if dice.random() < _XACRO:
            return Case("arm.urdf.xacro", edit_markup(SEEDS["arm.urdf.xacro"], dice).encode("utf-8", "surrogatepass"))
        if dice.random() < 0.05:
            name = dice.choice(sorted(self._meshes))
            return Case(name, edit_bytes(self._meshes[name], dice))
        name = dice.choice(sorted(self._texts))
        full, how = name.startswith("robot.") and dice.random() < _FULL, dice.random()
        if how < 0.45:
            return Case(name, ET.tostring(edit_tree(ET.fromstring(self._texts[name]), dice)), full)
        if how < 0.8:
            return Case(name, edit_markup(self._texts[name], dice).encode("utf-8", "surrogatepass"), full)
        return Case(name, edit_bytes(self._texts[name].encode(), dice), full)

    def attempt(self, case: Case) -> object:
        if self._damaged is not None:
            (self.folder / self._damaged).write_bytes(self._meshes[self._damaged])
            self._damaged = None
        if case.full:
            (self.folder / "small" / case.kind).write_bytes(case.data)
            (self.folder / "small" / "twin.yaml").write_text(self._twin.replace("robot.urdf", case.kind))
            return run_three_ticks(didymos.load(self.folder / "small", run_code=False))
        (self.folder / case.kind).write_bytes(case.data)
        if case.kind not in self._meshes:
            return read_description(self.folder / case.kind)
        self._damaged = case.kind
        for name in ("arm.urdf", "model.sdf", "model.xml"):
            (self.folder / name).write_text(SEEDS[name])
        return [read_description(self.folder / name) for name in ("arm.urdf", "model.sdf", "model.xml")]
