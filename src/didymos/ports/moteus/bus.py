"""The bus behind the adapter: frames go to the controllers they are for, replies come back."""

from __future__ import annotations

from collections.abc import Sequence

from didymos.ports.moteus.console import Console
from didymos.ports.moteus.controller import Controller, Elsewhere
from didymos.ports.moteus.frame import answer
from didymos.ports.moteus.line import Frame

__all__ = ["ALL", "Bus", "is_query"]

ALL = 0x7F
"""The destination that everyone listens to."""


class Bus:
    """Controllers by their numbers."""

    def __init__(self, controllers: Sequence[Controller]) -> None:
        self._members = {controller.board.number: (controller, Console(controller)) for controller in controllers}

    def send(self, frame: Frame) -> list[Frame]:
        """Hand a frame to whom it is for; their replies."""
        if frame.prefix:
            return []
        replies = []
        for number in self.meant(frame):
            controller, console = self._members[number]
            controller.begin()
            try:
                data = answer(frame.data, controller, console, frame.wants_reply)
            except Elsewhere:
                continue
            controller.finish()
            if frame.wants_reply:
                replies.append(Frame(number << 8 | frame.source, data))
        return replies

    def meant(self, frame: Frame) -> list[int]:
        """Numbers of the controllers that a frame is for."""
        if frame.destination == ALL:
            return list(self._members)
        return [frame.destination] if frame.destination in self._members else []

    def advance(self, dt: float) -> None:
        """Let set-points that are on their way move on by dt [s]."""
        for controller, _ in self._members.values():
            if controller.on_its_way:
                controller.advance(dt)


def is_query(frame: Frame) -> bool:
    """Whether a frame asks for registers and not for the console: what lets time pass in a step-locked run."""
    return frame.wants_reply and bool(frame.data) and frame.data[0] < 0x20
