"""The world that a user holds: surroundings and robots, described by files, simulated by the engine, sent to another process."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from didymos.control import Controller
from didymos.describe.bundled import WORLDS, bundled_worlds
from didymos.describe.local_file import is_file, is_folder
from didymos.describe.world import WORLD_FILE
from didymos.describe.world import World as DescribedWorld
from didymos.engine.world_simulation import WorldSimulation
from didymos.errors import InputError, nearest
from didymos.twin import load as load_twin

__all__ = ["World", "find_world", "load_world"]


def find_world(name: str | Path) -> Path | None:
    """The world file of a folder, of a file of this name, or of a bundled world; None where it is none of them."""
    path = Path(name)
    if is_folder(path) and is_file(path / WORLD_FILE):
        return path / WORLD_FILE
    if path.name == WORLD_FILE and is_file(path):
        return path
    return WORLDS / str(name) / WORLD_FILE if isinstance(name, str) and name in bundled_worlds() else None


def load_world(world: str | Path, *, trust: bool = False, run_code: bool = True) -> World:
    """A bundled world by name, or one by the path of its folder or `world.yaml`; code of its robots runs as `load` says."""
    file = find_world(world)
    if file is None:
        known = f"bundled: {', '.join(bundled_worlds()) or 'none'}; or give a folder with a {WORLD_FILE}"
        raise InputError(f"there is no world {str(world)!r}{nearest(str(world), bundled_worlds())} ({known})")
    return World(file, trust=trust, run_code=run_code)


class World(DescribedWorld):
    """A world of robots. `set` changes a number; `simulate` makes a run of what it is then."""

    def __init__(self, file: Path, *, trust: bool = False, run_code: bool = True) -> None:
        self._run_code = run_code
        super().__init__(file, lambda twin, variant: load_twin(twin, variant=variant, trust=trust, run_code=run_code))

    def simulate(
        self,
        *,
        seed: int = 0,
        scenario: str | None = None,
        control: Mapping[str, Controller] | None = None,
        piloted: Collection[str] = (),
    ) -> WorldSimulation:
        """A run of the world as it is now. `control` has programs, by robot, that take the place of their own."""
        return WorldSimulation(self, seed=seed, scenario=scenario, control=control, piloted=piloted)

    def __reduce__(self) -> tuple[Any, ...]:
        """A world travels as the path of its files, with the values set; code that ran here runs there."""
        values = {path: self.get(path) for path in sorted(self.set_by_hand) if not path.endswith(".control")}
        return _made_again, (self.source.resolve(), self._run_code, values)


def _made_again(source: Path, run_code: bool, values: Mapping[str, float]) -> World:
    made = World(source, trust=True, run_code=run_code)
    made.set_all(values)
    return made
