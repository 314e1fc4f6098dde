"""Notes on numbers that only make sense in another unit: limits in degrees, shapes in millimetres.

Both can be read, and both are wrong for sure only in the eyes of whoever knows the robot; so they are notes.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np

from didymos.describe.description import JointKind
from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.mechanism import Mechanism

__all__ = ["note_odd_units"]

_TURNS = 4.0 * math.pi  # [rad]: no joint but a winch turns so far
_MOST_DEGREES = 720.0
_THINNEST = 0.01  # [kg/m^3]: a tenth of hydrogen; with millimetres for metres steel has 8e-6


def note_odd_units(mechanism: Mechanism, model: mujoco.MjModel, bodies: dict[str, str], report: ImportReport) -> None:
    """Note what looks like degrees or millimetres in a mechanism; `bodies` are the engine's names of its links."""
    for joint in mechanism.joints.values():
        if joint.kind is not JointKind.REVOLUTE or joint.lower is None or joint.upper is None:
            continue
        most = max(abs(joint.lower), abs(joint.upper))
        if _TURNS < most <= _MOST_DEGREES:
            limits = f"joint {joint.name!r} has the limits {joint.lower:g} to {joint.upper:g} rad"
            report.add(joint.element, f"{limits}, {most / (2 * math.pi):.0f} turns; are these degrees?")
    for name, link in mechanism.links.items():
        size = _largest_shape(model, model.body(bodies[name]).id)
        volume = float(np.prod(size))
        if link.inertial.mass > 0.0 and volume > 0.0 and link.inertial.mass < _THINNEST * volume:
            what = f"link {name!r} weighs {link.inertial.mass:g} kg and has a shape of {_metres(size)}"
            report.add(link.element, f"{what}, lighter than air; are these millimetres? (a mesh takes scale 0.001 0.001 0.001)")


def _largest_shape(model: mujoco.MjModel, body: int) -> np.ndarray:
    """Length, width and height [m] of the largest shape of a body, shape [3]; zeros where it has none."""
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    sizes = [2.0 * model.geom_aabb[geom, 3:] for geom in range(first, first + count) if model.geom_type[geom] != 0]  # no planes
    return max(sizes, key=lambda size: float(np.prod(size)), default=np.zeros(3))


def _metres(size: np.ndarray) -> str:
    return " x ".join(f"{length:.3g}" for length in size) + " m"
