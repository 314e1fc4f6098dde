"""The bus behind the adapter: messages go to the controllers they are for, replies come back."""

from __future__ import annotations

from collections.abc import Sequence

from didymos.ports.moteus.console import Console
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.line import Message
from didymos.ports.moteus.message import answer
from didymos.ports.moteus.register_file import NotAddressed, RegisterFile

__all__ = ["ALL", "Bus", "is_query"]

ALL = 0x7F
"""The destination that everyone listens to."""


class Bus:
    """Controllers by their numbers."""

    def __init__(self, controllers: Sequence[Controller]) -> None:
        self._controllers = tuple(controllers)
        self._members = {one.board.number: (RegisterFile(one), Console(one)) for one in controllers}

    def send(self, message: Message) -> list[Message]:
        """Hand a message to whom it is for; their replies."""
        if message.prefix:
            return []
        replies = []
        for number in self.addressed(message):
            registers, console = self._members[number]
            registers.begin()
            try:
                data = answer(message.data, registers, console, message.wants_reply)
            except NotAddressed:
                continue
            registers.finish()
            if message.wants_reply:
                replies.append(Message(number << 8 | message.source, data))
        return replies

    def addressed(self, message: Message) -> list[int]:
        """Numbers of the controllers that a message is for."""
        if message.destination == ALL:
            return list(self._members)
        return [message.destination] if message.destination in self._members else []

    def advance(self, dt: float) -> None:
        """Let set-points that are moving move on by dt [s]."""
        for controller in self._controllers:
            if controller.moving:
                controller.advance(dt)


def is_query(message: Message) -> bool:
    """Whether a message asks for registers and not for the console: what lets time pass in a step-locked run."""
    return message.wants_reply and bool(message.data) and message.data[0] < 0x20
