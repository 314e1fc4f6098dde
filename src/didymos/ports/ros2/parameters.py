"""ROS 2's parameter services over the twin's own parameter tree: set (live paths only), get, list.

A service is a pair of topics. `rmw_cyclonedds` tells answers apart by a header in the message, who asked and the how manieth
question it is, and that is what is spoken here; `rmw_fastrtps` hides the same in DDS metadata, which this library does not show.
"""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cyclonedds.idl import types

from didymos.engine.run import Run
from didymos.errors import InputError
from didymos.ports.ros2.inbox import Inbox
from didymos.ports.ros2.names import dds_reply, dds_request
from didymos.ports.ros2.node import Node
from didymos.ports.ros2.types import message_type, service_type

__all__ = ["Question", "Reply", "open_services"]

_NOT_SET, _INTEGER, _DOUBLE = 0, 2, 3  # rcl_interfaces/msg/ParameterType
_DEPTH = 1000  # as rmw_qos_profile_parameters
_DISCOVERY = 2.0  # [s] that an answer waits for its reader

_Answer = Callable[[Run, Any], dict[str, Any]]


@dataclass(frozen=True)
class Question:
    """A request that waits for the end of a tick; `asker` is the DDS participant that it came from."""

    request: Any
    asker: Any
    reply_type: Any
    writer: Any
    answer: _Answer

    def settle(self, run: Run) -> Reply:
        """Do what it asks, between two ticks."""
        fields = self.answer(run, self.request)
        reply = self.reply_type(client=self.request.client, number=self.request.number, **fields)
        return Reply(reply, self.asker, self.writer, time.monotonic() + _DISCOVERY)


@dataclass(frozen=True)
class Reply:
    """An answer that waits until its writer has found the reader of the asker, which may well be later than the question came."""

    message: Any
    asker: Any
    writer: Any
    deadline: float

    def send(self) -> bool:
        """Send it, if the asker can hear it or time is up; whether it was sent."""
        readers = (self.writer.get_matched_subscription_data(handle) for handle in self.writer.get_matched_subscriptions())
        heard = any(reader is not None and reader.participant_key == self.asker for reader in readers)
        if heard or time.monotonic() > self.deadline:
            self.writer.write(self.message)
            return True
        return False


def open_services(node: Node, inbox: Inbox, name: str) -> tuple[str, ...]:
    """Open the parameter services of a node of this name (`/quadcopter`); their names."""
    parameter, result = message_type("rcl_interfaces/msg/Parameter"), message_type("rcl_interfaces/msg/SetParametersResult")
    value, listed = message_type("rcl_interfaces/msg/ParameterValue"), message_type("rcl_interfaces/msg/ListParametersResult")
    text = types.sequence[str]
    services: dict[str, tuple[str, dict[str, Any], dict[str, Any], _Answer]] = {
        "set_parameters": ("Set", {"parameters": types.sequence[parameter]}, {"results": types.sequence[result]}, _set),
        "get_parameters": ("Get", {"names": text}, {"values": types.sequence[value]}, _get),
        "list_parameters": ("List", {"prefixes": text, "depth": types.uint64}, {"result": listed}, _list),
    }
    for service, (verb, asked, answered, answer) in services.items():
        _open(node, inbox, f"{name}/{service}", f"rcl_interfaces/srv/{verb}Parameters", asked, answered, answer)
    return tuple(f"{name}/{service}" for service in services)


def _open(
    node: Node, inbox: Inbox, service: str, kind: str, asked: dict[str, Any], answered: dict[str, Any], answer: _Answer
) -> None:
    request, reply = service_type(f"{kind}_Request", asked), service_type(f"{kind}_Response", answered)
    about = "serviceid= " + ".".join(f"{byte:x}" for byte in uuid.uuid4().bytes) + ";"  # pairs the two for rmw_cyclonedds
    writer = node.writer(dds_reply(service), reply, depth=_DEPTH, about=about)
    reader = node.reader(dds_request(service), request, depth=_DEPTH, about=about)

    def read(message: Any) -> Question:
        source = reader.get_matched_publication_data(message.sample_info.publication_handle)
        return Question(message, source and source.participant_key, reply, writer, answer)

    inbox.listen(reader, service, read)


def _set(run: Run, request: Any) -> dict[str, Any]:
    result = message_type("rcl_interfaces/msg/SetParametersResult")
    found = []
    for parameter in request.parameters:
        try:
            run.intervene("set", parameter.name, _number(parameter.value))
            found.append(result(successful=True, reason=""))
        except InputError as error:
            found.append(result(successful=False, reason=str(error)))
    return {"results": found}


def _number(value: Any) -> float:
    if value.type == _DOUBLE and math.isfinite(value.double_value):
        return float(value.double_value)
    if value.type == _INTEGER:
        return float(value.integer_value)
    raise InputError("expected a finite number (PARAMETER_DOUBLE or PARAMETER_INTEGER)")


def _get(run: Run, request: Any) -> dict[str, Any]:
    parameters = run.simulation.twin.parameters
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


def _list(run: Run, request: Any) -> dict[str, Any]:
    """Paths at or below any of the prefixes, not deeper below it than `depth` names; 0 is without limit."""
    found = [path for path in run.simulation.twin.parameters if _is_listed(path, request.prefixes, request.depth)]
    below = sorted({path.rpartition(".")[0] for path in found} - {""})
    return {"result": message_type("rcl_interfaces/msg/ListParametersResult")(names=found, prefixes=below)}


def _is_listed(path: str, prefixes: Sequence[str], depth: int) -> bool:
    for prefix in prefixes or [""]:
        rest = path if not prefix else path.removeprefix(prefix + ".")
        if path == prefix or ((not prefix or rest != path) and (depth == 0 or rest.count(".") < depth)):
            return True
    return False
