"""The twin or world whose log a file is, and a run of it that knows its shapes and judges the log."""

from __future__ import annotations

from pathlib import Path

from didymos.describe.bundled import WORLDS, bundled, bundled_worlds
from didymos.describe.local_file import is_file
from didymos.describe.twin import Twin, find_twin
from didymos.describe.world import WORLD_FILE, World
from didymos.engine.given import Given
from didymos.engine.simulation import Simulation
from didymos.engine.world_simulation import WorldSimulation
from didymos.errors import DidymosError, InputError
from didymos.record.log import Log

__all__ = ["name_of", "run_of", "set_before", "twin_of"]


def name_of(log: Log) -> str:
    """The name of the twin or world that a log tells; an `InputError` where it tells none, or something else than a name."""
    name = log.metadata.get("twin", "")
    if not name:
        raise InputError("this log does not say which twin's it is; name it", option="twin")
    if Path(name).name != name or "\\" in name:
        raise InputError(f"this log is of {name[:80]!r}, which is no name of a twin; name the twin", option="twin")
    here = any(is_file(Path(name) / file) for file in ("twin.yaml", WORLD_FILE))
    if not here and name not in (*bundled(), *bundled_worlds()):
        found = f"this log is of {name[:80]!r}, which is neither bundled nor a folder here; say where it is"
        raise InputError(found, option="twin")
    return name


def twin_of(log: Log) -> Twin | World:
    """The twin or world that a log names, bundled or in a folder here; an `InputError` where it names none that is known."""
    name = name_of(log)
    if name in bundled_worlds():
        return World(WORLDS / name / WORLD_FILE, lambda twin, variant: Twin(find_twin(twin), variant))
    return Twin(find_twin(name), log.metadata.get("variant"))


def set_before(log: Log) -> dict[str, float]:
    """The values that the twin was given before the run, by path, as the log tells; nothing where it does not."""
    return dict(Given.told(log.metadata).values)


def run_of(twin: Twin | World, log: Log) -> tuple[Simulation, list[str]]:
    """A run of a twin with the scenario and the values of a log; and, in words, what of the log the twin does not know."""
    notes: list[str] = []
    made, scenario = twin.copy(), log.metadata.get("scenario") or None
    values = set_before(log)
    if values:
        try:
            made.set_all(values)
        except DidymosError as error:
            notes.append(f"values of the run that the twin does not take, so that it is shown without them: {error}")
            made = twin.copy()
    if scenario is not None and scenario not in twin.scenarios:
        notes.append(f"the scenario {scenario!r} is not one of this twin's: the run is not judged")
        scenario = None
    piloted = log.metadata.get("piloted") == "true"
    if isinstance(made, World):
        flown = [name for name in made.robots if any(signal.startswith(f"{name}.channels.") for signal in log.signals)]
        return WorldSimulation(made, scenario=scenario, piloted=flown), notes
    return Simulation(made, scenario=scenario, piloted=piloted), notes
