"""The power unit as one compiled function with its derivatives, and what one recording says of its gear.

    J th'' = tau + r(th) - sgn(v) (F_C + f(th) + (F_S - f(th)) exp(-(v / v_S)^2))
    r(th) = sum_i s_i sin(k_i th) + c_i cos(k_i th) + sum_j R_j B_j(th),         f(th) = sum_j F_j B_j(th)

B are cubic B-splines at even distances, zero beyond the angles seen. Unknown are J, F_C, F_S, v_S (as logarithms), s, c, R and F:
204 numbers from 1600 samples, so they have priors. Waves: 10 mN m each. R: a process of 5 mN m that forgets within 0.03 rev
(Matern 3/2). F: a slow one of 6 mN m (0.6 rev) and a quick one of 2 mN m (0.05 rev), of mean zero over the angles seen, so that
F_C holds far from them; it reaches beyond them as far as it remembers. Errors count beside 0.005 rad and 0.06 rad/s, about what
the teeth leave. These sizes are the ones, of those tried, that predict best the sixteenth of the sine that was left out
(`make_power_unit.py`). The estimate is the mode: Gauss-Newton on exact derivatives of the run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

Array = NDArray[np.float64]
TURN, RATIO, STEP, HELD = 2 * np.pi, 9.97, 0.001, 0.005  # rad, 1, s, s
AT_OUTPUT = TURN / RATIO  # rad of the output per turn of the motor
KP, KD, FILTER, DELAY, ENABLE = 1.7, 0.05, 0.0032, 0.001, 0.0115
ORDERS = np.array([4.1114, 12.9833, 11.9833, 25.9667, 3.4781, 8.8719])
START = np.array([3.252e-4 + 1.05479e-4 / RATIO**2, 0.07276, 0.02269, 0.08995])  # J, F_C, F_S, v_S
ERRORS = (0.005, 0.06)  # rad, rad/s


@dataclass(frozen=True)
class Knots:
    """Even knots from `first`, `spacing` turns apart."""

    first: float = 0.0
    spacing: float = 1.0
    count: int = 0

    @property
    def at(self) -> Array:
        return self.first + self.spacing * np.arange(self.count)


RIPPLE, FRICTION = Knots(-1.0625, 1 / 48, 103), Knots(-1.75, 1 / 24, 85)
NO_KNOTS = Knots()


@dataclass(frozen=True, eq=False)
class Gear:
    """What is unknown of a drive: logarithms of `START`'s factors, waves, and values at knots."""

    orders: Array = field(default_factory=lambda: ORDERS)
    ripple: Knots = NO_KNOTS
    friction: Knots = NO_KNOTS
    values: Array = field(default_factory=lambda: np.zeros(0))  # logarithms (4), (s, c) of each wave, R, F

    @property
    def size(self) -> int:
        return 4 + 2 * len(self.orders) + self.ripple.count + self.friction.count

    @property
    def parts(self) -> tuple[Array, Array, Array, Array]:
        """J, F_C, F_S, v_S; waves [order, s or c]; R; F."""
        first = 4 + 2 * len(self.orders)
        numbers, waves, tables = np.split(self.values, [4, first])
        return START * np.exp(numbers), waves.reshape(-1, 2), tables[: self.ripple.count], tables[self.ripple.count :]

    def run(self, command: Array, times: Array, angle: float = 0.0, disturbance: Array | None = None) -> tuple[Array, Array]:
        """Position [rad] and velocity [rad/s] of the output at times, the gear having begun at an angle [rev]."""
        return self._simulate(command, times, angle, disturbance, False)[:2]

    def run_with_slopes(self, command: Array, times: Array) -> tuple[Array, Array, Array, Array]:
        """The same, and the derivatives of both by all values."""
        return self._simulate(command, times, 0.0, None, True)

    def _simulate(self, command: Array, times: Array, angle: float, disturbance: Array | None, slopes: bool) -> Any:
        steps = round(len(command) * HELD / STEP)
        pushed = np.zeros(steps) if disturbance is None else disturbance[:steps]
        found = np.empty((steps, 2)), np.empty((steps if slopes else 1, 2, self.size))
        numbers, waves, ripple, friction = self.parts
        knots = np.array([self.ripple.first, self.ripple.spacing, self.friction.first, self.friction.spacing])
        _simulate(command, numbers, self.orders, waves, ripple, friction, knots, angle, pushed, slopes, *found)
        place = np.minimum((times / STEP).astype(int), steps - 2)
        share = times / STEP - place
        x, v = (found[0][place] + share[:, None] * (found[0][place + 1] - found[0][place])).T * AT_OUTPUT
        if not slopes:
            return x, v
        moved = found[1][place] + share[:, None, None] * (found[1][place + 1] - found[1][place])
        return x, v, moved[:, 0] * AT_OUTPUT, moved[:, 1] * AT_OUTPUT


@numba.njit(cache=True)  # type: ignore[misc]
def _splines(u: float, spacing: float, weight: Array, slope: Array) -> None:
    a = 1 - u
    weight[0], weight[1] = a**3 / 6, (3 * u**3 - 6 * u**2 + 4) / 6
    weight[2], weight[3] = (3 * a**3 - 6 * a**2 + 4) / 6, u**3 / 6
    slope[0], slope[1] = -(a**2) / 2 / spacing, (9 * u**2 - 12 * u) / 6 / spacing
    slope[2], slope[3] = -(9 * a**2 - 12 * a) / 6 / spacing, u**2 / 2 / spacing


@numba.njit(cache=True)  # type: ignore[misc]
def _simulate(command, numbers, orders, waves, ripple, friction, knots, angle, pushed, slopes, rows, moved):  # type: ignore[no-untyped-def]
    """Semi-implicit Euler; friction holds where it can. Rows: x [rev] and measured v [rev/s]; `moved` their derivatives."""
    inertia, coulomb, stribeck, stribeck_speed = numbers
    h, passed = STEP / (inertia * TURN), 1 - np.exp(-STEP / FILTER)
    first_r = 4 + 2 * len(orders)
    first_f = first_r + len(ripple)
    dx, dv, dm = np.zeros(first_f + len(friction)), np.zeros(first_f + len(friction)), np.zeros(first_f + len(friction))
    wr, sr, wf, sf = np.zeros(4), np.zeros(4), np.zeros(4), np.zeros(4)
    sine, cosine = np.zeros(len(orders)), np.zeros(len(orders))
    x, v, measured = 0.0, 0.0, 0.0
    for k in range(len(rows)):
        time = k * STEP - DELAY
        on, torque = time >= ENABLE - 1e-12, 0.0
        if on:
            i = min(int(np.floor(time / HELD + 1e-9)), len(command) - 1)
            since = (time - i * HELD) / 0.001
            wanted = command[i - 1] + (command[i] - command[i - 1]) * since if since < 1 and i > 0 else command[i]
            torque = KP * (wanted - x) - KD * measured
        rows[k, 0], rows[k, 1] = x, measured
        if slopes:
            moved[k, 0], moved[k, 1] = dx, dm
        r, by_x, f, f_by_x = pushed[k], 0.0, 0.0, 0.0
        for i in range(len(orders)):
            a = TURN * orders[i] * (x + angle)
            sine[i], cosine[i] = np.sin(a), np.cos(a)
            r += waves[i, 0] * sine[i] + waves[i, 1] * cosine[i]
            by_x += TURN * orders[i] * (waves[i, 0] * cosine[i] - waves[i, 1] * sine[i])
        at = (x + angle - knots[0]) / knots[1]
        i_r = int(np.floor(at)) - 1
        _splines(at - i_r - 1, knots[1], wr, sr)
        at = (x + angle - knots[2]) / knots[3]
        i_f = int(np.floor(at)) - 1
        _splines(at - i_f - 1, knots[3], wf, sf)
        for q in range(4):
            if 0 <= i_r + q < len(ripple):
                r, by_x = r + wr[q] * ripple[i_r + q], by_x + sr[q] * ripple[i_r + q]
            if 0 <= i_f + q < len(friction):
                f, f_by_x = f + wf[q] * friction[i_f + q], f_by_x + sf[q] * friction[i_f + q]
        slip = v / stribeck_speed
        slow = np.exp(-slip * slip)
        held = coulomb + f + (stribeck - f) * slow
        freed = v + h * (torque + r)
        sign = 0.0 if abs(freed) <= h * held else np.sign(freed)
        if slopes:
            before = dv.copy()
            if sign == 0.0:
                dv[:] = 0.0
            else:
                dv *= 1 + h * sign * (stribeck - f) * slow * 2 * slip / stribeck_speed
                dv += h * ((by_x - sign * f_by_x * (1 - slow) - (KP if on else 0.0)) * dx - (KD if on else 0.0) * dm)
                dv[0] -= h * (torque + r - sign * held)
                dv[1] -= h * sign * coulomb
                dv[2] -= h * sign * stribeck * slow
                dv[3] -= h * sign * (stribeck - f) * slow * 2 * slip * slip
                for i in range(len(orders)):
                    dv[4 + 2 * i] += h * sine[i]
                    dv[5 + 2 * i] += h * cosine[i]
                for q in range(4):
                    if 0 <= i_r + q < len(ripple):
                        dv[first_r + i_r + q] += h * wr[q]
                    if 0 <= i_f + q < len(friction):
                        dv[first_f + i_f + q] -= h * sign * wf[q] * (1 - slow)
            dm += passed * (before - dm)
            dx += STEP * dv
        measured += passed * (v - measured)
        v = freed - sign * h * held if sign != 0.0 else 0.0
        x += STEP * v


def matern(at: Array, size: float, length: float) -> Array:
    """Covariance of a process that forgets over a length [rev]."""
    far = np.sqrt(3) * np.abs(at[:, None] - at) / length
    return size**2 * (1 + far) * np.exp(-far)


def slow(at: Array, size: float, length: float) -> Array:
    """Covariance of a smooth process."""
    return size**2 * np.exp(-0.5 * ((at[:, None] - at) / length) ** 2)


def precision(gear: Gear, ripple: float = 0.005, quick: float = 0.002, smooth: float = 0.006) -> Array:
    """Inverse covariance of the prior of all values."""
    blocks = [np.eye(4) / 0.15**2, np.eye(2 * len(gear.orders)) / 0.01**2]
    if gear.ripple.count:
        at = gear.ripple.at
        blocks.append(np.linalg.inv(matern(at, ripple, 0.03) + 1e-9 * np.eye(len(at))))
    if gear.friction.count:
        at = gear.friction.at
        inverse = np.linalg.inv(slow(at, smooth, 0.6) + matern(at, quick, 0.05) + 1e-9 * np.eye(len(at)))
        seen = (np.abs(at) <= 1.0) / np.count_nonzero(np.abs(at) <= 1.0)
        blocks.append(inverse + np.outer(seen, seen) / 1e-4**2)  # a mean of 0.1 mN m is already much
    return np.asarray(block_diag(*blocks))


def learn(gear: Gear, command: Array, times: Array, x: Array, v: Array, used: Array | None = None, **sizes: float) -> Gear:
    """The most likely values, given position [rad] and velocity [rad/s] of the output where they are used."""
    prior = precision(gear, **sizes)
    weight = np.ones(len(times)) if used is None else used.astype(float)
    weights = np.r_[weight / ERRORS[0], weight / ERRORS[1]]

    def misfit(at: Gear) -> float:
        error = weights * (np.r_[at.run(command, times)] - np.r_[x, v])
        return float(error @ error + at.values @ prior @ at.values)

    here = gear if len(gear.values) else replace(gear, values=np.zeros(gear.size))
    least, damping = misfit(here), 1e-3
    for _ in range(25):
        *said, x_slopes, v_slopes = here.run_with_slopes(command, times)
        slopes = weights[:, None] * np.vstack([x_slopes, v_slopes])
        curvature = slopes.T @ slopes + prior
        gradient = slopes.T @ (weights * (np.r_[tuple(said)] - np.r_[x, v])) + prior @ here.values
        for _ in range(7):
            step = np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), gradient)
            there = replace(here, values=here.values - step)
            loss = misfit(there)
            if loss < least:
                break
            damping *= 6
        else:
            return here
        small = least - loss < 1e-4 * least
        here, least, damping = there, loss, max(damping / 6, 1e-6)
        if small:
            return here
    return here
