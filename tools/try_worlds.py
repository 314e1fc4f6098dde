r"""Put every SDF world and MJCF scene of a folder of unpacked packages under a twin, and run it for half a second.

    pip download --no-deps -d wheels robosuite ...      # never installed, never run
    unzip -d packages/robosuite-1.5 wheels/robosuite-*.whl
    python tools/try_worlds.py packages --results worlds.jsonl

A file counts that ends in .sdf or .world, or is an .xml that begins with <mujoco>. Each becomes `world.file` of a small twin, far
above it, in a process of its own with bounded time and memory. A line says what came of it: runs, refused (with the sentence) or
fails; the last lines count. Anything that fails is a defect of ours.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "public_descriptions"))
from child import in_child  # type: ignore[import-not-found]

import didymos
from didymos.errors import InputError, RunError

PROBE = """<mujoco><worldbody><body name="probe" pos="0 0 1000"><geom type="sphere" size=".01" mass=".1"/></body></worldbody>
  </mujoco>"""


def worlds(folder: Path) -> Iterator[Path]:
    """The files that may be worlds, by name."""
    for path in sorted(folder.rglob("*")):
        ending = path.suffix.lower()
        if path.is_file() and (ending in (".sdf", ".world") or (ending == ".xml" and _is_mjcf(path))):
            yield path


def _is_mjcf(path: Path) -> bool:
    head = path.read_bytes()[:20_000].decode(errors="replace")
    return "<mujoco" in head and "<mujocoinclude" not in head


def put_under_a_twin(path: Path, package: Path, seconds: float) -> dict[str, Any]:
    """What becomes of one file: verdict, why, and what it brought."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.xml").write_text(PROBE)
        keys = {
            "description": {"file": "model.xml", "packages": {"here": str(package)}},
            "world": {"file": str(path), "boundary": 1e6},
        }
        (folder / "twin.yaml").write_text(json.dumps(keys))
        try:
            twin = didymos.load(folder, trust=True)
            scene = twin.surroundings.scene
            assert scene is not None
            found = {key: len(getattr(scene, key)) for key in ("shapes", "bodies", "lights", "notes")}
            twin.simulate().run(seconds)
        except InputError as error:
            return {"verdict": "refused", "why": str(error)}
        except RunError as error:
            return {"verdict": "runs, and ends", "why": str(error), **found}
        return {"verdict": "runs", **found}


def main() -> None:
    """Try all of them."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    rows = []
    didymos.load("power_unit").simulate().run(0.01)  # compiles, before the first fork
    for package in sorted(path for path in options.folder.resolve().iterdir() if path.is_dir()):
        for path in worlds(package):
            row = in_child(lambda path=path, package=package: put_under_a_twin(path, package, options.seconds))
            row["file"] = str(path.relative_to(options.folder.resolve()))
            counts[row["verdict"]] += 1
            rows.append(row)
            brought = [f"{key} {row[key]}" for key in ("shapes", "bodies") if key in row]
            print(row["verdict"], row["file"], row.get("why", ""), *brought, flush=True)
    if options.results is not None:
        options.results.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))


if __name__ == "__main__":
    main()
