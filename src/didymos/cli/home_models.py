"""What the home page opens and draws: entries become twins and worlds; a picture is drawn in a process of its own.

    python -m didymos.cli.home_models SOURCE PICTURE.webp
"""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from didymos.describe.bundled import ROBOTS
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.cockpit.catalogue import Entry
    from didymos.cockpit.drop import Drop
    from didymos.twin import Twin
    from didymos.world import World

__all__ = ["draw_picture", "load_entry"]

LONGEST, LOOK = 180.0, 0.2  # [s] for a picture, and between two looks at it


def load_entry(entry: Entry, variant: str | None, drop: Drop | None) -> Twin | World:
    """The twin or world of an entry. Code of a dropped one is never run; that of others where its folder is trusted."""
    import didymos

    if entry.kind == "description":
        return didymos.load(entry.source, packages=drop.gather(entry.source) if drop is not None else {})
    run_code = drop is None
    loaded: Twin | World
    if entry.kind == "world":
        loaded = didymos.load_world(entry.source, run_code=run_code)
        code = [name for robot in loaded.robots.values() for name in robot.twin.code.stand_ins]
        for name, robot in loaded.robots.items():
            if drop is not None and not _came_along(robot.twin.folder, drop):
                raise InputError(f"{entry.name} takes the twin of {name} from elsewhere on this machine; drop it as well")
    else:
        loaded = didymos.load(entry.source, variant=variant, run_code=run_code)
        code = list(loaded.code.stand_ins)
    if code:
        names = ", ".join(dict.fromkeys(code))
        raise InputError(
            f"{entry.name} names code of its own, {names}, and code of what is dropped here never runs; "
            "unpack it into a folder of yours, look at it, then: didymos trust FOLDER"
        )
    return loaded


def _came_along(folder: Path, drop: Drop) -> bool:
    """Whether a twin's folder is part of what was dropped, or bundled."""
    return any(folder.resolve().is_relative_to(home.resolve()) for home in (drop.folder, ROBOTS))


def draw_picture(source: Path, file: Path, ended: threading.Event) -> bool:
    """Draw a thumbnail; whether that could be done. A machine without OpenGL has none."""
    command = [sys.executable, "-m", "didymos.cli.home_models", str(source), str(file)]
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError:
        return False
    for _ in range(round(LONGEST / LOOK)):
        if child.poll() is not None or ended.wait(LOOK):
            break
    if child.poll() is None:
        child.kill()
    return child.wait() == 0 and file.is_file()


def _draw(source: Path, file: Path) -> None:
    """Draw here, without running any code of it."""
    import didymos
    from didymos.cockpit.thumbnails import save_thumbnail

    if source.name == "world.yaml":
        save_thumbnail(didymos.load_world(source, run_code=False), file)
    else:
        save_thumbnail(didymos.load(source, run_code=False), file)


if __name__ == "__main__":
    try:
        _draw(Path(sys.argv[1]), Path(sys.argv[2]))
    except InputError as error:
        sys.exit(str(error))
