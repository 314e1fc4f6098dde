r"""Read and run every robot description of a folder of unpacked packages, and write docs/public_descriptions.md.

    pip download --no-deps -d wheels pybullet==3.2.7 ...      # never installed, never run
    unzip -d packages/pybullet-3.2.7 wheels/pybullet-3.2.7-*.whl
    python tools/public_descriptions packages --results results.jsonl --skip 'random_urdfs/(?!\d[05]0/)'

Each folder below the given one is a package, called NAME-VERSION. A file is read as `didymos new` reads it, made into a twin,
loaded and run for a second, in a process of its own with bounded time and memory; its masses, joints and limits are compared
with the XML by readers that share no code with the importer (`independent.py`). What counts as a description is in
`collect.py`. Results are kept, one line each, so that a run that was broken off goes on; `--again refused,fails` examines
files with these verdicts once more.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import trimesh  # noqa: F401  before the first fork: it takes a second
from collect import Package
from examine import examine
from page import write_page

import didymos

PAGE = Path(__file__).parents[2] / "docs" / "public_descriptions.md"


def main() -> None:
    """Examine what is not known yet, then write the page."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--again", default="")
    parser.add_argument("--skip", type=re.compile, default=re.compile(r"(?!)"), help="names of files to leave out")
    parser.add_argument("--page-only", action="store_true")
    options = parser.parse_args()
    known = _known(options.results, options.again.split(","))
    if not options.page_only:
        _warm_up()
        with options.results.open("w", encoding="utf-8") as results:
            for row in known.values():
                results.write(json.dumps(row) + "\n")
            _examine_all(options, known, results)
    write_page(PAGE, list(known.values()))


def _known(file: Path, again: list[str]) -> dict[str, dict[str, Any]]:
    """What earlier runs found, by file."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.is_file() else []
    return {row["file"]: row for row in rows if row["verdict"] not in again}


def _examine_all(options: argparse.Namespace, known: dict[str, dict[str, Any]], results: Any) -> None:
    folder = options.folder.resolve()
    for package in sorted(path for path in folder.iterdir() if path.is_dir()):
        content = Package(package)
        for path in content.files:
            name = str(path.relative_to(folder))
            if name in known or options.skip.search(name):
                continue
            sort, why = content.sort(path)
            found = {"verdict": sort, "why": why} if sort == "fragment" else examine(path, package, options.seconds)
            if sort == "incomplete" and found["verdict"] in ("refused", "fails"):
                found = {"verdict": sort, "why": why}
            found["why"] = str(found["why"]).replace(f"{path}", path.name).replace(f"{package}/", "").replace(f"{folder}/", "")
            known[name] = {"file": name, **found}
            results.write(json.dumps(known[name]) + "\n")
            results.flush()
            print(f"{found['verdict']:10} {name}", flush=True)


def _warm_up() -> None:
    """Compile what every run needs before the first fork, so that no child has to."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    body = f'<robot name="r"><link name="b">{inertial}</link></robot>'
    sensors = {"state": {"kind": "odometry", "link": "b", "rate": 100.0}}
    didymos.Twin.from_urdf(body, sensors=sensors).simulate().run(0.1)
    didymos.load("quadcopter").simulate().run(0.1)


if __name__ == "__main__":
    main()
