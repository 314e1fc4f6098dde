"""ROS 2's parameter services over the twin's own parameter tree: set (live paths only), get, list.

In a world the node of a robot has the robot's parameters by the robot's own paths, that of the world has all.

A service is a pair of topics. `rmw_cyclonedds` tells answers apart by a header in the message, who asks and the how manieth
request it is, and that is what is spoken here; `rmw_fastrtps` hides the same in DDS metadata, which this library does not show.
"""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from cyclonedds.idl import types

from didymos.describe.path_patterns import tied_paths, unknown_path
from didymos.engine.run import Run
from didymos.errors import InputError
from didymos.ports.ros2.inbox import Inbox
from didymos.ports.ros2.names import dds_reply, dds_request
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.types import message_type, service_type

__all__ = ["Reply", "Request", "open_services"]

_NOT_SET, _INTEGER, _DOUBLE = 0, 2, 3  # rcl_interfaces/msg/ParameterType
_DEPTH = 1000  # as rmw_qos_profile_parameters
_DISCOVERY = 2.0  # [s] that an answer waits for its reader

_Answer = Callable[[Run, Owner, Any], dict[str, Any]]


@dataclass(frozen=True)
class Request:
    """A request to a node that waits for the end of a tick; `client` is the DDS participant that it came from."""

    owner: Owner
    message: Any
    client: Any
    reply_type: Any
    writer: Any
    answer: _Answer

    def settle(self, run: Run) -> Reply:
        """Do what it requests, between two ticks."""
        fields = self.answer(run, self.owner, self.message)
        reply = self.reply_type(client=self.message.client, number=self.message.number, **fields)
        return Reply(reply, self.client, self.writer, time.monotonic() + _DISCOVERY)


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


def open_services(owner: Owner, inbox: Inbox) -> tuple[str, ...]:
    """Open the parameter services of a node; their names."""
    parameter, result = message_type("rcl_interfaces/msg/Parameter"), message_type("rcl_interfaces/msg/SetParametersResult")
    value, listed = message_type("rcl_interfaces/msg/ParameterValue"), message_type("rcl_interfaces/msg/ListParametersResult")
    text = types.sequence[str]
    services: dict[str, tuple[str, dict[str, Any], dict[str, Any], _Answer]] = {
        "set_parameters": ("Set", {"parameters": types.sequence[parameter]}, {"results": types.sequence[result]}, _set),
        "get_parameters": ("Get", {"names": text}, {"values": types.sequence[value]}, _get),
        "list_parameters": ("List", {"prefixes": text, "depth": types.uint64}, {"result": listed}, _list),
    }
    for service, (verb, request, reply, answer) in services.items():
        kind = f"rcl_interfaces/srv/{verb}Parameters"
        request_type, reply_type = service_type(f"{kind}_Request", request), service_type(f"{kind}_Response", reply)
        _open(owner, inbox, f"{owner.name}/{service}", request_type, reply_type, answer)
    return tuple(f"{owner.name}/{service}" for service in services)


def _open(owner: Owner, inbox: Inbox, service: str, request_type: Any, reply_type: Any, answer: _Answer) -> None:
    about = "serviceid= " + ".".join(f"{byte:x}" for byte in uuid.uuid4().bytes) + ";"  # pairs the two for rmw_cyclonedds
    writer = owner.node.writer(dds_reply(service), reply_type, depth=_DEPTH, about=about)
    reader = owner.node.reader(dds_request(service), request_type, depth=_DEPTH, about=about)

    def read(message: Any) -> Request:
        source = reader.get_matched_publication_data(message.sample_info.publication_handle)
        return Request(owner, message, source and source.participant_key, reply_type, writer, answer)

    inbox.listen(reader, service, read)


def _set(run: Run, owner: Owner, request: Any) -> dict[str, Any]:
    result = message_type("rcl_interfaces/msg/SetParametersResult")
    known = owner.parameters(run.simulation)
    results = []
    for parameter in request.parameters:
        try:
            _check(parameter.name, known, owner)
            run.intervene("set", owner.prefix + parameter.name, _number(parameter.value))
            results.append(result(successful=True, reason=""))
        except InputError as error:
            path = error.path and error.path.removeprefix(owner.prefix)
            reason = InputError(error.message, file=error.file, line=error.line, path=path, option=error.option)
            results.append(result(successful=False, reason=str(reason)))
    return {"results": results}


def _check(path: str, known: Collection[str], owner: Owner) -> None:
    """Refuse a path, or a pattern, that leads to nothing of a robot in a world."""
    if owner.prefix and not tied_paths(path, known):
        whole = "is of the world; set it through the world's node"
        raise InputError(whole if path.startswith("world.") else unknown_path(path, known), path=path)


def _number(value: Any) -> float:
    if value.type == _DOUBLE and math.isfinite(value.double_value):
        return float(value.double_value)
    if value.type == _INTEGER:
        return float(value.integer_value)
    raise InputError("expected a finite number (PARAMETER_DOUBLE or PARAMETER_INTEGER)")


def _get(run: Run, owner: Owner, request: Any) -> dict[str, Any]:
    parameters = owner.parameters(run.simulation)
    return {"values": [_value(parameters[name].value if name in parameters else None) for name in request.names]}


def _value(number: float | None) -> Any:
    return message_type("rcl_interfaces/msg/ParameterValue")(
        type=_NOT_SET if number is None else _DOUBLE,
        bool_value=False,
        integer_value=0,
        double_value=0.0 if number is None else float(number),
        string_value="",
        byte_array_value=[],
        bool_array_value=[],
        integer_array_value=[],
        double_array_value=[],
        string_array_value=[],
    )


def _list(run: Run, owner: Owner, request: Any) -> dict[str, Any]:
    """Paths at or below any of the prefixes, not deeper below it than `depth` names; 0 is without limit."""
    paths = [path for path in owner.parameters(run.simulation) if _is_listed(path, request.prefixes, request.depth)]
    below = sorted({path.rpartition(".")[0] for path in paths} - {""})
    return {"result": message_type("rcl_interfaces/msg/ListParametersResult")(names=paths, prefixes=below)}


def _is_listed(path: str, prefixes: Sequence[str], depth: int) -> bool:
    for prefix in prefixes or [""]:
        rest = path if not prefix else path.removeprefix(prefix + ".")
        if path == prefix or ((not prefix or rest != path) and (depth == 0 or rest.count(".") < depth)):
            return True
    return False
