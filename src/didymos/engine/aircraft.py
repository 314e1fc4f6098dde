"""A compiled twin that can be put into any motion in still air and asked for its accelerations: what a trim is solved with.

Three kinds of numbers follow the motion by themselves, and are part of what is solved (`followers`):

    states of parts     that settle (motor speeds, lags): declared so, or a rate that falls with the state by 0.2 1/s and more
    spinning joints     axles: their velocity, where their acceleration falls with it and does not hang on their angle
    held joints         servos, tilting mounts, gear legs: their position, where their acceleration falls with it

All others stay as they begin: states that only add up (charge used), joints that nothing drives. Deflections that parts move once
per tick (servos of an `airfoil`) are given a minute to arrive. Frames: world east-north-up, root link forward-left-up.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.contract import offset_of
from didymos.describe.names import part_inputs
from didymos.describe.twin import Twin
from didymos.engine.assemble import Assembly, assemble
from didymos.engine.figures import rotors
from didymos.engine.flight_axes import Airframe, Axes, airframe_of, check_axes
from didymos.engine.forces import tick_all
from didymos.errors import InputError
from didymos.parts.part import CLOCK

__all__ = ["Aircraft", "Motion", "Vector"]

Vector = NDArray[np.float64]

_ARRIVAL = 60.0  # [s] that deflections have to arrive
_SETTLES = -0.2  # [1/s], of a state that is not declared to settle
_MOVES = -1e-3  # [1/s], of one that is: another is switched off
_HOLDS = -1e-2  # [1/s^2] per rad: below this a joint is held
_SPINS = -1e-6  # [1/s]: below this it is driven
_NUDGE = 1e-5
_FIRST, _LAST, _GROWTH = 1e-3, 1e3, 1.6  # [s], time steps of settling


@dataclass(frozen=True)
class Motion:
    """Where the root link is and how it moves: height [m], rotation to the world [3, 3], velocity [m/s] in the world and rate
    [rad/s] in the body."""

    height: float
    rotation: Vector
    velocity: Vector
    rate: Vector


class Aircraft:
    """A twin in still air: motion, commands by axis and followers in, accelerations out.

    `kind` is the allocation by which it is commanded, `flight` or `hover`; its usual one by default.
    """

    def __init__(self, twin: Twin, axes: Axes | None = None, kind: str | None = None) -> None:
        if not twin.description.floating:
            raise InputError(f"{twin.name} does not fly: only a robot that floats can be trimmed", path="description.base")
        calm = twin.copy()
        calm.set_all({"world.wind.speed": 0.0, "world.wind.shear": 0.0, "world.wind.up": 0.0})
        self.twin = calm
        self.assembly: Assembly = assemble(calm)
        self.model = self.assembly.model
        self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)  # also at height zero
        self.data = mujoco.MjData(self.model)
        self.rotors = rotors(calm, self.assembly)
        self._airframe = airframe_of(calm, self.assembly, self.rotors, kind) if axes is None else Airframe(axes)
        self.axes = self._airframe.axes
        check_axes(calm, self.axes)
        joint = int(self.model.body_jntadr[self.assembly.links.root_body(self.model)])
        self._qpos, self._qvel = int(self.model.jnt_qposadr[joint]), int(self.model.jnt_dofadr[joint])
        self._places = {name: self.assembly.state.starts[f"inputs:{part}"] + i for name, part, i in part_inputs(calm)}
        self._ranges = {name: calm.file.parts[part].contract.inputs[i].range for name, part, i in part_inputs(calm)}
        names = [actuator.name for actuator in calm.description.spec.actuators]
        self._actuators = dict(zip(names, self.assembly.own_actuators, strict=True))
        self.inputs: dict[str, float] = {}
        """Values of all commanded inputs, as they were last given."""
        mujoco.mj_resetData(self.model, self.data)
        self._begin = self.data.plugin_state.copy()
        self._act = np.zeros(0, dtype=int)
        self._spin = np.zeros(0, dtype=int)  # degrees of freedom
        self._held: list[tuple[int, int]] = []  # position, degree of freedom
        self._find_followers()

    # what there is

    @property
    def mass(self) -> float:
        """[kg], of all links."""
        return float(self.model.body_subtreemass[self.assembly.links.root_body(self.model)])

    @property
    def follower_names(self) -> tuple[str, ...]:
        """Followers in their order: states of parts, speeds of spinning joints, positions of held ones."""
        spun = [f"joints.{self._joint_name(dof)}.velocity" for dof in self._spin]
        held = [f"joints.{self._joint_name(dof)}.position" for _, dof in self._held]
        return (*self._act_names, *spun, *held)

    @property
    def held_joints(self) -> int:
        """How many joints are held: each has a velocity beside its position."""
        return len(self._held)

    def _joint_name(self, dof: int) -> str:
        return str(self.model.joint(int(self.model.dof_jntid[dof])).name)

    def _find_followers(self) -> None:
        first, places, names = self.assembly.states_first, [], []
        declared = []
        for part, spec in self.twin.file.parts.items():
            for item in spec.contract.used_states(spec):
                declared.append((f"parts.{part}.{item.name}", item.settles))
        own = {first + i: item for i, item in enumerate(declared)}
        self.put(Motion(50.0, np.eye(3), np.zeros(3), np.zeros(3)), {}, np.zeros(0))
        for i in range(self.model.na):
            name, settles = own.get(i, (f"actuator{i}", False))
            if self._moved(self.data.act, i, "act_dot", i) < (_MOVES if settles else _SETTLES):
                places.append(i)
                names.append(name)
        self._act, self._act_names = np.array(places, dtype=int), names
        self._find_joints()

    def _find_joints(self) -> None:
        spin = []
        for j in range(self.model.njnt):
            dof, position = int(self.model.jnt_dofadr[j]), int(self.model.jnt_qposadr[j])
            if dof == self._qvel or int(self.model.jnt_type[j]) not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
                continue
            if self._moved(self.data.qpos, position, "qacc", dof) < _HOLDS:
                self._held.append((position, dof))
            elif self._moved(self.data.qvel, dof, "qacc", dof) < _SPINS:
                spin.append(dof)
        self._spin = np.array(spin, dtype=int)

    # how it is asked

    def _moved(self, array: Vector, place: int, rates: str, row: int) -> float:
        """Slope of a rate (`act_dot`, `qacc`) in a number of the engine's state."""
        mujoco.mj_forward(self.model, self.data)
        before = float(getattr(self.data, rates)[row])
        array[place] += _NUDGE
        mujoco.mj_forward(self.model, self.data)
        array[place] -= _NUDGE
        return (float(getattr(self.data, rates)[row]) - before) / _NUDGE

    def command(self, commands: dict[str, float]) -> None:
        """Give all inputs behind the axes their values, within their ranges; the others stay zero."""
        inputs = dict(self._airframe.offset)
        for axis, weights in self.axes.items():
            value = commands.get(axis, self._airframe.held.get(axis, 0.0))
            for name, weight in weights.items():
                inputs[name] = inputs.get(name, 0.0) + weight * value
        for name, value in inputs.items():
            if name in self._places:
                low, high = self._ranges[name]
                inputs[name] = min(max(value, low), high)
                self.data.plugin_state[self._places[name]] = inputs[name]
            else:
                self.data.ctrl[self._actuators[name]] = value
        self.inputs = inputs

    def tick(self, seconds: float = _ARRIVAL) -> None:
        """Let what parts do once per tick happen over a time [s]: deflections move."""
        clock = np.array([(0.0, seconds, 0.0)], dtype=CLOCK)
        table = self.model.numeric_data.ctypes.data + 8 * self.assembly.table_start
        tick_all(table, self.data.plugin_state.ctypes.data, clock.ctypes.data)

    def put(self, motion: Motion, commands: dict[str, float], followers: Vector, rates: Vector | None = None) -> None:
        """Put it into a motion with commands and followers; `rates` are velocities of held joints, zero by default."""
        data, q, v = self.data, self._qpos, self._qvel
        data.plugin_state[:] = self._begin
        data.qfrc_applied[:] = 0.0  # what was written there is forgotten with the state
        data.qpos[:], data.qvel[:], data.act[:] = self.model.qpos0, 0.0, 0.0
        data.qpos[q : q + 3] = 0.0, 0.0, motion.height
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(motion.rotation).reshape(9))
        data.qpos[q + 3 : q + 7] = quaternion
        data.qvel[v : v + 3], data.qvel[v + 3 : v + 6] = motion.velocity, motion.rate
        states, spins = len(self._act), len(self._spin)
        if len(followers):
            data.act[self._act] = followers[:states]
            data.qvel[self._spin] = followers[states : states + spins]
            for i, (position, dof) in enumerate(self._held):
                data.qpos[position] = followers[states + spins + i]
                data.qvel[dof] = 0.0 if rates is None else rates[i]
        self.command(commands)
        self.tick()

    def accelerations(self) -> tuple[Vector, Vector]:
        """Of the root link: linear [m/s^2] in the world, angular [rad/s^2] in the body; then the rates of the followers' states,
        accelerations of spinning and of held joints."""
        mujoco.mj_forward(self.model, self.data)
        data, v = self.data, self._qvel
        held = [dof for _, dof in self._held]
        return data.qacc[v : v + 6].copy(), np.concatenate([data.act_dot[self._act], data.qacc[self._spin], data.qacc[held]])

    def settle(self, motion: Motion, commands: dict[str, float]) -> Vector:
        """Followers at rest in a motion, by implicit steps of growing length from rest; as near as they come."""
        count = len(self.follower_names)
        found, step = np.zeros(count), _FIRST
        while count and step < _LAST:
            self.put(motion, commands, found)
            rate = self.accelerations()[1]
            slope = np.empty((count, count))
            for i in range(count):
                nudge = _NUDGE * max(1.0, abs(found[i]))
                moved = found.copy()
                moved[i] += nudge
                self.put(motion, commands, moved)
                slope[:, i] = (self.accelerations()[1] - rate) / nudge
            found = found + np.linalg.solve(np.eye(count) / step - slope, rate)
            step *= _GROWTH
        return found

    def outputs(self, output: str) -> list[float]:
        """An output of all parts that have one of this name (`thrust` [N], `speed` [rad/s], `power` [W]), as last evaluated."""
        found = []
        for name, part in self.twin.file.parts.items():
            if any(item.name == output for item in part.contract.outputs):
                place = self.assembly.state.starts[f"outputs:{name}"] + offset_of(part.contract.output_layout, output)
                found.append(float(self.data.plugin_state[place]))
        return found

    def inertia(self) -> tuple[float, float, float]:
        """About x, y, z of the root link through the centre of mass [kg m^2], of all links as they are now."""
        model, data = self.model, self.data
        root = self.assembly.links.root_body(model)
        turn, centre = data.xmat[root].reshape(3, 3), data.subtree_com[root]
        total = np.zeros((3, 3))
        for body in range(model.nbody):
            if model.body_rootid[body] == root:
                axes, off = data.ximat[body].reshape(3, 3), data.xipos[body] - centre
                total += axes @ np.diag(model.body_inertia[body]) @ axes.T
                total += model.body_mass[body] * (off @ off * np.eye(3) - np.outer(off, off))
        x, y, z = np.diag(turn.T @ total @ turn).tolist()
        return x, y, z
