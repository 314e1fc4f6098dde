"""Services of ROS 2 nodes: a pair of topics each, answered between two ticks.

`rmw_cyclonedds` tells answers apart by a header in the message, who asks and the how manieth request it is, and that is what is
spoken here; `rmw_fastrtps` hides the same in DDS metadata, which this library does not show.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from didymos.engine.run import Run
from didymos.ports.ros2.inbox import Inbox
from didymos.ports.ros2.names import dds_reply, dds_request, dds_topic
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.types import message_members, message_type, service_type

__all__ = [
    "Answer", "Delivery", "Feature", "Listening", "Listens", "Reply", "Request", "Restarts", "Service", "open_service",
    "open_topic",
]  # fmt: skip

_DEPTH = 1000  # as rmw_qos_profile_parameters
_DISCOVERY = 2.0  # [s] that an answer waits for its reader


@dataclass(frozen=True)
class Request:
    """A request to a node that waits for the end of a tick; `client` is the DDS participant that it came from."""

    owner: Owner
    message: Any
    client: Any
    reply_type: Any
    writer: Any
    answer: Answer

    def settle(self, run: Run) -> Reply | None:
        """Do what it requests, between two ticks; its answer, unless that comes later by `reply`."""
        fields = self.answer(run, self)
        return None if fields is None else self.reply(fields)

    def reply(self, fields: Mapping[str, Any]) -> Reply:
        """The answer with these fields."""
        message = self.reply_type(client=self.message.client, number=self.message.number, **fields)
        return Reply(message, self.client, self.writer, time.monotonic() + _DISCOVERY)


Answer = Callable[[Run, Request], Mapping[str, Any] | None]
"""What answers a request (`request.message` has its fields, `request.owner` is whose it is): the fields of the reply, or None
where the reply comes later."""


@dataclass(frozen=True)
class Reply:
    """An answer that waits until its writer has found the reader of its client, which may well be later than the request came."""

    message: Any
    client: Any
    writer: Any
    deadline: float

    def send(self) -> bool:
        """Send it, if the client can receive it or time is up; whether it was sent."""
        readers = (self.writer.get_matched_subscription_data(handle) for handle in self.writer.get_matched_subscriptions())
        matched = any(reader is not None and reader.participant_key == self.client for reader in readers)
        if matched or time.monotonic() > self.deadline:
            self.writer.write(self.message)
            return True
        return False


@dataclass(frozen=True)
class Service:
    """A service: its name (`/robot/set_parameters`), its type (`rcl_interfaces/srv/SetParameters`), what answers a request."""

    name: str
    type_name: str
    answer: Answer


class Feature(Protocol):
    """Something that a node offers besides its topics: services, and what it does between two slices of ticks."""

    services: list[Service]

    def tend(self, run: Run) -> Iterable[Reply]:
        """Go on with what was begun; answers that are due by now. Called before every slice, so it must be quick."""
        ...


@runtime_checkable
class Restarts(Protocol):
    """A feature that has to know when the run was reset: its clock stands at 0 again, and no command holds."""

    def restart(self, run: Run) -> None:
        """Begin anew, too."""
        ...


@dataclass(frozen=True)
class Listening:
    """A topic that a feature listens to (`/arm/joint_trajectory`), its type, and what takes a message between two ticks.

    A message that cannot be followed is an `InputError`: it is counted as refused.
    """

    topic: str
    type_name: str
    take: Callable[[Run, Any], None]


@dataclass(frozen=True)
class Delivery:
    """A message that waits for the end of a tick."""

    listening: Listening
    message: Any

    def settle(self, run: Run) -> None:
        """Do what it says."""
        self.listening.take(run, self.message)


@runtime_checkable
class Listens(Protocol):
    """A feature that listens to topics as well; `busy` while it has to be called before every slice, also where time passes on
    command."""

    topics: list[Listening]

    @property
    def busy(self) -> bool:
        """Whether it has something to do in each slice."""
        ...


def open_topic(owner: Owner, inbox: Inbox, listening: Listening) -> None:
    """Let a node listen to a topic of a feature. Before the inbox starts."""
    reader = owner.node.reader(dds_topic(listening.topic), message_type(listening.type_name), depth=_DEPTH)
    inbox.listen(reader, listening.topic, lambda message: Delivery(listening, message))


def open_service(owner: Owner, inbox: Inbox, service: Service) -> None:
    """Let a node offer a service; its type is known (`interfaces.register`). Before the inbox starts."""
    request_type, reply_type = (
        service_type(name, message_members(name)) for name in (f"{service.type_name}_Request", f"{service.type_name}_Response")
    )
    about = "serviceid= " + ".".join(f"{byte:x}" for byte in uuid.uuid4().bytes) + ";"  # pairs the two for rmw_cyclonedds
    writer = owner.node.writer(dds_reply(service.name), reply_type, depth=_DEPTH, about=about)
    reader = owner.node.reader(dds_request(service.name), request_type, depth=_DEPTH, about=about)

    def read(message: Any) -> Request:
        source = reader.get_matched_publication_data(message.sample_info.publication_handle)
        return Request(owner, message, source and source.participant_key, reply_type, writer, service.answer)

    inbox.listen(reader, service.name, read)
