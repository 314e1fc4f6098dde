"""Small motions about a trim: dx/dt = A x + B c, by central differences of the engine's own accelerations.

Axes are those of the trim, fixed in the body: forward along the velocity (stability axes), right, down; where it hovers they are
level. Angles are Euler's (Z-Y-X) of these axes against north-east-down, the heading and the place over ground left out, because
nothing hangs on them:

    x = (u [m/s], w [m/s], q [rad/s], theta [rad], h [m],    v [m/s], p [rad/s], r [rad/s], phi [rad],    followers)

u, v, w are velocities of the root link along the axes, p, q, r its rates about them, h its height; followers are what moves with
the flight (`aircraft`): states of engines, speeds of axles, positions and velocities of held joints. c are the commands per axis
(`flight_axes`). Rate limits of servos do not show in small motions.

Reduced (`reduced`) are followers taken for settled at once and the height left out: the eight classical states,

    A_r = A_11 - A_12 A_22^-1 A_21,    B_r = B_1 - A_12 A_22^-1 B_2

Reference: Etkin & Reid, Dynamics of Flight (1996), chapters 4 and 6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.engine.aircraft import Aircraft, Motion, Vector
from didymos.engine.flight_axes import AXES
from didymos.engine.trim import Trim, motion_of
from didymos.rotations import quaternion_to_matrix

__all__ = ["LATERAL", "LONGITUDINAL", "LinearFlight", "deviations", "linearise", "put_disturbed"]

LONGITUDINAL = ("u", "w", "q", "theta", "h")
LATERAL = ("v", "p", "r", "phi")
_UNITS = {
    "u": "m/s", "w": "m/s", "q": "rad/s", "theta": "rad", "h": "m", "v": "m/s", "p": "rad/s", "r": "rad/s", "phi": "rad",
}  # fmt: skip
_STEPS = {"u": 1e-4, "w": 1e-4, "q": 1e-5, "theta": 1e-6, "h": 1e-2, "v": 1e-4, "p": 1e-5, "r": 1e-5, "phi": 1e-6}
_STEP = 1e-5  # of followers, relative, and of commands
_TO_FRD = np.diag([1.0, -1.0, -1.0])
_TO_NED = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])  # x ahead, y to the right, z down


@dataclass(frozen=True)
class LinearFlight:
    """dx/dt = A x + B c about a trim; names and units of the states, and the axes of c."""

    trim: Trim
    states: tuple[str, ...]
    units: tuple[str, ...]
    axes: tuple[str, ...]
    a: NDArray[np.float64]  # [n, n]
    b: NDArray[np.float64]  # [n, axes]

    def reduced(self, *, height: bool = False) -> LinearFlight:
        """With the eight classical states: followers settled, height constant unless it is wanted."""
        keep = [self.states.index(name) for name in (*LONGITUDINAL, *LATERAL) if height or name != "h"]
        rest = list(range(9, len(self.states)))
        a, b = self.a[np.ix_(keep, keep)], self.b[keep]
        if rest:
            into = np.linalg.solve(self.a[np.ix_(rest, rest)], np.hstack([self.a[np.ix_(rest, keep)], self.b[rest]]))
            a = a - self.a[np.ix_(keep, rest)] @ into[:, : len(keep)]
            b = b - self.a[np.ix_(keep, rest)] @ into[:, len(keep) :]
        return LinearFlight(
            self.trim, tuple(self.states[i] for i in keep), tuple(self.units[i] for i in keep), self.axes, a, b
        )

    def block(self, names: tuple[str, ...]) -> NDArray[np.float64]:
        """A of some of the states."""
        places = [self.states.index(name) for name in names]
        return self.a[np.ix_(places, places)]

    def of(self, state: str, by: str) -> float:
        """One number: the derivative of d(state)/dt by a state or by the command of an axis."""
        row = self.states.index(state)
        if by in self.axes:
            return float(self.b[row, self.axes.index(by)])
        return float(self.a[row, self.states.index(by)]) if by in self.states else 0.0


def _euler(phi: float, theta: float, psi: float) -> Vector:
    """Rotation from forward-right-down axes to north-east-down."""
    cf, sf, ct, st, cp, sp = (f(x) for x in (phi, theta, psi) for f in (math.cos, math.sin))
    return np.array(
        [
            [ct * cp, sf * st * cp - cf * sp, cf * st * cp + sf * sp],
            [ct * sp, sf * st * sp + cf * cp, cf * st * sp - sf * cp],
            [-st, sf * ct, cf * ct],
        ]
    )


class _Disturbed:
    """A trim that can be disturbed: from small x and c to a motion, and back from accelerations to rates of x."""

    def __init__(self, aircraft: Aircraft, trim: Trim) -> None:
        self.aircraft, self.trim = aircraft, trim
        motion = motion_of(trim.flight, trim.theta, trim.bank, trim.heading, trim.turn)
        body = _TO_NED @ motion.rotation @ _TO_FRD  # from the body's forward-right-down to north-east-down
        if trim.airspeed == 0.0:
            axes = body.T  # level
        else:
            c, s = math.cos(trim.alpha), math.sin(trim.alpha)
            axes = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
        self.axes = axes  # [3, 3], from the axes of the trim to the body's
        whole = body @ axes
        self.theta = -math.asin(max(-1.0, min(1.0, whole[2, 0])))
        self.phi = math.atan2(whole[2, 1], whole[2, 2])
        self.psi = math.atan2(whole[1, 0], whole[0, 0])
        self.velocity = whole.T @ (_TO_NED @ motion.velocity)
        self.rate = axes.T @ (_TO_FRD @ motion.rate)
        self.followers = np.array([trim.followers[name] for name in aircraft.follower_names])
        self.held = aircraft.held_joints
        held = aircraft.follower_names[len(self.followers) - self.held :]
        speeds = [name.removesuffix("position") + "velocity" for name in held]
        self.states = (*LONGITUDINAL, *LATERAL, *aircraft.follower_names, *speeds)
        self.commands = tuple(axis for axis in AXES if axis in trim.commands)

    def put(self, x: Vector, c: Vector) -> tuple[Vector, Vector, Vector]:
        """Put the aircraft there; velocity and rate along the axes, and the angles."""
        about = dict(zip(self.states, x.tolist(), strict=True))
        velocity = self.velocity + np.array([about["u"], about["v"], about["w"]])
        rate = self.rate + np.array([about["p"], about["q"], about["r"]])
        phi, theta = self.phi + about["phi"], self.theta + about["theta"]
        whole = _euler(phi, theta, self.psi)
        rotation = _TO_NED.T @ (whole @ self.axes.T) @ _TO_FRD
        motion = Motion(
            self.trim.height + about["h"], rotation, _TO_NED.T @ (whole @ velocity), _TO_FRD @ (self.axes @ rate)
        )
        count = len(self.followers)
        commands = {**self.trim.commands}
        for axis, value in zip(self.commands, c.tolist(), strict=True):
            commands[axis] += value
        self.aircraft.put(motion, commands, self.followers + x[9 : 9 + count], x[9 + count :])
        return velocity, rate, np.array([phi, theta])

    def rates(self, x: Vector, c: Vector) -> Vector:
        """dx/dt."""
        velocity, rate, (phi, theta) = self.put(x, c)
        own, follow = self.aircraft.accelerations()
        whole = _euler(phi, theta, self.psi)
        linear = whole.T @ (_TO_NED @ own[:3]) - np.cross(rate, velocity)
        angular = self.axes.T @ (_TO_FRD @ own[3:6])
        p, q, r = rate
        turning = q * math.cos(phi) - r * math.sin(phi)
        rolling = p + (q * math.sin(phi) + r * math.cos(phi)) * math.tan(theta)
        climb = -float((whole @ velocity)[2])
        rigid = [linear[0], linear[2], angular[1], turning, climb, linear[1], angular[0], angular[2], rolling]
        moving = len(self.followers) - self.held
        return np.array([*rigid, *follow[:moving], *x[len(x) - self.held :], *follow[moving:]])


def linearise(aircraft: Aircraft, trim: Trim) -> LinearFlight:
    """The linear model of an aircraft about one of its trims."""
    there = _Disturbed(aircraft, trim)
    count, axes = len(there.states), len(there.commands)
    steps = [_STEPS[name] for name in (*LONGITUDINAL, *LATERAL)]
    steps += [_STEP * max(1.0, abs(value)) for value in there.followers] + [_STEP] * there.held
    a, b = np.empty((count, count)), np.empty((count, axes))
    for i, size in enumerate(steps):
        x = np.zeros(count)
        x[i] = size
        a[:, i] = (there.rates(x, np.zeros(axes)) - there.rates(-x, np.zeros(axes))) / (2.0 * size)
    for i in range(axes):
        c = np.zeros(axes)
        c[i] = _STEP
        b[:, i] = (there.rates(np.zeros(count), c) - there.rates(np.zeros(count), -c)) / (2.0 * _STEP)
    units = tuple(_UNITS.get(name) or _unit(aircraft, name) for name in there.states)
    return LinearFlight(trim, there.states, units, there.commands, a, b)


def put_disturbed(aircraft: Aircraft, trim: Trim, x: Vector) -> None:
    """Put an aircraft beside a trim, by a state x of its linear model."""
    there = _Disturbed(aircraft, trim)
    there.put(x, np.zeros(len(there.commands)))


def deviations(aircraft: Aircraft, trim: Trim, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nine rigid states of logged rows of height [m], orientation, velocity and rate in the body; [n, 11] -> [n, 9]."""
    there = _Disturbed(aircraft, trim)
    found = np.empty((len(rows), 9))
    for i, row in enumerate(rows):
        whole = _TO_NED @ quaternion_to_matrix(row[1:5]) @ _TO_FRD @ there.axes
        velocity = there.axes.T @ (_TO_FRD @ row[5:8]) - there.velocity
        rate = there.axes.T @ (_TO_FRD @ row[8:11]) - there.rate
        theta, phi = -math.asin(max(-1.0, min(1.0, whole[2, 0]))), math.atan2(whole[2, 1], whole[2, 2])
        u, v, w = velocity
        p, q, r = rate
        found[i] = u, w, q, theta - there.theta, row[0] - trim.height, v, p, r, phi - there.phi
    return found


def _unit(aircraft: Aircraft, name: str) -> str:
    """The unit of a follower."""
    kind, owner, quantity = name.split(".", 1)[0], name.split(".", 1)[-1].rpartition(".")[0], name.rpartition(".")[2]
    if kind == "parts":
        part = aircraft.twin.file.parts[owner]
        return next(item.unit for item in part.contract.states if item.name == quantity)
    if kind == "joints":
        return {"velocity": "rad/s", "position": "rad"}[quantity]
    return ""
