"""The wire: a twin that answers as its robot does. `PORTS` names the kinds that there are.

A kind is one module with a function `serve(simulation, options)`; it is imported when it is used, because each needs
libraries of its own. A kind with a `robot` can be spoken from the other end as well, to a real robot at KIND:ADDRESS: one
module with a function `connect`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

from didymos.errors import InputError, nearest
from didymos.ports.serve_options import Connect, Serve

__all__ = ["PORTS", "Port", "find_port", "find_robot"]


@dataclass(frozen=True)
class Port:
    """A kind of port: what it speaks, the module whose `serve` speaks it, the program that takes the place of the twin's own,
    the module whose `connect` speaks to a real robot."""

    title: str
    module: str
    control: str | None = None
    robot: str | None = None


PORTS: Mapping[str, Port] = MappingProxyType(
    {
        "moteus": Port(
            "moteus controllers behind an fdcanusb",
            "didymos.ports.moteus.port",
            control="idle",
            robot="didymos.ports.moteus.robot",
        ),
        "ros2": Port("ROS 2 topics and services over DDS", "didymos.ports.ros2.port"),
    }
)


def find_port(kind: str) -> Serve:
    """The function that serves a kind of port; an unknown kind is an `InputError`."""
    if kind not in PORTS:
        known = ", ".join(PORTS)
        raise InputError(f"there is no port {kind!r}{nearest(kind, PORTS)} (there are: {known})", option="port")
    serve: Serve = import_module(PORTS[kind].module).serve
    return serve


def find_robot(text: str) -> tuple[Connect, str]:
    """The function that connects to a robot, and its address, from KIND:ADDRESS; anything else is an `InputError`."""
    kind, colon, address = text.partition(":")
    known = [name for name, port in PORTS.items() if port.robot is not None]
    module = PORTS[kind].robot if kind in known else None
    if module is None or not colon or not address:
        hint = nearest(kind, known) if colon else ""
        raise InputError(f"found {text!r}{hint}, expected KIND:ADDRESS with a kind of: {', '.join(known)}", option="robot")
    connect: Connect = import_module(module).connect
    return connect, address
