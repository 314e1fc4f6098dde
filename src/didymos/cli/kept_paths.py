"""Parameter paths of twins and worlds, kept from one completion to the next: a shell cannot wait for a description to be read.

A file in the user's cache for each twin holds the paths, and the size and time of the twin's file at which they were found.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from didymos.errors import InputError

__all__ = ["kept_paths", "model_file"]

_FOLDER = "completion"
_FILES = ("world.yaml", "twin.yaml")


def model_file(name: str) -> Path | None:
    """The file of a twin or world: of a folder, by its own path, or bundled; None of anything else.

    `find_twin` and `find_world` say why; they also import what a run needs, which takes a second.
    """
    from didymos.describe.bundled import ROBOTS, WORLDS

    path = Path(name)
    places = [path, *(path / file for file in _FILES)] if path.name in _FILES else [path / file for file in _FILES]
    if name and path.name == name:
        places += [WORLDS / name / "world.yaml", ROBOTS / name / "twin.yaml"]
    return next((place for place in places if place.is_file()), None)


def kept_paths(name: str) -> list[str]:
    """Parameter paths of a bundled twin or world, or of one in a folder; none where it cannot be read. Nothing of it runs."""
    file = model_file(name)
    if file is None:
        return []
    place, about = str(file.resolve()), file.stat()
    state = [place, about.st_size, about.st_mtime_ns]
    kept = _cache() / f"{hashlib.sha256(place.encode()).hexdigest()[:24]}.json"
    try:
        found = json.loads(kept.read_text(encoding="utf-8"))
        if found["of"] == state:
            return [str(path) for path in found["paths"]]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    paths = _found(name, is_world=file.name == "world.yaml")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps({"of": state, "paths": paths}), encoding="utf-8")
        fresh.replace(kept)
    except OSError:
        pass  # found anew the next time
    return paths


def _found(name: str, *, is_world: bool) -> list[str]:
    import didymos

    try:
        return list((didymos.load_world(name, run_code=False) if is_world else didymos.load(name, run_code=False)).parameters)
    except InputError:
        return []


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "didymos" / _FOLDER
