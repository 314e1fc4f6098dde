"""Gains of `fixed_wing` from the linear model of a plane: bandwidths by its modes, delays and g / V, poles checked at the end.

Derivatives are those of the reduced model (L_p = dp'/dp, L_a = dp'/d roll, M_e = dq'/d pitch, ...), T the delay of an axis
(`FlightModel.delay`), f a factor that begins at 1, one for the longitudinal and one for the lateral loops.

    roll      w = f min(0.35 / T, sqrt(L_a / 0.35 rad)),   kp = w^2 / L_a,   kd = (1.6 w + L_p) / L_a >= 0,   ki = kp b / 20,
              b = w^2 / max(1.6 w, -L_p) its bandwidth
    pitch     below its short period a plane turns its nose at k = M_e (-Z_w) / w_sp^2 per unit: w = f min(0.4 w_sp, 0.3 / T),
              kp = w / k <= 1 / 0.25 rad,   ki = kp w / 6,   kd for a short period of damping 0.7; a w_sp below 4 g/V is put to
              6 g/V by kp
    heading   kp = min(1.2, f b V / 4g),                          ki = kp w / 40,   w = kp g / V
    height    w = 0.7 f g / V,   kd = 0.5 / V,   kp = 1.5 w / V,   ki = kp w / 5
    airspeed  w = f min(1.5 g / V, 0.3 / T),   kp = max(w + X_u, 0.3 w) / X_t,   ki = w max(w, -X_u) / 2 X_t
    yaw       kp for a Dutch roll of damping 0.7, at least 0.2 w_dr / N_r, at most 1
    path      gain for a third of the heading's bandwidth, radius a fifth of the tightest turn's

w_sp^2 and 2 z w of the short period are determinant and trace of the block (w, q), those of the Dutch roll of (v, r). All loops
are then closed on the model at once, each axis behind a lag of T: where a pole is not in the left half-plane, or a swing of more
than 0.3 rad/s is damped by less than 0.3, the factor of that motion shrinks by 0.8 and its loops are found anew, down to 0.1.

References: Beard & McLain (2012), ch. 6, for the loops; Froude's scaling (times as V / g) for what hangs on no mode.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from didymos.control.flight_model import FlightModel

__all__ = ["DESIGNED", "closed_loop", "fixed_wing_gains"]

DESIGNED: tuple[str, ...] = (
    "roll.kp", "roll.ki", "roll.kd", "pitch.kp", "pitch.ki", "pitch.kd", "height.kp", "height.ki", "height.kd", "heading.kp",
    "heading.ki", "airspeed.kp", "airspeed.ki", "yaw.kp", "trim.nose", "trim.pitch", "trim.throttle", "path.gain", "path.radius",
)  # fmt: skip
"""Gains that are designed where a twin does not give them."""

_BANK, _APPROACH = 0.5236, 1.0  # [rad], `bank.limit` and `path.approach` as the program has them
_LEAST_DAMPING, _SLOW = 0.3, 0.3
_ALONG = ("u", "w", "q", "theta", "h", "pitch", "thrust", "tube", "int_pitch", "int_height", "int_speed")
_ACROSS = ("v", "p", "r", "phi", "psi", "roll", "yaw", "int_roll", "int_heading")
_SHRINKS, _LEAST = 0.8, 0.1
_TUBE = 0.3  # [s], of the filter behind the airspeed


def fixed_wing_gains(model: FlightModel) -> dict[str, float]:
    """Gains by path for a plane in level flight."""
    along = across = 1.0
    found = _longitudinal(model, along) | _lateral(model, across)
    while along > _LEAST and not _is_damped(closed_loop(model, found, _ALONG)):
        along *= _SHRINKS
        found |= _longitudinal(model, along)
    while across > _LEAST and not _is_damped(closed_loop(model, found, _ACROSS)):
        across *= _SHRINKS
        found |= _lateral(model, across)
    return found


def _longitudinal(model: FlightModel, share: float) -> dict[str, float]:
    speed, ratio = model.airspeed, model.gravity / model.airspeed
    climbing = 0.7 * share * ratio
    up = 1.5 * climbing / speed
    return {
        **_pitch(model, share, ratio), **_airspeed(model, share, ratio),
        "height.kp": up, "height.ki": up * climbing / 5.0, "height.kd": 0.5 / speed,
        "trim.nose": model.nose, "trim.pitch": model.commands.get("pitch", 0.0),
        "trim.throttle": model.commands.get("thrust", 0.0),
    }  # fmt: skip


def _lateral(model: FlightModel, share: float) -> dict[str, float]:
    speed, ratio = model.airspeed, model.gravity / model.airspeed
    roll, bandwidth = _roll(model, share)
    heading = min(1.2, share * bandwidth / (4.0 * ratio))
    turning = heading * ratio
    return {
        **roll, "yaw.kp": _yaw(model), "heading.kp": heading, "heading.ki": heading * turning / 40.0,
        "path.gain": 0.35 * turning * math.pi / (2.0 * speed * _APPROACH),
        "path.radius": 0.2 * speed**2 / (model.gravity * math.tan(_BANK)),
    }  # fmt: skip


def _roll(model: FlightModel, share: float) -> tuple[dict[str, float], float]:
    """Gains of roll, and its bandwidth [rad/s]."""
    power, damping = model.of("p", "roll"), model.of("p", "p")
    if power <= 0.0:
        return {"roll.kp": 0.0, "roll.ki": 0.0, "roll.kd": 0.0}, 0.0
    fast = share * min(0.35 / model.delay("roll"), math.sqrt(power / 0.35))
    kp = fast**2 / power
    bandwidth = fast**2 / max(1.6 * fast, -damping)
    kd = max(1.6 * fast + damping, 0.0) / power
    return {"roll.kp": kp, "roll.ki": kp * bandwidth / 20.0, "roll.kd": kd}, bandwidth


def _pitch(model: FlightModel, share: float, ratio: float) -> dict[str, float]:
    power = model.of("q", "pitch")
    if power <= 0.0:
        return {"pitch.kp": 0.0, "pitch.ki": 0.0, "pitch.kd": 0.0}
    square = model.of("w", "w") * model.of("q", "q") - model.of("w", "q") * model.of("q", "w")
    natural, heave = -(model.of("w", "w") + model.of("q", "q")), -model.of("w", "w")
    if square > (4.0 * ratio) ** 2 and heave > 0.0:
        fast = math.sqrt(square)
        w = share * min(0.4 * fast, 0.3 / model.delay("pitch"))
        kp = w * square / (power * heave)
    else:
        fast = 6.0 * ratio
        w = 0.4 * share * fast
        kp = (fast**2 - square) / power
    kp = min(kp, 1.0 / 0.25)
    return {"pitch.kp": kp, "pitch.ki": kp * w / 6.0, "pitch.kd": max(1.4 * fast - natural, 0.0) / power}


def _yaw(model: FlightModel) -> float:
    power = model.of("r", "yaw")
    if power <= 0.0:
        return 0.0
    square = model.of("v", "v") * model.of("r", "r") - model.of("v", "r") * model.of("r", "v")
    natural, fast = -(model.of("v", "v") + model.of("r", "r")), math.sqrt(max(square, 0.0))
    return min(max(1.4 * fast - natural, 0.2 * fast) / power, 1.0)


def _airspeed(model: FlightModel, share: float, ratio: float) -> dict[str, float]:
    power, damping = model.of("u", "thrust"), model.of("u", "u")
    if power <= 0.0:
        return {"airspeed.kp": 0.0, "airspeed.ki": 0.0}
    fast = share * min(1.5 * ratio, 0.3 / (model.delay("thrust") + _TUBE))
    return {
        "airspeed.kp": max(fast + damping, 0.3 * fast) / power,
        "airspeed.ki": 0.5 * fast * max(fast, -damping) / power,
    }


def closed_loop(
    model: FlightModel, gains: dict[str, float], only: tuple[str, ...] | None = None
) -> NDArray[np.float64]:
    """The matrix of plane and autopilot in small motions, or that of some of its states.

    States are those of the plane, heading, the four axes behind their lags, the filtered airspeed, and the integrals of roll,
    pitch, height, heading and airspeed.
    """
    n, axes = len(model.states), ("roll", "pitch", "yaw", "thrust")
    names = [*model.states, "psi", *axes, "tube", "int_roll", "int_pitch", "int_height", "int_heading", "int_speed"]
    at = {name: i for i, name in enumerate(names)}
    unit = np.eye(len(names))

    def x(name: str) -> NDArray[np.float64]:
        return unit[at[name]]

    rows = np.zeros((len(names), len(names)))
    rows[:n, :n] = model.a
    for axis in axes:
        if axis in model.axes:
            rows[:n, at[axis]] = model.b[:, model.axes.index(axis)]
    climb = rows[at["h"]].copy()
    bank = -gains["heading.kp"] * x("psi") + x("int_heading")
    nose = -gains["height.kp"] * x("h") + x("int_height") - gains["height.kd"] * climb
    turn = model.gravity / model.airspeed * x("phi") - x("r")
    asked = {
        "roll": gains["roll.kp"] * (bank - x("phi")) + x("int_roll") - gains["roll.kd"] * x("p"),
        "pitch": gains["pitch.kp"] * (nose - x("theta")) + x("int_pitch") - gains["pitch.kd"] * x("q"),
        "yaw": gains["yaw.kp"] * turn,
        "thrust": -gains["airspeed.kp"] * x("tube") + x("int_speed"),
    }
    for axis, command in asked.items():
        rows[at[axis]] = (command - x(axis)) / model.delay(axis)
    rows[at["psi"]] = x("r")
    rows[at["tube"]] = (x("u") - x("tube")) / _TUBE
    rows[at["int_roll"]] = gains["roll.ki"] * (bank - x("phi"))
    rows[at["int_pitch"]] = gains["pitch.ki"] * (nose - x("theta"))
    rows[at["int_height"]] = -gains["height.ki"] * x("h")
    rows[at["int_heading"]] = -gains["heading.ki"] * x("psi")
    rows[at["int_speed"]] = -gains["airspeed.ki"] * x("tube")
    keep = list(range(len(names))) if only is None else [at[name] for name in only]
    return rows[np.ix_(keep, keep)]


def _is_damped(matrix: NDArray[np.float64]) -> bool:
    for value in np.linalg.eigvals(matrix):
        if value.real > -1e-6 and abs(value) > 1e-6:
            return False
        if abs(value.imag) > _SLOW and -value.real < _LEAST_DAMPING * abs(value):
            return False
    return True
