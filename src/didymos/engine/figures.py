"""Figures of a twin that no single run shows, measured with its own force laws, and geometry that programs ask for."""

from __future__ import annotations

import mujoco
import numpy as np

from didymos.contract import offset_of
from didymos.control import Rotor
from didymos.describe.names import part_inputs
from didymos.describe.twin import Twin
from didymos.engine.assemble import Assembly

__all__ = ["rotors", "thrust_to_weight"]

_SETTLING = 10.0  # [s], long after any rotor has reached its speed
_STEP = 1e-3  # [s]


def _thrusters(twin: Twin) -> list[str]:
    return [name for name, part in twin.file.parts.items() if any(o.name == "thrust" for o in part.contract.outputs)]


def rotors(twin: Twin, assembly: Assembly) -> tuple[Rotor, ...]:
    """Every part that thrusts and turns: position and axis in the root link's frame with all joints at zero.

    One that sits on another robot of a world has no place in that frame, and is left out.
    """
    model = assembly.model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    root = assembly.links.root_body(model)
    turn = data.xmat[root].reshape(3, 3)
    inputs = {part: name for name, part, _ in part_inputs(twin)}
    thrusting = []
    for name, part in twin.file.parts.items():
        if name in _thrusters(twin) and hasattr(part, "direction") and part.link in assembly.links:
            frame = assembly.links[part.link]
            body = int(model.body(frame.body).id)
            matrix = data.xmat[body].reshape(3, 3)
            position = turn.T @ (data.xpos[body] + matrix @ frame.pose.position - data.xpos[root])
            axis = turn.T @ matrix @ frame.pose.rotation[:, 0]
            thrusting.append(Rotor(inputs[name], tuple(position.tolist()), tuple(axis.tolist()), float(part.direction)))
    return tuple(thrusting)


def thrust_to_weight(twin: Twin, assembly: Assembly) -> float:
    """Sum of all thrusts at full input, held still in still air at the height of the start, over the weight."""
    model = assembly.model.__copy__()
    data = mujoco.MjData(model)
    for path, index in assembly.numbers.items():
        if path in ("world.wind.speed", "world.wind.shear", "world.wind.up"):
            model.numeric_data[index] = 0.0
    root = assembly.links.root_body(model)
    if twin.description.floating:
        data.qpos[int(model.jnt_qposadr[model.body_jntadr[root]]) + 2] = twin.file.start.position.z
    for _, part, index in part_inputs(twin):
        full = twin.file.parts[part].contract.inputs[index].range[1]
        data.plugin_state[assembly.state.starts[f"inputs:{part}"] + index] = full
    states = sum(len(part.contract.used_states(part)) for part in twin.file.parts.values())
    steps = round(_SETTLING / _STEP) if states else 1
    for _ in range(steps):
        mujoco.mj_forward(model, data)
        data.act += _STEP * data.act_dot
    total = 0.0
    for name in _thrusters(twin):
        thrust = offset_of(twin.file.parts[name].contract.output_layout, "thrust")
        total += data.plugin_state[assembly.state.starts[f"outputs:{name}"] + thrust]
    own = sorted(int(model.body(name).id) for name in assembly.links.bodies)
    weight = float(np.sum(model.body_mass[own])) * twin.file.world.gravity
    return float(total / weight)
