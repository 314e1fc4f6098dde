"""Small arms of our own making: a chain of links with round collision shapes, joints of any kind and any name."""

from __future__ import annotations

from typing import Any

from didymos.control.joint_gains import joint_gains
from didymos.describe.names import movable_joints

SIX = ("z", "y", "y", "x", "y", "x")
SEVEN = ("z", "y", "z", "y", "z", "y", "x")
SLIDING = ("z", "slide", "y", "x", "y", "x")
ENCODERS = {"kind": "joints", "rate": 1000, "position": {"noise": 1e-4}, "velocity": {"noise": 5e-3}}
_AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1", "slide": "0 0 1"}


def name(i: int) -> str:
    """Names that no rule foresaw."""
    return f"shoulder-pan.joint.{i}" if i % 2 else f"axis {i}/a"


def arm(axes: tuple[str, ...] = SIX, *, fingers: bool = False, friction: float = 0.0) -> str:
    """A URDF: links of 0.2 m along z, the last one shorter, with a tool frame, and perhaps a gripper."""
    text = ['<robot name="arm"><link name="base"/>']
    parent, up = "base", 0.1
    for i, axis in enumerate(axes):
        last = i >= len(axes) - 3
        length, mass = (0.08, 0.5) if last else (0.25, 2.0)
        along = mass * length**2 / 12.0 + 1e-4
        kind = "prismatic" if axis == "slide" else "revolute"
        limit = 'lower="-0.1" upper="0.3" effort="200" velocity="0.5"' if axis == "slide" else (
            'lower="-2.9" upper="2.9" effort="80" velocity="2"'
        )
        text.append(
            f'<link name="link{i}"><inertial><origin xyz="0 0 {length / 2}"/><mass value="{mass}"/><inertia ixx="{along}"'
            f' iyy="{along}" izz="{mass * 0.0008 + 1e-4}" ixy="0" ixz="0" iyz="0"/></inertial>'
            + (f'<collision><origin xyz="0 0 {length}"/><geometry><sphere radius="0.03"/></geometry></collision>' if last else "")
            + f'</link><joint name="{name(i)}" type="{kind}"><parent link="{parent}"/><child link="link{i}"/>'
            f'<origin xyz="0 0 {up}"/><axis xyz="{_AXES[axis]}"/><limit {limit}/><dynamics friction="{friction}"/></joint>'
        )
        parent, up = f"link{i}", length
    text.append(
        f'<link name="tool0"/><joint name="mount" type="fixed"><parent link="{parent}"/><child link="tool0"/>'
        f'<origin xyz="0 0 {up}"/></joint>'
    )
    for side in (("left", "right") if fingers else ()):
        text.append(
            f'<link name="{side}"><inertial><mass value="0.05"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0"'
            f' iyz="0"/></inertial></link><joint name="{side}_finger" type="prismatic"><parent link="{parent}"/>'
            f'<child link="{side}"/>'
            f'<origin xyz="0 0 {up}"/><axis xyz="0 1 0"/><limit lower="0" upper="0.04" effort="20" velocity="0.1"/></joint>'
        )
    return "".join(text) + "</robot>"


_BENT = {6: (0.3, 0.6, 0.9, 0.2, 0.7, 0.4), 7: (0.3, 0.6, 0.2, 1.0, 0.3, 0.9, -0.3)}


def posture(axes: tuple[str, ...]) -> dict[str, float]:
    """Bent, away from limits and singularities."""
    return {name(i): 0.1 if axis == "slide" else _BENT[len(axes)][i] for i, axis in enumerate(axes)}


def make_arm(
    make_twin: Any, axes: tuple[str, ...] = SIX, *, motors: bool = False, start: Any = None, model: str = "", **keys: Any
) -> Any:
    """A twin of an arm with a servo on every joint; plain `motors` have no gains of their own."""
    text = model or arm(axes)
    begin = posture(axes) if start is None else start
    bare = make_twin(text, start={"joints": begin})
    gains = joint_gains(bare.model, 0.001, posture=begin)
    servos = {}
    for i, joint in enumerate(movable_joints(bare.description)):
        kp, kd = (0.0, 0.0) if motors else gains[joint]
        about = bare.description.joints[joint]
        servos[f"servo{i}"] = {
            "kind": "servo", "link": about.child, "joint": joint, "kp": kp, "kd": kd, "effort_limit": about.effort,
        }  # fmt: skip
    world = {"step": 0.001} | keys.pop("world", {})
    sensors = {"encoders": ENCODERS} | keys.pop("sensors", {})
    return make_twin(text, parts=servos, sensors=sensors, start={"joints": begin}, world=world, **keys)
