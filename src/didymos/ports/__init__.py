"""The wire: a twin that answers as its robot does. `PORTS` names the kinds that there are.

A kind is one module with a function `serve(simulation, options)`; it is imported when it is used, because each needs
libraries of its own. A kind with a `robot` can be spoken from the other end as well, to a real robot at KIND:ADDRESS: one
module with a function `connect`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from didymos.errors import InputError, nearest
from didymos.kinds import Objects, is_reference
from didymos.ports.serve_options import Connect, Serve

__all__ = ["PORTS", "Port", "find_port", "find_robot"]


@dataclass(frozen=True)
class Port:
    """A kind of port: what it speaks, the module whose `serve` speaks it, the program that takes the place of the twin's own,
    the module whose `connect` speaks to a real robot.

    `flies_by`: the program that takes the place of those of robots that have gains for it (`describe/kindred_program.py`) and
    another program, unless somebody names one.

    `tells_inputs`: whether it tells every change of what a robot's actuators get, so that they are recorded in every tick.

    `worlds`: whether it serves worlds of several robots, too. There it speaks for those that have parts of a kind `part`, or
    for all without one, and `control` takes the place of theirs.
    """

    title: str
    module: str
    control: str | None = None
    robot: str | None = None
    worlds: bool = False
    part: str | None = None
    flies_by: str | None = None
    tells_inputs: bool = False


MOTEUS = Port(
    "moteus controllers behind an fdcanusb",
    "didymos.ports.moteus.port",
    control="idle",
    robot="didymos.ports.moteus.robot",
    worlds=True,
    part="drive",
)
CRTP = Port("the Crazyflie's own client over UDP", "didymos.ports.crtp.port", worlds=True)
FOXGLOVE = Port("Foxglove's websocket, for live viewers", "didymos.ports.foxglove.port", worlds=True)
MAVLINK = Port(
    "a MAVLink vehicle over UDP, for ground stations and scripts",
    "didymos.ports.mavlink.port",
    worlds=True,
    flies_by="multirotor_commander",
)
ROS2 = Port("ROS 2 topics and services over DDS", "didymos.ports.ros2.port", worlds=True, tells_inputs=True)

PORTS: Objects[Port] = Objects(
    "a port",
    "didymos.ports",
    "didymos.ports:Port",
    {
        "crtp": "didymos.ports:CRTP",
        "foxglove": "didymos.ports:FOXGLOVE",
        "mavlink": "didymos.ports:MAVLINK",
        "moteus": "didymos.ports:MOTEUS",
        "ros2": "didymos.ports:ROS2",
    },
)


def find_port(kind: str) -> tuple[Port, Serve]:
    """A kind of port and the function that serves it; an unknown kind is an `InputError`.

    A person may name one as MODULE:NAME or FILE.py:NAME, too: an object `Port`.
    """
    if kind not in PORTS and not is_reference(kind):
        known = ", ".join(PORTS)
        raise InputError(f"there is no port {kind!r}{nearest(kind, PORTS)} (there are: {known})", option="port")
    port = PORTS.load(kind, Path())
    return port, _function(port.module, "serve")


def find_robot(text: str) -> tuple[Connect, str]:
    """The function that connects to a robot, and its address, from KIND:ADDRESS; anything else is an `InputError`."""
    kind, colon, address = text.partition(":")
    module = PORTS[kind].robot if kind in PORTS else None
    if module is None or not colon or not address:
        known = [name for name, port in PORTS.items() if port.robot is not None]
        hint = nearest(kind, known) if colon else ""
        raise InputError(f"found {text!r}{hint}, expected KIND:ADDRESS with a kind of: {', '.join(known)}", option="robot")
    connect: Connect = _function(module, "connect")
    return connect, address


def _function(module: str, name: str) -> Any:
    """A function of the module of a port."""
    found = import_module(module)
    if not hasattr(found, name):
        raise InputError(f"the module {module!r} of a port has no function {name}")
    return getattr(found, name)
