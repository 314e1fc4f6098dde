"""Gazebo's LiftDrag plugins as airfoils.

    Gazebo     L = q S (C_L(a) cos^2 s + c d),   D = q S C_D(a) cos^2 s,     q = 1/2 rho |V in the plane of forward and upward|^2

with a the angle of attack plus a0, s the angle of sweep (sideslip of the surface), d the angle of its control joint, c the
control_joint_rad_to_cl; C_L and C_D are lines of a that break at alpha_stall, C_L never crosses zero beyond it, C_D is never
negative. Ours is an airfoil with these lines as curves from -90 to 90 deg, exactly; it sits at the centre of pressure cp, x
forward and z upward. Equal in flow without sweep (ours takes |V|^2 instead of the plane's, no cosines, up to 30 deg) and not
from behind. Gazebo sets the moment to zero, whatever cma says, and so does this. The density is the world's: a surface made
for another has its area scaled, so that it lifts the same at sea level. The control joint becomes the input `y`, in shares of
its limit; the joint itself does not move by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from didymos.describe.formats.device_list import DeviceList, Unmapped
from didymos.describe.formats.gazebo_values import number_at, rounded, text_at, truth_at, vector_at
from didymos.describe.formats.xml_file import Element
from didymos.rotations import Pose

__all__ = ["add_airfoil"]

_SEA_LEVEL = 1.225  # [kg/m^3]
_DENSITY = 1.2041  # [kg/m^3], the plugin's default
_MOST_DEFLECTION = 1.6  # [rad]


def add_airfoil(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add the surface of a plugin."""
    if truth_at(plugin, "radial_symmetry"):
        raise Unmapped("it has radial symmetry, and our surface has an upper side")
    link = devices.link(text_at(plugin, "link_name"), scope)
    area = number_at(plugin, "area", default=1.0) * number_at(plugin, "air_density", default=_DENSITY) / _SEA_LEVEL
    if not area > 0.0:
        raise Unmapped("it has no area")
    side = math.sqrt(area)
    name = plugin.attributes.get("name", "")
    name = f"{link}_surface" if not name or "::" in name else name
    frame = devices.placed(name, link, Pose(vector_at(plugin, "cp", (0.0, 0.0, 0.0)), _axes(plugin)))
    zero = number_at(plugin, "a0", default=0.0)
    stall = min(number_at(plugin, "alpha_stall", default=0.5 * math.pi), 0.5 * math.pi)
    lift = _lines(plugin, "cla", stall, lambda value, angle: max(value, 0.0) if angle > 0.0 else min(value, 0.0), zero)
    drag = _lines(plugin, "cda", stall, lambda value, angle: abs(value), zero)
    record: dict[str, Any] = {"kind": "airfoil", "link": frame, "model": "curves", "area": rounded(area)}
    record |= {"span": rounded(side), "chord": rounded(side), "lift": lift, "drag": drag}
    control = text_at(plugin, "control_joint_name")
    per_angle = number_at(plugin, "control_joint_rad_to_cl", default=4.0)
    if control and per_angle:
        joint = devices.joint(control, scope)
        limits = [abs(limit) for limit in (joint.lower, joint.upper) if limit is not None]
        most = min(max(limits, default=0.5), _MOST_DEFLECTION)
        record |= {"limit_y": most, "lift_y": per_angle}
        devices.report.add(plugin, f"input y of {name!r} stands for the angle of joint {joint.name!r}, {most:g} rad at 1")
    devices.add("parts", name, record)


def _axes(plugin: Element) -> np.ndarray:
    """The part's axes in its link, as columns: forward, left, up."""
    forward, upward = vector_at(plugin, "forward", (1.0, 0.0, 0.0)), vector_at(plugin, "upward", (0.0, 0.0, 1.0))
    left = np.cross(upward, forward)
    ahead, aside = float(np.linalg.norm(forward)), float(np.linalg.norm(left))
    if not aside > 1e-6 * ahead * float(np.linalg.norm(upward)):
        raise Unmapped("its forward and upward are no two directions")
    forward, left = forward / ahead, left / aside
    return np.column_stack([forward, left, np.cross(forward, left)])


def _lines(plugin: Element, slope: str, stall: float, held: Callable[[float, float], float], zero: float) -> dict[str, Any]:
    """A coefficient over the angle of attack as a spline of straight pieces; `held` keeps its sign beyond stall."""
    before, after = number_at(plugin, slope, default=1.0), number_at(plugin, f"{slope}_stall", default=0.0)

    def free(angle: float) -> float:
        beyond = max(abs(angle) - stall, 0.0)
        return math.copysign(1.0, angle) * (before * min(abs(angle), stall) + after * beyond)

    angles = {-0.5 * math.pi, -stall, 0.0, stall, 0.5 * math.pi}
    if after and 0.0 < -before * stall / after < 0.5 * math.pi - stall:
        crossing = stall - before * stall / after
        angles |= {crossing, -crossing}
    ordered = sorted(angles)
    values = [free(angle) if abs(angle) <= stall and slope == "cla" else held(free(angle), angle) for angle in ordered]
    coefficients: list[float] = []
    for i, value in enumerate(values[:-1]):
        coefficients += [0.0, 0.0, rounded((values[i + 1] - value) / (ordered[i + 1] - ordered[i])), rounded(value)]
    return {"kind": "spline", "breaks": [rounded(angle - zero) for angle in ordered], "coefficients": coefficients}
