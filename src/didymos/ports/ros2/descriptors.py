"""The numbers of a twin as ROS 2's parameters: their values, types and descriptors.

Every number of the tree is a double. Beside them a node has `use_sim_time`, as every node of ROS 2 does: it is true and stays so,
because the twin is the clock that the others follow, and stamps everything by it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from didymos.errors import InputError
from didymos.ports.ros2.types import blank_fields, message_type

if TYPE_CHECKING:
    from didymos.describe.parameter import Parameter

__all__ = ["BOOL", "DOUBLE", "NOT_SET", "USE_SIM_TIME", "descriptor", "number_of", "parameter_value", "sim_time_descriptor"]

NOT_SET, BOOL, INTEGER, DOUBLE = 0, 1, 2, 3  # rcl_interfaces/msg/ParameterType
USE_SIM_TIME = "use_sim_time"

_VALUE = "rcl_interfaces/msg/ParameterValue"
_DESCRIPTOR = "rcl_interfaces/msg/ParameterDescriptor"


def parameter_value(value: float | bool | None) -> Any:
    """A message `ParameterValue`: a double, a bool, or none."""
    kind, field = (NOT_SET, {}) if value is None else (DOUBLE, {"double_value": float(value)})
    if isinstance(value, bool):
        kind, field = BOOL, {"bool_value": value}
    return message_type(_VALUE)(**{**blank_fields(_VALUE), "type": kind, **field})


def number_of(value: Any) -> float:
    """The number that a client sets; a whole one is taken for a double, anything else is an `InputError`."""
    if value.type == DOUBLE and math.isfinite(value.double_value):
        return float(value.double_value)
    if value.type == INTEGER:
        return float(value.integer_value)
    raise InputError("expected a finite number (PARAMETER_DOUBLE or PARAMETER_INTEGER)")


def descriptor(name: str, parameter: Parameter | None, source: str) -> Any:
    """What there is to know of a parameter; one that is not there has the type NOT_SET.

    A range has two ends in ROS 2, so a number with one bound says it in words.
    """
    if parameter is None:
        return message_type(_DESCRIPTOR)(**{**blank_fields(_DESCRIPTOR), "name": name})
    low, high, unit = parameter.low, parameter.high, parameter.unit
    words = [] if unit in ("", "1") else [f"[{unit}]"]
    about = " ".join([*words, *([parameter.doc] if parameter.doc else []), f"({source})"])
    ranges, limits = [], ""
    if low is not None and high is not None:
        ranges = [message_type("rcl_interfaces/msg/FloatingPointRange")(from_value=low, to_value=high, step=0.0)]
    elif low is not None or high is not None:
        limits = f"at least {low:g}" if low is not None else f"at most {high:g}"
    if not parameter.live:
        limits = "; ".join([*([limits] if limits else []), "set before the run begins"])
    fields = {
        "name": name, "type": DOUBLE, "description": about, "additional_constraints": limits, "read_only": not parameter.live,
        "dynamic_typing": False, "floating_point_range": ranges, "integer_range": [],
    }  # fmt: skip
    return message_type(_DESCRIPTOR)(**fields)


def sim_time_descriptor() -> Any:
    """That of `use_sim_time`."""
    about = "this node is the clock: it publishes /clock and stamps everything by it"
    fields = {"name": USE_SIM_TIME, "type": BOOL, "description": about, "read_only": True}
    return message_type(_DESCRIPTOR)(**{**blank_fields(_DESCRIPTOR), **fields})
