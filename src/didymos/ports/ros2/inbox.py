"""Messages for the twin wait here until a tick is over: the order in which they are taken is the order in which they count."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import Condition, Event, Thread
from typing import Any

from cyclonedds.core import InstanceState, ReadCondition, SampleState, ViewState, WaitSet

from didymos.errors import InputError
from didymos.ports.ros2.commands import STEP, Subscription
from didymos.ports.ros2.names import dds_topic
from didymos.ports.ros2.node import Node
from didymos.ports.ros2.types import message_type

__all__ = ["Inbox", "Step"]

_AT_ONCE = 1000  # messages taken from a reader in one go
_LOOK_UP = 200_000_000  # [ns] after which a quiet thread looks whether it should end
_ROOM = 100_000  # commands that wait; more means that nobody runs the twin
_ANY = ViewState.Any | InstanceState.Any | SampleState.Any


@dataclass(frozen=True)
class Step:
    """A command to let so many ticks pass; `robot` is whose driver asks, empty where it is the whole run's."""

    ticks: int
    robot: str = ""


class Inbox:
    """Takes messages on a thread of its own; `take` hands out what came, in order.

    A message that does not fit is handed to `say` once per topic, counted in `refused`, and changes nothing.
    """

    def __init__(self, node: Node, *, say: Callable[[str], None]) -> None:
        self.received = self.refused = 0
        self._say, self._said = say, set[str]()
        self._waiting: deque[Any] = deque()
        self._came, self._over = Condition(), Event()
        self._readers: list[tuple[Any, str, Callable[[Any], Any]]] = []
        self._waitset = WaitSet(node.participant)
        self._conditions: list[Any] = []
        self._thread = Thread(target=self._work, name="didymos-ros2-in", daemon=True)

    def step_on(self, node: Node, namespace: str, robot: str) -> None:
        """Let a node listen to its topic of steps, before all others. Before `start`."""
        topic = namespace + STEP
        reader = node.reader(dds_topic(topic), message_type("std_msgs/msg/UInt64"), depth=_AT_ONCE)
        self.listen(reader, topic, lambda message: Step(message.data, robot))

    def subscribe(self, node: Node, subscriptions: Iterable[Subscription]) -> None:
        """Let a node listen to topics. Before `start`."""
        for subscription in subscriptions:
            kind = message_type(subscription.type_name)
            reader = node.reader(dds_topic(subscription.topic), kind, depth=_AT_ONCE)
            self.listen(reader, subscription.topic, subscription.read)

    def listen(self, reader: Any, name: str, read: Callable[[Any], Any]) -> None:
        """Take messages from a reader as well; `read` turns one into a command. Before `start`."""
        condition = ReadCondition(reader, _ANY)
        self._waitset.attach(condition)
        self._conditions.append(condition)
        self._readers.append((reader, name, read))

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def take(self, wait: float = 0.0) -> list[Any]:
        """All commands that came, in order; waits up to `wait` [s] where there is none."""
        with self._came:
            if not self._waiting and wait > 0.0:
                self._came.wait(wait)
            commands = list(self._waiting)
            self._waiting.clear()
        return commands

    def refuse(self, name: str, why: str) -> None:
        """Count a command that could not be followed, and say so once per topic."""
        self.refused += 1
        if name not in self._said:
            self._said.add(name)
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
        commands: list[Any] = []
        for reader, name, read in self._readers:
            for message in self._messages(reader, name):
                self.received += 1
                try:
                    command = read(message)
                    (steps if isinstance(command, Step) else commands).append(command)
                except InputError as error:
                    self.refuse(name, str(error))
        with self._came:
            room = _ROOM - len(self._waiting)
            fresh = [*commands, *steps]
            self.refused += max(0, len(fresh) - room)
            self._waiting.extend(fresh[:room])
            self._came.notify()

    def _messages(self, reader: Any, name: str) -> Iterator[Any]:
        """One by one, so that one that cannot be read takes no other with it."""
        for _ in range(_AT_ONCE):
            try:
                messages = reader.take(1)
            except Exception as error:  # bytes that pass for the type and are no text, whatever they make the library raise
                self.refuse(name, f"a message cannot be read: {type(error).__name__}")
                continue
            if not messages:
                return
            if messages[0].sample_info.valid_data:
                yield messages[0]
