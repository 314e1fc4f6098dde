"""The windings of a brushless motor: the currents and the torque that voltages at its phases give, in steady state.

    v_d = R i_d - w L i_q                     tau = K i_q
    v_q = R i_q + w L i_d + 2/3 K omega       w = p omega

d along the rotor's magnets, q across them, amplitudes as a moteus counts them: R and L from a phase to the centre (half of
what is between two leads), i and v of a phase at their peak. Power in a three-phase machine is 3/2 (v_d i_d + v_q i_q), so
that the same K [N m/A] makes torque and, times 2/3, back-EMF [V s]. With the Kv of a data sheet (rpm per volt between leads)

    K = 3/2 / sqrt(3) 60 / (2 pi) / Kv = 8.270 / Kv

All phases shorted (v = 0) brake with tau = -2/3 K^2 R omega / (R^2 + (w L)^2): at low speed a damper 2/3 K^2 / R, and a rotor of
inertia J that turns freely comes to rest as exp(-2/3 K^2 / (R J) t).

    a, b, c  ->  alpha = 2/3 (a - b/2 - c/2),  beta = (b - c) / sqrt(3)  ->  v_d + i v_q = (alpha + i beta) exp(-i p th)

Reference: Krishnan, Permanent Magnet Synchronous and Brushless DC Motor Drives (2010), chapter 3; moteus firmware, `foc.cc` and
`bldc_servo.cc` (torque constant, back-EMF, voltage limits). Valid for motion that is slow beside L / R (0.1 to 1 ms), without
saturation and cogging; the angle of the magnets is zero where the motor's is.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel

__all__ = ["brake_torque", "held_voltage", "phase_voltages", "rotating_voltage", "winding_currents"]

_LEAST_PULSE = 0.6e-6 * 2.0 * 30000.0  # of a period of 30 kHz that each low side conducts, for its current to be measured
_MODULATION = 0.5 - _LEAST_PULSE  # of the supply, both ways, that a phase can have
_THIRD_HARMONIC = 2.0 / math.sqrt(3.0)  # what a floating centre gives beyond it


@kernel
def winding_currents(voltage_d: float, voltage_q: float, speed: float, drive: Any) -> tuple[float, float]:
    """Currents i_d and i_q [A] at voltages [V] and a speed of the rotor [rad/s]."""
    resistance, reactance = drive.phase_resistance, drive.pole_pairs * speed * drive.phase_inductance
    driving = voltage_q - drive.torque_constant * speed / 1.5
    square = resistance * resistance + reactance * reactance
    return (resistance * voltage_d + reactance * driving) / square, (resistance * driving - reactance * voltage_d) / square


@kernel
def brake_torque(speed: float, drive: Any) -> float:
    """Torque [N m] of shorted phases at a speed of the rotor [rad/s]."""
    return drive.torque_constant * winding_currents(0.0, 0.0, speed, drive)[1]


@kernel
def held_voltage(voltage: float, drive: Any) -> float:
    """A voltage [V] within what the supply gives."""
    most = _MODULATION * _THIRD_HARMONIC * drive.voltage
    return min(max(voltage, -most), most)


@kernel
def rotating_voltage(voltage: float, theta: float, angle: float, drive: Any) -> tuple[float, float]:
    """v_d and v_q [V] of a voltage at the electrical angle theta [rad], with the rotor at an angle [rad]."""
    held, ahead = held_voltage(voltage, drive), theta - drive.pole_pairs * angle
    return held * math.cos(ahead), held * math.sin(ahead)


@kernel
def phase_voltages(a: float, b: float, c: float, angle: float, drive: Any) -> tuple[float, float]:
    """v_d and v_q [V] of voltages at the three phases, each within the supply, with the rotor at an angle [rad]."""
    most, middle = _MODULATION * drive.voltage, 0.5 * (min(a, b, c) + max(a, b, c))
    a, b, c = min(max(a - middle, -most), most), min(max(b - middle, -most), most), min(max(c - middle, -most), most)
    alpha, beta = (2.0 * a - b - c) / 3.0, (b - c) / math.sqrt(3.0)
    cosine, sine = math.cos(drive.pole_pairs * angle), math.sin(drive.pole_pairs * angle)
    return alpha * cosine + beta * sine, beta * cosine - alpha * sine
