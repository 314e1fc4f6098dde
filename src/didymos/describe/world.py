"""A world: surroundings and robots, read, checked and typed, whose every number can be looked up and set by its path.

A path begins with the name of a robot (`drone.links.body.mass`) or with `world`. Each robot is a twin of its own, with the
surroundings of the world; what a scenario of the world asks of it becomes a scenario of that twin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from didymos.describe.code import RunCode
from didymos.describe.description import Note
from didymos.describe.free_bodies import free_bodies
from didymos.describe.mounting import mounted
from didymos.describe.names import input_names
from didymos.describe.parameters import Parameter
from didymos.describe.path_patterns import spread, unknown_path
from didymos.describe.twin import Twin
from didymos.describe.validate import validate_as
from didymos.describe.world_checks import carriers_first, wrong_ends
from didymos.describe.world_file import WorldFile, WorldScenarioSpec
from didymos.describe.world_scenario import OF_A_FREE_ROOT, Robot, Wrong, plain_scenario, wrong_scenarios
from didymos.describe.yaml_file import read_yaml
from didymos.errors import InputError, nearest

__all__ = ["WORLD_FILE", "World"]

WORLD_FILE = "world.yaml"
"""Name of the file that makes a folder a world."""

_NANO = 1e9  # of a second: steps are compared in nanoseconds
_MOST_STEPS = 20  # of the world in the shortest one of a robot, unless the file says its step

RESERVED = frozenset(("clock", "momentum", "objects", "robots", "scenarios", "setpoints", "tf", "tf_static", "world"))
"""Names that no robot may have: they begin paths and signals of the world itself."""


class World:
    """A world as its files describe it; `set` changes a number."""

    def __init__(self, file: Path, load: Callable[[str, str | None], Twin]) -> None:
        """`load` finds the twin of a name or path, and of a variant."""
        self._file = file
        self._raw, self._lines = read_yaml(file)
        self.file: WorldFile = validate_as(WorldFile, self._raw, file, self._lines, RunCode(file.parent))
        for name in self.file.robots:
            if name in RESERVED:
                raise self.mistake(f"a robot cannot be called {name!r}: paths of the world begin so", "robots", name)
        found = carriers_first(self.file.robots)
        if isinstance(found, Wrong):
            raise self.mistake(found.text, *found.place)
        self._order = found
        self._twins: dict[tuple[str, str | None], Twin] = {}
        self._checked: set[str] = set()  # what names were found in order already, of robots that are alike
        self._notes: list[Note] = []
        twins = {name: self._load(name, load) for name in self.file.robots}
        surroundings = self._surroundings(twins)
        self.robots: dict[str, Robot] = {}
        for name, twin in twins.items():
            self.robots[name] = Robot(name, self._settle(name, twin, surroundings), self.file.robots[name])
        for wrong in (*wrong_ends(self.robots, self.file), *wrong_scenarios(self.robots, self.file.scenarios)):
            raise self.mistake(wrong.text, *wrong.place)

    # what it is

    @property
    def name(self) -> str:
        """The name of the world's folder."""
        return self._file.resolve().parent.name

    @property
    def title(self) -> str:
        """What the world is, in one line."""
        return self.file.title

    @property
    def folder(self) -> Path:
        """The folder that holds `world.yaml`."""
        return self._file.parent

    @property
    def source(self) -> Path:
        """The world file itself."""
        return self._file

    @property
    def variant(self) -> None:
        """A world has none."""
        return None

    @property
    def order(self) -> tuple[str, ...]:
        """The names of the robots, each after the one that carries it."""
        return self._order

    @property
    def first(self) -> Robot:
        """The robot that stands first in the file: it draws its random numbers as its twin does alone."""
        return next(iter(self.robots.values()))

    @property
    def scenarios(self) -> Mapping[str, Any]:
        """The scenarios by name; a world of one robot has those of its twin as well."""
        own: dict[str, Any] = dict(self.file.scenarios)
        return own if len(self.robots) > 1 else {**self.first.twin.scenarios, **own}

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes of all robots, each under its name."""
        found = list(self._notes)
        for name, robot in self.robots.items():
            found += [replace(note, what=f"{name}: {note.what}") for note in robot.twin.notes]
        return tuple(found)

    @property
    def set_by_hand(self) -> frozenset[str]:
        """Paths of the values that were set since the files were read."""
        paths = {f"{name}.{path}" for name, robot in self.robots.items() for path in robot.twin.set_by_hand}
        common = {path for path in self.first.twin.set_by_hand if path.startswith("world.")}
        return frozenset(path for path in paths if not path.partition(".")[2].startswith("world.")) | common

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Every number by path: those of the world, then those of each robot."""
        found = {path: item for path, item in self.first.twin.parameters.items() if path.startswith("world.")}
        for name, robot in self.robots.items():
            things = () if robot is self.first else free_bodies(robot.twin.file, robot.twin.surroundings.free).values()
            hidden = ("world.", *(f"start.objects.{thing.name}." for thing in things if thing.is_object))
            for path, item in robot.twin.parameters.items():
                if not path.startswith(hidden):
                    found[f"{name}.{path}"] = replace(item, path=f"{name}.{path}")
        return found

    def get(self, path: str) -> float:
        """The value of a parameter; an unknown path is an `InputError`."""
        name, own = self.split(path)
        return self.robots[name].twin.get(own)

    def set(self, path: str, value: float) -> None:
        """Set a parameter by its path, or all that a pattern matches; the world stays as it was if the value does not fit."""
        self.set_all({path: value})

    def set_all(self, values: Mapping[str, float]) -> None:
        """Set many parameters at once: all of them, or none if one does not fit."""
        shared = self.shared(values)
        made = {name: robot.twin.copy() for name, robot in self.robots.items()}
        for name, own in shared.items():
            try:
                made[name].set_all(own)
            except InputError as error:
                path = error.path if error.path is None or error.path.startswith("world.") else f"{name}.{error.path}"
                raise InputError(error.message, path=path) from None
        self.robots = {name: replace(robot, twin=made[name]) for name, robot in self.robots.items()}

    def replace_program(self, robot: str, name: str, folder: Path | None = None) -> None:
        """Let a robot be driven by another program, as `Twin.replace_program` says."""
        if robot not in self.robots:
            raise InputError(f"there is no robot {robot!r}{nearest(robot, self.robots)}")
        made = self.robots[robot].twin.copy()
        made.replace_program(name, folder)
        self.robots = {**self.robots, robot: replace(self.robots[robot], twin=made)}

    def split(self, path: str) -> tuple[str, str]:
        """The robot that a path belongs to and the path within it; those of the world belong to all, and here to the first."""
        head, _, rest = path.partition(".")
        if head == "world":
            return self.first.name, path
        if head not in self.robots or not rest:
            known = self.parameters
            raise InputError(unknown_path(path, known), path=path)
        return head, rest

    def shared(self, values: Mapping[str, float]) -> dict[str, dict[str, float]]:
        """Values by robot and by path within it; those of the world are every robot's."""
        found: dict[str, dict[str, float]] = {name: {} for name in self.robots}
        patterns = any(mark in path for path in values for mark in "*?[")
        for path, value in (spread(values, self.parameters) if patterns else values).items():
            name, own = self.split(path)
            for robot in self.robots if own.startswith("world.") else (name,):
                found[robot][own] = value
        return found

    def copy(self) -> Self:
        """A world of its own with the same values."""
        made: Self = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.robots = {name: replace(robot, twin=robot.twin.copy()) for name, robot in self.robots.items()}
        return made

    def mistake(self, text: str, *place: str | int) -> InputError:
        """An error that points at a place of the world file."""
        line = next((self._lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in self._lines), None)
        return InputError(text, file=self._file, line=line, path=".".join(map(str, place)) or None)

    def choose(self, scenario: str | None) -> WorldScenarioSpec | None:
        """The scenario of a name, None without one and where it is that of the only robot's twin."""
        if scenario is None:
            return None
        if scenario not in self.scenarios:
            known = ", ".join(self.scenarios) or "none"
            raise InputError(f"{self.name} has no scenario {scenario!r}{nearest(scenario, self.scenarios)} (it has: {known})")
        return self.file.scenarios.get(scenario)

    def in_scenario(self, name: str, scenario: str | None) -> tuple[Twin, str | None]:
        """The twin of a robot as it takes part in a scenario of the world, and the scenario of its own that it plays there."""
        robot, about = self.robots[name], self.choose(scenario)
        if about is None:
            return robot.twin.copy(), scenario if scenario is not None else robot.about.scenario
        twin, added = robot.twin.copy(), f"world-{scenario}"
        plain = plain_scenario(robot, about, self._raw["scenarios"][scenario], self.shared(about.set)[name])
        alike = repr((robot.about.twin, robot.about.variant, robot.about.control, {**plain, "start": sorted(plain["start"])}))
        try:
            twin.add_scenarios({added: plain}, check=alike not in self._checked)
            self._checked.add(alike)
        except InputError as error:
            path = (error.path or "").removeprefix(f"scenarios.{added}").lstrip(".")
            text = f"{name}{' ' + path if path else ''}: {error.message}"
            raise self.mistake(text, "scenarios", str(scenario), "robots", name) from None
        return twin, added

    # inside

    def _load(self, name: str, load: Callable[[str, str | None], Twin]) -> Twin:
        about = self.file.robots[name]
        key = (self._twin_path(about.twin), about.variant)
        try:
            if key not in self._twins:  # a swarm is read once
                self._twins[key] = load(*key)
            return self._twins[key]
        except InputError as error:
            if error.file is None:
                raise self.mistake(error.message, "robots", name, "twin") from None
            raise

    def _surroundings(self, twins: Mapping[str, Twin]) -> dict[str, Any]:
        """What the world has beside robots, as plain data: what it does not name is that of the first robot's twin.

        A physics step that it does not name is the longest of which the steps of all robots are whole numbers: the program
        of each is called when it would be alone.
        """
        given, (first, *others) = self._raw.get("world") or {}, twins.items()
        found = {**(first[1].plain_section("world") or {}), **given}
        if "step" not in given and others:
            steps = [round(twin.file.world.step * _NANO) for twin in twins.values()]
            step = math.gcd(*steps)
            if step * _MOST_STEPS < min(steps):
                told = ", ".join(f"{name} {twin.file.world.step:g} s" for name, twin in twins.items())
                raise self.mistake(f"the physics steps of the robots do not fit ({told}); say one for all: world.step", "world")
            found["step"] = step / _NANO
        for name, twin in others:
            own = twin.plain_section("world") or {}
            left = [key for key, value in own.items() if key not in ("step", *given) and found.get(key) != value]
            if left:
                what = f"{name}: {', '.join(left)} of its twin's world are not used; {first[0]}'s and the world's own are"
                self._notes.append(Note(str(self._file), self._lines.get(("robots", name)), what))
        return found

    def _twin_path(self, twin: str) -> str:
        """A path from the world's folder, or a name."""
        inside = self.folder / twin
        return str(inside) if inside.exists() and (twin.startswith(".") or "/" in twin or not Path(twin).exists()) else twin

    def _settle(self, name: str, twin: Twin, surroundings: Mapping[str, Any]) -> Twin:
        """A robot's twin in the surroundings of the world, with its start, program and values."""
        about, raw = self.file.robots[name], self._raw["robots"][name]
        twin, welds = twin.copy(), [(key, item) for key, item in self.file.couplings.items() if item.kind == "weld"]
        couplings = tuple(key for key, item in welds if item.between[0].partition(".")[0] == name)
        for key in couplings:
            if key in input_names(twin):
                raise self.mistake(f"{name} has an input {key!r} already; call the coupling otherwise", "couplings", key)
        twin.couplings = couplings
        sections: dict[str, Any] = {"world": dict(surroundings)}
        own, begins = raw.get("start") or {}, [sections.setdefault("start", twin.plain_section("start") or {})]
        sections["scenarios"] = twin.plain_section("scenarios") or {}
        begins += [item["start"] for item in sections["scenarios"].values() if item.get("start")]
        description = None
        if about.mount is not None:
            try:
                description = mounted(twin.description, about.mount.joint)
            except InputError as error:
                raise self.mistake(error.message, "robots", name, "mount", *(error.path or "").split(".")) from None
        held = about.mount is not None or not twin.description.floating
        for start in begins:
            start.update(own)
            for key in OF_A_FREE_ROOT if held else ():
                start.pop(key, None)
        if about.control is not None:
            sections |= self._with_other_program(name, twin, sections["scenarios"])
        for key in ("parts", "sensors"):
            if raw.get(key):
                sections[key] = {**(twin.plain_section(key) or {}), **raw[key]}
        try:
            names = (about.mount, about.control, about.parts, about.sensors, twin.couplings, sorted(own.get("joints") or ()))
            alike = repr((about.twin, about.variant, names))
            beside = self.first.twin if self.robots else None
            folder = self.folder if {"objects", "file"} & set(self._raw.get("world") or ()) else None
            made = twin.with_sections(
                sections, description, world_folder=folder, beside=beside, check=alike not in self._checked
            )
            self._checked.add(alike)
            made.set_all(about.set)
        except InputError as error:
            text = f"{error.path}: {error.message}" if error.path else error.message
            raise self.mistake(text, "robots", name) from None
        return made

    def _with_other_program(self, name: str, twin: Twin, scenarios: Mapping[str, Any]) -> dict[str, Any]:
        """A robot's sections where the world gives it another program: what its twin says to its own one is not said to that.

        The twin's scenarios stay where the world names them.
        """
        played = {self.file.robots[name].scenario}
        played |= {about.robots[name].scenario for about in self.file.scenarios.values() if name in about.robots}
        pilot = {key: value for key, value in (twin.plain_section("pilot") or {}).items() if key != "steer"}
        kept = {key: scenario for key, scenario in scenarios.items() if key in played}
        return {"control": self._raw["robots"][name]["control"], "scenarios": kept, "pilot": pilot}

    def __repr__(self) -> str:
        return f"World({self.name!r})"
