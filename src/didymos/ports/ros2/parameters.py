"""ROS 2's parameter services over the twin's own parameter tree: set (live paths only), get, list.

In a world the node of a robot has the robot's parameters by the robot's own paths, that of the world has all.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from didymos.describe.path_patterns import tied_paths, unknown_path
from didymos.engine.run import Run
from didymos.errors import InputError
from didymos.ports.ros2.interfaces import register
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.services import Reply, Request, Service
from didymos.ports.ros2.types import message_type

__all__ = ["Parameters"]

_NOT_SET, _INTEGER, _DOUBLE = 0, 2, 3  # rcl_interfaces/msg/ParameterType

_TYPES = {
    "rcl_interfaces/srv/SetParameters": "Parameter[] parameters\n---\nSetParametersResult[] results",
    "rcl_interfaces/srv/GetParameters": "string[] names\n---\nParameterValue[] values",
    "rcl_interfaces/srv/ListParameters": "string[] prefixes\nuint64 depth\n---\nListParametersResult result",
}


class Parameters:
    """The parameter services of a node."""

    def __init__(self, owner: Owner) -> None:
        register(_TYPES)
        answers = {"Set": _set, "Get": _get, "List": _list}
        self.services = [
            Service(f"{owner.name}/{verb.lower()}_parameters", f"rcl_interfaces/srv/{verb}Parameters", answer)
            for verb, answer in answers.items()
        ]

    def tend(self, run: Run) -> Iterable[Reply]:
        """Nothing: all is answered at once."""
        return ()


def _set(run: Run, request: Request) -> dict[str, Any]:
    result = message_type("rcl_interfaces/msg/SetParametersResult")
    owner = request.owner
    known = owner.parameters(run.simulation)
    results = []
    for parameter in request.message.parameters:
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


def _get(run: Run, request: Request) -> dict[str, Any]:
    parameters = request.owner.parameters(run.simulation)
    return {"values": [_value(parameters[name].value if name in parameters else None) for name in request.message.names]}


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


def _list(run: Run, request: Request) -> dict[str, Any]:
    """Paths at or below any of the prefixes, not deeper below it than `depth` names; 0 is without limit."""
    prefixes, depth = request.message.prefixes, request.message.depth
    paths = [path for path in request.owner.parameters(run.simulation) if _is_listed(path, prefixes, depth)]
    below = sorted({path.rpartition(".")[0] for path in paths} - {""})
    return {"result": message_type("rcl_interfaces/msg/ListParametersResult")(names=paths, prefixes=below)}


def _is_listed(path: str, prefixes: Sequence[str], depth: int) -> bool:
    for prefix in prefixes or [""]:
        rest = path if not prefix else path.removeprefix(prefix + ".")
        if path == prefix or ((not prefix or rest != path) and (depth == 0 or rest.count(".") < depth)):
            return True
    return False
