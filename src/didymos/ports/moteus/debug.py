"""The console's commands `d`: every mode of the controller with its numbers as text, and what it knows of its position.

Answers are the firmware's, errors included. What belongs to its own hardware is refused: `cal` and `cali` (a twin has no
encoder that would have to be mapped), `flash`, `hstart` (histograms).

Reference: moteus firmware 1.1, `board_debug.cc`; moteus reference manual, diagnostic protocol.
"""

from __future__ import annotations

import math

from didymos.parts.drive_modes import (
    BRAKE,
    CURRENT,
    INDUCTANCE,
    POSITION,
    PWM,
    STAY_WITHIN,
    TIMED_OUT,
    VOLTAGE,
    VOLTAGE_DQ,
    VOLTAGE_FOC,
    ZERO_VELOCITY,
)  # fmt: skip
from didymos.ports.moteus.command import Command
from didymos.ports.moteus.controller import Controller

__all__ = ["debug"]

_OK = "OK\r\n"
_OPTIONS = {
    "p": "kp_scale",
    "d": "kd_scale",
    "i": "integral_scale",
    "s": "stop_position",
    "f": "feedforward",
    "t": "watchdog",
    "a": "acceleration_limit",
    "v": "velocity_limit",
    "o": "fixed_voltage",
    "c": "fixed_current",
    "b": "ignore_bounds",
    "q": "axis",
}
_MODES = {  # names of the numbers, error where one is missing, options
    "raw": (PWM, ("pwm_a", "pwm_b", "pwm_c"), "missing pwm value", ""),
    "pwm": (VOLTAGE_FOC, ("theta", "voltage"), "missing phase or mag", ""),
    "v": (VOLTAGE, ("voltage_a", "voltage_b", "voltage_c"), "missing a/b/c voltage", ""),
    "vdq": (VOLTAGE_DQ, ("voltage_d", "voltage_q"), "missing d/q voltage", ""),
    "dq": (CURRENT, ("current_d", "current_q"), "missing d/q current", ""),
    "pos": (POSITION, ("position", "velocity", "torque_limit"), "missing p/v/i", "pdisftavocb"),
    "tmt": (TIMED_OUT, ("position", "velocity", "torque_limit"), "missing p/v/i", "pdisftavocb"),
    "zero": (ZERO_VELOCITY, ("position", "velocity", "torque_limit"), "missing p/v/i", "pdisftavocb"),
    "within": (STAY_WITHIN, ("lower", "upper", "torque_limit"), "missing min/max/t", "pditfb"),
    "ind": (INDUCTANCE, ("voltage_d", "period"), "missing volt/period", "obq"),
    "brake": (BRAKE, (), "", ""),
}
_IN_PI = ("theta", "theta_rate")  # radians in text, multiples of pi in a command
_DIES = ("die", "assert", "stack", "loop", "reset")  # a device that hangs or restarts says nothing


def debug(controller: Controller, arguments: list[str]) -> str:
    """What `d` and its arguments answer."""
    what, *rest = arguments or [""]
    if what in _MODES:
        return _command(controller, what, rest)
    value = _number(rest[0]) if rest else None
    if what == "stop":
        controller.stop()
    elif what in ("exact", "index"):
        if value is None:
            return "ERR missing index value\r\n"
        controller.set_output(value, exact=True)
    elif what in ("nearest", "rezero"):
        controller.set_output(value or 0.0, exact=False)
    elif what == "cfg-set-output":
        controller.set_output(value or 0.0, exact=True)
    elif what == "req-reindex":
        controller.forget_output()
    elif what == "recapture":
        controller.recapture()
    elif what == "led":
        if len(rest) < 2:
            return "ERR invalid led command\r\n"
        controller.lights["led1" if rest[0] == "1" else "led2"] = rest[1] != "0"
    elif what in _DIES:
        controller.stop()
        return ""
    elif what in ("cal", "cali"):
        return "ERR encoder configuration error\r\n" if rest or what == "cali" else "ERR missing mag\r\n"
    elif what != "hend":
        return "ERR unknown command\r\n"
    return _OK


def _command(controller: Controller, what: str, arguments: list[str]) -> str:
    mode, names, missing, options = _MODES[what]
    numbers = [_number(text) for text in arguments[: len(names)]]
    if len(numbers) < len(names) or any(number is None for number in numbers):
        return f"ERR {missing}\r\n"
    fields = {name: number for name, number in zip(names, numbers, strict=True) if number is not None}
    rest = arguments[len(names) :]
    if what == "pwm" and rest:
        fields["theta_rate"] = _number(rest[0]) or 0.0
    if what == "ind" and not 0 < fields["period"] < 128:
        return "ERR period must > 0\r\n"
    if "torque_limit" in names:
        fields["watchdog"] = math.nan
    for text in rest if options else ():
        number = _number(text[1:])
        if text[0] not in options or number is None:
            return "ERR unknown option\r\n"
        fields[_OPTIONS[text[0]]] = number
    for name in _IN_PI:
        if name in fields:
            fields[name] /= math.pi
    command = Command(mode=int(mode))
    for name, value in fields.items():
        setattr(command, name, int(value) if name in ("period", "axis") and math.isfinite(value) else value)
    controller.execute(command)
    return _OK


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
