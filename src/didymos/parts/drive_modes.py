"""What the controller of a drive asks its motor for, mode by mode. Modes carry the controller's own numbers.

A command has three numbers beside its scales; what they are is the mode's:

    mode                     position           velocity            feedforward
     5 pwm, 6 voltage        v_a [V]            v_b [V]             v_c [V]
     7 voltage_foc           theta [rad]        d theta/dt [rad/s]  V [V]           electrical angle, from the arrival on
     8 voltage_dq            v_d [V]            v_q [V]
     9 current               i_d [A]            i_q [A]
    10 position              x* [rev]           v* [rev/s]          tau_ff [N m]
    11 timed out, 12 zero velocity, 0 stopped, 15 brake: none
    13 stay within           low [rev]          high [rev]          tau_ff [N m]
    14 inductance            V [V], a square wave faster than the motion: its mean, and so its torque, is zero

    current         tau = K i_q,  |i_q| <= i_max
    stay within     tau = tau_ff inside; outside, the position law to the bound that is passed, at rest there
    timed out       what `timeout_mode` says: 0 nothing, 10 hold, 12 damp, 15 brake
    brake, voltage  tau = K i_q of the windings (`motor_windings.py`); no controller limits it

Reference: moteus firmware, `bldc_servo_control.h`.
"""

from __future__ import annotations

from typing import Any

from didymos.compiled import kernel
from didymos.parts.motor_windings import brake_torque, held_voltage, phase_voltages, rotating_voltage, winding_currents

__all__ = [
    "BRAKE", "CURRENT", "INDUCTANCE", "POSITION", "PWM", "STAY_WITHIN", "STOPPED", "TIMED_OUT", "VOLTAGE", "VOLTAGE_DQ",
    "VOLTAGE_FOC", "ZERO_VELOCITY", "commanded_voltages", "passed_bound", "winding_torque",
]  # fmt: skip

STOPPED, PWM, VOLTAGE, VOLTAGE_FOC, VOLTAGE_DQ, CURRENT = 0.0, 5.0, 6.0, 7.0, 8.0, 9.0
POSITION, TIMED_OUT, ZERO_VELOCITY, STAY_WITHIN, INDUCTANCE, BRAKE = 10.0, 11.0, 12.0, 13.0, 14.0, 15.0


@kernel
def passed_bound(x: float, low: float, high: float) -> tuple[bool, float]:
    """Whether a position [rev] is outside of its bounds, and the one that it passed."""
    if x < low:
        return True, low
    return x > high, high


@kernel
def commanded_voltages(command: Any, time: float, angle: float, drive: Any) -> tuple[float, float]:
    """v_d and v_q [V] that a command of a voltage mode puts on the windings, with the rotor at an angle [rad]."""
    if command.mode == VOLTAGE_FOC:
        theta = command.position + command.velocity * (time - command.arrival)
        return rotating_voltage(command.feedforward, theta, angle, drive)
    if command.mode == VOLTAGE_DQ:
        return held_voltage(command.position, drive), held_voltage(command.velocity, drive)
    return phase_voltages(command.position, command.velocity, command.feedforward, angle, drive)


@kernel
def winding_torque(command: Any, time: float, angle: float, speed: float, drive: Any) -> float:
    """Torque [N m] of a mode that puts voltages on the windings, at an angle [rad] and a speed [rad/s] of the rotor."""
    if drive.phase_resistance <= 0.0:
        return 0.0
    if command.mode == BRAKE:
        return brake_torque(speed, drive)
    d, q = commanded_voltages(command, time, angle, drive)
    return drive.torque_constant * winding_currents(d, q, speed, drive)[1]
