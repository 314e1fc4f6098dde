"""What the telemetry channels of a controller hold now; what the twin does not have is as on a board that was just started."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from didymos.parts.drive_modes import STOPPED
from didymos.ports.moteus.channels import CHANNELS
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.windings import phase_currents

__all__ = ["lines", "values"]

_HARDWARE_REVISION = 8
_COUNTS = 16384  # of the encoder, per turn
_RAW = 1 << 48  # per turn
_TURN = 2.0 * math.pi
_MOST_TORQUE = 100.0  # [N m] of a command that has none


def values(channel: str, controller: Controller) -> dict[str, Any]:
    """What a channel holds."""
    return CHANNELS[channel].default | _TOLD[channel](controller)


def lines(channel: str, fields: dict[str, Any]) -> list[str]:
    """A channel's data as text."""
    return [f"{name} {kind.text(value)}" for name, kind, value in CHANNELS[channel].leaves(channel, fields)]


def _raw(turns: float) -> int:
    """A position as the firmware counts it, within its range."""
    return int(min(max(turns, -32768.0), 32767.0) * _RAW) if math.isfinite(turns) else 0


def _theta(controller: Controller) -> float:
    """The electrical angle [rad], within a turn."""
    return _TURN * controller.drive.parameter("pole_pairs") * controller.measured("encoder_position") % _TURN


def _firmware(controller: Controller) -> dict[str, Any]:
    board = controller.board
    return {"version": board.firmware, "serial_number": board.serial, "model": board.model, "hwrev": _HARDWARE_REVISION}


def _servo_stats(controller: Controller) -> dict[str, Any]:
    measured, parameter = controller.measured, controller.drive.parameter
    d, q, theta = measured("d_current"), measured("current"), _theta(controller)
    d, q = (0.0, 0.0) if math.isnan(q) else (d, q)
    a, b, c = phase_currents(d, q, theta)
    control, speed, bus, hot = (measured(name) for name in ("control_position", "control_velocity", "voltage", "temperature"))
    law = {"error": "position_error", "error_rate": "velocity_error", "p": "kp_torque", "d": "kd_torque"}
    pid = {name: -_zero(measured(quantity)) for name, quantity in law.items()}  # measured less desired, as the firmware has it
    constant = parameter("torque_constant")
    top = bus / math.sqrt(3.0) / (_TURN * constant / 1.5) if constant > 0.0 else 0.0
    return {
        "mode": controller.whole("mode"), "fault": controller.whole("fault"), "cur1_A": a, "cur2_A": b, "cur3_A": c,
        "electrical_theta": theta, "bus_V": bus, "filt_bus_V": bus, "filt_1ms_bus_V": bus, "fet_temp_C": hot,
        "filt_fet_temp_C": hot,
        "inductance_d_H": parameter("phase_inductance"), "d_A": d, "q_A": q, "position": measured("position"),
        "velocity": measured("velocity"), "torque_Nm": measured("torque"), "power_W": measured("power"),
        "velocity_filt": measured("velocity"),
        "pid_position": CHANNELS["servo_stats"].fields["pid_position"].default | pid | {"pd": pid["p"] + pid["d"]},
        "control_position_raw": _raw(control) if math.isfinite(control) else None, "control_position": control,
        "control_velocity": speed if math.isfinite(speed) else None, "timeout_s": controller.timeout,
        "trajectory_done": controller.whole("trajectory_complete"), "motor_max_velocity": top, "motor_base_velocity": top,
        "effective_max_current_A": parameter("current_limit"), "sin": math.sin(theta), "cos": math.cos(theta),
        "meas_ind_integrator": controller.charge,
    }  # fmt: skip


def _zero(value: float) -> float:
    return value if math.isfinite(value) else 0.0


def _servo_cmd(controller: Controller) -> dict[str, Any]:
    c = controller.command
    return {
        "mode": c.mode, "pwm": {"a": c.pwm_a, "b": c.pwm_b, "c": c.pwm_c},
        "phase_v": {"a": c.voltage_a, "b": c.voltage_b, "c": c.voltage_c}, "theta": c.theta * math.pi, "voltage": c.voltage,
        "theta_rate": c.theta_rate * math.pi, "d_V": c.voltage_d, "q_V": c.voltage_q, "i_d_A": c.current_d, "i_q_A": c.current_q,
        "position": c.position, "velocity": c.velocity,
        "max_torque_Nm": _MOST_TORQUE if math.isnan(c.torque_limit) else c.torque_limit,
        "stop_position": c.stop_position, "feedforward_Nm": c.feedforward, "kp_scale": c.kp_scale, "kd_scale": c.kd_scale,
        "ilimit_scale": c.integral_scale, "velocity_limit": c.velocity_limit, "accel_limit": c.acceleration_limit,
        "fixed_voltage_override": c.fixed_voltage, "fixed_current_override": c.fixed_current,
        "ignore_position_bounds": bool(c.ignore_bounds), "timeout_s": c.watchdog, "bounds_min": c.lower, "bounds_max": c.upper,
        "meas_ind_period": c.period, "meas_ind_axis": c.axis,
    }  # fmt: skip


def _servo_control(controller: Controller) -> dict[str, Any]:
    measured = controller.measured
    return {"i_d_A": _zero(measured("d_current")), "i_q_A": _zero(measured("current")), "torque_Nm": measured("torque")}


def _motor_position(controller: Controller) -> dict[str, Any]:
    position, velocity = controller.measured("position"), controller.measured("velocity")
    turn, relative = controller.measured("encoder_position"), position - controller.offset
    record = CHANNELS["motor_position"].default
    source = record["sources"][0] | {
        "active_velocity": True, "active_theta": True, "active_absolute": True, "raw": int(turn * _COUNTS), "slow_count": 0,
        "offset_value": int(turn * _COUNTS), "compensated_value": turn * _COUNTS, "filtered_value": turn * _COUNTS,
        "integral": velocity * _COUNTS, "velocity": velocity * _COUNTS,
    }  # fmt: skip
    return {
        "sources": [source, *record["sources"][1:]], "position_relative_valid": True, "position_relative_ever_valid": True,
        "position_relative_raw": _raw(relative), "position_relative": relative, "position_raw": _raw(position),
        "position": position,
        "homed": controller.whole("home_state"), "velocity": velocity, "theta_valid": True,
        "electrical_theta": _theta(controller),
    }  # fmt: skip


def _driver(controller: Controller) -> dict[str, Any]:
    on = controller.drive.readouts["mode"] != STOPPED
    return {"power": on, "enabled": on}


def _git(controller: Controller) -> dict[str, Any]:
    return {"hash": list(controller.board.build)}


_TOLD: dict[str, Callable[[Controller], dict[str, Any]]] = {
    "firmware": _firmware,
    "motor_position": _motor_position,
    "drv8323": _driver,
    "servo_stats": _servo_stats,
    "servo_cmd": _servo_cmd,
    "servo_control": _servo_control,
    "board_debug": lambda controller: controller.lights,
    "git": _git,
}
