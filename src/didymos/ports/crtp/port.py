"""The port crtp: a multirotor as a Crazyflie 2.1 on a UDP port, for the Crazyflie's own client; a world as one for each.

One loop: it listens until the next slice of ticks is due and answers at once. Commands count before the next tick, as
interventions, so that the recording holds them and the run can be repeated. The robots are those that `multirotor_commander`
flies; others of a world run their own programs.
"""

from __future__ import annotations

import select
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

from didymos.engine.judge import Judge
from didymos.engine.run import Run
from didymos.errors import InputError, nearest
from didymos.ports.crtp.crazyflie import Crazyflie
from didymos.ports.crtp.link import FIRST_PORT, Link
from didymos.ports.crtp.vehicle import Vehicle, is_flown_by_commander
from didymos.ports.real_time import RealTime
from didymos.ports.serve_options import ServeOptions

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["serve"]

_SLICE = 0.005  # [s] of the twin's clock between two looks at the commands, or a tick


def serve(simulation: Simulation, options: ServeOptions) -> dict[str, Any]:
    """Serve until the time is over or `options.stop` is set; the facts about it."""
    ports = _ports(simulation, options)
    with ExitStack() as opened:
        run = opened.enter_context(closing(Run(simulation, options.record, keep=False)))
        judge = Judge(simulation, run.log)
        links = [
            opened.enter_context(
                closing(Link(Crazyflie(Vehicle(run, simulation.robots[name]), i), port, network=options.network))
            )
            for i, (name, port) in enumerate(ports.items())
        ]
        about = [f"{name + ' on ' if name else ''}{link.uri}" for name, link in zip(ports, links, strict=True)]
        options.say(f"{simulation.twin.name} runs in real time, a Crazyflie: {', '.join(about)}")
        _pass_time(run, links, options)
    uris = {name: link.uri for name, link in zip(ports, links, strict=True)}
    return {
        **({"uri": uris[""]} if "" in uris else {"uris": uris}),
        "received": sum(link.crazyflie.counters.received for link in links),
        "sent": sum(link.crazyflie.counters.sent for link in links),
        "refused": sum(link.crazyflie.refused for link in links),
        "lost": sum(link.lost for link in links),
        "verdicts": judge.verdicts(),
    }


def _pass_time(run: Run, links: list[Link], options: ServeOptions) -> None:
    """Let time pass as the wall clock does, and answer meanwhile."""
    poll = select.poll()
    by_number = {link.socket.fileno(): link for link in links}
    for number in by_number:
        poll.register(number, select.POLLIN)

    def tend() -> None:
        for link in links:
            link.tell()  # what the slice before has brought
            link.listen()
            link.crazyflie.update()

    def wait(left: float) -> None:
        for number, _ in poll.poll(1000.0 * left):
            by_number[number].listen()

    RealTime(run, options, piece=_SLICE).pass_time(tend, wait)


def _ports(simulation: Simulation, options: ServeOptions) -> dict[str, int]:
    """The UDP port of each robot that is a Crazyflie, by its name: as asked for, else counted up."""
    if options.step_locked:
        raise InputError("a Crazyflie's client cannot say when time passes: this port runs in real time", option="step_locked")
    names = [name for name, robot in simulation.robots.items() if is_flown_by_commander(robot)]
    if not names:
        raise InputError("no robot here has four rotors and the program multirotor_commander", option="port")
    for name in options.udp:
        if name not in names:
            what = f"there is no Crazyflie {name!r} here{nearest(name, names)}" if names != [""] else "a twin alone has no name"
            what = what if name else "expected ROBOT=PORT: each Crazyflie has a port of its own"
            raise InputError(f"{what} (there is: {', '.join(names) or 'one without a name'})", option="udp")
    taken = {port for port in options.udp.values() if port}
    free = (port for port in range(FIRST_PORT, 65536) if port not in taken)
    return {name: options.udp[name] if name in options.udp else next(free) for name in names}
