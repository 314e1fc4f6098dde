"""Why the loop stopped, in a sentence that names the joint, the body or the input at fault."""

from __future__ import annotations

import mujoco
import numpy as np

from didymos.engine.build import Built
from didymos.engine.loop import DIVERGED, LEFT_THE_WORLD, NONFINITE_CONTROL
from didymos.errors import RunError

__all__ = ["failure"]


def failure(status: int, time: float, *, built: Built) -> RunError:
    """The error of a run that ended at a time [s] with a status of the loop other than FINE."""
    model, data, context = built.assembly.model, built.data, built.context
    if status == NONFINITE_CONTROL:
        program = context.program
        values = program.commands[program.writes["source"]]
        bad = np.flatnonzero(~np.isfinite(values))[0]
        name = built.robot.inputs[program.writes["input"][bad]]
        text = f"the control program {type(built.program).__name__} set {name} to {values[bad]}"
        return RunError(f"{text}, expected a finite number", time=time)
    if status == LEFT_THE_WORLD:
        for address in context.timing.free_joints:
            position = data.qpos[address : address + 3]
            if (np.abs(position) > context.timing.boundary).any():
                where = ", ".join(f"{x:.4g}" for x in position)
                body = model.body(model.jnt_bodyid[model.jnt_qposadr.tolist().index(address)]).name
                text = f"{body} left the world at ({where}) m; the boundary is {context.timing.boundary:g} m"
                return RunError(text, time=time)
    assert status == DIVERGED
    return RunError(f"the simulation diverged{_culprit(model, data)}; try a smaller world.step", time=time)


def _culprit(model: mujoco.MjModel, data: mujoco.MjData) -> str:
    bad = np.flatnonzero(~np.isfinite(data.qacc) | ~np.isfinite(data.qvel))
    if not len(bad):
        return ""
    joint = model.joint(model.dof_jntid[bad[0]]).name
    return f" at joint {joint!r}" if joint else ""
