"""The actuators of a twin: parts that can be commanded and actuators of an MJCF description, joint by joint."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import mujoco

from didymos.control.actuator import Actuator
from didymos.describe.description import Joint, JointKind
from didymos.describe.names import is_affine, part_inputs
from didymos.describe.twin import Twin

__all__ = ["actuators_of"]


def actuators_of(twin: Twin, model: mujoco.MjModel, own: tuple[int, ...]) -> tuple[Actuator, ...]:
    """All of them in the order of the inputs; `own` are the numbers of the description's actuators in the model."""
    return (*_parts(twin), *_of_description(twin, model, own))


def _parts(twin: Twin) -> Iterator[Actuator]:
    names = {(part, index): name for name, part, index in part_inputs(twin)}
    for name, part in twin.file.parts.items():
        about: Any = part.contract.actuation(part)
        if about is None or part.joint is None:
            continue
        index = {item.name: i for i, item in enumerate(part.contract.inputs)}
        demand = part.contract.at_most(part)
        affine = about.way == "effort"
        ranges = [item.range for item in part.contract.inputs]
        yield Actuator(
            part.joint, name, part.kind, "affine" if affine else about.way,
            {slot: names[name, index[own]] for slot, own in about.inputs.items()},
            kp=about.kp, kd=about.kd,
            **_limits(
                twin, part.joint, demand.effort if demand is not None else math.inf,
                demand.velocity if demand is not None else math.inf,
            ),
            input_range=ranges[0] if len(ranges) == 1 else (-math.inf, math.inf),
            gain=about.per_input, ratio=about.ratio, delay=about.delay, armature=about.armature, belt=part.belt,
            friction=about.friction + twin.description.joints[part.joint].friction,
            viscous=about.viscous + twin.description.joints[part.joint].damping,
        )  # fmt: skip


def _of_description(twin: Twin, model: mujoco.MjModel, own: tuple[int, ...]) -> Iterator[Actuator]:
    """Those whose effort on one joint is affine; tendons, muscles and integrators are nobody's joint."""
    described = twin.description.as_read
    joints = {joint.engine_joints[0]: name for name, joint in described.joints.items() if len(joint.engine_joints) == 1}
    for i, actuator in zip(own, described.spec.actuators, strict=True):
        if not is_affine(actuator) or actuator.target not in joints:
            continue
        joint, bias = joints[actuator.target], int(model.actuator_biastype[i])
        gear, gain = float(model.actuator_gear[i, 0]), float(model.actuator_gainprm[i, 0])
        told = [float(number) for number in model.actuator_biasprm[i, :3]] if bias else [0.0, 0.0, 0.0]
        effort = math.inf
        if model.actuator_forcelimited[i]:
            effort = abs(gear) * min(abs(float(side)) for side in model.actuator_forcerange[i])
        low, high = (float(side) for side in model.actuator_ctrlrange[i])
        name = actuator.name
        yield Actuator(
            joint, name, "actuator", "affine", {"effort": name},
            kp=max(-told[1], 0.0) * gear * gear, kd=max(-told[2], 0.0) * gear * gear,
            **_limits(twin, joint, effort or math.inf, math.inf),
            input_range=(low, high) if model.actuator_ctrllimited[i] else (-math.inf, math.inf),
            friction=twin.description.joints[joint].friction, viscous=twin.description.joints[joint].damping,
            gain=gain * gear, offset=told[0] * gear, position_gain=told[1] * gear * gear, velocity_gain=told[2] * gear * gear,
        )  # fmt: skip


def _limits(twin: Twin, name: str, effort: float, velocity: float) -> dict[str, Any]:
    """Limits of a joint, with those of what drives it."""
    joint: Joint = twin.description.joints[name]
    return {
        "effort": min(effort, joint.effort or math.inf),
        "velocity": min(velocity, joint.velocity or math.inf),
        "lower": -math.inf if joint.lower is None else joint.lower,
        "upper": math.inf if joint.upper is None else joint.upper,
        "prismatic": joint.kind is JointKind.PRISMATIC,
    }
