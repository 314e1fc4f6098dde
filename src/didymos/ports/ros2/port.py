"""The port ros2: the twin as a ROS 2 node, a world as one for each robot and one for itself.

Three threads: the run, which never waits for the wire; one that sends what the run has recorded; one that takes messages in.
Commands count between two slices of ticks, and are kept in the recording as interventions, so that the run can be repeated.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from didymos.control.idle import Idle
from didymos.engine.judge import Judge
from didymos.engine.run import Run
from didymos.errors import InputError, RunError
from didymos.ports.real_time import SLICE, RealTime
from didymos.ports.serve_options import ServeOptions

try:
    from didymos.ports.ros2.commands import ALIVE, CMD_VEL, STALE, Command, Subscription, subscriptions
    from didymos.ports.ros2.graph import announce
    from didymos.ports.ros2.inbox import Inbox, Step
    from didymos.ports.ros2.node import Node
    from didymos.ports.ros2.outlets import Owner, outlets, owners, pictures
    from didymos.ports.ros2.parameters import Parameters
    from didymos.ports.ros2.publisher import Publisher
    from didymos.ports.ros2.services import Feature, Reply, Request, open_service
    from didymos.ports.ros2.statics import statics
    from didymos.ports.ros2.tree import BASE, tree_of
except ImportError as error:
    if (error.name or "").partition(".")[0] != "cyclonedds":
        raise
    raise InputError("the port ros2 needs cyclonedds; this installs it: pip install 'didymos[ros2]'", option="port") from None

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["serve"]

_LOOK_UP = 0.1  # [s] after which a run that waits for a step looks whether it should end
_DOMAINS = 233  # DDS's ports of higher domains do not exist

_Item = TypeVar("_Item")


def serve(simulation: Simulation, options: ServeOptions) -> dict[str, Any]:
    """Serve until the time is over or `options.stop` is set; the facts about it."""
    node = Node(_domain(options), network=options.network)
    run = Run(simulation, options.record, keep=False)
    judge = Judge(simulation, run.log)
    nodes, trees = owners(simulation, node), tree_of(simulation)
    out = [outlet for owner in nodes for outlet in _of(owner, outlets(run.log, owner, trees, options.say))]
    seen = [(owner.node, outlet) for owner, outlet in pictures(simulation, nodes)]
    steppers = {owner.robot_name: (owner.node, owner.namespace) for owner in nodes if options.step_locked or not owner.prefix}
    publisher = Publisher(steppers, out, statics(nodes, trees), seen)
    inbox = Inbox(node, say=options.say)
    for owner in nodes if options.step_locked else ():
        inbox.step_on(owner.node, owner.namespace, owner.robot_name)
    for owner in nodes:
        inbox.subscribe(owner.node, _subscriptions(owner))
    features = [(owner, feature) for owner in nodes for feature in _features(owner)]
    for owner, feature in features:
        for service in feature.services:
            open_service(owner, inbox, service)
    known = announce({owner.name: owner.node for owner in nodes})
    run.listen(publisher.put)
    inbox.start()
    pace = "on /step" if options.step_locked else "in real time"
    what = f"node{'' if len(nodes) == 1 else 's'} {' '.join(owner.name for owner in nodes)}"
    options.say(f"{simulation.twin.name} runs {pace} in ROS 2 domain {_domain(options)}, {what}")
    port = _Port(run, inbox, publisher, [feature for _, feature in features], options)
    try:
        port.step_locked() if options.step_locked else port.real_time()
    finally:
        inbox.close()
        try:
            run.close()
        finally:
            publisher.close()
            del known  # until now whoever came late could still ask who this is
    return {
        "domain": _domain(options),
        "sent": publisher.sent,
        "lost": publisher.lost,
        "received": inbox.received,
        "refused": inbox.refused,
        "verdicts": judge.verdicts(),
    }


def _features(owner: Owner) -> list[Feature]:
    """What a node offers besides its topics."""
    return [Parameters(owner)]


def _subscriptions(owner: Owner) -> list[Subscription]:
    """Every topic that the robot of an owner listens to."""
    if owner.robot is None:
        return []
    robot = owner.robot
    own_names = tuple(dict.fromkeys((robot.twin.description.root, BASE)))
    base = (*(owner.frames + name for name in own_names), *own_names) if owner.prefix else own_names
    own = _of(owner, subscriptions(robot.overrides.names, robot.twin.file.ros2.commands, base))
    return [item.under(owner.namespace, owner.prefix) if owner.prefix else item for item in own]


def _of(owner: Owner, items: Iterator[_Item]) -> list[_Item]:
    """All items; where one cannot be, the error says which robot's it is."""
    try:
        return list(items)
    except InputError as error:
        if not owner.prefix:
            raise
        path = owner.prefix + error.path if error.path is not None else owner.prefix.rstrip(".")
        raise InputError(error.message, path=path) from None


def _domain(options: ServeOptions) -> int:
    text = os.environ.get("ROS_DOMAIN_ID", "0") if options.domain is None else str(options.domain)
    if not text.isascii() or not text.isdigit() or int(text) >= _DOMAINS:
        what = f"found {text!r}, expected a whole number from 0 to {_DOMAINS - 1}"
        raise InputError(what, path="ROS_DOMAIN_ID") if options.domain is None else InputError(what, option="domain")
    return int(text)


class _Port:
    """The run's side of the wire."""

    def __init__(
        self, run: Run, inbox: Inbox, publisher: Publisher, features: Sequence[Feature], options: ServeOptions
    ) -> None:
        self._run, self._inbox, self._publisher, self._features = run, inbox, publisher, features
        self._commanded: dict[str, float] = {}  # by handle, that of a robot of a world behind its prefix
        robots = run.simulation.robots
        self._alive = {f"{name}.{ALIVE}" if name else ALIVE for name, robot in robots.items() if ALIVE in robot.overrides.names}
        # The tick until which each driver lets time pass, by robot: who is driven from elsewhere is waited for from the start.
        self._steps = {name: 0 for name, robot in robots.items() if name and isinstance(robot.program, Idle | None)}
        self._replies: list[Reply] = []
        self._time = RealTime(run, options)

    def real_time(self) -> None:
        """Let time pass as the wall clock does."""
        self._time.pass_time(self._tend)

    def _tend(self) -> None:
        self._tend_wire()
        for command in self._inbox.take():
            self._follow(command)

    def step_locked(self) -> None:
        """Let time pass on command only."""
        while not self._time.over:
            self._tend_wire()
            for command in self._inbox.take(SLICE if self._replies else _LOOK_UP):
                if isinstance(command, Step):
                    self._step(command)
                else:
                    self._follow(command)

    def _step(self, step: Step) -> None:
        """The whole run's, or a driver's: then time passes as far as all drivers let it."""
        simulation = self._run.simulation
        if step.robot:
            self._steps[step.robot] = max(self._steps.get(step.robot, 0), simulation.tick) + step.ticks
        else:
            self._advance_to(simulation.tick + step.ticks)
        if not (step.robot and step.ticks):
            self._publisher.put_stepped(step.robot, simulation.tick)
        while step.robot and (end := min(self._steps.values())) > simulation.tick and not self._time.over:
            self._advance_to(end)

    def _advance_to(self, end: int) -> None:
        """Let time pass until a tick, and tell the drivers who have waited for it."""
        simulation, before = self._run.simulation, self._run.simulation.tick
        while simulation.tick < end and not self._time.over:
            self._time.advance(min(end - simulation.tick, simulation.chunk))  # and all recorded on the way is with the publisher
        for robot, tick in self._steps.items():
            if before < tick <= end:
                self._publisher.put_stepped(robot, simulation.tick)

    def _follow(self, command: Command | Request) -> None:
        if isinstance(command, Request):
            reply = command.settle(self._run)
            self._replies += [] if reply is None else [reply]
            return
        late = self._run.simulation.time - command.stamp
        if command.stamp != 0.0 and late > STALE:
            topic = f"/{command.prefix.replace('.', '')}{CMD_VEL}" if command.prefix else CMD_VEL
            self._inbox.refuse(topic, f"its stamp is {late:.3g} s before the twin's clock, more than {STALE:g} s")
            return
        for name, value in command.values:
            handle = command.prefix + name
            if self._commanded.get(handle) != value:  # a command that is repeated at a rate is one intervention
                self._steer(handle, value)
        alive = command.prefix + ALIVE
        if command.alive and alive in self._alive:
            self._steer(alive, self._commanded.get(alive, 0.0) + 1.0)

    def _steer(self, handle: str, value: float) -> None:
        self._run.intervene("steer", handle, value)
        self._commanded[handle] = value

    def _tend_wire(self) -> None:
        """Send answers that can be received. A thread that ended before its time has printed why; nothing runs on without it."""
        for feature in self._features:
            self._replies += feature.tend(self._run)
        self._replies = [reply for reply in self._replies if not reply.send()]
        if not (self._inbox.alive and self._publisher.alive):
            raise RunError("the connection to DDS broke down", time=self._run.simulation.time)
