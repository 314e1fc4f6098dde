"""The same motion in both engines, and what of their difference is the integrator's.

First our engine swings every degree of freedom about the twin's start, each by a sine of its own, with computed forces:

    f = M (a_d + 2 w (v_d - v) + w^2 (q_d - q)) + h + D v,    q_d = q0 + A sin(w_i t),    A = 0.2 rad or m,
    w_i / 2 pi from 0.2 to 0.8 Hz,    w = 2 pi 0.8 Hz,    each joint's force within its effort

held for 20 ms at a time, so that every integrator sees the same. These forces are recorded; then both engines get them as they
are, from the same start, without feedback; a robot that nothing holds also falls, since its forces leave gravity to it. (Sines
alone send an undamped chain whirling, and legs that carry a weight by constant torques fold up: such a motion shows the last bit
of everything.) The reference integrates pinocchio's accelerations by DOP853 to 1e-11. Ours runs thrice: by RK4 with a small step,
which leaves what the *engines* differ by; and as the twin runs, at its step and at half of it, which leaves what the
twin's *step* costs: 16 times less at half the step for RK4, 2 times for implicitfast.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.crosscheck.our_mechanism import OurMechanism
from didymos.crosscheck.rigid_bodies import RigidBodies
from didymos.describe.twin import Twin

__all__ = ["HOLD", "Motion", "Trajectories", "compare_trajectories", "excitation", "mass_matrix", "position_difference"]

Array = NDArray[np.float64]

HOLD = 0.02  # [s] that a force is held
_REACH = 0.2  # [rad] or [m]
_SLOWEST, _FASTEST = 0.2, 0.8  # [Hz]
_FINE = 0.0005  # [s], the small step
_TIGHT = 1e-11


@dataclass(frozen=True, eq=False)
class Motion:
    """A start and the forces that follow: `forces` [N or N m], shape [holds, nv], each held for `hold` [s]."""

    qpos: Array
    qvel: Array
    forces: Array
    hold: float


@dataclass(frozen=True, eq=False)
class Trajectories:
    """Positions at the end of every hold, shape [holds, nq], and the largest differences of a coordinate [m or rad]."""

    time: Array
    ours: Array
    theirs: Array
    difference: float  # engines, both integrated finely
    own_step: float  # ours at the twin's step and integrator
    half_step: float  # ours at half of it
    shaken: float  # ours, integrated finely and twice as finely

    @property
    def is_sensitive(self) -> bool:
        """Whether our own integrator moves the motion about as much as the engines differ: then it says nothing about them."""
        return self.shaken > 0.01 * self.difference


def excitation(twin: Twin, ours: OurMechanism, seconds: float, seed: int) -> Motion:
    """A motion of all degrees of freedom, the same for the same seed."""
    model, random = copy.copy(ours.model), np.random.default_rng(seed)
    hold, count = _fine(model)
    if twin.description.floating:
        model.opt.gravity[:] = 0.0
    turns = 2.0 * np.pi * random.uniform(_SLOWEST, _FASTEST, model.nv)
    reach = _REACH * random.choice((-1.0, 1.0), model.nv)
    most, swung, stiff = _efforts(twin, model), np.zeros(model.nv), 2.0 * np.pi * _FASTEST
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = ours.qpos, reach * turns
    forces = np.empty((round(seconds / hold), model.nv))
    for i in range(len(forces)):
        mujoco.mj_forward(model, data)
        mujoco.mj_differentiatePos(model, swung, 1.0, ours.qpos, data.qpos)
        swing, speed = reach * np.sin(turns * data.time), reach * turns * np.cos(turns * data.time)
        wanted = -(turns**2) * swing + 2.0 * stiff * (speed - data.qvel) + stiff**2 * (swing - swung)
        needed = mass_matrix(model, data) @ wanted + data.qfrc_bias - data.qfrc_passive
        forces[i] = np.clip(needed, -most, most)
        data.qfrc_applied[:] = forces[i]
        mujoco.mj_step(model, data, count)
    return Motion(ours.qpos, reach * turns, forces, hold)


def _fine(model: mujoco.MjModel) -> tuple[float, int]:
    """Let a model run by RK4 with a small step; the hold [s], and its steps."""
    step = float(model.opt.timestep)
    hold = max(1, round(HOLD / step)) * step
    count = int(np.ceil(hold / _FINE - 1e-9))
    model.opt.timestep, model.opt.integrator = hold / count, mujoco.mjtIntegrator.mjINT_RK4
    return hold, count


def _efforts(twin: Twin, model: mujoco.MjModel) -> Array:
    """What a joint may be driven with, as described [N or N m], shape [nv]."""
    most = np.full(model.nv, np.inf)
    for about in twin.description.joints.values():
        if about.effort and len(about.engine_joints) == 1:
            most[model.joint(about.engine_joints[0]).dofadr[0]] = about.effort
    return most


def mass_matrix(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """The engine's mass matrix of a state that `mj_forward` has seen, shape [nv, nv]."""
    made = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, made)
    return made


def compare_trajectories(
    ours: OurMechanism, theirs: RigidBodies, motion: Motion, progress: Callable[[float], None] = lambda _: None
) -> Trajectories:
    """The motion in both engines; `progress` is told which part of it is done."""
    reference = _reference(theirs, motion, lambda done: progress(0.8 * done))
    fine, own = copy.copy(ours.model), copy.copy(ours.model)
    _, count = _fine(fine)
    steps = round(motion.hold / own.opt.timestep)
    finely = _run(fine, motion, count)
    progress(0.9)
    runs = finely, _run(own, motion, steps), _run(own, motion, 2 * steps)
    differences = [position_difference(ours.model, run, reference) for run in runs]
    shaken = position_difference(ours.model, finely, _run(fine, motion, 2 * count))
    progress(1.0)
    time = np.asarray(motion.hold * np.arange(1, len(reference) + 1), dtype=np.float64)
    apart, own_step, half_step = differences
    return Trajectories(time, finely, reference, apart, own_step, half_step, shaken)


def position_difference(model: mujoco.MjModel, one: Array, other: Array) -> float:
    """The largest difference of a coordinate [m or rad] over a motion; of an orientation, the angle."""
    between = np.zeros(model.nv)
    largest = 0.0
    for a, b in zip(one, other, strict=True):
        if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
            return np.inf
        mujoco.mj_differentiatePos(model, between, 1.0, a, b)
        largest = max(largest, float(np.abs(between).max()))
    return largest


def _run(model: mujoco.MjModel, motion: Motion, count: int) -> Array:
    """Our engine, with so many steps in a hold."""
    model = copy.copy(model)
    model.opt.timestep = motion.hold / count
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = motion.qpos, motion.qvel
    found = np.empty((len(motion.forces), model.nq))
    for i, forces in enumerate(motion.forces):
        data.qfrc_applied[:] = forces
        mujoco.mj_step(model, data, count)
        found[i] = data.qpos
    return found


def _reference(theirs: RigidBodies, motion: Motion, progress: Callable[[float], None]) -> Array:
    """pinocchio's accelerations, integrated tightly."""
    from scipy.integrate import solve_ivp

    split = len(motion.qpos)
    state = np.concatenate([motion.qpos, motion.qvel])
    found = np.empty((len(motion.forces), split))
    for i, forces in enumerate(motion.forces):

        def rate(_: float, y: Array, forces: Array = forces) -> Array:
            qpos, qvel = y[:split], y[split:]
            return np.concatenate([theirs.coordinates.rate(qpos, qvel), theirs.acceleration(qpos, qvel, forces)])

        piece = solve_ivp(rate, (0.0, motion.hold), state, method="DOP853", rtol=_TIGHT, atol=_TIGHT, first_step=motion.hold / 4)
        if not piece.success:
            found[i:] = np.nan
            return found
        state = piece.y[:, -1]
        found[i] = state[:split]
        progress((i + 1) / len(motion.forces))
    return found
