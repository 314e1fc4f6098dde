"""Where the robot is when a shadow begins to look: least squares over its first readings.

    min over dq of  sum ((z - h(q (+) dq)) / s)^2 + sum (dq / s_0)^2

by Gauss and Newton, first for the positions (places, attitudes, angles, fields, heights), from the twin's own start and, for a
floating robot, from headings all around, then for the velocities. s_0 says how far from the start the robot may be. What the
actuators have been doing is found by letting the inputs act for half a second while the robot is held.

A floating robot may stand where the twin's own start stands, which places and heights do not tell within their noise, but
accelerations do: it feels its weight. So the twin is put there as well, with the place and heading that were found, and let
come to rest; where it does, all readings there are compared with all readings where it was found, and the better of the two is
the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.errors import RunError
from didymos.rotations import angle, quaternion_product, rotation_vector_to_quaternion
from didymos.shadow.channels import compare
from didymos.shadow.observer import Observer
from didymos.shadow.stepper import Stepper

__all__ = ["find_start"]

_Array = NDArray[np.float64]
_RATES = ("m/s", "rad/s", "rev/s", "m/s^2", "N m", "N", "A", "V", "K", "1", "")
_VELOCITIES = ("m/s", "rad/s", "rev/s")
_FAR = {"linear": 1000.0, "angular": 0.5, "hinge": 10.0, "slide": 10.0}  # s_0 of positions
_FAST = {"linear": 5.0, "angular": 2.0, "hinge": 20.0, "slide": 5.0}  # s_0 of velocities
_HEADINGS = (0.0, 0.5 * np.pi, np.pi, -0.5 * np.pi)
_CLEARLY = 9.0  # by how much another heading has to fit better: three standard deviations; else it stays the twin's own
_ROUNDS = 12
_STEP = 1e-5
_HELD = 0.5  # [s]
_LOOK, _LOOKS = 0.1, 50  # [s] after which it is looked whether a twin has come to rest, and how often
_AT_REST = 1e-3  # [m/s or rad/s]: a thousandth in a step is half of a metre per second squared
_FITTED = 2.0 * 12  # what twelve numbers that were fitted to the readings are worth (Akaike), those of a floating body


def find_start(observer: Observer, readings: Mapping[int, _Array], inputs: _Array) -> None:
    """Put the twin where readings of channels, by number, say that the robot is, with the inputs that it gets."""
    stepper, kinds = observer.stepper, observer.kinds
    stepper.go_home()
    base = stepper.vector.copy()
    places = [i for i in readings if observer.channels[i].unit not in _RATES]
    speeds = [i for i in readings if observer.channels[i].unit in _VELOCITIES]
    far = np.array([_FAR[kind] for kind in kinds])
    heading = _heading(stepper.model)
    best: tuple[float, _Array] | None = None
    for turn in _HEADINGS if heading is not None else (0.0,):
        stepper.vector[:] = base
        stepper.back()
        if heading is not None:
            first = np.zeros(stepper.states)
            first[heading] = turn
            stepper.move(first)
            stepper.keep()
        loss = _least_squares(observer, places, readings, inputs, far, 0)
        if best is None or loss < best[0] - _CLEARLY:
            best = loss, stepper.vector.copy()
    assert best is not None
    stepper.vector[:] = best[1]
    stepper.back()
    _hold(observer, inputs)
    _least_squares(observer, speeds, readings, inputs, np.array([_FAST[kind] for kind in kinds]), stepper.nv)
    if heading is not None:
        _stand(observer, readings, inputs, heading - 5)
    observer.begin()
    observer.settle(inputs)


def _heading(model: mujoco.MjModel) -> int | None:
    """The degree of freedom about the vertical of a robot that floats."""
    for joint in range(model.njnt):
        if int(model.jnt_type[joint]) == int(mujoco.mjtJoint.mjJNT_FREE):
            return int(model.jnt_dofadr[joint]) + 5
    return None


def _least_squares(
    observer: Observer, numbers: Sequence[int], readings: Mapping[int, _Array], inputs: _Array, spread: _Array, first: int
) -> float:
    """Move positions (`first` 0) or velocities (nv) until the readings fit; what is left."""
    stepper = observer.stepper
    if not numbers:
        return 0.0
    nv = stepper.nv
    moved = np.zeros(nv)
    loss = np.inf
    for _ in range(_ROUNDS):
        residual = _residual(observer, numbers, readings, inputs)
        if residual is None:
            return np.inf
        jacobian = np.zeros((len(residual), nv))
        for dof in range(nv):
            displacement = np.zeros(stepper.states)
            displacement[first + dof] = _STEP
            stepper.back()
            stepper.move(displacement)
            other = _residual(observer, numbers, readings, inputs, back=False)
            if other is not None:
                jacobian[:, dof] = (other - residual) / _STEP
        normal = jacobian.T @ jacobian + np.diag(spread**-2)
        step = -np.linalg.solve(normal, jacobian.T @ residual + moved / spread**2)
        loss = float(residual @ residual + (moved / spread) @ (moved / spread))
        moved += step
        whole = np.zeros(stepper.states)
        whole[first : first + nv] = step
        stepper.back()
        stepper.move(whole)
        stepper.keep()
        if np.abs(step / spread).max() < 1e-9:
            break
    return loss


def _residual(
    observer: Observer, numbers: Sequence[int], readings: Mapping[int, _Array], inputs: _Array, *, back: bool = True
) -> _Array | None:
    """Errors of channels over their noise; None where the twin cannot be there."""
    if back:
        observer.stepper.back()
    try:
        rows = observer.stepper.run(inputs[None, :])
    except RunError:
        return None
    found = []
    for number in numbers:
        channel = observer.channels[number]
        row = rows[-1 if channel.sensed else 0, list(channel.columns)]
        spread = [bias.sd for bias in observer.biases if bias.channel == number]
        found.append(-compare(channel, readings[number], row) / np.hypot(channel.sd, max(spread, default=0.0)))
    return np.concatenate(found)


def _hold(observer: Observer, inputs: _Array) -> None:
    """Let the inputs act on what parts remember while the robot stays where it is; what no reading shows may move."""
    stepper = observer.stepper
    still = np.array([kind in ("linear", "angular") for kind in observer.kinds]) | _driven(stepper.model)
    qpos, qvel, _ = stepper.state()
    try:
        for _ in range(round(_HELD / stepper.period)):
            stepper.back()
            stepper.run(inputs[None, :])
            speed = stepper.data.qvel.copy()
            stepper.data.qpos[:] = qpos
            stepper.data.qvel[:] = np.where(still, qvel, speed)
            stepper.keep()
    except RunError:  # it cannot be held there; its parts begin as they are
        stepper.back()


def _stand(observer: Observer, readings: Mapping[int, _Array], inputs: _Array, free: int) -> None:
    """Let the twin stand as its own start does, if it rests there and the robot's readings fit better than where it was found."""
    stepper = observer.stepper
    numbers = list(readings)
    found, above = stepper.state(), _residual(observer, numbers, readings, inputs)
    _put(stepper, *_standing(stepper, found, free))
    now, here, rests = stepper.tick, stepper.vector.copy(), False
    rows = np.repeat(inputs[None], max(1, round(_LOOK / stepper.period)), axis=0)
    try:
        for _ in range(_LOOKS):
            stepper.back()
            stepper.run(rows)
            stepper.keep()
            rests = bool(stepper.data.ncon) and float(np.abs(stepper.data.qvel[free : free + 6]).max()) < _AT_REST
            if rests:
                break
    except RunError:  # it cannot stand there
        rests = False
    settled = stepper.state()
    stepper.vector[:], stepper.tick = here, now
    _put(stepper, *settled)
    below = _residual(observer, numbers, readings, inputs) if rests else None
    if below is None or (above is not None and below @ below > above @ above + _FITTED):
        _put(stepper, *found)


def _standing(stepper: Stepper, found: tuple[_Array, _Array, _Array], free: int) -> tuple[_Array, _Array, _Array]:
    """A state as it was found, but with the height and the tilt of the twin's own start, and at rest; `free` is its first dof."""
    model, (qpos, qvel, act) = stepper.model, found
    joint = int(model.dof_jntid[free])
    q = int(model.jnt_qposadr[joint])
    at, speeds = qpos.copy(), qvel.copy()
    home = stepper.home[None, q + 3 : q + 7]
    turn = np.array([[0.0, 0.0, float((angle("yaw", qpos[None, q + 3 : q + 7]) - angle("yaw", home))[0])]])
    at[q + 2], at[q + 3 : q + 7] = stepper.home[q + 2], quaternion_product(rotation_vector_to_quaternion(turn), home)[0]
    speeds[free : free + 6] = 0.0
    return at, speeds, act


def _put(stepper: Stepper, qpos: _Array, qvel: _Array, act: _Array) -> None:
    """Let the next step begin in a state."""
    stepper.back()
    stepper.data.qpos[:], stepper.data.qvel[:], stepper.data.act[:] = qpos, qvel, act
    stepper.keep()


def _driven(model: mujoco.MjModel) -> NDArray[np.bool_]:
    """Degrees of freedom that carry more than themselves; a rotor's axle does not."""
    heavy = np.zeros(model.nv, dtype=np.bool_)
    share = 1e-3 * float(model.body_mass.sum())
    for dof in range(model.nv):
        heavy[dof] = float(model.body_subtreemass[int(model.dof_bodyid[dof])]) > share
    return heavy
