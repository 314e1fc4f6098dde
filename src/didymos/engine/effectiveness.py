"""What each input does to the body of a robot: moments and forces by differences of the engine's own, at a flight condition.

    B_ai = (f_a(u + h e_i) - f_a(u - h e_i)) / 2 h          per unit of input i

f is the sum of all parts' wrenches on the whole robot in still air, far above the ground, with servos where their inputs want
them and engines settled: roll (right wing down), pitch (nose up) and yaw (nose right) moments about the centre of mass [N m],
forward and upward force [N], in the root link's frame. It is read from the generalized forces of the root's free joint, so loads
inside the robot do not count. Inputs that command the position of a joint, a tilt of a rotor, move that joint there; h is 2 % of
an input's range.

Valid for small moves about one condition: what an input does elsewhere (stalled, reversed, standing) may be another thing. A
robot that does not float has no effectiveness.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control.actuator import Actuator
from didymos.describe.names import part_inputs
from didymos.describe.twin import Twin
from didymos.engine.assemble import Assembly
from didymos.engine.forces import tick_all
from didymos.engine.start import quaternion_from_rpy
from didymos.parts.part import CLOCK

__all__ = ["EFFECTS", "Condition", "Effectiveness", "HeldRobot", "effectiveness"]

EFFECTS = ("roll", "pitch", "yaw", "forward", "up")
_HEIGHT = 50.0  # [m], away from the ground
_SHARE = 0.02  # of an input's range
_ANY = 1.0  # [unit of the input], the range of one that has none
_STEP, _SETTLING = 1e-3, 3.0  # [s]
_SETTLED = 1e-6  # of the fastest rate of a state: what it still changes in a step
_LONG = 1e9  # [s], long enough for any servo


@dataclass(frozen=True)
class Condition:
    """How it flies: velocity [m/s] in the body's frame, nose-up angle [rad], inputs by name."""

    velocity: tuple[float, float, float]
    nose: float
    inputs: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Effectiveness:
    """What inputs do, per unit of each."""

    inputs: tuple[str, ...]
    matrix: NDArray[np.float64]
    """[effects, inputs], rows as in `EFFECTS`: moments [N m], forces [N]."""

    def of(self, effect: str) -> NDArray[np.float64]:
        """One row, shape [inputs]."""
        row: NDArray[np.float64] = self.matrix[EFFECTS.index(effect)]
        return row


class HeldRobot:
    """A robot that floats, held where it is put, whose parts act on it."""

    def __init__(self, twin: Twin, assembly: Assembly, actuators: Sequence[Actuator]) -> None:
        self._twin, self._assembly = twin, assembly
        self._model = assembly.model.__copy__()
        self._data = mujoco.MjData(self._model)
        for path in ("world.wind.speed", "world.wind.up"):
            if path in assembly.numbers:
                self._model.numeric_data[assembly.numbers[path]] = 0.0
        self._root = assembly.links.root_body(self._model)
        joint = int(self._model.body_jntadr[self._root])
        self._position, self._freedom = int(self._model.jnt_qposadr[joint]), int(self._model.jnt_dofadr[joint])
        self._places = {name: assembly.state.starts[f"inputs:{part}"] + i for name, part, i in part_inputs(twin)}
        described = [actuator.name for actuator in twin.description.spec.actuators]
        self._controls = dict(zip(described, assembly.own_actuators, strict=True))
        self._turned = dict(self._positions(actuators))
        ground = twin.file.world.ground
        self._height = _HEIGHT + (0.0 if ground is None else ground.height)
        own = sorted(int(self._model.body(name).id) for name in assembly.links.bodies)
        self.weight = float(np.sum(self._model.body_mass[own])) * twin.file.world.gravity
        """[N]"""

    def _positions(self, actuators: Sequence[Actuator]) -> list[tuple[str, tuple[int, float, float]]]:
        """Inputs that command where a joint is: its place in qpos, and factor and offset of the input."""
        found, joints = [], self._twin.description.joints
        for name, part, index in part_inputs(self._twin):
            spec = self._twin.file.parts[part]
            item = spec.contract.inputs[index]
            if spec.joint is not None and item.name == "position" and item.unit == "rad":
                place = int(self._model.joint(joints[spec.joint].engine_joints[0]).qposadr[0])
                found.append((name, (place, 1.0, 0.0)))
        for actuator in actuators:
            if actuator.kind == "actuator" and actuator.position_gain < 0.0:
                place = int(self._model.joint(joints[actuator.joint].engine_joints[0]).qposadr[0])
                stiff = -actuator.position_gain
                found.append((actuator.inputs["effort"], (place, actuator.gain / stiff, actuator.offset / stiff)))
        return found

    @property
    def positions(self) -> tuple[str, ...]:
        """Inputs that command the position of a joint."""
        return tuple(self._turned)

    def put(self, condition: Condition) -> None:
        """Fly as a condition says, with engines settled from where they were."""
        data, model = self._data, self._model
        data.qvel[:] = 0.0
        data.qpos[self._position : self._position + 3] = 0.0, 0.0, self._height
        data.qpos[self._position + 3 : self._position + 7] = quaternion_from_rpy(0.0, -condition.nose, 0.0)
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, data.qpos[self._position + 3 : self._position + 7])
        data.qvel[self._freedom : self._freedom + 3] = turn.reshape(3, 3) @ condition.velocity
        for name, joint in self._twin.description.joints.items():
            start = self._twin.file.start.joints.get(name)
            if isinstance(start, float):
                data.qpos[model.joint(joint.engine_joints[0]).qposadr[0]] = start
        for name, value in condition.inputs.items():
            if name in self._places:
                data.plugin_state[self._places[name]] = value
            elif name in self._controls:
                data.ctrl[self._controls[name]] = value
            if name in self._turned:
                place, factor, offset = self._turned[name]
                data.qpos[place] = factor * value + offset
        clock = np.array([(0.0, _LONG, 0.0)], dtype=CLOCK)
        table = model.numeric_data.ctypes.data + 8 * self._assembly.table_start
        tick_all(table, data.plugin_state.ctypes.data, clock.ctypes.data)
        self._settle()

    def _settle(self) -> None:
        """Let the states of parts come to rest where the robot is held."""
        mujoco.mj_forward(self._model, self._data)
        rate, fastest = self._data.act_dot.copy(), np.abs(self._data.act_dot)
        for _ in range(round(_SETTLING / _STEP) if self._model.na else 0):
            self._data.act += _STEP * rate
            mujoco.mj_forward(self._model, self._data)
            change, rate = np.abs(self._data.act_dot - rate), self._data.act_dot.copy()
            fastest = np.maximum(fastest, np.abs(rate))
            if (change <= _SETTLED * fastest).all():
                break

    def effects(self) -> NDArray[np.float64]:
        """Moments [N m] and forces [N] of all parts now, in the order of `EFFECTS`."""
        load = self._data.qfrc_applied[self._freedom : self._freedom + 6]
        turn = self._data.xmat[self._root].reshape(3, 3)
        force, lever = turn.T @ load[:3], turn.T @ (self._data.subtree_com[self._root] - self._data.xpos[self._root])
        moment = load[3:] - np.cross(lever, force)
        return np.array([moment[0], -moment[1], -moment[2], force[0], force[2]])


def effectiveness(
    held: HeldRobot, condition: Condition, ranges: Mapping[str, tuple[float, float]], inputs: Sequence[str]
) -> Effectiveness:
    """What some inputs do about a condition; `ranges` has the limits of each."""
    rows = []
    held.put(condition)
    for name in inputs:
        low, high = ranges[name]
        size = _SHARE * (high - low if math.isfinite(high - low) and high - low < 100.0 else _ANY)
        at = condition.inputs.get(name, 0.0)
        ends = min(at + size, high), max(at - size, low)
        sides = []
        for end in ends:
            held.put(Condition(condition.velocity, condition.nose, {**condition.inputs, name: end}))
            sides.append(held.effects())
        rows.append((sides[0] - sides[1]) / (ends[0] - ends[1]))
        held.put(condition)
    matrix = np.array(rows).T if rows else np.zeros((len(EFFECTS), 0))
    return Effectiveness(tuple(inputs), matrix)
