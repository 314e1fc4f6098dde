"""Gains of the programs of multirotors from the linear model of their hover: poles placed behind the lag of the rotors.

b is what a unit of an axis does (b_roll = dp'/d roll [rad/s^2], b_z = -dw'/d thrust [m/s^2]), T its delay (`FlightModel.delay`).

    roll, pitch   b / (s^2 (T s + 1)) under kp and kd has the poles of (s^2 + 2 z w s + w^2)(s + 1/T - 2 z w), z = 0.6:
                  kp = w^2 (1 - 2 z w T) / b,   kd = (2 z w + w^2 T (1 - 4 z^2)) / b,   w = min(0.5 / T, sqrt(0.5 b), 20 rad/s)
    velocity      kp = min(0.3 w, 3.5),   ki = kp^2 / 5,   w of the slower of both;      position   kp = velocity.kp / 2.5
    height        w = min(0.25 / T, 3 rad/s):  kp = w^2 / b_z,   kd = 2.4 w / b_z,   ki = kp w / 6,   kff = 1 / b_z
    yaw           w = min(0.25 / T, sqrt(0.15 b), 2 rad/s):  kp = w^2 / b,   kd = 2 w / b
    tilt          ki = roll.kp w / 4

Behind their lag roll and pitch keep a phase margin of 41 deg; outer loops are two and a half times slower than those inside, and
more. `backstepping` has its poles at -a +- i: a = min(0.45 / T, 12 1/s), of yaw min(0.25 / T, 1.5 1/s); height as above with
b_z = 1 and up to 4 rad/s; its yaw moment is limited to a tenth of what a unit gives; mass, inertia and the curve of its rotors
are those of the model.

Reference: Franklin, Powell & Emami-Naeini, Feedback Control of Dynamic Systems, ch. 6 and 7.
"""

from __future__ import annotations

import math

from didymos.control.flight_model import FlightModel

__all__ = ["ATTITUDE", "BACKSTEPPING", "HOLD", "attitude_gains", "backstepping_gains", "place_gains"]

ATTITUDE: tuple[str, ...] = (
    "roll.kp", "roll.kd", "pitch.kp", "pitch.kd", "yaw.kp", "yaw.kd", "height.kp", "height.kd", "height.hover",
)  # fmt: skip
"""Gains of roll, pitch, yaw and height."""
HOLD: tuple[str, ...] = (*ATTITUDE, "height.ki", "position.kp", "velocity.kp", "velocity.ki")
"""The same with place and velocity."""
BACKSTEPPING: tuple[str, ...] = (
    "roll.a1", "roll.a2", "pitch.a1", "pitch.a2", "yaw.a1", "yaw.a2", "yaw.limit", "height.kp", "height.kd", "height.ki",
    "model.gravity", "model.mass", "model.inertia.x", "model.inertia.y", "model.inertia.z", "model.thrust_coefficient",
    "model.torque_ratio", "model.speed_per_input", "model.speed_at_zero",
)  # fmt: skip
"""Gains and model of `backstepping`."""

_DAMPING = 0.6


def _tilt(model: FlightModel, axis: str, state: str) -> tuple[float, float, float]:
    """kp, kd and w of roll or pitch."""
    power, late = model.of(state, axis), model.delay(axis)
    if power <= 0.0:
        return 0.0, 0.0, 0.0
    w = min(0.5 / late, math.sqrt(0.5 * power), 20.0)
    kp = w**2 * (1.0 - 2.0 * _DAMPING * w * late) / power
    return kp, (2.0 * _DAMPING * w + w**2 * late * (1.0 - 4.0 * _DAMPING**2)) / power, w


def _rising(model: FlightModel) -> float:
    return min(0.25 / model.delay("thrust"), 3.0)


def attitude_gains(model: FlightModel) -> dict[str, float]:
    """Gains of roll, pitch, yaw and height by path."""
    found = {}
    for axis, state in (("roll", "p"), ("pitch", "q")):
        found[f"{axis}.kp"], found[f"{axis}.kd"], _ = _tilt(model, axis, state)
    turn, lift, w = model.of("r", "yaw"), -model.of("w", "thrust"), _rising(model)
    slow = min(0.25 / model.delay("yaw"), math.sqrt(max(0.15 * turn, 0.0)), 2.0)
    found |= {"yaw.kp": slow**2 / turn if turn > 0.0 else 0.0, "yaw.kd": 2.0 * slow / turn if turn > 0.0 else 0.0}
    found |= {"height.kp": w**2 / lift, "height.kd": 2.4 * w / lift} if lift > 0.0 else {"height.kp": 0.0, "height.kd": 0.0}
    return {**found, "height.hover": model.commands.get("thrust", 0.0)}


def place_gains(model: FlightModel) -> dict[str, float]:
    """Gains of place, velocity, attitude and height by path."""
    found = attitude_gains(model)
    tilt = min(_tilt(model, axis, state)[2] for axis, state in (("roll", "p"), ("pitch", "q")))
    velocity, lift = min(0.3 * tilt, 3.5), -model.of("w", "thrust")
    found |= {"velocity.kp": velocity, "velocity.ki": velocity**2 / 5.0, "position.kp": velocity / 2.5}
    found |= {"height.ki": found["height.kp"] * _rising(model) / 6.0, "height.kff": 1.0 / lift if lift > 0.0 else 0.0}
    return {**found, "tilt.ki": found["roll.kp"] * tilt / 4.0}


def backstepping_gains(model: FlightModel) -> dict[str, float]:
    """Gains and model of `backstepping` by path."""
    tilt = min(0.45 / max(model.delay("roll"), model.delay("pitch")), 12.0)
    turn = min(0.25 / model.delay("yaw"), 1.5)
    w = min(0.25 / model.delay("thrust"), 4.0)
    found = {f"{axis}.{gain}": tilt for axis in ("roll", "pitch") for gain in ("a1", "a2")}
    found |= {"yaw.a1": turn, "yaw.a2": turn, "yaw.limit": 0.1 * model.inertia[2] * max(model.of("r", "yaw"), 0.0)}
    found |= {"height.kp": w**2, "height.kd": 2.4 * w, "height.ki": w**3 / 6.0}
    found |= {"model.gravity": model.gravity, "model.mass": model.mass}
    found |= {f"model.inertia.{axis}": value for axis, value in zip("xyz", model.inertia, strict=True)}
    if model.rotor is not None:
        found |= {
            "model.thrust_coefficient": model.rotor.thrust_coefficient, "model.torque_ratio": model.rotor.torque_ratio,
            "model.speed_per_input": model.rotor.speed_per_input, "model.speed_at_zero": model.rotor.speed_at_zero,
        }  # fmt: skip
    return found
