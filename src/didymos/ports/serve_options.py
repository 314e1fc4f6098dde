"""How a twin is served: how long, at whose pace, to whom, and what is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from didymos.record.recorder import RecordTo

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation
    from didymos.ports.hardware import Hardware

__all__ = ["Connect", "Serve", "ServeOptions"]


@dataclass(frozen=True)
class ServeOptions:
    """What the person who serves a twin chose.

    Attributes:
        seconds: of the twin's clock until it ends; None: until `stop`.
        step_locked: time passes only on command, instead of with the wall clock.
        record: MCAP file, or a row of them, that keeps the log.
        network: reachable from other machines, instead of from this one only.
        domain: ROS 2 domain; None: what ROS_DOMAIN_ID says.
        ids: numbers on the bus, by name, in a world by ROBOT.NAME; the others in order.
        link: name that leads to the terminal; None: the system's own.
        tap: name that leads to a second terminal of the bus, which only listens.
        say: takes a line for the person.
        stop: set from outside when it is time to end.
        links: the same as `link` for the robots of a world, by their names.
        udp: UDP ports by the names of robots, that of a twin alone is empty; 0 is one that is free, the others are counted up.
        targets: UDP ports of this machine that a MAVLink vehicle sends to unasked; None: those of ground stations and scripts.
        details: whether the facts are for a program, which takes long ones as well.
        listen: TCP port of viewers; None: the port's own, 0: a free one.
        layout: file that gets a layout of panels for viewers.
    """

    seconds: float | None = None
    step_locked: bool = False
    record: RecordTo | None = None
    network: bool = False
    domain: int | None = None
    ids: Mapping[str, int] = field(default_factory=dict)
    link: Path | None = None
    say: Callable[[str], None] = print
    stop: Event = field(default_factory=Event)
    links: Mapping[str, Path] = field(default_factory=dict)
    udp: Mapping[str, int] = field(default_factory=dict)
    listen: int | None = None
    layout: Path | None = None
    tap: Path | None = None
    targets: tuple[int, ...] | None = None
    details: bool = False


Connect = Callable[["Simulation", str, Mapping[str, int], bool], "Hardware"]
"""Connects to the real robot of a simulated twin: its address, numbers on the bus by name, and whether where it stands is to be
called the start of the scenario."""

Serve = Callable[["Simulation", ServeOptions], dict[str, Any]]
"""Serves a simulation until its time is over; facts about it, for people and programs. `verdicts` among them, if there are any
(`engine/judge.py`), are those on the scenario."""
