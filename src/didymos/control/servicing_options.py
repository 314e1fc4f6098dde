"""What the options of the program `servicing` mean on a robot: its arm, wheels and thrusters, and the client to be caught."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.control import servicing_layout as layout
from didymos.control.actuator import Actuator
from didymos.control.controller import Robot
from didymos.control.servicing_thrust import mixer_of
from didymos.errors import InputError, nearest
from didymos.model import RobotModel
from didymos.rotations import Pose, matrix_to_quaternion, rpy_to_matrix

__all__ = ["ServicingOptions", "actuator_of", "add_load", "fill_settings"]

_THRUSTERS = ("names", "thrust", "period", "minimum_impulse_bit")
_CLIENT = ("mass", "inertia", "grasp_position", "grasp_orientation")


@dataclass(frozen=True)
class ServicingOptions:
    """The options as they were given; SI units."""

    arm: Sequence[str]
    wheels: Sequence[str]
    tool: str
    thrusters: Mapping[str, Any]
    ready: Sequence[float]
    capture: Sequence[float]
    client: Mapping[str, Any]

    def __post_init__(self) -> None:
        _complete("thrusters", self.thrusters, _THRUSTERS)
        _complete("client", self.client, _CLIENT)
        for option, count in (("arm", layout.ARM), ("wheels", layout.WHEELS), ("ready", layout.ARM), ("capture", layout.ARM)):
            found = len(getattr(self, option))
            if found != count:
                raise InputError(f"found {found} entries, expected {count}", path=f"control.options.{option}")
        if not 0 < len(self.thrusters["names"]) <= layout.MOST_THRUSTERS:
            what = f"found {len(self.thrusters['names'])} thrusters, expected 1 to {layout.MOST_THRUSTERS}"
            raise InputError(what, path="control.options.thrusters.names")


def _complete(option: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            what = f"found {name!r}{nearest(name, known)}, expected {', '.join(known)}"
            raise InputError(what, path=f"control.options.{option}")
    for name in known:
        if name not in given:
            raise InputError(f"the key {name!r} is missing", path=f"control.options.{option}")


def _numbers(option: str, given: Any, count: int) -> NDArray[np.float64]:
    made = np.asarray(given, dtype=np.float64)
    if made.shape != (count,) or not np.all(np.isfinite(made)):
        raise InputError(f"found {given!r}, expected {count} numbers", path=f"control.options.{option}")
    return made


def fill_settings(settings: Any, options: ServicingOptions, robot: Robot) -> None:
    """Work out the settings of the program on a robot."""
    model = robot.model
    if model.base_joint is None or model.position_index(model.base_joint.name) != 0:
        raise InputError("servicing needs a robot whose base floats, and comes first in its description", path="description.base")
    known = settings["client"]
    known["mass"] = float(options.client["mass"])
    known["inertia"] = _numbers("client.inertia", options.client["inertia"], 3)
    grasp = Pose(
        _numbers("client.grasp_position", options.client["grasp_position"], 3),
        rpy_to_matrix(_numbers("client.grasp_orientation", options.client["grasp_orientation"], 3)),
    )
    known["grasp_position"], known["grasp_orientation"] = grasp.position, grasp.quaternion
    settings["model"], settings["loaded"] = model.record(), model.record()
    settings["mass"] = float(sum(model.links[name].mass for name in _carried(model)))
    settings["tool"] = model.frame(options.tool)
    add_load(settings["loaded"], model.frame(options.tool), grasp, float(known["mass"]), np.diag(known["inertia"]))
    settings["arm"] = [model.velocity_index(name) for name in options.arm]
    settings["arm_q"] = [model.position_index(name) for name in options.arm]
    settings["wheels"] = [model.velocity_index(name) for name in options.wheels]
    settings["floating"] = [*range(6), *settings["wheels"]]
    settings["sliding"] = [*range(3), *settings["wheels"]]
    settings["ready"] = _numbers("ready", options.ready, layout.ARM)
    settings["capture"] = _numbers("capture", options.capture, layout.ARM)
    q = model.reference
    q[:7] = 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    q[settings["arm_q"].astype(int)] = settings["capture"]
    state = model.at(q)
    settings["capture_position"] = state.position(options.tool)
    settings["capture_orientation"] = matrix_to_quaternion(state.rotation(options.tool))
    _fill_wheels(settings["rotors"], options, robot)
    _fill_thrusters(settings["thrusters"], options, state)


def _carried(model: RobotModel) -> list[str]:
    """Links that the base carries, itself among them."""
    found: list[str] = []
    for name, link in model.links.items():
        if name == model.root or link.parent in found:
            found.append(name)
    return found


def actuator_of(robot: Robot, joint: str) -> Actuator:
    """What drives a joint by an effort."""
    for actuator in robot.actuators:
        if actuator.joint == joint and "effort" in actuator.inputs:
            return actuator
    known = [actuator.joint for actuator in robot.actuators]
    raise InputError(f"no actuator drives {joint!r} by its effort{nearest(joint, known)}", path="control.options")


def _fill_wheels(rotors: Any, options: ServicingOptions, robot: Robot) -> None:
    for row, name in zip(rotors, options.wheels, strict=True):
        actuator, joint = actuator_of(robot, name), robot.model.joint(name)
        row["dof"], row["axis"] = joint.velocity_index, joint.axis
        row["torque"], row["speed"] = actuator.effort, actuator.velocity
    axes = np.array([row["axis"] for row in rotors])
    if np.abs(axes @ axes.T - np.eye(layout.WHEELS)).max() > 1e-6:
        raise InputError("the wheels' axes are not at right angles", path="control.options.wheels")


def _fill_thrusters(record: Any, options: ServicingOptions, state: Any) -> None:
    """`state` of the model with the base at the origin: the world's axes are the base's."""
    given = options.thrusters
    names, thrust, period = list(given["names"]), float(given["thrust"]), float(given["period"])
    wrench = np.zeros((6, len(names)))
    for i, name in enumerate(names):
        push = thrust * state.rotation(name)[:, 0]
        wrench[:3, i], wrench[3:, i] = push, np.cross(state.position(name), push)
    try:
        mixer = mixer_of(wrench)
    except ArithmeticError as error:
        raise InputError(str(error), path="control.options.thrusters.names") from None
    record["count"], record["thrust"], record["period"] = len(names), thrust, period
    record["least"] = min(max(float(given["minimum_impulse_bit"]) / (thrust * period), 1e-6) * (1.0 + 1e-6), math.inf)
    record["wrench"][:, : len(names)] = wrench
    record["mixer"][: len(names)] = mixer


def add_load(record: Any, frame: int, grasp: Pose, mass: float, inertia: NDArray[np.float64]) -> None:
    """Let the body that has a frame of a model (`MODEL`) carry a load whose grasp frame stands in that frame.

    `grasp` in the load's own frame, in its centre of mass; `inertia` [3, 3] along its axes.
    """
    row = record["frames"][frame]
    load = Pose(np.array(row["position"]), np.array(row["rotation"])) @ grasp.inverse()
    r, turned = load.position, load.rotation @ inertia @ load.rotation.T
    about = turned + mass * (r @ r * np.eye(3) - np.outer(r, r))
    body = record["bodies"][int(row["body"])]
    body["mass"] += mass
    body["moment"] += mass * r
    body["inertia"] += [about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2]]
