"""Figures of a twin that no single run shows, measured with its own force laws, and geometry that programs ask for."""

from __future__ import annotations

import mujoco
import numpy as np

from didymos.control import Rotor
from didymos.describe.names import part_inputs
from didymos.describe.twin import Twin
from didymos.engine import block as b
from didymos.engine.assemble import Assembly
from didymos.engine.boxes import is_box
from didymos.parts import PARTS

__all__ = ["rotors", "thrust_to_weight"]

_SETTLING = 10.0  # [s], long after any rotor has reached its speed
_STEP = 1e-3  # [s]


def _thrusters(twin: Twin) -> list[str]:
    return [name for name, part in twin.file.parts.items() if any(o.name == "thrust" for o in PARTS[part.kind].outputs)]


def rotors(twin: Twin, assembly: Assembly) -> tuple[Rotor, ...]:
    """Every part that thrusts and turns: position and axis in the root link's frame with all joints at zero."""
    model = assembly.model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    root = assembly.links.root_body(model)
    turn = data.xmat[root].reshape(3, 3)
    inputs = {part: name for name, part, _ in part_inputs(twin)}
    start = int(model.numeric_adr[model.nnumeric - 1] + model.numeric_data[model.numeric_adr[model.nnumeric - 1] + b.TABLE])
    found = []
    for index, (name, part) in enumerate(twin.file.parts.items()):
        if name in _thrusters(twin) and hasattr(part, "direction"):
            row = model.numeric_data[start + b.ROW_WORDS * index :][: b.ROW_WORDS]
            body = int(row[b.BODY])
            matrix = data.xmat[body].reshape(3, 3)
            position = turn.T @ (data.xpos[body] + matrix @ row[b.POSE : b.POSE + 3] - data.xpos[root])
            axis = turn.T @ matrix @ row[b.POSE + 3 : b.POSE + 12].reshape(3, 3)[:, 0]
            found.append(Rotor(inputs[name], tuple(position.tolist()), tuple(axis.tolist()), float(part.direction)))
    return tuple(found)


def thrust_to_weight(twin: Twin, assembly: Assembly) -> float:
    """Sum of all thrusts at full input, held still in still air at the height of the start, over the weight."""
    model = assembly.model.__copy__()
    data = mujoco.MjData(model)
    for path, index in assembly.numbers.items():
        if path in ("world.wind.speed", "world.wind.up"):
            model.numeric_data[index] = 0.0
    if twin.description.floating:
        data.qpos[2] = twin.file.start.position.z
    for _, part, index in part_inputs(twin):
        data.userdata[assembly.plan.starts[f"inputs:{part}"] + index] = PARTS[twin.file.parts[part].kind].input_range[1]
    states = model.na - int(model.actuator_actnum[: assembly.own_actuators].sum())
    steps = round(_SETTLING / _STEP) if states else 1
    for _ in range(steps):
        mujoco.mj_forward(model, data)
        data.act += _STEP * data.act_dot
    total = 0.0
    for name in _thrusters(twin):
        outputs = [output.name for output in PARTS[twin.file.parts[name].kind].outputs]
        total += data.userdata[assembly.plan.starts[f"outputs:{name}"] + outputs.index("thrust")]
    own = [body for body in range(model.nbody) if not is_box(model, body)]
    weight = float(np.sum(model.body_mass[own])) * twin.file.world.gravity
    return float(total / weight)
