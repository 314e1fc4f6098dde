"""Services that viewers call, in JSON: what acts on the run as a whole, and a push.

    /pause, /resume, /reset                  {}
    /step                                    {"ticks": 10}          lets them pass as fast as they go, and stands
    /save_state, /restore_state              {"name": "here"}       held in memory until the run ends
    /push                                    {"link": "base", "force": [1, 0, 0]}    [N], world frame, until the next one

Each answers with where the run stands then: {"tick": 120, "time": 0.6}.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import foxglove

from didymos.errors import DidymosError, InputError, nearest
from didymos.ports.foxglove.live import LiveRun

__all__ = ["services"]

_Read = Callable[[Mapping[str, Any]], Callable[[], Any]]
"""Turns the fields of a request into what the run is asked to do."""

_MOST_TICKS = 10_000_000
_LONGEST = 100_000  # [bytes] of a request
_WHERE = {"tick": {"type": "integer"}, "time": {"type": "number", "description": "s, of the twin's clock"}}
_TICKS = {"ticks": {"type": "integer", "minimum": 1, "maximum": _MOST_TICKS, "default": 1}}
_NAME = {"name": {"type": "string", "default": "state"}}
_FORCE = {
    "link": {"type": "string", "description": "in a world ROBOT.LINK"},
    "force": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3, "description": "N, world frame"},
}


def services(live: LiveRun, called: Callable[[str | None], None]) -> list[foxglove.Service]:
    """All of them; `called` is told of each call why it was refused, None where it was not."""
    asked: dict[str, tuple[dict[str, Any], bool, _Read]] = {
        "/pause": ({}, True, lambda fields: live.pause),
        "/resume": ({}, True, lambda fields: live.resume),
        "/step": (_TICKS, True, lambda fields: lambda: live.step(_ticks(fields))),
        "/reset": ({}, True, lambda fields: live.reset),
        "/save_state": (_NAME, False, lambda fields: lambda: live.save_state(_name(fields))),
        "/restore_state": (_NAME, True, lambda fields: lambda: live.restore_state(_name(fields))),
        "/push": (_FORCE, False, lambda fields: lambda: live.intervene("push", *_force(fields))),
    }
    return [_service(live, name, *about, called) for name, about in asked.items()]


def _service(
    live: LiveRun, name: str, fields: dict[str, Any], whole: bool, read: _Read, called: Callable[[str | None], None]
) -> foxglove.Service:
    def answer(request: foxglove.ServiceRequest) -> bytes:
        try:
            reply = live.inbox.ask(read(_fields(request.payload, fields)), whole=whole)
        except DidymosError as error:
            called(str(error))
            raise ValueError(str(error)) from None  # the library hands its text to the viewer
        called(None)
        return json.dumps(reply).encode()

    title = "didymos/" + "".join(word.title() for word in name.strip("/").split("_"))
    request, response = _schema(f"{title}_Request", fields), _schema(f"{title}_Response", _WHERE)
    return foxglove.Service(name, schema=foxglove.ServiceSchema(title, request=request, response=response), handler=answer)


def _schema(title: str, fields: dict[str, Any]) -> foxglove.MessageSchema:
    text = json.dumps({"title": title, "type": "object", "properties": fields})
    return foxglove.MessageSchema(encoding="json", schema=foxglove.Schema(name=title, encoding="jsonschema", data=text.encode()))


def _fields(payload: bytes, known: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        found = json.loads(payload[:_LONGEST] or b"{}")
    except (ValueError, RecursionError):
        raise InputError("this is no JSON") from None
    if not isinstance(found, dict):
        raise InputError("expected an object")
    for name in found:
        if name not in known:
            raise InputError(f"there is no field {name[:40]!r}{nearest(name, known)} (there are: {', '.join(known) or 'none'})")
    return found


def _ticks(fields: Mapping[str, Any]) -> int:
    ticks = fields.get("ticks", 1)
    if isinstance(ticks, float) and ticks.is_integer():
        ticks = int(ticks)
    if isinstance(ticks, bool) or not isinstance(ticks, int) or not 1 <= ticks <= _MOST_TICKS:
        raise InputError(f"found {str(ticks)[:40]}, expected a whole number from 1 to {_MOST_TICKS}", path="ticks")
    return ticks


def _name(fields: Mapping[str, Any]) -> str:
    name = fields.get("name", "state")
    if not isinstance(name, str) or len(name) > 100:
        raise InputError(f"found {str(name)[:40]!r}, expected a text of up to 100 characters", path="name")
    return name


def _force(fields: Mapping[str, Any]) -> tuple[str, list[float]]:
    link, force = fields.get("link"), fields.get("force")
    if not isinstance(link, str):
        raise InputError(f"found {str(link)[:40]!r}, expected the name of a link", path="link")
    numbers = force if isinstance(force, list) and len(force) == 3 else []
    if not numbers or any(isinstance(item, bool) or not isinstance(item, int | float) or abs(item) > 1e12 for item in numbers):
        raise InputError(f"found {str(force)[:40]}, expected three numbers [N]", path="force")
    return link, [float(item) for item in numbers]
