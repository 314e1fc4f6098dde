"""Messages for the twin wait here until a tick is over: the order in which they are taken is the order in which they count."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from threading import Condition, Event, Thread
from typing import Any

from cyclonedds.core import InstanceState, ReadCondition, SampleState, ViewState, WaitSet

from didymos.errors import InputError
from didymos.ports.ros2.commands import STEP, Intake
from didymos.ports.ros2.names import dds_topic
from didymos.ports.ros2.node import Node
from didymos.ports.ros2.types import message_type

__all__ = ["Inbox", "Step"]

_AT_ONCE = 1000  # messages taken from a reader in one go
_LOOK_UP = 200_000_000  # [ns] after which a quiet thread looks whether it should end
_ROOM = 100_000  # orders that wait; more means that nobody runs the twin
_ANY = ViewState.Any | InstanceState.Any | SampleState.Any


class Step(int):
    """An order to let so many ticks pass."""


class Inbox:
    """Takes messages on a thread of its own; `take` hands out what came, in order.

    A message that does not fit is told to `say` once per topic, counted in `refused`, and changes nothing.
    """

    def __init__(self, node: Node, intakes: Sequence[Intake], *, steps: bool, say: Callable[[str], None]) -> None:
        self.received = self.refused = 0
        self._say, self._told = say, set[str]()
        self._waiting: deque[Any] = deque()
        self._came, self._over = Condition(), Event()
        self._readers: list[tuple[Any, str, Callable[[Any], Any]]] = []
        self._waitset = WaitSet(node.participant)
        self._conditions: list[Any] = []
        if steps:
            reader = node.reader(dds_topic(STEP), message_type("std_msgs/msg/UInt64"), depth=_AT_ONCE)
            self.listen(reader, STEP, lambda message: Step(message.data))
        for intake in intakes:
            reader = node.reader(dds_topic(intake.topic), message_type(intake.type_name), depth=_AT_ONCE)
            self.listen(reader, intake.topic, intake.read)
        self._thread = Thread(target=self._work, name="didymos-ros2-in", daemon=True)

    def listen(self, reader: Any, name: str, read: Callable[[Any], Any]) -> None:
        """Take messages from a reader as well; `read` turns one into an order. Before `start`."""
        condition = ReadCondition(reader, _ANY)
        self._waitset.attach(condition)
        self._conditions.append(condition)
        self._readers.append((reader, name, read))

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def take(self, wait: float = 0.0) -> list[Any]:
        """All orders that came, in order; waits up to `wait` [s] where there is none."""
        with self._came:
            if not self._waiting and wait > 0.0:
                self._came.wait(wait)
            found = list(self._waiting)
            self._waiting.clear()
        return found

    def refuse(self, name: str, why: str) -> None:
        """Count an order that could not be followed, and say so once per topic."""
        self.refused += 1
        if name not in self._told:
            self._told.add(name)
            self._say(f"{name}: {why}")

    @property
    def alive(self) -> bool:
        """Whether its thread does its work."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop listening."""
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._over.is_set():
            if self._waitset.wait(_LOOK_UP):
                self._collect()

    def _collect(self) -> None:
        """Steps are taken out first and put in last: whoever sets something and then steps is sure of the order."""
        steps: list[Any] = []
        orders: list[Any] = []
        for reader, name, read in self._readers:
            for message in self._messages(reader, name):
                self.received += 1
                try:
                    order = read(message)
                    (steps if isinstance(order, Step) else orders).append(order)
                except InputError as error:
                    self.refuse(name, str(error))
        with self._came:
            room = _ROOM - len(self._waiting)
            fresh = [*orders, *steps]
            self.refused += max(0, len(fresh) - room)
            self._waiting.extend(fresh[:room])
            self._came.notify()

    def _messages(self, reader: Any, name: str) -> Iterator[Any]:
        """One by one, so that one that cannot be read takes no other with it."""
        for _ in range(_AT_ONCE):
            try:
                found = reader.take(1)
            except Exception as error:  # bytes that pass for the type and are no text, whatever they make the library raise
                self.refuse(name, f"a message cannot be read: {type(error).__name__}")
                continue
            if not found:
                return
            if found[0].sample_info.valid_data:
                yield found[0]
