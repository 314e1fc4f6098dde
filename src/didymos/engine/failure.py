"""Why the loop stopped, in a sentence that names the joint, the body or the input at fault."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from didymos.control import Controller, Robot
from didymos.engine.loop import DIVERGED, LEFT_THE_WORLD, NONFINITE_CONTROL
from didymos.errors import RunError

__all__ = ["failure"]


def failure(
    status: int,
    time: float,
    *,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    wiring: Any,
    robot: Robot,
    program: Controller | None,
) -> RunError:
    """The error of a run that ended at a time [s] with a status of the loop other than FINE."""
    if status == NONFINITE_CONTROL:
        bad = np.flatnonzero(~np.isfinite(wiring.answered))[0]
        name = robot.inputs[wiring.writes[bad]]
        text = f"the control program {type(program).__name__} set {name} to {wiring.answered[bad]}"
        return RunError(f"{text}, expected a finite number", time=time)
    if status == LEFT_THE_WORLD:
        for address in wiring.free_joints:
            position = data.qpos[address : address + 3]
            if (np.abs(position) > wiring.boundary).any():
                where = ", ".join(f"{x:.4g}" for x in position)
                body = model.body(model.jnt_bodyid[model.jnt_qposadr.tolist().index(address)]).name
                return RunError(f"{body} left the world at ({where}) m; the boundary is {wiring.boundary:g} m", time=time)
    assert status == DIVERGED
    return RunError(f"the simulation diverged{_culprit(model, data)}; try a smaller world.step", time=time)


def _culprit(model: mujoco.MjModel, data: mujoco.MjData) -> str:
    bad = np.flatnonzero(~np.isfinite(data.qacc) | ~np.isfinite(data.qvel))
    if not len(bad):
        return ""
    joint = model.joint(model.dof_jntid[bad[0]]).name
    return f" at joint {joint!r}" if joint else ""
