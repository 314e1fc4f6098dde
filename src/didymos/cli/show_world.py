"""`didymos show` of a world: its robots, what stands in it, its scenarios and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from didymos.cli.show import parameter_facts, print_parameters
from didymos.cli.text import number, print_json, print_table, vector
from didymos.errors import InputError, nearest

if TYPE_CHECKING:
    from didymos import World
    from didymos.describe.world_scenario import Robot

__all__ = ["show_world"]


def show_world(world: World, text: str, parameters: bool, everything: bool, as_json: bool) -> int:
    """Print a world, on one screen or `everything`; `text` chooses parameters by a part of their path."""
    chosen = {path: parameter for path, parameter in world.parameters.items() if text in path}
    if text and not chosen:
        raise InputError(f"no parameter of {world.name} has {text!r} in its path{nearest(text, world.parameters)}")
    if as_json:
        print_json({**_facts(world), "parameters": parameter_facts(chosen)})
        return 0
    if not (parameters or text or everything):
        from didymos.cli.show_summary import print_world

        print_world(world)
        return 0
    if not (parameters or text):
        _print_structure(world)
    print_parameters(chosen)
    return 0


def _facts(world: World) -> dict[str, Any]:
    surroundings = world.first.twin.file.world
    return {
        "world": world.name,
        "title": world.title,
        "step": surroundings.step,
        "integrator": surroundings.integrator,
        "ground": None if surroundings.ground is None else surroundings.ground.height,
        "objects": [{"name": name, "shape": x.shape, "position": list(x.position)} for name, x in surroundings.objects.items()],
        "robots": [_robot(robot) for robot in world.robots.values()],
        "scenarios": [{"name": name, "title": x.title, "seconds": x.seconds} for name, x in world.scenarios.items()],
        "notes": [{"file": x.file, "line": x.line, "what": x.what} for x in world.notes],
    }


def _robot(robot: Robot) -> dict[str, Any]:
    twin, mount = robot.twin, robot.mount
    return {
        "name": robot.name,
        "twin": twin.name,
        "title": twin.title,
        "mass": twin.summary().mass,
        "control": None if twin.file.control is None else twin.file.control.program,
        "rate": None if twin.file.control is None else twin.file.control.rate,
        "scenario": robot.about.scenario,
        "mounted_on": None if mount is None else mount.on or "world",
        "start": list(twin.file.start.position) if twin.description.floating else None,
        "sensors": list(twin.file.sensors),
    }


def _print_structure(world: World) -> None:
    facts = _facts(world)
    overall = [
        ("step", number(facts["step"], "s") + f", {facts['integrator']}"),
        ("ground", "none" if facts["ground"] is None else f"at {number(facts['ground'], 'm')}"),
        ("mass of all robots", number(sum(robot["mass"] for robot in facts["robots"]), "kg")),
    ]
    print_table(overall, title=f"{world.name}: {world.title}")
    rows = []
    for robot in facts["robots"]:
        where = "held in the world" if robot["start"] is None else vector(robot["start"])
        where = f"on {robot['mounted_on']}" if robot["mounted_on"] else where
        control = robot["control"] and f"{robot['control']}, {number(robot['rate'], 'Hz')}"
        rows.append((robot["name"], robot["twin"], number(robot["mass"]), where, control or "none", robot["scenario"] or "-"))
    print_table(rows, ("robot", "twin", "mass [kg]", "begins at [m]", "control", "scenario"))
    print_table([(x["name"], x["shape"], vector(x["position"])) for x in facts["objects"]], ("object", "shape", "position [m]"))
    print_table([(x["name"], number(x["seconds"]), x["title"]) for x in facts["scenarios"]], ("scenario", "seconds", "title"))
