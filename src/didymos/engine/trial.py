"""A short run of a twin, to say what it does by itself: stands, holds its posture, hangs loose, lies, falls over.

| it says | of | when |
|---|---|---|
| holds its posture | a fixed base with drives | the driven joints are within `HELD` of where they began |
| sags | the same | one is not |
| hangs loose | a fixed base with joints and without drives | |
| stands still | a fixed base without joints | |
| stands | a floating base with drives | it turned by less than `UPRIGHT` and sank by less than a third of its height |
| falls over | the same | it turned or sank by more |
| lies | a floating base without drives | |
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from didymos.describe.names import movable_joints
from didymos.describe.new.scenarios import HELD
from didymos.describe.twin import Twin
from didymos.engine.simulation import Simulation

__all__ = ["UPRIGHT", "Trial", "try_twin"]

UPRIGHT = 0.5  # [rad]


@dataclass(frozen=True)
class Trial:
    """What a twin did.

    `error` is the largest change [rad, m] of a driven joint, `joint` its name; `height` [m] that of the root's origin over the
    ground at the end, `sunk` [m] by how much lower than at the start; `tilt` [rad] by which it turned from where it began.
    """

    verdict: str
    well: bool
    seconds: float
    error: float
    joint: str
    height: float
    sunk: float
    tilt: float


def try_twin(twin: Twin, simulation: Simulation, seconds: float) -> Trial:
    """Run a simulation of a twin that has not begun yet, and say what it did; what ends a run early is raised as by any run."""
    model, data, description = simulation.model, simulation.data, twin.description
    driven = [actuator.joint for actuator in simulation.built.robot.actuators]
    driven = [name for name in movable_joints(description) if name in driven]
    places = [int(model.joint(description.joints[name].engine_joints[0]).qposadr[0]) for name in driven]
    root = simulation.links.root_body(model)
    mujoco.mj_kinematics(model, data)
    before, start, upright = data.qpos[places].copy(), float(data.xpos[root][2]), data.xmat[root].reshape(3, 3)[2].copy()
    simulation.run(seconds)
    mujoco.mj_kinematics(model, data)
    errors = np.abs(data.qpos[places] - before)
    worst = int(np.argmax(errors)) if len(errors) else -1
    ground = twin.file.world.ground.height if twin.file.world.ground is not None else 0.0
    height, sunk = float(data.xpos[root][2]) - ground, start - float(data.xpos[root][2])
    tilt = math.acos(float(np.clip(upright @ data.xmat[root].reshape(3, 3)[2], -1.0, 1.0)))
    error, joint = (float(errors[worst]), driven[worst]) if worst >= 0 else (0.0, "")
    fell = tilt > UPRIGHT or sunk > max((start - ground) / 3.0, 0.01)
    if description.floating and driven:
        verdict, well = (f"falls over: it turned by {tilt:.2f} rad and sank by {sunk:.3f} m", False) if fell else (
            f"stands{_high(height)}" + (f" after sinking by {1000 * sunk:.0f} mm" if sunk > 0.002 else ""), True
        )  # fmt: skip
    elif description.floating:
        verdict, well = f"lies{_high(height)}", True
    elif driven:
        unit = "m" if description.joints[joint].kind.value == "prismatic" else "rad"
        held = error <= HELD
        verdict = f"{'holds its posture' if held else 'sags'}, largest joint error {_small(error, unit)} at {joint}"
        well = held
    elif movable_joints(description):
        verdict, well = "hangs loose: nothing drives its joints", True
    else:
        verdict, well = "stands still", True
    return Trial(verdict, well, seconds, error, joint, height, sunk, tilt)


def _high(height: float) -> str:
    return f", its root {height:.3f} m high" if abs(height) > 0.0005 else ""


def _small(value: float, unit: str) -> str:
    if value < 1e-6:
        return f"below 0.001 m{unit}"
    return f"{1000 * value:.2g} m{unit}" if value < 0.1 else f"{value:.2g} {unit}"
