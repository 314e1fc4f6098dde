"""Small bases on wheels, made for tests: differential, skid-steered, Ackermann, mecanum with and without rollers, omni, swerve.

The mecanum base has the size of the KUKA youBot (wheels of 47.5 mm at x = +-0.228 m, y = +-0.158 m, 19.8 kg without its arm).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

__all__ = ["ackermann", "differential", "make_twin", "mecanum", "omni", "skid", "swerve"]

_CYLINDER = 'rpy="1.5707963267948966 0 0"'  # along y


def _inertia(mass: float, x: float, y: float, z: float) -> str:
    return (
        f'<inertial><mass value="{mass}"/><inertia ixx="{x:.9g}" iyy="{y:.9g}" izz="{z:.9g}" ixy="0" ixz="0" iyz="0"/></inertial>'
    )


def _base(mass: float, length: float, width: float, height: float, middle: float = 0.0) -> str:
    a, b, c = (mass / 12 * (p**2 + q**2) for p, q in ((width, height), (length, height), (length, width)))
    shape = f'<collision><origin xyz="{middle} 0 0"/><geometry><box size="{length} {width} {height}"/></geometry></collision>'
    inertial = _inertia(mass, a, b, c).replace("<inertial>", f'<inertial><origin xyz="{middle} 0 0"/>')
    return f'<link name="base">{inertial}{shape}</link>'


def _wheel(name: str, place: Sequence[float], radius: float, *, parent: str = "base", yaw: float = 0.0, shape: str = "") -> str:
    """A wheel of 0.5 kg whose joint is called NAME_joint and turns about y of its link."""
    half, mass = 0.02, 0.5
    across = mass / 12 * (3 * radius**2 + 4 * half**2)
    shape = shape or f'<cylinder radius="{radius}" length="{2 * half}"/>'
    return (
        f'<link name="{name}">{_inertia(mass, across, mass / 2 * radius**2, across)}'
        f"<collision><origin {_CYLINDER}/><geometry>{shape}</geometry></collision></link>"
        f'<joint name="{name}_joint" type="continuous"><parent link="{parent}"/><child link="{name}"/>'
        f'<origin xyz="{place[0]} {place[1]} {place[2]}" rpy="0 0 {yaw}"/><axis xyz="0 1 0"/></joint>'
    )


def _upright(name: str, place: Sequence[float], most: float | None) -> str:
    """A link under an upright hinge NAME_joint."""
    kind = "continuous" if most is None else "revolute"
    limit = "" if most is None else f'<limit lower="{-most}" upper="{most}" effort="50" velocity="20"/>'
    return (
        f'<link name="{name}">{_inertia(0.5, 0.002, 0.002, 0.002)}</link><joint name="{name}_joint" type="{kind}">'
        f'<parent link="base"/><child link="{name}"/><origin xyz="{place[0]} {place[1]} {place[2]}"/>'
        f'<axis xyz="0 0 1"/>{limit}</joint>'
    )


def differential() -> str:
    """Two wheels of 0.1 m, 0.4 m apart, 0.1 m behind the root link; a ball in front."""
    ball = (
        f'<link name="ball">{_inertia(0.1, 1e-4, 1e-4, 1e-4)}'
        '<collision><geometry><sphere radius="0.05"/></geometry></collision></link>'
        '<joint name="ball_mount" type="fixed"><parent link="base"/><child link="ball"/><origin xyz="0.15 0 -0.1"/></joint>'
    )
    wheels = _wheel("left", (-0.1, 0.2, -0.05), 0.1) + _wheel("right", (-0.1, -0.2, -0.05), 0.1)
    return f'<robot name="cart">{_base(8.0, 0.4, 0.3, 0.1)}{wheels}{ball}</robot>'


def skid() -> str:
    """Four wheels of 0.1 m that roll along the root link's x."""
    places = {"fl": (0.15, 0.2), "fr": (0.15, -0.2), "rl": (-0.15, 0.2), "rr": (-0.15, -0.2)}
    wheels = "".join(_wheel(name, (*place, 0.0), 0.1) for name, place in places.items())
    return f'<robot name="skid">{_base(10.0, 0.4, 0.3, 0.1)}{wheels}</robot>'


def ackermann() -> str:
    """A car: wheels of 0.08 m, wheelbase 0.5 m, track 0.4 m, the root link above the rear axle, steering within 0.6 rad."""
    made = _base(10.0, 0.6, 0.2, 0.08, middle=0.25)
    for side, y in (("left", 0.2), ("right", -0.2)):
        made += _wheel(f"rear_{side}", (0.0, y, 0.0), 0.08)
        made += _upright(f"{side}_hinge", (0.5, y, 0.0), 0.6)
        made += _wheel(f"front_{side}", (0.0, 0.0, 0.0), 0.08, parent=f"{side}_hinge")
    return f'<robot name="car">{made}</robot>'


def mecanum(rollers: int = 0) -> str:
    """The size of the youBot; `rollers` per wheel, at most 8 or they touch, or none and a name that says mecanum."""
    made, radius, roller = _base(19.8, 0.58, 0.2, 0.08), 0.0475, 0.009
    for name, x, y in (("fl", 0.228, 0.158), ("fr", 0.228, -0.158), ("rl", -0.228, 0.158), ("rr", -0.228, -0.158)):
        name = name if rollers else f"mecanum_{name}"
        shape = f'<cylinder radius="{radius - 1.5 * roller}" length="0.01"/>' if rollers else ""
        made += _wheel(name, (x, y, -0.03), radius, shape=shape)
        sign = -math.copysign(1.0, x * y)  # of the axis at the bottom, from x: the lines on the ground form a diamond
        middle = radius - roller
        for i in range(rollers):
            angle = 2 * math.pi * i / rollers  # from the bottom, about +y
            place = (-middle * math.sin(angle), 0.0, -middle * math.cos(angle))
            along = (math.cos(angle) * math.sqrt(0.5), sign * math.sqrt(0.5), -math.sin(angle) * math.sqrt(0.5))
            yaw, pitch = math.atan2(along[1], along[0]), math.atan2(-along[2], math.hypot(along[0], along[1]))
            length = math.sqrt(roller**2 + 2 * roller * middle)  # half; the rim is round then (docs/twins/omni_base.md)
            made += (
                f'<link name="{name}_r{i}">{_inertia(0.02, 3e-6, 3e-6, 3e-6)}<collision><origin rpy="0 1.5707963267948966 0"/>'
                f'<geometry><drake:ellipsoid a="{roller}" b="{roller}" c="{length}"/></geometry></collision></link>'
                f'<joint name="{name}_r{i}_joint" type="continuous"><parent link="{name}"/><child link="{name}_r{i}"/>'
                f'<origin xyz="{place[0]:.9g} {place[1]:.9g} {place[2]:.9g}" rpy="0 {pitch:.9g} {yaw:.9g}"/>'
                '<axis xyz="1 0 0"/></joint>'
            )
    return f'<robot name="base_on_rollers">{made}</robot>'


def omni(wheels: int = 3) -> str:
    """Omni wheels of 0.06 m around the middle, 0.2 m from it, without rollers; the axle of the first points along -x."""
    made = _base(6.0, 0.2, 0.2, 0.06)
    for i in range(wheels):
        angle = 2 * math.pi * i / wheels
        place = (0.2 * math.cos(angle), 0.2 * math.sin(angle), 0.0)
        made += _wheel(f"wheel_{i}", place, 0.06, yaw=angle + 0.5 * math.pi)
    return f'<robot name="kiwi">{made}</robot>'


def swerve() -> str:
    """Four driven wheels of 0.06 m, each under a driven upright hinge."""
    made = _base(12.0, 0.3, 0.2, 0.06)
    for name, x, y in (("fl", 0.2, 0.15), ("fr", 0.2, -0.15), ("rl", -0.2, 0.15), ("rr", -0.2, -0.15)):
        made += _upright(f"{name}_pivot", (x, y, 0.0), None) + _wheel(name, (0.0, 0.0, 0.0), 0.06, parent=f"{name}_pivot")
    return f'<robot name="swerve">{made}</robot>'


def make_twin(folder: Path, urdf: str, height: float, driven: Mapping[str, Mapping[str, float]], **more: Any) -> Path:
    """A folder with a twin of a base that stands with its root link at a height; servos by joint, and further keys."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "robot.urdf").write_text(urdf)
    twin: dict[str, Any] = {
        "title": "A base on wheels",
        "description": {"file": "robot.urdf", "base": "floating"},
        "world": {"step": 0.002, "integrator": "implicitfast", "ground": {"friction": 1.0}, "contact_time": 0.005},
        "parts": {
            name: {"kind": "servo", "link": "base", "joint": name, **numbers} for name, numbers in driven.items()
        },
        "sensors": {"encoders": {"kind": "joints", "rate": 100}, "imu": {"kind": "imu", "link": "base", "rate": 100}},
        "control": {"program": "wheeled", "rate": 100},
        "start": {"position": [0, 0, height]},
    }
    (folder / "twin.yaml").write_text(yaml.safe_dump(twin | more, sort_keys=False))
    return folder
