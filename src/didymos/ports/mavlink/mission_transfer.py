"""The mission protocol: items come from a client one by one, as we ask for them, or are read back, or cleared.

    MISSION_COUNT -> (MISSION_REQUEST_INT <- MISSION_ITEM_INT)* -> MISSION_ACK        a request is repeated after 0.5 s, ten times
    MISSION_REQUEST_LIST -> MISSION_COUNT, MISSION_REQUEST_INT -> MISSION_ITEM_INT, MISSION_REQUEST -> MISSION_ITEM

A mission counts once all of it has come and can be flown; until then the one before does. Fences and rally points are not
there: reading them gives none, writing them is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.mission import MOST_ITEMS, Item, as_message, read_item
from didymos.ports.mavlink.mission_state import MissionState

__all__ = ["MissionTransfer"]

_AGAIN, _TRIES = 0.5, 10  # [s] until a request is repeated, and how often
_MISSION = mavlink.MAV_MISSION_TYPE_MISSION
_ACCEPTED, _UNSUPPORTED = mavlink.MAV_MISSION_ACCEPTED, mavlink.MAV_MISSION_UNSUPPORTED


class MissionTransfer:
    """Answers the mission protocol for the mission of a vehicle."""

    def __init__(self, run: MissionState) -> None:
        self._run = run
        self._client: tuple[int, int] | None = None  # system and component of whoever writes
        self._coming: list[Item] = []
        self._count = self._tries = 0
        self._asked = 0.0

    def handle(self, message: Any, client: tuple[int, int], now: float) -> Iterator[Any]:
        """The answers to a message of a client, at a time [s]."""
        kind, of = message.get_type(), getattr(message, "mission_type", _MISSION)
        if kind == "MISSION_COUNT":
            yield from self._begin(message.count, of, client, now)
        elif kind in ("MISSION_ITEM_INT", "MISSION_ITEM"):
            if client == self._client and of == _MISSION:
                yield from self._take(message, now)
        elif kind == "MISSION_REQUEST_LIST":
            count = len(self._run.items) if of == _MISSION else 0
            yield mavlink.MAVLink_mission_count_message(*client, count, of)
        elif kind in ("MISSION_REQUEST_INT", "MISSION_REQUEST"):
            if of == _MISSION and message.seq < len(self._run.items):
                whole = kind == "MISSION_REQUEST_INT"
                yield as_message(self._run.items[message.seq], message.seq, self._run.current, client, whole)
            else:
                yield self._ack(client, mavlink.MAV_MISSION_INVALID_SEQUENCE, of)
        elif kind == "MISSION_CLEAR_ALL":
            if of in (_MISSION, mavlink.MAV_MISSION_TYPE_ALL):
                self._run.load([])
            yield self._ack(client, _ACCEPTED, of)
        elif kind == "MISSION_ACK":
            self._client = None if client == self._client else self._client  # whoever writes has given up
        elif kind == "MISSION_SET_CURRENT" and not self._run.set_current(message.seq):
            yield mavlink.MAVLink_statustext_message(mavlink.MAV_SEVERITY_WARNING, b"There is no such mission item")

    def due(self, now: float) -> Iterator[Any]:
        """Ask again for what has not come."""
        if self._client is not None and now - self._asked > _AGAIN:
            self._tries += 1
            if self._tries > _TRIES:
                client, self._client = self._client, None
                yield self._ack(client, mavlink.MAV_MISSION_OPERATION_CANCELLED, _MISSION)
            else:
                yield self._request(now)

    def _begin(self, count: int, of: int, client: tuple[int, int], now: float) -> Iterator[Any]:
        if of != _MISSION:
            yield self._ack(client, _ACCEPTED if count == 0 else _UNSUPPORTED, of)
        elif count > MOST_ITEMS:
            yield self._ack(client, mavlink.MAV_MISSION_NO_SPACE, of)
        elif count == 0:
            self._run.load([])
            yield self._ack(client, _ACCEPTED, of)
        else:
            self._client, self._count, self._coming, self._tries = client, count, [], 0
            yield self._request(now)

    def _take(self, message: Any, now: float) -> Iterator[Any]:
        assert self._client is not None
        if message.seq != len(self._coming):
            return  # twice the same, or one that nobody asked for; what is missing is asked for again
        item = read_item(message)
        wrong = self._run.wrong_with(item, self._coming)
        if wrong is not None:
            client, self._client = self._client, None
            yield self._ack(client, wrong, _MISSION)
            return
        self._coming.append(item)
        self._tries = 0
        if len(self._coming) < self._count:
            yield self._request(now)
            return
        client, self._client = self._client, None
        self._run.load(self._coming)
        yield self._ack(client, _ACCEPTED, _MISSION)

    def _request(self, now: float) -> Any:
        assert self._client is not None
        self._asked = now
        return mavlink.MAVLink_mission_request_int_message(*self._client, len(self._coming), _MISSION)

    @staticmethod
    def _ack(client: tuple[int, int], result: int, of: int) -> Any:
        return mavlink.MAVLink_mission_ack_message(*client, result, of)
