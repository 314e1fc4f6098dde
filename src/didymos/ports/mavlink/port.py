"""The port mavlink: multirotors and planes as MAVLink vehicles on one UDP port, for ground stations and scripts; a world as one
system for each robot.

One loop: it listens until the next slice of ticks is due and answers at once. Commands count before the next tick, as
interventions, so that the recording holds them and the run can be repeated. The robots are those that `multirotor_commander`
or `fixed_wing` flies; others of a world run their own programs.
"""

from __future__ import annotations

import select
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

from didymos.engine.judge import Judge
from didymos.engine.run import Run
from didymos.errors import InputError
from didymos.ports.mavlink.link import OWN_PORT, TARGETS, Link
from didymos.ports.mavlink.system import System
from didymos.ports.mavlink.vehicles import is_vehicle, make_flight
from didymos.ports.real_time import RealTime
from didymos.ports.serve_options import ServeOptions

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["serve"]

_SLICE = 0.005  # [s] of the twin's clock between two looks at the wire, or a tick
_MOST_SYSTEMS = 250


def serve(simulation: Simulation, options: ServeOptions) -> dict[str, Any]:
    """Serve until the time is over or `options.stop` is set; the facts about it."""
    names = _vehicles(simulation, options)
    with ExitStack() as opened:
        run = opened.enter_context(closing(Run(simulation, options.record, keep=False)))
        judge = Judge(simulation, run.log)
        systems = [System(make_flight(run, simulation.robots[name]), 1 + i) for i, name in enumerate(names)]
        targets = TARGETS if options.targets is None else options.targets
        link = opened.enter_context(closing(Link(systems, options.udp.get("", OWN_PORT), targets, network=options.network)))
        about = ", ".join(f"{name + ' is ' if name else ''}system {i}" for i, name in enumerate(names, 1))
        to = " and ".join(str(target) for target in targets) or "nobody until somebody writes"
        options.say(f"{simulation.twin.name} runs in real time, MAVLink on {link.address}, sends to UDP {to}: {about}")
        _pass_time(run, link, options)
    return {
        "uri": link.address,
        "systems": {name: system.number for name, system in zip(names, systems, strict=True)},
        **({"parameters": _parameters(systems)} if options.details else {}),
        "received": link.received,
        "sent": link.sent,
        "refused": link.refused + sum(system.refused for system in systems),
        "lost": link.lost,
        "verdicts": judge.verdicts(),
    }


def _parameters(systems: list[System]) -> dict[str, dict[str, str]]:
    """Paths of the twin by the names that MAVLink has for them, by the vehicles' names."""
    return {item.robot.robot.name: {one.name: one.path for one in item.parameters.table if one.path} for item in systems}


def _pass_time(run: Run, link: Link, options: ServeOptions) -> None:
    """Let time pass as the wall clock does, and answer meanwhile."""
    poll = select.poll()
    poll.register(link.socket.fileno(), select.POLLIN)

    def tend() -> None:
        link.tell()  # what the slice before has brought
        link.listen()
        for system in link.systems:
            system.update()

    def wait(left: float) -> None:
        if poll.poll(1000.0 * left):
            link.listen()

    RealTime(run, options, piece=_SLICE).pass_time(tend, wait)


def _vehicles(simulation: Simulation, options: ServeOptions) -> list[str]:
    """The names of the robots that are vehicles, in the order of their numbers."""
    if options.step_locked:
        raise InputError("MAVLink cannot say when time passes: this port runs in real time", option="step_locked")
    for name in options.udp:
        if name:
            raise InputError(f"found {name!r}, expected a port alone: all vehicles speak through one", option="udp")
    names = [name for name, robot in simulation.robots.items() if is_vehicle(robot)]
    if not names:
        others = sorted({type(robot.program).__name__ for robot in simulation.robots.values() if robot.program is not None})
        what = "no robot here is one that the program multirotor_commander or fixed_wing flies"
        raise InputError(what + (f" (found: {', '.join(others)})" if others else ""), option="port")
    if len(names) > _MOST_SYSTEMS:
        raise InputError(f"found {len(names)} vehicles, expected at most {_MOST_SYSTEMS}: systems are numbered", option="port")
    return names
