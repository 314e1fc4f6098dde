"""A participant on DDS, as ROS 2 nodes are: its network, its writers and readers with ROS 2's qualities of service.

By default the wire is this machine's loopback: no multicast, peers on 127.0.0.1, so that only nodes of the same machine whose
discovery looks there find it (ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST, or ROS_LOCALHOST_ONLY=1); the kernel keeps everything else
away (`loopback.py`). A CYCLONEDDS_URI of the user, as ROS 2 users have it, stands above all of this.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import Any, Self

from cyclonedds.core import DDSException, Entity
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

from didymos.errors import InputError
from didymos.ports.ros2.loopback import held_to_loopback

__all__ = ["Node"]

_BLOCKING = 100_000_000  # [ns] that a writer may wait for a slow reader, as in ROS 2; it never is the run that waits
_ENCLAVE = b"enclave=/;"  # by which ROS 2 knows its own participants
_CDR = Policy.DataRepresentation(use_cdrv0_representation=True)  # what ROS 2 speaks

# A writer holds a second of messages for a reader that is slow or dead. The library's own limit, 500 kB of what nobody has
# acknowledged, would make the writer wait instead.
_PATIENT = """<CycloneDDS><Domain><Internal><Watermarks><WhcHigh>32MB</WhcHigh><WhcHighInit>32MB</WhcHighInit>
<WhcAdaptive>false</WhcAdaptive></Watermarks></Internal></Domain></CycloneDDS>"""
_LOOPBACK = """<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1" multicast="false"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>"""


_opened: dict[int, tuple[Any, int]] = {}  # domains of this process, each with how many nodes are in it: DDS opens one only once


class Node:
    """A ROS 2 node: writers and readers in one domain; on loopback unless `network`.

    Where this process is in the domain already, its network is that of the first node.
    """

    def __init__(self, domain: int, *, network: bool) -> None:
        own = os.environ.get("CYCLONEDDS_URI", "")
        parts = [_PATIENT, own or ("" if network else _LOOPBACK)]
        try:
            with nullcontext() if own or network else held_to_loopback():
                config = ",".join(part.replace("\n", "") for part in parts if part)
                self._domain, count = _opened.get(domain) or (Domain(domain, config), 0)
                self.participant = DomainParticipant(domain, qos=Qos(Policy.Userdata(_ENCLAVE)))
        except DDSException as error:
            hint = "; is CYCLONEDDS_URI right?" if own else ""
            raise InputError(f"DDS cannot open domain {domain}: {error.msg}{hint}", option="domain") from None
        self._number = domain
        _opened[domain] = self._domain, count + 1
        self._topics: dict[tuple[str, Any], Any] = {}  # by name and type: /cmd_vel has two
        self.writer_ids: list[bytes] = []
        self.reader_ids: list[bytes] = []

    def another(self) -> Self:
        """A further node of the same participant, with writers and readers of its own."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, writer_ids=[], reader_ids=[])
        return made

    def close(self) -> None:
        """Leave the domain at once, with all writers and readers of all nodes of the participant, whoever still holds them.

        The library leaves when Python forgets the last of them, and then in any order; where one is forgotten after what it is a
        part of, the process stays in the domain.
        """
        known = Entity._entities
        for entity in list(known.values()):
            if entity not in (self._domain, self.participant) and entity.get_participant() is self.participant:
                known.pop(entity._ref, None)  # it goes with the participant
        self.participant.__del__()
        count = _opened.pop(self._number)[1] - 1
        if count:
            _opened[self._number] = self._domain, count
        else:
            self._domain.__del__()

    def writer(
        self,
        topic: str,
        kind: Any,
        *,
        depth: int = 10,
        reliable: bool = True,
        lasting: bool = False,
        about: str = "",
        lifespan: float | None = None,
    ) -> Any:
        """A writer of a DDS topic. `lasting`: late readers get the last messages too, up to `lifespan` [s] after they were sent.

        `about` is said to whoever finds it.
        """
        quality = _quality(depth, reliable, lasting, about, lifespan)
        made = DataWriter(self.participant, self._topic(topic, kind), qos=quality)
        self.writer_ids.append(made.guid.bytes)
        return made

    def reader(self, topic: str, kind: Any, *, depth: int = 10, about: str = "", reliable: bool = True) -> Any:
        """A reader of a DDS topic, reliable as ROS 2's subscriptions are; one that is not matches writers of both kinds."""
        made = DataReader(self.participant, self._topic(topic, kind), qos=_quality(depth, reliable, False, about))
        self.reader_ids.append(made.guid.bytes)
        return made

    def _topic(self, topic: str, kind: Any) -> Any:
        if (topic, kind) not in self._topics:
            self._topics[topic, kind] = Topic(self.participant, topic, kind)
        return self._topics[topic, kind]


def _quality(depth: int, reliable: bool, lasting: bool, about: str, lifespan: float | None = None) -> Any:
    return Qos(
        Policy.Reliability.Reliable(_BLOCKING) if reliable else Policy.Reliability.BestEffort,
        Policy.History.KeepLast(depth),
        Policy.Durability.TransientLocal if lasting else Policy.Durability.Volatile,
        _CDR,
        *([Policy.DurabilityService(0, Policy.History.KeepLast(depth), -1, -1, -1)] if lasting else []),
        *([] if lifespan is None else [Policy.Lifespan(round(lifespan * 1e9))]),
        *([Policy.Userdata(about.encode())] if about else []),
    )
