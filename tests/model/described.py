"""Robots of all kinds for the tests of models: generated URDF, MJCF with every kind of joint, and states at random."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from didymos.describe.description import Description
from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.describe.robot_model import robot_model
from didymos.model import RobotModel

Array = np.ndarray


def urdf_tree(seed: int, links: int = 9) -> str:
    """A branching tree of links with random masses, poses and axes, and revolute, prismatic, continuous and fixed joints."""
    random = np.random.default_rng(seed)
    kinds = ("revolute", "prismatic", "continuous", "fixed")
    text = [f'<robot name="tree{seed}">']
    for i in range(links):
        halves = random.uniform(0.02, 0.2, 3)
        mass, (x, y, z) = random.uniform(0.2, 3.0), halves**2
        about = f'ixx="{mass * (y + z) / 3}" iyy="{mass * (x + z) / 3}" izz="{mass * (x + y) / 3}" ixy="0" ixz="0" iyz="0"'
        text.append(
            f'<link name="link{i}"><inertial><origin xyz="{_numbers(random.normal(size=3) / 10)}"'
            f' rpy="{_numbers(random.normal(size=3))}"/><mass value="{mass}"/><inertia {about}/></inertial></link>'
        )
    for i in range(1, links):
        kind, parent = kinds[(i - 1) % len(kinds)], int(random.integers(0, i))
        limit = '<limit lower="-2" upper="1.5" effort="40" velocity="3"/>' if kind in ("revolute", "prismatic") else ""
        text.append(
            f'<joint name="joint{i}" type="{kind}"><parent link="link{parent}"/><child link="link{i}"/>'
            f'<origin xyz="{_numbers(random.normal(size=3) / 3)}" rpy="{_numbers(random.normal(size=3))}"/>'
            f'<axis xyz="{_numbers(random.normal(size=3))}"/>{limit}</joint>'
        )
    return "".join([*text, "</robot>"])


def _numbers(values: Array) -> str:
    return " ".join(repr(float(value)) for value in values)


EVERY_JOINT = """<mujoco>
  <worldbody>
    <site name="corner" pos="1 2 3"/>
    <body name="trunk" pos="0 0 1"><freejoint name="root"/>
      <geom type="box" size=".2 .1 .05" mass="4"/>
      <body name="shoulder" pos=".2 0 .1" quat=".9 .1 .3 0">
        <joint name="lift" type="slide" axis="0 .2 1" ref=".05"/>
        <joint name="pan" axis="0 0 1" pos=".02 .01 0" ref=".3" armature=".02"/>
        <joint name="tilt" axis="0 1 .1" pos="0 -.03 .01"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="1"/>
        <body name="bracket" pos=".3 0 0" euler="20 0 40"><geom type="sphere" size=".02" mass=".3" pos=".01 0 .02"/>
          <body name="hand" pos=".05 0 0">
            <joint name="swivel" type="ball" pos="-.01 .02 .03"/>
            <geom type="ellipsoid" size=".05 .03 .02" pos=".04 0 .01" mass=".5"/>
            <site name="tip" pos=".1 .01 0" quat=".5 .5 .5 .5"/>
          </body>
        </body>
      </body>
      <body name="tail" pos="-.2 0 0" quat="0 0 0 1"><joint name="wag" axis="0 0 1"/>
        <geom type="cylinder" fromto="0 0 0 .2 0 .05" size=".01" mass=".2"/>
      </body>
    </body>
    <body name="crate" pos="3 0 0"><freejoint name="loose"/><geom type="box" size=".1 .1 .1" mass="2"/></body>
  </worldbody>
</mujoco>"""
"""Joints of every kind, several on one body, with anchors and references; and a second tree."""


def described(text: str, folder: Path, *, floating: bool = False) -> Description:
    """The description of a text."""
    path = folder / ("robot.xml" if "<mujoco" in text else "robot.urdf")
    path.write_text(text, encoding="utf-8")
    found = read_description(path)
    return float_base(found) if floating else found


def model_of(text: str, folder: Path, *, floating: bool = False, gravity: float = 9.80665) -> RobotModel:
    """The model of a text."""
    return robot_model(described(text, folder, floating=floating), gravity=gravity)


def random_states(model: RobotModel, count: int, seed: int = 7) -> Iterator[tuple[Array, Array]]:
    """q and v at random: positions within a metre and a radian of the reference, any orientation, velocities around one."""
    random = np.random.default_rng(seed)
    joints = [model.joint(name) for name in model.joints]
    joints += [model.base_joint] if model.base_joint is not None else []
    for _ in range(count):
        q, v = model.reference + random.uniform(-1.0, 1.0, model.nq), random.normal(size=model.nv)
        for joint in joints:
            if joint.kind in ("floating", "ball"):
                last = joint.position_index + joint.nq
                q[last - 4 : last] = _unit(random.normal(size=4))
        yield q, v


def _unit(values: Array) -> Array:
    return values / np.linalg.norm(values)


def moved(model: RobotModel, q: Array, v: Array, time: float) -> Array:
    """q after a short time [s] at a steady v: quaternions turn by rates along the axes of their body."""
    made = q.copy()
    joints = [model.joint(name) for name in model.joints]
    joints += [model.base_joint] if model.base_joint is not None else []
    for joint in joints:
        at, dof = joint.position_index, joint.velocity_index
        if joint.kind == "floating":
            made[at : at + 3] += time * v[dof : dof + 3]
            at, dof = at + 3, dof + 3
        if joint.kind in ("floating", "ball"):
            turn = time * v[dof : dof + 3]
            angle = float(np.linalg.norm(turn))
            by = np.array([np.cos(angle / 2), *(np.sinc(angle / 2 / np.pi) / 2 * turn)])
            made[at : at + 4] = _product(q[at : at + 4], by)
        else:
            made[at : at + joint.nq] += time * v[dof : dof + joint.nv]
    return made


def _product(a: Array, b: Array) -> Array:
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return np.array([scalar, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def assert_agree(ours: Array, theirs: Array, relative: float, least: float = 0.0) -> None:
    """No entry is off by more than a part of the largest entry of the whole quantity, or of `least` where that is more."""
    scale = max(float(np.abs(theirs).max()), least)
    assert np.abs(np.asarray(ours) - theirs).max() <= relative * scale
