"""What a scenario of a world asks of each robot, as a scenario of its twin; and names in it that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from didymos.describe.formula import wrong_formula
from didymos.describe.free_bodies import free_bodies
from didymos.describe.path_patterns import is_pattern
from didymos.describe.twin import Twin
from didymos.describe.world_file import MountSpec, PartnerSpec, RobotSpec, WorldScenarioSpec
from didymos.errors import nearest

__all__ = ["OF_A_FREE_ROOT", "Robot", "Wrong", "moving_objects", "plain_scenario", "wrong_end", "wrong_scenarios"]

OF_A_FREE_ROOT = ("position", "orientation", "velocity", "angular_velocity")
"""Keys of a start that a robot which is held does not have: where it stands is no state."""


@dataclass(frozen=True)
class Robot:
    """A robot of a world: its twin in the surroundings of the world, and what the world file says of it."""

    name: str
    twin: Twin
    about: RobotSpec

    @property
    def mount(self) -> MountSpec | None:
        """Where it is held; None where it floats, or stands where its description says."""
        return self.about.mount


@dataclass(frozen=True)
class Wrong:
    """A mistake, and its place in the world file."""

    text: str
    place: tuple[str | int, ...]


def plain_scenario(
    robot: Robot, about: WorldScenarioSpec, raw: Mapping[str, Any], values: Mapping[str, float]
) -> dict[str, Any]:
    """The scenario that a robot plays in one of the world's, as plain data of a twin file; `values` are what is set of it."""
    partner = about.robots.get(robot.name, PartnerSpec())
    own = partner.scenario or (robot.about.scenario if robot.name not in about.robots else None)
    plain = robot.twin.plain_scenario(own) if own is not None else {}
    given = (raw.get("robots") or {}).get(robot.name) or {}
    start = {**(plain.get("start") or {}), **(given.get("start") or {})}
    if not robot.twin.description.floating:
        start = {key: value for key, value in start.items() if key not in OF_A_FREE_ROOT}
    setpoints, stimuli = {}, []
    for name, value in about.setpoints.items():
        head, _, rest = name.partition(".")
        if head == robot.name:
            setpoints[rest] = value
    for item in raw.get("stimuli") or ():
        head, _, rest = str(item["target"]).partition(".")
        if head in (robot.name, "world"):
            stimuli.append({**item, "target": rest if head == robot.name else item["target"]})
    made = {
        **plain,
        "title": about.title,
        "seconds": about.seconds,
        "start": start,
        "gains": {**(plain.get("gains") or {}), **(given.get("gains") or {})},
        "set": {**(plain.get("set") or {}), **values},
        "setpoints": {**(plain.get("setpoints") or {}), **setpoints},
        "stimuli": [*(plain.get("stimuli") or ()), *stimuli],
        "expect": [],  # what is expected here is the world's to say
    }
    if given.get("control") is not None:
        made["control"] = given["control"]
    return made


def wrong_scenarios(robots: Mapping[str, Robot], scenarios: Mapping[str, WorldScenarioSpec]) -> Iterator[Wrong]:
    """Names in scenarios that are no robot's, and robots' own scenarios that are not there."""
    for name, robot in robots.items():
        yield from _wrong_own(robot, robot.about.scenario, "robots", name, "scenario")
    for scenario, about in scenarios.items():
        for name, partner in about.robots.items():
            place = ("scenarios", scenario, "robots", name)
            if name not in robots:
                yield Wrong(f"there is no robot {name!r}{nearest(name, robots)}", place)
            else:
                yield from _wrong_own(robots[name], partner.scenario, *place, "scenario")
        for index, item in enumerate(about.stimuli):
            yield from _wrong_head(item.target, (*robots, "world"), "scenarios", scenario, "stimuli", index, "target")
        for path in about.set:
            yield from _wrong_head(path, (*robots, "world"), "scenarios", scenario, "set", path)
        for path in about.setpoints:
            yield from _wrong_head(path, tuple(robots), "scenarios", scenario, "setpoints", path)
        for index, expected in enumerate(about.expect):
            wrong = None if expected.stl is None else wrong_formula(expected.stl, about.seconds)
            if wrong is not None:
                yield Wrong(wrong, ("scenarios", scenario, "expect", index, "stl"))
            for end in expected.distance or ():
                yield from wrong_end(end, robots, "scenarios", scenario, "expect", index, "distance")
            for key, end in (("of", expected.relative.of), ("to", expected.relative.to)) if expected.relative is not None else ():
                yield from wrong_end(end, robots, "scenarios", scenario, "expect", index, "relative", key)


def moving_objects(twin: Twin) -> tuple[str, ...]:
    """The objects of a twin's world that move: free ones, and ones that follow a trajectory."""
    free = [body.name for body in free_bodies(twin.file, twin.surroundings.free).values() if body.is_object]
    return (*free, *(name for name, thing in twin.file.world.objects.items() if thing.motion is not None))


def _wrong_own(robot: Robot, scenario: str | None, *place: str | int) -> Iterator[Wrong]:
    known = robot.twin.scenarios
    if scenario is not None and scenario not in known:
        has = f"(it has: {', '.join(known) or 'none'})"
        yield Wrong(f"{robot.twin.name} has no scenario {scenario!r}{nearest(scenario, known)} {has}", place)


def _wrong_head(path: str, known: tuple[str, ...], *place: str | int) -> Iterator[Wrong]:
    head, _, rest = path.partition(".")
    if not is_pattern(head) and (head not in known or not rest):
        yield Wrong(f"found {path!r}, expected a path that begins with a robot's name{nearest(head, known)}", place)


def wrong_end(end: str, robots: Mapping[str, Robot], *place: str | int) -> Iterator[Wrong]:
    """An end that is no robot, ROBOT, no link or frame of one, ROBOT.LINK, and no object that moves, objects.NAME."""
    name, _, link = end.partition(".")
    if name == "objects":
        twin = next(iter(robots.values())).twin
        known = moving_objects(twin)
        if link not in known:
            yield Wrong(f"there is no object {link!r} that moves{nearest(link, known)}", place)
        return
    if name not in robots:
        yield Wrong(f"there is no robot {name!r}{nearest(name, robots)}", place)
        return
    about = robots[name].twin.description
    if link and link not in about.links and link not in about.frames:
        yield Wrong(f"{name} has no link {link!r}{nearest(link, (*about.links, *about.frames))}", place)
