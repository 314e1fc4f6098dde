"""`ros2:[DOMAIN][/NAMESPACE]`: a robot that speaks ROS 2, heard on the topics on which its served twin would speak.

Every stream of the twin's log that a robot tells of itself has one topic with stamps: a sensor its own message, inputs, parts
and whatever else is scalars a `control_msgs/DynamicJointState` (or, from a robot of one's own, a `sensor_msgs/JointState` with
the same names). A robot that speaks on other topics has them named by stream, `{"encoders": "/joint_states"}`, beside those of
the twin file (`ros2.topics`).

Stamps are those of the headers, on the robot's clock. There are readers and no writer: what goes out is DDS's own discovery.
They are reliable, so that nothing is lost; where the robot's writer is not (a driver with the quality of sensor data), they
are not either. DDS finds a robot that comes back by itself. By default only this machine is heard.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from didymos.engine.simulation import Simulation
from didymos.errors import InputError, nearest
from didymos.ports.ros2.names import dds_topic, ros_name
from didymos.ports.ros2.stamped_scalars import DYNAMIC_JOINT_STATE
from didymos.ports.ros2.surface import StreamTopic, stream_topics
from didymos.record.cdr import CdrError
from didymos.sensors.ranging import Rangefinder
from didymos.shadow.signals import chosen, robot_signals
from didymos.shadow.source import Arrival, SourceOptions
from didymos.shadow.sources.arrivals import Arrivals
from didymos.shadow.sources.ros2_message import JOINT_STATE, MessageReader

try:
    from cyclonedds.core import DDSException, InstanceState, ReadCondition, SampleState, ViewState, WaitSet

    from didymos.ports.ros2.node import Node
    from didymos.ports.ros2.types import raw_type
except ImportError as error:
    if (error.name or "").partition(".")[0] != "cyclonedds":
        raise
    raise InputError("ros2 needs cyclonedds; this installs it: pip install 'didymos[ros2]'", option="robot") from None

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["Ros2Source", "domain_of", "open_ros2"]

_DOMAINS = 233  # DDS's ports of higher domains do not exist
_DEPTH = 1000  # messages that wait in a reader
_LOOK_UP = 0.1  # [s] after which a quiet thread looks around
_BACK = 0.1  # [s] by which a topic's clock goes back only where the robot was started anew
_PATIENCE = 3.0  # [s] after the first message, until which every topic has somebody who speaks there
_ANY = ViewState.Any | InstanceState.Any | SampleState.Any


def open_ros2(twin: Twin, address: str, options: SourceOptions | None = None) -> Ros2Source:
    """Listen to the robot of a twin in a domain, ROS_DOMAIN_ID's without one."""
    options = options or SourceOptions()
    _, slash, space = address.partition("/")
    domain = domain_of(address)
    namespace = ros_name(space) if space else ""
    if slash and f"/{space}" != namespace:
        raise InputError(f"found {address!r}, expected DOMAIN/NAMESPACE such as 0{namespace or '/robot'}", option="robot")
    wanted = chosen(options.signals, robot_signals(twin)) if options.signals else robot_signals(twin)
    streams = [item for item in stream_topics(Simulation(twin)).values() if any(name in wanted for name in item.layout.signals)]
    beams = [name for name, sensor in twin.file.sensors.items() if issubclass(sensor.contract, Rangefinder)]
    places = _places(streams, namespace, options.topics)
    readers = {item: MessageReader(item.layout, item.type_name, wanted, beam=item.layout.name in beams) for item in places}
    return Ros2Source(domain, readers, network=options.network)


def domain_of(address: str) -> int:
    """The domain of [DOMAIN][/NAMESPACE]."""
    found = address.partition("/")[0] or os.environ.get("ROS_DOMAIN_ID", "0")
    if not found.isascii() or not found.isdigit() or int(found) >= _DOMAINS:
        raise InputError(f"found {found!r}, expected a ROS 2 domain, a whole number from 0 to {_DOMAINS - 1}", option="robot")
    return int(found)


def _places(streams: Sequence[StreamTopic], namespace: str, topics: Mapping[str, str]) -> list[StreamTopic]:
    """Where each stream is listened to, in all types that it may have."""
    known = [item.layout.name for item in streams]
    for name, topic in topics.items():
        if name not in known:
            hint = f"{nearest(name, known)} (it has: {', '.join(known)})"
            raise InputError(f"the twin has no stream {name!r}{hint}", option="topics")
        if ros_name(topic) != topic:
            raise InputError(f"found {topic!r}, expected a topic such as {ros_name(topic)}", option="topics")
    found = []
    for item in streams:
        topic = topics.get(item.layout.name, namespace + item.topic)
        kinds = (DYNAMIC_JOINT_STATE, JOINT_STATE) if item.type_name == DYNAMIC_JOINT_STATE else (item.type_name,)
        found += [StreamTopic(item.layout, topic, kind) for kind in kinds]
    return found


@dataclass
class _Ear:
    """A reader of DDS and what reads its messages; `newest` [s] is the last stamp, `heard` whether anything ever came."""

    about: StreamTopic
    reader: Any
    condition: Any
    message: MessageReader
    reliable: bool = True
    newest: float = float("-inf")
    heard: bool = False


class Ros2Source:
    """The robot on a domain, as far as it can be heard."""

    live = True

    def __init__(self, domain: int, readers: Mapping[StreamTopic, MessageReader], *, network: bool = False) -> None:
        self._arrivals = Arrivals(f"the robot on ROS 2 domain {domain}")
        self._node = Node(domain, network=network)
        self._waitset = WaitSet(self._node.participant)
        self._ears = [self._open(about, message) for about, message in readers.items()]
        self._signals = tuple(dict.fromkeys(name for message in readers.values() for name in message.signals))
        self._first: float | None = None
        self._dropped = 0
        self._over = Event()
        self._thread = Thread(target=self._work, name="didymos-shadow-ros2", daemon=True)
        self._thread.start()

    @property
    def signals(self) -> tuple[str, ...]:
        """Every signal that the topics listened to can have."""
        return self._signals

    @property
    def lost(self) -> int:
        """Messages that came and were lost before anybody could take them, by DDS or here."""
        if not self._over.is_set():
            self._dropped = sum(int(ear.reader.get_sample_lost_status().total_count) for ear in self._ears)
        return self._dropped + self._arrivals.lost

    @property
    def unread(self) -> int:
        """Messages that meant nothing."""
        return self._arrivals.unread

    def read(self, seconds: float) -> Sequence[Arrival]:
        """What has come, in order of its stamps where it came together."""
        return self._arrivals.take(seconds)

    def notices(self) -> Sequence[str]:
        """What there is to say since the last time."""
        return self._arrivals.notices()

    def close(self) -> None:
        """Leave the domain."""
        if not self._over.is_set():
            self._dropped = self.lost - self._arrivals.lost
            self._over.set()
            self._thread.join()
            self._node.close()

    def _open(self, about: StreamTopic, message: MessageReader, *, reliable: bool = True) -> _Ear:
        kind = raw_type(about.type_name)
        reader = self._node.reader(dds_topic(about.topic), kind, depth=_DEPTH, reliable=reliable)
        condition = ReadCondition(reader, _ANY)
        self._waitset.attach(condition)
        return _Ear(about, reader, condition, message, reliable)

    def _work(self) -> None:
        look = time.monotonic()
        while not self._over.is_set():
            if self._waitset.wait(round(_LOOK_UP * 1e9)):
                self._collect(time.monotonic())
            if time.monotonic() - look > _LOOK_UP:
                look = time.monotonic()
                self._look_around(look)

    def _collect(self, now: float) -> None:
        found: list[Arrival] = []
        for ear in self._ears:
            for sample in self._samples(ear):
                if sample.sample_info.valid_data:
                    found += self._read(ear, sample.data_bytes, now)
        found.sort(key=lambda arrival: arrival.stamp)
        self._arrivals.put(found)

    def _samples(self, ear: _Ear) -> Sequence[Any]:
        try:
            taken: Sequence[Any] = ear.reader.take(_DEPTH)
        except DDSException as error:  # whatever a writer made the library raise: the next ones are none the worse
            self._arrivals.refuse(ear.about.topic, f"messages cannot be taken: {error.msg}")
            return ()
        return taken

    def _read(self, ear: _Ear, data: bytes, now: float) -> Collection[Arrival]:
        topic = ear.about.topic
        try:
            stamp, values = ear.message.read(data)
        except (CdrError, KeyError, ValueError) as error:
            self._arrivals.refuse(topic, f"a message of {len(data)} bytes is no {ear.about.type_name} ({error})")
            return ()
        if not values:
            told = ", ".join(sorted(ear.message.unknown)[:3]) or "nothing"
            self._arrivals.refuse(topic, f"a message tells of {told}, and of no signal of the twin")
            return ()
        if ear.message.unknown:
            told = ", ".join(sorted(ear.message.unknown)[:3])
            self._arrivals.say_once(f"unknown {topic}", f"{topic} tells of {told} as well, which the twin does not have")
        if stamp < ear.newest - _BACK:
            self._arrivals.say(f"the robot's clock went back from {ear.newest:.3f} s to {stamp:.3f} s: it was started anew")
            for other in self._ears:
                other.newest = float("-inf")
        ear.newest, ear.heard = stamp, True
        self._first = now if self._first is None else self._first
        return (Arrival(stamp, now, values),)

    def _look_around(self, now: float) -> None:
        """Say who is silent, and listen less strictly where a writer is not reliable."""
        self._arrivals.watch()
        for i, ear in enumerate(self._ears):
            if ear.reliable and not ear.heard and ear.reader.get_requested_incompatible_qos_status().total_count:
                self._waitset.detach(ear.condition)
                self._ears[i] = self._open(ear.about, ear.message, reliable=False)
        if self._first is not None and now - self._first > _PATIENCE:
            heard = {ear.about.topic for ear in self._ears if ear.heard}
            quiet = dict.fromkeys(ear.about.topic for ear in self._ears if ear.about.topic not in heard)
            absent = [topic for topic in quiet if not any(self._spoken(ear) for ear in self._ears if ear.about.topic == topic)]
            if absent:
                self._arrivals.say_once("absent", f"nobody speaks on {', '.join(absent)}: the twin has to do without")

    def _spoken(self, ear: _Ear) -> bool:
        return bool(ear.reader.get_subscription_matched_status().current_count)
