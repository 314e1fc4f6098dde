"""Firmware in the loop: a control program that is not ours, in this process, in another, or Betaflight itself.

A text says which takes the place of the twin's own program:

    betaflight                    the real firmware (`betaflight/program.py`)
    ardupilot:COMMAND             ArduPilot, which the run starts, over its JSON link (`autopilots/ardupilot.py`)
    px4:COMMAND                   PX4, likewise, over its simulator link (`autopilots/px4.py`)
    ardupilot:listen, px4:listen  one that somebody else starts, at its usual port; listen:PORT at another
    FILE.py:NAME, MODULE:NAME     an object with the step interface, in this process (`step.py`)
    FILE.so, FILE.so:FUNCTION     a compiled step function, in this process (`library.py`)
    peer:COMMAND                  a process that the run starts, step-locked over a local socket (`peer.py`)
    listen:ADDRESS                one that somebody else starts; ADDRESS is a path, or 127.0.0.1:PORT

What a twin has to say to a kind of firmware stands under `firmware` in its file: rate, options, gains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from didymos.describe.schema import FirmwareSpec
from didymos.describe.twin import Twin
from didymos.errors import InputError, nearest

__all__ = ["Choice", "find_firmware", "use_firmware"]

_HERE = "didymos.ports.firmware"
_PROGRAMS = {
    "betaflight": f"{_HERE}.betaflight.program:Betaflight", "step": f"{_HERE}.step:Step", "peer": f"{_HERE}.peer:Peer",
    "ardupilot": f"{_HERE}.autopilots.ardupilot:ArduPilot", "px4": f"{_HERE}.autopilots.px4:Px4",
}  # fmt: skip
_AUTOPILOTS = ("ardupilot", "px4")
_PX4_RATE = 250.0  # [Hz]
_FORMS = "betaflight, ardupilot:COMMAND, px4:COMMAND, FILE.py:NAME, MODULE:NAME, FILE.so, peer:COMMAND or listen:ADDRESS"


@dataclass(frozen=True)
class Choice:
    """A kind of firmware, the program that speaks with it, and the options that say which one."""

    kind: str
    program: str
    options: dict[str, Any]


def find_firmware(text: str) -> Choice:
    """What a text names; an unknown form is an `InputError`."""
    head, colon, rest = text.partition(":")
    if text == "betaflight":
        return _choice("betaflight")
    if head in _AUTOPILOTS:
        return _autopilot(head, rest.strip())
    if head in ("peer", "listen") and colon and rest.strip():
        return _choice("peer", **{"command" if head == "peer" else "listen": rest.strip()})
    if text.endswith(".so") or ".so:" in text or (colon and head and rest):
        return _choice("step", firmware=text)
    hint = nearest(text, ("betaflight", *_AUTOPILOTS, "peer", "listen"))
    raise InputError(f"found {text!r}, expected {_FORMS}{hint}", option="firmware")


def _choice(kind: str, **options: Any) -> Choice:
    return Choice(kind, _PROGRAMS[kind], options)


def _autopilot(kind: str, rest: str) -> Choice:
    if not rest:
        raise InputError(f"found {kind!r}, expected {kind}:COMMAND, what starts it, or {kind}:listen", option="firmware")
    head, _, address = rest.partition(":")
    return _choice(kind, listen=address) if head == "listen" else _choice(kind, command=rest)


def use_firmware(twin: Twin, text: str) -> None:
    """Let a firmware take the place of the twin's program, and of those that its scenarios bring."""
    choice = find_firmware(text)
    about = getattr(twin.file.firmware, choice.kind) or FirmwareSpec(rate=_usual_rate(choice.kind, twin.file.world.step))
    options, sensors = {**about.options, **choice.options}, dict(about.sensors)
    if choice.kind in _AUTOPILOTS:
        from didymos.ports.firmware.autopilots.setup import complete

        options, sensors = complete(twin, choice.kind, about.rate, options, sensors)
    twin.replace_program(choice.program, rate=about.rate, gains=about.gains, options=options, sensors=sensors)
    known = {*twin.description.links, *twin.description.frames}
    for name in sensors:
        link = getattr(twin.file.sensors[name], "link", None)
        if link is not None and link not in known:
            where = f"firmware.{choice.kind}.sensors.{name}.link"
            raise InputError(f"there is no link {link!r}{nearest(link, known)}", path=where)


def _usual_rate(kind: str, step: float) -> float:
    """Steps of a firmware per second [Hz] where the twin says nothing: those of the physics; of PX4, at most 250."""
    steps = math.ceil(1.0 / (_PX4_RATE * step) - 1e-9) if kind == "px4" else 1
    return 1.0 / (max(steps, 1) * step)
