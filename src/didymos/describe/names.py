"""Names and values that a twin implies: its inputs, its movable joints, the inertia of its links as set; names it has not."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.description import Description, JointKind
from didymos.describe.parameters import INERTIA_AXES
from didymos.errors import InputError, nearest
from didymos.sensors import SensorSpec
from didymos.sensors.camera import Camera

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = [
    "RESERVED", "cameras", "driven_joints", "input_names", "is_affine", "joint_of", "link_of", "link_values", "movable_joints",
    "part_inputs", "readings", "unknown", "whole_links",
]  # fmt: skip

RESERVED = (
    "air", "boxes", "channels", "clock", "control", "inputs", "joint_states", "joints", "momentum", "objects", "parameters",
    "parts", "tf", "tf_static", "truth", "setpoints",
)  # fmt: skip
"""Names of what every run records, and of their topics: no sensor may take one."""

_ONE_NUMBER = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)


def cameras(twin: Twin) -> dict[str, Any]:
    """The sensors that take pictures."""
    return {name: sensor for name, sensor in twin.file.sensors.items() if issubclass(sensor.contract, Camera)}


def readings(twin: Twin) -> dict[str, SensorSpec]:
    """The sensors whose readings are numbers: all but cameras."""
    return {name: sensor for name, sensor in twin.file.sensors.items() if not issubclass(sensor.contract, Camera)}


def movable_joints(description: Description) -> tuple[str, ...]:
    """Joints whose position is one number: those that turn or slide."""
    joints = description.joints.items()
    return tuple(name for name, joint in joints if joint.kind in _ONE_NUMBER and len(joint.engine_joints) == 1)


def part_inputs(twin: Twin) -> tuple[tuple[str, str, int], ...]:
    """(input name, part name, index among the part's inputs) of every input of a part, in order.

    A part with one input lends it its own name; several are named PART.INPUT.
    """
    found = []
    for part, spec in twin.file.parts.items():
        inputs = spec.contract.inputs
        for index, item in enumerate(inputs):
            found.append((part if len(inputs) == 1 else f"{part}.{item.name}", part, index))
    return tuple(found)


def input_names(twin: Twin) -> tuple[str, ...]:
    """All inputs that a control program can set: of parts, of the description's own actuators, of couplings to other robots."""
    actuators = [actuator.name for actuator in twin.description.spec.actuators]
    return (*(name for name, _, _ in part_inputs(twin)), *actuators, *twin.couplings)


def driven_joints(twin: Twin) -> tuple[str, ...]:
    """Joints that turn or slide and that a program can drive: by a part, or by an actuator of the description."""
    described = twin.description.as_read
    own = {described.joints[name].engine_joints[0]: name for name in movable_joints(described)}
    joints = [part.joint for part in twin.file.parts.values() if part.contract.actuation(part) is not None]
    joints += [own.get(actuator.target) for actuator in twin.description.spec.actuators if is_affine(actuator)]
    movable = set(own.values())
    return tuple(dict.fromkeys(joint for joint in joints if joint is not None and joint in movable))


def is_affine(actuator: Any) -> bool:
    """Whether an actuator of the description drives one joint with a force that is affine in its input."""
    return (
        actuator.trntype in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
        and actuator.dyntype in (mujoco.mjtDyn.mjDYN_NONE, mujoco.mjtDyn.mjDYN_FILTER, mujoco.mjtDyn.mjDYN_FILTEREXACT)
        and actuator.gaintype == mujoco.mjtGain.mjGAIN_FIXED
        and actuator.biastype in (mujoco.mjtBias.mjBIAS_NONE, mujoco.mjtBias.mjBIAS_AFFINE)
        and actuator.gainprm[0] * actuator.gear[0] != 0.0
    )


def link_of(path: str) -> str:
    """The link that a path `links.NAME.QUANTITY` belongs to; a name may hold dots itself."""
    steps = path.split(".")[1:]
    return ".".join(steps[:-1] if steps[-1] == "mass" else steps[:-2])


def joint_of(path: str) -> str:
    """The joint that a path `joints.NAME.QUANTITY` belongs to; a name may hold dots itself."""
    return path.split(".", 1)[1].rsplit(".", 1)[0]


def whole_links(description: Description, path: str) -> tuple[str, ...]:
    """The links that a key `links.NAME`, perhaps a pattern, means as a whole; none where it means something else."""
    if not path.startswith("links."):
        return ()
    name = path.removeprefix("links.")
    if name in description.links:
        return (name,)
    return tuple(link for link in description.links if fnmatch.fnmatchcase(link, name))


def link_values(twin: Twin, name: str) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Mass [kg], centre of mass [m] and inertia [kg m^2] of a link as described, with what was set since."""
    link, values = twin.description.links[name], twin.body_values()
    mass = values.get(f"links.{name}.mass", link.mass)
    com = np.array([values.get(f"links.{name}.com.{axis}", link.com[i]) for i, axis in enumerate("xyz")])
    inertia = np.array(link.inertia, dtype=np.float64)
    for axes, (i, j) in INERTIA_AXES.items():
        inertia[i, j] = inertia[j, i] = values.get(f"links.{name}.inertia.{axes}", inertia[i, j])
    return mass, com, inertia


def unknown(twin: Twin, what: str, name: str, known: Iterable[str], *place: str | int) -> InputError:
    """The error of naming something that is not there, with the nearest of what is."""
    return twin.mistake(f"there is no {what} {name!r}{nearest(name, known)}", *place)
