"""Why the loop stopped, in a sentence that names the joint, the body or the input at fault."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from didymos.engine.build import Built
from didymos.engine.falling import collides, ground_height
from didymos.engine.loop import DIVERGED, FELL_THROUGH_GROUND, LEFT_THE_WORLD, NONFINITE_CONTROL
from didymos.engine.objects import object_of
from didymos.errors import RunError

__all__ = ["failure"]


def failure(status: int, time: float, robots: Sequence[Built]) -> RunError:
    """The error of a run that ended at a time [s] with a status of the loop other than FINE."""
    model, data, context = robots[0].assembly.model, robots[0].data, robots[0].context
    if status == NONFINITE_CONTROL:
        return next(found for found in (_nonfinite(built, time) for built in robots) if found is not None)
    for address, lowest in zip(context.timing.free_joints, context.timing.lowest, strict=True):
        position = data.qpos[address : address + 3]
        body = int(model.jnt_bodyid[model.jnt_qposadr.tolist().index(address)])
        name = object_of(model.body(body).name) or model.body(body).name
        if status == FELL_THROUGH_GROUND and position[2] < lowest:
            return RunError(f"{name} fell through the ground{_why_it_fell(model, body, float(position[2]))}", time=time)
        if status == LEFT_THE_WORLD and (np.abs(position) > context.timing.boundary).any():
            where = ", ".join(f"{x:.4g}" for x in position)
            text = f"{name} left the world at ({where}) m; the boundary is {context.timing.boundary:g} m"
            return RunError(text + _why_it_left(model, float(position[2]), context.timing.boundary), time=time)
    assert status == DIVERGED
    return RunError(f"the simulation diverged{_culprit(model, data)}; try a smaller world.step", time=time)


def _nonfinite(built: Built, time: float) -> RunError | None:
    """The error of a program that set an input to something that is no number; None where it did not."""
    program = built.context.program
    values = program.commands[program.writes["source"]]
    bad = np.flatnonzero(~np.isfinite(values))
    if not len(bad):
        return None
    name = built.robot.inputs[program.writes["input"][bad[0]]]
    text = f"the control program {type(built.program).__name__} set {name} to {values[bad[0]]}"
    return RunError(f"{text}, expected a finite number", time=time)


def _why_it_fell(model: mujoco.MjModel, body: int, height: float) -> str:
    """Why a body at a height [m] is below the ground, and what to do about it."""
    depth = f", it is {ground_height(model) - height:.3g} m below it"
    if not collides(model, body):
        remedy = "give the description <collision> shapes, or hold its base (description.base: as_described)"
        return f"{depth}: it has no collision shapes; {remedy}"
    return f"{depth}: nothing held it, its shapes do not collide with the ground or it was too fast for world.step"


def _why_it_left(model: mujoco.MjModel, height: float, boundary: float) -> str:
    """A word more where a body fell out of the world."""
    return "; nothing held it, the world has no ground" if height < -boundary and np.isinf(ground_height(model)) else ""


def _culprit(model: mujoco.MjModel, data: mujoco.MjData) -> str:
    bad = np.flatnonzero(~np.isfinite(data.qacc) | ~np.isfinite(data.qvel))
    if not len(bad):
        return ""
    joint = model.joint(model.dof_jntid[bad[0]]).name
    return f" at joint {joint!r}" if joint else ""
