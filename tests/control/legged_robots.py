"""Robots with legs of our own making: proportions, names, signs of joints, knees and feet as a test asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from didymos.control.joint_gains import joint_gains
from didymos.control.leg_finder import find_legs
from didymos.control.leg_posture import standing_posture
from didymos.twin import Twin

__all__ = ["Walker", "walker_twin"]


def _link(name: str, mass: float, size: tuple[float, float, float], centre: tuple[float, float, float], shape: str = "") -> str:
    x, y, z = size
    inertia = [mass / 12.0 * value for value in (y * y + z * z, x * x + z * z, x * x + y * y)]
    at = f'xyz="{centre[0]} {centre[1]} {centre[2]}"'
    return (
        f'<link name="{name}"><inertial><origin {at}/><mass value="{mass}"/><inertia ixx="{inertia[0]}" iyy="{inertia[1]}"'
        f' izz="{inertia[2]}" ixy="0" ixz="0" iyz="0"/></inertial>{shape}</link>\n'
    )


def _joint(name: str, kind: str, parent: str, child: str, at: tuple[float, float, float], axis: str, limits: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{at[0]} {at[1]} {at[2]}"/><axis xyz="{axis}"/>{limits}</joint>\n'
    )


def _collision(geometry: str, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> str:
    return f'<collision><origin xyz="{at[0]} {at[1]} {at[2]}"/><geometry>{geometry}</geometry></collision>'


@dataclass(frozen=True)
class Walker:
    """A robot with `rows` pairs of legs; lengths [m], mass [kg]."""

    rows: int = 2
    length: float = 0.5  # of the trunk
    width: float = 0.2
    thigh: float = 0.22
    shank: float = 0.22
    mass: float = 12.0
    sign: float = 1.0  # of every axis
    knees: float = -1.0  # to which side they bend: the sign of the knee's range about the y axis is its opposite
    sprawl: bool = False  # the first joint turns about z, the legs stand out to the side
    arm: bool = False  # on the back
    foot: float = 0.02  # radius

    def urdf(self) -> str:
        """Its description; links and joints are only numbered, so that no name tells anything."""
        box = _collision(f'<box size="{self.length} {self.width} {0.3 * self.width}"/>')
        text = _link("a", 0.6 * self.mass, (self.length, self.width, 0.4 * self.width), (0.0, 0.0, 0.0), box)
        number = 0
        for row in range(self.rows):
            for side in (-1.0, 1.0):
                x = self.length * (0.5 - row / max(self.rows - 1, 1)) if self.rows > 1 else 0.0
                text += self._leg(number, x, side)
                number += 1
        if self.arm:
            limits = '<limit lower="-2" upper="2" effort="40" velocity="10"/>'
            tip = _collision('<sphere radius="0.03"/>', (0.5, 0.0, 0.0))
            text += _link("b1", 0.4, (0.05, 0.05, 0.3), (0.0, 0.0, 0.15))
            text += _link("b2", 0.3, (0.3, 0.05, 0.05), (0.15, 0.0, 0.0))
            text += _link("b3", 0.2, (0.3, 0.05, 0.05), (0.15, 0.0, 0.0), tip)
            text += _joint("b1", "revolute", "a", "b1", (0.1, 0.0, 0.05), "0 0 1", limits)
            text += _joint("b2", "revolute", "b1", "b2", (0.0, 0.0, 0.3), "0 1 0", limits)
            text += _joint("b3", "revolute", "b2", "b3", (0.3, 0.0, 0.0), "0 1 0", limits)
        return f'<robot name="walker">{text}</robot>'

    def _leg(self, number: int, x: float, side: float) -> str:
        part, s = 0.4 * self.mass / (2 * self.rows), self.sign
        effort = 4.0 * self.mass * 9.81 * (self.thigh + self.shank) / self.rows
        limits = [f'<limit lower="{low}" upper="{high}" effort="{effort}" velocity="30"/>' for low, high in self._ranges()]
        n, thigh, shank, y = number, self.thigh, self.shank, 0.5 * self.width * side
        foot = _collision(f'<sphere radius="{self.foot}"/>')
        if self.sprawl:
            along = (0.0, 0.5 * thigh * side, 0.0), (0.0, 0.5 * shank * side, 0.0)
            sizes = (0.03, thigh, 0.03), (0.03, shank, 0.03)
            text = _joint(f"{n}x", "revolute", "a", f"{n}x", (x, y, 0.0), f"0 0 {s}", limits[0])
            text += _joint(f"{n}y", "revolute", f"{n}x", f"{n}y", (0.0, 0.05 * side, 0.0), f"{s * side} 0 0", limits[1])
            text += _joint(f"{n}z", "revolute", f"{n}y", f"{n}z", (0.0, thigh * side, 0.0), f"{s * side} 0 0", limits[2])
            text += _joint(f"{n}w", "fixed", f"{n}z", f"{n}w", (0.0, shank * side, 0.0), "0 0 1")
        else:
            along, sizes = ((0.0, 0.0, -0.5 * thigh), (0.0, 0.0, -0.5 * shank)), ((0.03, 0.03, thigh), (0.03, 0.03, shank))
            text = _joint(f"{n}x", "revolute", "a", f"{n}x", (x, y, 0.0), f"{s} 0 0", limits[0])
            text += _joint(f"{n}y", "revolute", f"{n}x", f"{n}y", (0.0, 0.04 * side, 0.0), f"0 {s} 0", limits[1])
            text += _joint(f"{n}z", "revolute", f"{n}y", f"{n}z", (0.0, 0.0, -thigh), f"0 {s} 0", limits[2])
            text += _joint(f"{n}w", "fixed", f"{n}z", f"{n}w", (0.0, 0.0, -shank), "0 0 1")
        text += _link(f"{n}x", 0.35 * part, (0.05, 0.05, 0.05), (0.0, 0.0, 0.0))
        text += _link(f"{n}y", 0.45 * part, sizes[0], along[0]) + _link(f"{n}z", 0.17 * part, sizes[1], along[1])
        return text + _link(f"{n}w", 0.03 * part, (0.02, 0.02, 0.02), (0.0, 0.0, 0.0), foot)

    def _ranges(self) -> list[tuple[float, float]]:
        """Limits of the three joints of a leg, about their own axes [rad]."""
        if self.sprawl:
            ranges = [(-0.9, 0.9), (-1.4, 1.4), (-2.4, -0.2)]
        else:
            knee = (0.2, 2.6) if self.knees > 0.0 else (-2.6, -0.2)
            ranges = [(-0.8, 0.8), (-1.8, 1.8), knee]
        return [(low, high) if self.sign > 0.0 else (-high, -low) for low, high in ranges]


def walker_twin(walker: Walker, *, efforts: bool = True, **options: Any) -> Twin:
    """A twin of it on the ground, with a servo on every joint, an IMU, encoders, `efforts`, and the program `legged`."""
    text = walker.urdf()
    sections: dict[str, Any] = {
        "description": {"file": "robot.urdf", "base": "floating"},
        "world": {"step": 0.001, "integrator": "implicitfast", "ground": {}, "friction_cone": "elliptic"},
    }
    model = Twin.from_dict(sections, {"robot.urdf": text}).model
    posture = standing_posture(model, find_legs(model))
    gains = joint_gains(model, 0.001, posture=posture.joints, effort=dict.fromkeys(model.joints, float("inf")))
    sections["parts"] = {
        f"m{name}": {
            "kind": "servo", "joint": name, "link": model.joint(name).child, "kp": gains[name][0], "kd": gains[name][1],
            "effort_limit": model.joint(name).effort,
        }
        for name in model.joints
    }  # fmt: skip
    sections["sensors"] = {
        "imu": {
            "kind": "imu", "link": "a", "rate": 500, "gyro": {"noise_density": 2e-4, "bias": 0.003},
            "accel": {"noise_density": 2e-3, "bias": 0.05},
        },
        "encoders": {"kind": "joints", "rate": 500, "position": {"noise": 1e-4}, "velocity": {"noise": 0.02}},
        "efforts": {"kind": "readout", "rate": 500, "readouts": [f"m{name}.effort" for name in model.joints]},
    }  # fmt: skip
    if not efforts:
        del sections["sensors"]["efforts"]
    sections["control"] = {"program": "legged", "rate": 500, **({"options": options} if options else {})}
    sections["start"] = {"position": [0.0, 0.0, posture.height], "joints": dict(posture.joints)}
    sections["scenarios"] = {
        name: {
            "title": name, "seconds": 8, "setpoints": {"mode": mode},
            "stimuli": [{"target": "setpoints.vx", "kind": "step", "at": 1.0, "to": speed}],
        }
        for name, mode, speed in (("stand", 1, 0.0), ("trot", 3, 0.3), ("walk", 4, 0.1))
    }  # fmt: skip
    return Twin.from_dict(sections, {"robot.urdf": text})
