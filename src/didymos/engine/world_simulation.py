"""A run of a world: several robots in one model, each with its own program, rate, readings and random streams.

What is asked of the whole has the robot's name in front: `set("drone.links.body.mass", 1.2)`, `measured.drone.imu.gyro.x`,
`log["drone.truth.position.z"]`. What is asked of one robot is asked of `robots["drone"]`, by its own names.

The first robot of the world draws its random numbers as its twin does alone; each other one from streams keyed by its name. So a
robot that is added behind the others changes no draw of theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control import Controller, Values
from didymos.describe.description import Note
from didymos.describe.formula_text import under
from didymos.describe.schema import ExpectationSpec
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.describe.world_file import WorldExpectationSpec
from didymos.engine.cameras import View
from didymos.engine.couplings import CouplingEnds
from didymos.engine.gain_check import gain_notes
from didymos.engine.given import Given
from didymos.engine.intervention import Intervention
from didymos.engine.join import Mount, options_left_out
from didymos.engine.objects import OBJECTS
from didymos.engine.poses import joint_positions
from didymos.engine.program_scope import Skipped
from didymos.engine.relations import placed_layout
from didymos.engine.robot_run import Entrant
from didymos.engine.simulation import Simulation
from didymos.engine.start import quaternion_from_rpy
from didymos.engine.verdict import Verdict, knows, measure
from didymos.errors import InputError, nearest
from didymos.record.image import Picture, PinHole
from didymos.record.log import Log
from didymos.record.relations import distance_of, relative_of
from didymos.record.stream import StreamLayout
from didymos.rotations import Pose, quaternion_to_matrix

__all__ = ["WorldSimulation", "simulation_of"]

_POSITIONS = {0: 7, 1: 4, 2: 1, 3: 1}
"""Numbers of a free, ball, slide and hinge joint."""
_DEEP = 0.005  # [m]: shapes of two robots that begin further inside each other than this were not put there on purpose


class WorldSimulation(Simulation):
    """A run of a world. `control` has programs that take the place of robots' own, by robot."""

    def __init__(
        self,
        world: World,
        *,
        seed: int = 0,
        scenario: str | None = None,
        control: Mapping[str, Controller] | None = None,
        piloted: Collection[str] = (),
    ) -> None:
        self.world = world.copy()
        self._about = self.world.choose(scenario)
        self._programs, self._flown = dict(control or {}), frozenset(piloted)
        for name in (*self._programs, *self._flown):
            if name not in self.world.robots:
                raise InputError(f"there is no robot {name!r}{nearest(name, self.world.robots)}", option="control")
        super().__init__(self.world.first.twin, seed=seed, scenario=scenario, piloted=bool(self._flown))
        self.given = Given.to(self.world)
        self._check_apart()
        self._check_formulas()

    def _entrants(self, twin: Any) -> list[Entrant]:
        entrants, numbers = [], {name: i for i, name in enumerate(self.world.order)}
        for name in self.world.order:
            made, own = self.world.in_scenario(name, self.scenario)
            first = name == self.world.first.name
            entrants.append(
                Entrant(
                    made, own, self._programs.get(name), name in self._flown, name, f"{name}/", "" if first else f"{name}.",
                    self._mount(name, numbers), numbers[name] == 0,
                    self.world.file.record.momentum and numbers[name] == 0,
                )
            )  # fmt: skip
        return entrants

    def _couplings(self) -> list[CouplingEnds]:
        numbers, found = {name: i for i, name in enumerate(self.world.order)}, []
        for name, item in self.world.file.couplings.items():
            ends = [end.partition(".") for end in item.between]
            links = [link or self.world.robots[robot].twin.description.root for robot, _, link in ends]
            first, second = (numbers.get(robot, -1) for robot, _, _ in ends)
            found.append(CouplingEnds(name, item, (first, second), (links[0], links[1])))
        return found

    def _mount(self, name: str, numbers: Mapping[str, int]) -> Mount | None:
        robot = self.world.robots[name]
        about = robot.mount
        if about is not None:
            pose = _pose(about.position, about.orientation)
            if about.on is None:
                return Mount(pose)
            link = about.link or self.world.robots[about.on].twin.description.root
            return Mount(pose, numbers[about.on], link)
        if robot.about.start is None or robot.twin.description.floating:
            return None
        return Mount(_pose(robot.about.start.position, robot.about.start.orientation))

    def _check_apart(self) -> None:
        """Refuse robots that begin inside each other."""
        model, owners = self.model, self._owners()
        for contact in self.data.contact:
            first, second = (owners.get(int(model.geom_bodyid[geom])) for geom in contact.geom)
            if first is not None and second is not None and first != second and contact.dist < -_DEEP:
                text = f"{first} and {second} begin {-float(contact.dist):.3g} m inside each other; put one of them elsewhere"
                raise self.world.mistake(text, "robots", second, "start")

    def _check_formulas(self) -> None:
        """Refuse formulas on signals that no run of these robots records, unless it is for another program of one of them."""
        log = Log(self.layouts, {})
        for index, item in enumerate(self._about.expect if self._about is not None else ()):
            for signal in item.signals if item.stl is not None else ():
                robot, _, own = signal.partition(".")
                if not knows(log, signal) and not (robot in self.robots and self.robots[robot].scope.lacks(own)):
                    place = ("scenarios", str(self.scenario), "expect", index, "stl")
                    raise self.world.mistake(f"no run records {signal!r}{nearest(signal, log.signals)}", *place)

    def _owners(self) -> dict[int, str]:
        """The robot that each body belongs to."""
        model = self.model
        return {int(model.body(body).id): robot.name for robot in self._robots for body in robot.links.bodies}

    # what it is

    @property
    def twin(self) -> Any:
        """The world, as it is now."""
        return self.world

    @property
    def seconds(self) -> float:
        """Duration of the scenario [s]; without one, of the longest that a robot plays."""
        return self._about.seconds if self._about is not None else max(robot.seconds for robot in self._robots)

    @property
    def gain_notes(self) -> tuple[Note, ...]:
        """A note on each servo, drive or actuator whose gains are too stiff for the physics step."""
        return tuple(note for robot in self._robots for note in (*gain_notes(robot.built), *robot.design_notes))

    @property
    def free_fall(self) -> str | None:
        """Nothing is said of the robots of a world."""
        return None

    @property
    def options_left_out(self) -> tuple[Note, ...]:
        """Options of the engine that a robot's description sets and that are not used, because the first robot's hold."""
        first, found = self.world.first, []
        for name, robot in self.world.robots.items():
            left = options_left_out(first.twin, robot.twin)
            if left:
                what = f"{name}: of the engine's options {', '.join(left)} those of {first.name} hold, not its own"
                found.append(Note(str(robot.twin.source), None, what))
        return tuple(found)

    @property
    def measured(self) -> Values:
        """What the sensors say now: `measured.drone.imu.gyro.x`."""
        places = {f"{robot.name}.{key}": place for robot in self._robots for key, place in robot.built.measured.items()}
        return Values(places, self._state)

    @property
    def setpoints(self) -> Values:
        """What the programs are asked for now."""
        places: dict[str, int] = {}
        for robot in self._robots:
            first = robot.built.assembly.state.starts["setpoints"]
            places |= {f"{robot.name}.{name}": first + i for i, name in enumerate(robot.robot.setpoints)}
        return Values(places, self._state)

    @property
    def expected(self) -> tuple[ExpectationSpec, ...]:
        """What the robots' own scenarios expect, then the world's."""
        own = [_named(item, robot.name) for robot in self._robots for item in robot.expected]
        return (*own, *(self._about.expect if self._about is not None else ()))

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What of the robots' scenarios does not apply."""
        return tuple(
            Skipped(item.kind, f"{robot.name}.{item.name}", item.why) for robot in self._robots for item in robot.skipped
        )

    def get(self, path: str) -> float:
        """The value of a parameter as the run uses it now: a stimulus may have moved it."""
        name, own = self.world.split(path)
        robot = self.robots[name]
        index = robot.built.assembly.numbers.get(own)
        return robot.twin.get(own) if index is None else float(self.model.numeric_data[index])

    def begin_at(self, values: Mapping[str, float]) -> None:
        """Begin elsewhere from the next `reset` on: values by paths below `ROBOT.start`."""
        for name, own in self.world.shared(values).items():
            self.robots[name].twin.set_all(own)

    def _set_all(self, values: Mapping[str, float]) -> None:
        shared = self.world.shared(values)
        before = {name: {path: self.robots[name].twin.get(path) for path in own} for name, own in shared.items()}
        done: list[str] = []
        try:
            for name, own in shared.items():
                if own:
                    self.robots[name].live.set_all(own)
                    done.append(name)
        except InputError as error:
            for name in done:
                self.robots[name].live.set_all(before[name])
            path = error.path if error.path is None or error.path.startswith("world.") else f"{name}.{error.path}"
            raise InputError(error.message, path=path) from None
        self.world.set_all(values)

    def _shared(self, values: Mapping[str, float]) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {robot.name: {} for robot in self._robots}
        for path, value in values.items():
            name, _, rest = path.removeprefix("start.").partition(".")
            if name not in found or not rest:
                raise InputError(f"there is no robot {name!r}{nearest(name, found)}", path=path)
            found[name][rest] = value
        return found

    def intervene(self, item: Intervention) -> None:
        """Do what a person did to the run: every path begins with the robot's name, or with `objects`."""
        if item.kind in ("set", "set_all"):
            self.set_all(item.values)
            return
        name, _, rest = item.path.partition(".")
        if item.kind == "put" and name == OBJECTS:
            self._robots[0].intervene(item)
            return
        if name not in self.robots:
            raise InputError(f"there is no robot {name!r}{nearest(name, self.robots)}", path=item.path)
        self.robots[name].intervene(Intervention(item.tick, item.kind, rest, item.value))

    # what it shows

    @property
    def cameras(self) -> tuple[PinHole, ...]:
        """The cameras that are switched on, under their robots' names."""
        return tuple(eye.under(robot.name) for robot in self._robots for eye in robot.pin_holes)

    @property
    def views(self) -> Mapping[str, View]:
        """What each camera that is switched on shows now."""
        return {f"{robot.name}.{key}": view for robot in self._robots for key, view in robot.cameras.views.items()}

    def take_pictures(self) -> list[tuple[str, Picture]]:
        """The pictures since the last time, by the names of their cameras."""
        return [(f"{robot.name}.{key}", shot) for robot in self._robots for key, shot in robot.cameras.take()]

    @property
    def layouts(self) -> tuple[StreamLayout, ...]:
        """What a run records."""
        return tuple(placed_layout(stream.layout, robot.name) for robot in self._robots for stream in robot.built.streams)

    def poses(self, log: Log) -> NDArray[np.float64]:
        """Positions of all joints of the engine over the log's own time, for pictures; shape [n, nq]."""
        model = self.model
        places = [
            joint_positions(robot.twin, model, robot.links.root_body(model), log.of_robot(robot.name)) for robot in self._robots
        ]
        values = np.tile(model.qpos0, (len(places[0].time), 1))
        for i, (robot, place) in enumerate(zip(self._robots, places, strict=True)):
            own = _positions_of(model, robot.twin.description.prefix)
            own += _positions_of(model, "didymos:") if i == 0 else []  # objects and boxes
            values[:, own] = np.array([place.at(time) for time in places[0].time])[:, own]
        return values

    @property
    def judged(self) -> None:
        """`judge` may look at any signal: relations are found from those of several robots."""
        return None

    def judge(self, log: Log) -> tuple[Verdict, ...]:
        """What the scenarios of the robots and of the world expect, measured in the log of a run."""
        own = [robot.verdict(_named(item, robot.name), log) for robot in self._robots for item in robot.expected]
        return (*own, *(self._verdict(item, log) for item in (self._about.expect if self._about is not None else ())))

    def _verdict(self, item: WorldExpectationSpec, log: Log) -> Verdict:
        roots = {name: robot.twin.description.root for name, robot in self.world.robots.items()}
        if item.distance is not None:
            return measure(item, log, None, distance_of(item.distance, log, roots))
        if item.relative is not None:
            return measure(item, log, None, relative_of(item.relative, item.point, log, roots))
        return measure(item, log, None)

    def events(self, log: Log) -> list[tuple[float, str, str]]:
        """When [s] a report of a control program that has labels changed, which one, and the label."""
        return sorted(event for robot in self._robots for event in robot.events(log, f"{robot.name}."))

    def __repr__(self) -> str:
        scenario = "" if self.scenario is None else f" {self.scenario!r}"
        what = f"{len(self._robots)} robots, tick of {self.period:g} s, t = {self.time:g} s"
        return f"<Simulation of {self.world.name}{scenario}: {what}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _continued, (self.world, self.seed, self.scenario, self._programs, self._flown, self.save())


def _positions_of(model: mujoco.MjModel, prefix: str) -> list[int]:
    """Where in `qpos` the joints of a robot lie."""
    own = [joint for joint in range(model.njnt) if model.joint(joint).name.startswith(prefix)]
    return [int(model.jnt_qposadr[j]) + i for j in own for i in range(_POSITIONS[int(model.jnt_type[j])])]


def simulation_of(what: Twin | World, *, seed: int = 0, scenario: str | None = None) -> Simulation:
    """A run of a twin or of a world."""
    if isinstance(what, World):
        return WorldSimulation(what, seed=seed, scenario=scenario)
    return Simulation(what, seed=seed, scenario=scenario)


def _pose(position: Sequence[float] | Any, orientation: Any) -> Pose:
    return Pose(np.array(list(position)), quaternion_to_matrix(quaternion_from_rpy(*orientation)))


def _named(item: ExpectationSpec, robot: str) -> ExpectationSpec:
    signal = None if item.signal is None else f"{robot}.{item.signal}"
    stl = None if item.stl is None else under(robot, item.stl)
    return item.model_copy(update={"name": f"{robot}: {item.name}", "signal": signal, "stl": stl})


def _continued(
    world: World,
    seed: int,
    scenario: str | None,
    control: Mapping[str, Controller],
    piloted: Collection[str],
    state: Any,
) -> WorldSimulation:
    """A simulation that goes on where another one was when it was pickled."""
    made = WorldSimulation(world, seed=seed, scenario=scenario, control=control, piloted=piloted)
    made.restore(state)
    return made
