"""The registers of a moteus: which there are, what each holds, which can be written.

Reference: moteus reference manual, registers; register map version 5.
"""

from __future__ import annotations

__all__ = ["COMMANDS", "IGNORED", "MEASURED", "MODES", "NAMES", "READ_ONLY"]

COMMANDS: dict[int, tuple[str, str]] = {
    0x010: ("pwm_a", "fraction"),
    0x011: ("pwm_b", "fraction"),
    0x012: ("pwm_c", "fraction"),
    0x014: ("voltage_a", "voltage"),
    0x015: ("voltage_b", "voltage"),
    0x016: ("voltage_c", "voltage"),
    0x018: ("theta", "fraction"),
    0x019: ("voltage", "voltage"),
    0x01A: ("voltage_d", "voltage"),
    0x01B: ("voltage_q", "voltage"),
    0x01C: ("current_q", "current"),
    0x01D: ("current_d", "current"),
    0x01E: ("theta_rate", "velocity"),
    0x020: ("position", "position"),
    0x021: ("velocity", "velocity"),
    0x022: ("feedforward", "torque"),
    0x023: ("kp_scale", "fraction"),
    0x024: ("kd_scale", "fraction"),
    0x025: ("torque_limit", "torque"),
    0x026: ("stop_position", "position"),
    0x027: ("watchdog", "time"),
    0x028: ("velocity_limit", "velocity"),
    0x029: ("acceleration_limit", "acceleration"),
    0x02A: ("fixed_voltage", "voltage"),
    0x02B: ("integral_scale", "fraction"),
    0x02C: ("fixed_current", "current"),
    0x02D: ("ignore_bounds", "integer"),
    0x040: ("lower", "position"),
    0x041: ("upper", "position"),
    0x042: ("feedforward", "torque"),
    0x043: ("kp_scale", "fraction"),
    0x044: ("kd_scale", "fraction"),
    0x045: ("torque_limit", "torque"),
    0x046: ("watchdog", "time"),
    0x047: ("integral_scale", "fraction"),
    0x048: ("ignore_bounds", "integer"),
}
"""What a command says, and its quantity; position and stay within share most of theirs."""

IGNORED: dict[int, str] = {
    **dict.fromkeys((0x05C, 0x05D, 0x071), "integer"),
    **dict.fromkeys(range(0x076, 0x080), "fraction"),
}
"""Commands of pins and of a clock that the twin does not have: kept, read back, without effect."""

MEASURED: dict[int, tuple[str, str]] = {
    0x001: ("position", "position"),
    0x002: ("velocity", "velocity"),
    0x003: ("torque", "torque"),
    0x004: ("current", "current"),
    0x005: ("d_current", "current"),
    0x006: ("abs_position", "position"),
    0x007: ("power", "power"),
    0x00A: ("motor_temperature", "temperature"),
    0x00D: ("voltage", "voltage"),
    0x00E: ("temperature", "temperature"),
    0x030: ("kp_torque", "torque"),
    0x031: ("ki_torque", "torque"),
    0x032: ("kd_torque", "torque"),
    0x033: ("feedforward_torque", "torque"),
    0x034: ("torque", "torque"),
    0x038: ("control_position", "position"),
    0x039: ("control_velocity", "velocity"),
    0x03A: ("torque", "torque"),
    0x03B: ("position_error", "position"),
    0x03C: ("velocity_error", "velocity"),
    0x03D: ("torque_error", "torque"),
    0x050: ("encoder_position", "position"),
    0x051: ("velocity", "velocity"),
    **dict.fromkeys((0x052, 0x053, 0x054, 0x055), ("abs_position", "position")),
    **dict.fromkeys((*range(0x060, 0x065), *range(0x068, 0x06D), 0x073, 0x075), ("none", "fraction")),
}
"""What can be read, and its quantity."""

NAMES: dict[int, str] = {
    0x000: "mode",
    0x00B: "trajectory_complete",
    0x00C: "home_state",
    0x00F: "fault",
    0x058: "encoder_validity",
    0x05E: "pins",
    0x05F: "pins",
    0x070: "milliseconds",
    0x072: "pins",
    0x074: "pins",
    0x100: "model",
    0x101: "firmware",
    0x102: "register_map",
    0x120: "serial1",
    0x121: "serial2",
    0x122: "serial3",
    0x140: "pins",
    0x141: "pins",
    0x150: "uuid1",
    0x151: "uuid2",
    0x152: "uuid3",
    0x153: "uuid4",
    0x158: "uuid_mask_capable",
}
"""Whole numbers that can be read."""

READ_ONLY = frozenset((*MEASURED, *NAMES, 0x110)) - {0x000}

MODES = 15
"""The highest mode."""
