"""Thumbnails: what twins and worlds look like, small. Those of bundled ones come with the package, others are drawn once.

They are kept in `~/.cache/didymos/thumbnails` (XDG_CACHE_HOME is heeded), under a name made of the file's path, size and time of
change, so a changed twin is drawn again; where the folder grows beyond a bound, the oldest go.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.describe.world import World

__all__ = ["BUNDLED", "kept_thumbnail", "save_thumbnail"]

BUNDLED = Path(__file__).parent.parent / "web" / "thumbnails"
"""Folder of the thumbnails that come with the package, NAME.webp."""

SIZE = 360, 225  # [pixel] width, height
QUALITY = 82
MOST = 500  # files that are kept


def save_thumbnail(what: Twin | World, file: Path) -> None:
    """Draw a twin or a world as its first scenario begins; an `InputError` where there is no OpenGL, or it does not run."""
    import mujoco

    from didymos.cockpit.live_run import RunChoice, from_its_start
    from didymos.record.cutout import cutout

    simulation = from_its_start(what, RunChoice(next(iter(what.scenarios), None)), None)
    try:
        model = simulation.shown.model
        state = simulation.shown.pose(simulation.data)
        mujoco.mj_camlight(model, state)
        picture = cutout(model, state, SIZE)
    finally:
        simulation.close()
    handle, made = tempfile.mkstemp(dir=file.parent, suffix=".webp")
    os.close(handle)
    try:
        picture.save(made, quality=QUALITY, method=6)
        os.chmod(made, 0o644)
        os.replace(made, file)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise


def kept_thumbnail(source: Path) -> Path:
    """Where the thumbnail of a twin file, world file or description is kept, whether it has been drawn or not."""
    about = source.stat()
    key = hashlib.sha256(f"{source.resolve()} {about.st_size} {about.st_mtime_ns}".encode()).hexdigest()[:32]
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "didymos" / "thumbnails"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    kept = sorted(folder.glob("*.webp"), key=lambda item: item.stat().st_mtime)
    for old in kept[:-MOST]:
        old.unlink(missing_ok=True)
    return folder / f"{key}.webp"

