"""Firmware in the loop: a control program that is not ours, in this process, in another, or Betaflight itself.

A text says which takes the place of the twin's own program:

    betaflight                    the real firmware (`betaflight/program.py`)
    FILE.py:NAME, MODULE:NAME     an object with the step interface, in this process (`step.py`)
    FILE.so, FILE.so:FUNCTION     a compiled step function, in this process (`library.py`)
    peer:COMMAND                  a process that the run starts, step-locked over a local socket (`peer.py`)
    listen:ADDRESS                one that somebody else starts; ADDRESS is a path, or 127.0.0.1:PORT

What a twin has to say to a kind of firmware stands under `firmware` in its file: rate, options, gains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from didymos.describe.twin import Twin
from didymos.errors import InputError, nearest

__all__ = ["Choice", "find_firmware", "use_firmware"]

_HERE = "didymos.ports.firmware"
_PROGRAMS = {"betaflight": f"{_HERE}.betaflight.program:Betaflight", "step": f"{_HERE}.step:Step", "peer": f"{_HERE}.peer:Peer"}
_FORMS = "betaflight, FILE.py:NAME, MODULE:NAME, FILE.so, peer:COMMAND or listen:ADDRESS"


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
    if head in ("peer", "listen") and colon and rest.strip():
        return _choice("peer", **{"command" if head == "peer" else "listen": rest.strip()})
    if text.endswith(".so") or ".so:" in text or (colon and head and rest):
        return _choice("step", firmware=text)
    hint = nearest(text, ("betaflight", "peer", "listen"))
    raise InputError(f"found {text!r}, expected {_FORMS}{hint}", option="firmware")


def _choice(kind: str, **options: Any) -> Choice:
    return Choice(kind, _PROGRAMS[kind], options)


def use_firmware(twin: Twin, text: str) -> None:
    """Let a firmware take the place of the twin's program, and of those that its scenarios bring."""
    choice = find_firmware(text)
    about = getattr(twin.file.firmware, choice.kind)
    rate = about.rate if about is not None else 1.0 / twin.file.world.step
    gains, options = (about.gains, about.options) if about is not None else ({}, {})
    twin.replace_program(choice.program, rate=rate, gains=gains, options={**options, **choice.options})
