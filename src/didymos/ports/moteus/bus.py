"""The bus behind the adapter: messages go to the controllers they are for, replies come back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from didymos.ports.moteus.console import Console
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.line import Message
from didymos.ports.moteus.message import answer, overhear
from didymos.ports.moteus.register_file import NotAddressed, RegisterFile

__all__ = ["ALL", "Bus", "is_query"]

ALL = 0x7F
"""The destination that everyone listens to."""


class Bus:
    """Controllers, which know their numbers."""

    def __init__(self, controllers: Sequence[Controller]) -> None:
        self._members = tuple((one, RegisterFile(one), Console(one)) for one in controllers)

    def send(self, message: Message) -> list[Message]:
        """Hand a message to whom it is for; their replies."""
        replies = []
        for controller, registers, console in self._members:
            if not _is_for(controller, message):
                continue
            number, prefix = controller.number, controller.prefix << 16  # a message may change them, but for its own reply
            registers.begin()
            try:
                data = answer(message.data, registers, console, message.wants_reply)
            except NotAddressed:
                continue
            registers.finish()
            if message.wants_reply:
                replies.append(Message(prefix | number << 8 | message.source, data))
        return replies

    def overhear(self, message: Message) -> None:
        """Hand a message to whom it is for, where others on the bus answer it."""
        for controller, registers, console in self._members:
            if _is_for(controller, message):
                registers.begin()
                with suppress(NotAddressed):
                    overhear(message.data, registers, console)
                    registers.finish()

    def addressed(self, message: Message) -> list[int]:
        """Which of the controllers a message is for."""
        return [i for i, (controller, _, _) in enumerate(self._members) if _is_for(controller, message)]

    def advance(self, dt: float) -> None:
        """Let set-points that are moving move on by dt [s], and telemetry that is due be told."""
        for controller, _, console in self._members:
            if controller.moving:
                controller.advance(dt)
            console.advance(dt)


def _is_for(controller: Controller, message: Message) -> bool:
    return message.destination in (ALL, controller.number) and message.prefix == controller.prefix


def is_query(message: Message) -> bool:
    """Whether a message asks for registers and not for the console: what lets time pass in a step-locked run."""
    return message.wants_reply and bool(message.data) and message.data[0] < 0x20
