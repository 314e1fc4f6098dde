"""ROS 2's parameter services: their types, and the names under which a node has them. Nothing here needs DDS."""

from __future__ import annotations

__all__ = ["EVENTS", "PARAMETER_TYPES", "parameter_services"]

EVENTS = ("/parameter_events", "rcl_interfaces/msg/ParameterEvent")
"""The topic on which nodes say that a parameter has changed, and its type."""

PARAMETER_TYPES = {
    "rcl_interfaces/srv/SetParameters": "Parameter[] parameters\n---\nSetParametersResult[] results",
    "rcl_interfaces/srv/SetParametersAtomically": "Parameter[] parameters\n---\nSetParametersResult result",
    "rcl_interfaces/srv/GetParameters": "string[] names\n---\nParameterValue[] values",
    "rcl_interfaces/srv/GetParameterTypes": "string[] names\n---\nuint8[] types",
    "rcl_interfaces/srv/ListParameters": "string[] prefixes\nuint64 depth\n---\nListParametersResult result",
    "rcl_interfaces/srv/DescribeParameters": "string[] names\n---\nParameterDescriptor[] descriptors",
}


def parameter_services(node: str) -> dict[str, str]:
    """The types of the services by the names that they have at a node (`/quadcopter/set_parameters`)."""
    verbs = ("set_parameters", "set_parameters_atomically", "get_parameters", "get_parameter_types", "list_parameters")
    return {f"{node}/{verb}": kind for verb, kind in zip((*verbs, "describe_parameters"), PARAMETER_TYPES, strict=True)}
