"""The program's own model of a legged robot, as compiled code reads it (`legged_memory`), made from `robot.model`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.actuation import Actuation
from didymos.control.controller import Robot
from didymos.control.leg_chain import Tree
from didymos.control.leg_finder import Leg
from didymos.control.leg_posture import Posture
from didymos.control.legged_memory import MOST_LEGS, MOST_LIMB_JOINTS
from didymos.errors import InputError, nearest
from didymos.model import RobotModel
from didymos.sensors.motion import Imu

__all__ = ["fill_actuators", "fill_holds", "fill_limbs", "fill_robot", "find_efforts", "find_imu"]

Array = NDArray[np.float64]

_HELD = 15.0  # [rad/s] with which a joint that belongs to no leg and does not hold itself is held
_STRAIGHT = 0.985  # of the reach: a leg is never asked to be straighter


def fill_robot(robot: Any, model: RobotModel, legs: Sequence[Leg], posture: Posture) -> None:
    """Fill a record of `ROBOT`: masses, inertia, and the units of length and time."""
    if len(legs) > MOST_LEGS:
        raise InputError(f"found {len(legs)} legs, expected at most {MOST_LEGS}", path="description")
    tree, origin = Tree(model), _origin(legs)
    limbs = {joint for leg in legs for joint in leg.joints}
    moved = {joint for leg in legs for joint in tree.below(leg.joints[0])} | limbs
    state = model.at(posture.q)
    root = state.position(model.root)
    mass, moment = 0.0, np.zeros(3)
    for name, link in model.links.items():
        if tree.carrier[name] not in moved:
            mass += link.mass
            moment += link.mass * (state.position(name) + state.rotation(name) @ link.com - root)
    robot["leg_joints"] = sum(len(leg.joints) for leg in legs)
    robot["legs"], robot["mass"], robot["gravity"] = len(legs), model.mass, model.gravity
    robot["trunk_mass"] = mass
    robot["trunk_centre"] = moment / mass - origin if mass > 0.0 else 0.0
    robot["inertia"] = np.diag(_inertia(model, posture))
    robot["length"] = posture.height + origin[2]
    robot["time"] = math.sqrt(float(robot["length"]) / model.gravity)


def fill_limbs(limbs: Any, model: RobotModel, legs: Sequence[Leg], posture: Posture) -> None:
    """Fill records of `LIMB`, one per leg."""
    tree, origin = Tree(model), _origin(legs)
    reference, standing = model.at(model.reference), model.at(posture.q)
    turn, root = reference.rotation(model.root), reference.position(model.root)
    matrix = standing.mass_matrix - np.diag(model.armature)
    middle = standing.center_of_mass - standing.position(model.root)
    centre = posture.feet.mean(axis=0)
    first = 0
    for row, leg, foot in zip(limbs, legs, posture.feet, strict=False):
        chain, count = leg.chain, len(leg.joints)
        if count > MOST_LIMB_JOINTS:
            raise InputError(f"a leg has {count} joints, expected at most {MOST_LIMB_JOINTS}", path="description")
        row["count"], row["first"], row["radius"] = count, first, leg.foot.radius
        row["foot"], row["hip"], row["reach"] = leg.end - origin, leg.hip - origin, _STRAIGHT * leg.reach
        row["home"] = (foot - centre + middle - origin)[:2]
        ways = [model.velocity_index(name) for name in leg.joints]
        row["inertia"][:count, :count] = matrix[np.ix_(ways, ways)]
        for i, (joint, name) in enumerate(zip(row["joints"], leg.joints, strict=False)):
            joint["axis"], joint["point"], joint["slides"] = chain.axis[i], chain.point[i] - origin, float(chain.slides[i])
            joint["reference"], joint["lower"], joint["upper"] = chain.reference[i], chain.lower[i], chain.upper[i]
            behind = set(tree.below(name)) - (set(tree.below(leg.joints[i + 1])) if i + 1 < count else set())
            mass, moment = 0.0, np.zeros(3)
            for link in (link for link in model.links.values() if tree.carrier[link.name] in behind):
                mass += link.mass
                place = reference.position(link.name) + reference.rotation(link.name) @ link.com
                moment += link.mass * (turn.T @ (place - root))
            joint["mass"], joint["centre"] = mass, moment / mass - origin if mass > 0.0 else 0.0
        first += count
    for row, trot, walk in zip(limbs, *_phases(legs), strict=False):
        row["trot"], row["walk"] = trot, walk


def _origin(legs: Sequence[Leg]) -> Array:
    """[m] of the trunk's frame in the root's: the middle of the first joints of all legs."""
    return np.array(np.mean([leg.chain.point[0] for leg in legs], axis=0))


def _inertia(model: RobotModel, posture: Posture) -> Array:
    """[kg m^2], [3, 3], of the whole robot about its centre of mass, along the axes of its root."""
    state = model.at(posture.q)
    centre, total = state.center_of_mass, np.zeros((3, 3))
    for name, link in model.links.items():
        turn = state.rotation(name)
        away = state.position(name) + turn @ link.com - centre
        total += turn @ link.inertia @ turn.T + link.mass * (away @ away * np.eye(3) - np.outer(away, away))
    return total


def _phases(legs: Sequence[Leg]) -> tuple[list[float], list[float]]:
    """When the legs swing in a trot and in a walk, of a period."""
    rows = {side: [leg for leg in legs if leg.name.startswith(side)] for side in ("L", "R")}
    trot, walk = [], []
    for leg in legs:
        side = leg.name[0]
        row = rows[side].index(leg)
        trot.append(0.5 * ((row + (side == "R")) % 2))
        from_rear = len(rows[side]) - 1 - row
        walk.append(-(from_rear + (len(rows["L"]) if side == "R" else 0)) / len(legs))
    return trot, walk


def fill_actuators(limbs: Any, model: RobotModel, legs: Sequence[Leg], chain: Actuation) -> None:
    """What records of `LIMB` say of motors: rotors and friction beside those of the description, belts."""
    at = 0
    for row, leg in zip(limbs, legs, strict=False):
        for i, (joint, name) in enumerate(zip(row["joints"], leg.joints, strict=False)):
            actuator = chain.actuators[at]
            joint["rotor"], joint["friction"] = actuator.armature + model.joint(name).armature, actuator.friction
            joint["viscous"] = actuator.viscous
            joint["belt"] = float(actuator.belt is not None)
            if actuator.belt is not None and (i == 0 or actuator.belt != leg.joints[i - 1]):
                what = f"the belt of {actuator.name!r} runs over {actuator.belt!r}, expected the joint before {name!r} in its leg"
                raise InputError(what, path=f"parts.{actuator.name}.belt")
            at += 1


def fill_holds(holds: Any, model: RobotModel, chain: Actuation, posture: Posture) -> None:
    """Fill records of `HOLD`: joints of no leg stay where the posture has them, by their own loop or by one that fits them."""
    state = model.at(posture.q)
    matrix, weight = state.mass_matrix, state.gravity
    for hold, actuator in zip(holds, chain.actuators, strict=False):
        if actuator.joint in posture.joints:
            at = model.velocity_index(actuator.joint)
            inertia = float(matrix[at, at]) + actuator.armature
            hold["position"], hold["effort"] = posture.joints[actuator.joint], weight[at]
            hold["kp"] = actuator.kp or inertia * _HELD**2
            hold["kd"] = actuator.kd if 0.0 < actuator.kd < math.inf else 2.0 * inertia * _HELD


def find_imu(robot: Robot, name: str | None) -> tuple[str, Array]:
    """The IMU on the trunk, and the rotation from its frame to the trunk's."""
    model = robot.model
    known = [key for key, spec in robot.sensors.items() if issubclass(spec.contract, Imu)]
    name = (model.base_reading.imu or next(iter(known), None)) if name is None else name
    if name is None:
        raise InputError("legged needs a sensor of kind imu on the trunk (imu: {kind: imu, rate: 500})", path="sensors")
    if name not in known:
        raise InputError(f"there is no sensor {name!r} of kind imu{nearest(name, known)}", path="control.options.imu")
    state = model.at(model.reference)
    link = getattr(robot.sensors[name], "link", None) or model.root
    return name, state.rotation(model.root).T @ state.rotation(link)


def find_efforts(limbs: Any, robot: Robot, legs: Sequence[Leg], chain: Actuation) -> list[str]:
    """Readings of the motors' efforts, in the order of the legs' joints; an empty name where a motor tells none."""
    known = {name.partition(".")[2]: name for name in robot.measured}
    found, at = [], 0
    for row, leg in zip(limbs, legs, strict=False):
        for joint in row["joints"][: len(leg.joints)]:
            actuator = chain.actuators[at]
            names = (known.get(f"{actuator.name}.{what}") for what in ("effort", "torque"))
            found.append(next((name for name in names if name is not None), ""))
            joint["felt"] = actuator.ratio if found[-1] else 0.0
            at += 1
    return found
