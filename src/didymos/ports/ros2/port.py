"""The port ros2: the twin as a ROS 2 node, a world as one for each robot and one for itself.

Three threads: the run, which never waits for the wire; one that sends what the run has recorded; one that takes messages in.
Commands count between two slices of ticks, and are kept in the recording as interventions, so that the run can be repeated.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from didymos.control.idle import Idle
from didymos.engine.judge import Judge
from didymos.engine.run import Run
from didymos.errors import InputError, RunError
from didymos.ports.real_time import SLICE, RealTime
from didymos.ports.serve_options import ServeOptions
from didymos.record.stream import Kind

try:
    from didymos.ports.ros2.commands import ALIVE, CMD_VEL, STALE, Command, Subscription, subscriptions
    from didymos.ports.ros2.graph import announce
    from didymos.ports.ros2.hardware import steer
    from didymos.ports.ros2.inbox import Inbox, Step
    from didymos.ports.ros2.node import Node
    from didymos.ports.ros2.outlets import Owner, outlets, owners, pictures
    from didymos.ports.ros2.parameters import Parameters, connect
    from didymos.ports.ros2.publisher import Publisher
    from didymos.ports.ros2.robot_features import robot_features
    from didymos.ports.ros2.rosout import FATAL, Rosout
    from didymos.ports.ros2.services import (
        Delivery,
        Feature,
        Listens,
        Reply,
        Request,
        Restarts,
        open_service,
        open_topic,
    )
    from didymos.ports.ros2.simulation_services import SimulationServices
    from didymos.ports.ros2.statics import statics
    from didymos.ports.ros2.time_control import TimeControl
    from didymos.ports.ros2.tree import BASE, tree_of
except ImportError as error:
    if (error.name or "").partition(".")[0] != "cyclonedds":
        raise
    raise InputError("the port ros2 needs cyclonedds; this installs it: pip install 'didymos[ros2]'", option="port") from None

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["serve"]

_LOOK_UP = 0.1  # [s] after which a run that waits for a step looks whether it should end
_CLOCK = 0.1  # [s] of the wall clock between two messages on /clock while it stands
_DOMAINS = 233  # DDS's ports of higher domains do not exist

_Item = TypeVar("_Item")


def serve(simulation: Simulation, options: ServeOptions) -> dict[str, Any]:
    """Serve until the time is over or `options.stop` is set; the facts about it."""
    node = Node(_domain(options), network=options.network)
    try:
        return _serve(simulation, node, options)
    finally:
        node.close()


def _serve(simulation: Simulation, node: Node, options: ServeOptions) -> dict[str, Any]:
    run = Run(simulation, options.record, keep=False)
    judge = Judge(simulation, run.log)
    nodes, trees = owners(simulation, node), tree_of(simulation)
    rosout = Rosout(nodes, options.say)
    options = replace(options, say=rosout.warn)
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
    port = _Port(run, inbox, publisher, options, judge, rosout)
    connect(feature for _, feature in features)
    features += [(nodes[0], SimulationServices(nodes[0], run, port.control)), (nodes[0], rosout)]
    port.features = [feature for _, feature in features]
    for owner, feature in features:
        for service in feature.services:
            open_service(owner, inbox, service)
        for topic in feature.topics if isinstance(feature, Listens) else ():
            open_topic(owner, inbox, topic)
    known = announce({owner.name: owner.node for owner in nodes})
    run.listen(publisher.put)
    rosout.follow(run, nodes)
    inbox.start()
    pace = "on /step" if options.step_locked else "in real time"
    what = f"node{'' if len(nodes) == 1 else 's'} {' '.join(owner.name for owner in nodes)}"
    rosout.info(f"{simulation.twin.name} runs {pace} in ROS 2 domain {_domain(options)}, {what}")
    try:
        port.step_locked() if options.step_locked else port.real_time()
        port.finish()
    except RunError as error:
        rosout.log(FATAL, str(error))
        raise
    finally:
        inbox.close()
        try:
            run.close()
        finally:
            publisher.close()
            del known  # until now whoever came late could still ask who this is
    verdicts = port.judge.verdicts()
    rosout.verdicts(verdicts)
    return {
        "domain": _domain(options),
        "sent": publisher.sent,
        "lost": publisher.lost,
        "received": inbox.received,
        "refused": inbox.refused,
        "resets": port.control.resets,
        "verdicts": verdicts,
    }


def _features(owner: Owner) -> list[Feature]:
    """What a node offers besides its topics."""
    return [Parameters(owner), *robot_features(owner)]


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
        self,
        run: Run,
        inbox: Inbox,
        publisher: Publisher,
        options: ServeOptions,
        judge: Judge | None = None,
        rosout: Rosout | None = None,
    ) -> None:
        self._run, self._inbox, self._publisher, self._rosout = run, inbox, publisher, rosout
        self.judge = Judge(run.simulation, run.log) if judge is None else judge
        self.features: Sequence[Feature] = ()
        self._alive_counts: dict[str, float] = {}  # by handle, that of a robot of a world behind its prefix
        robots = run.simulation.robots
        self._alive = {f"{name}.{ALIVE}" if name else ALIVE for name, robot in robots.items() if ALIVE in robot.overrides.names}
        # The tick until which each driver lets time pass, by robot: who is driven from elsewhere is waited for from the start.
        self._steps = {name: 0 for name, robot in robots.items() if name and isinstance(robot.program, Idle | None)}
        self._replies: list[Reply] = []
        self._time = RealTime(run, options)
        self._next_clock = 0.0
        self._clock = next((i for i, layout in enumerate(run.log.layouts) if layout.kind is Kind.CLOCK), None)
        self.control = TimeControl(run, self._time, options, self._pass, self._restarted)

    def real_time(self) -> None:
        """Let time pass as the wall clock does."""
        self._time.pass_time(self._tend)

    def finish(self) -> None:
        """Answer what was asked before the end."""
        self._tend_wire()
        while self._replies:
            self._replies = [reply for reply in self._replies if not reply.send()]
            time.sleep(SLICE)

    def _pass(self, ticks: int) -> None:
        """Let ticks pass at once, whoever else lets time pass."""
        self._advance_to(self._run.simulation.tick + ticks)

    def _restarted(self) -> None:
        """The run has begun anew: nothing of what was commanded holds, and nobody has let time pass."""
        self._alive_counts.clear()
        self._steps = dict.fromkeys(self._steps, 0)
        self.judge = Judge(self._run.simulation, self._run.log)
        for feature in self.features:
            if isinstance(feature, Restarts):
                feature.restart(self._run)
            if isinstance(feature, Parameters):
                feature.tell(self._run, self.control.restored)
        if self._rosout is not None:
            recorder = self._run.recorder
            where = "" if recorder is None else f"; the recording goes on in {recorder.path}"
            self._rosout.info(f"reset, the clock begins at 0 again{where}")

    def _tell_clock(self) -> None:
        """While the clock stands, say now and then where: a node that comes late would wait for it."""
        if self._time.paused and self._clock is not None and time.monotonic() > self._next_clock:
            self._next_clock = time.monotonic() + _CLOCK
            self._publisher.put([(self._clock, np.array([self._run.simulation.time]), np.zeros((1, 0)))])

    def _tend(self) -> None:
        self._tell_clock()
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
            busy = any(isinstance(feature, Listens) and feature.busy for feature in self.features)
            if busy and simulation.tick > before:
                self._tend_features()
            ticks = self._time.ticks if busy else simulation.chunk
            self._time.advance(min(end - simulation.tick, ticks))  # and all recorded on the way is with the publisher
        for robot, tick in self._steps.items():
            if before < tick <= end:
                self._publisher.put_stepped(robot, simulation.tick)

    def _follow(self, command: Command | Request | Delivery) -> None:
        if isinstance(command, Delivery):
            try:
                command.settle(self._run)
            except InputError as error:
                self._inbox.refuse(command.listening.topic, str(error))
            return
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
            steer(self._run, self._run.simulation.robots[command.prefix[:-1]], name, value)
        alive = command.prefix + ALIVE
        if command.alive and alive in self._alive:
            steer(self._run, self._run.simulation.robots[command.prefix[:-1]], ALIVE, self._count(alive))

    def _count(self, alive: str) -> float:
        self._alive_counts[alive] = self._alive_counts.get(alive, 0.0) + 1.0
        return self._alive_counts[alive]

    def _tend_features(self) -> None:
        for feature in self.features:
            self._replies += feature.tend(self._run)

    def _tend_wire(self) -> None:
        """Send answers that can be received. A thread that ended before its time has printed why; nothing runs on without it."""
        self._tend_features()
        self._replies = [reply for reply in self._replies if not reply.send()]
        if not (self._inbox.alive and self._publisher.alive):
            raise RunError("the connection to DDS broke down", time=self._run.simulation.time)
