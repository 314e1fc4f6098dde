r"""Make a twin of every robot of some packages by `didymos new`, check it, run it for two seconds, and write docs/robots.md.

    pip download --no-deps -d wheels example-robot-data==6.0.0 pybullet==3.2.7 ...      # never installed, never run
    unzip -d packages/pybullet-3.2.7 wheels/pybullet-3.2.7-*.whl
    python tools/robot_table packages --results robots.jsonl

Each folder below the given one is a package, called NAME-VERSION; which of their files the table has is `TABLED`. Files are
found, told from fragments, and examined in a bounded child as `tools/public_descriptions` does it. `judge.py` says what a verdict
means. Results are kept, one line each, so that a run that was broken off goes on; `--again REGEX` examines the files whose name
or verdict it fits once more.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(1, str(Path(__file__).parents[1] / "public_descriptions"))

import trimesh  # noqa: F401  before the first fork: it takes a second
from child import in_child
from collect import Package
from judge import judge
from table import write_table

import didymos

PAGE = Path(__file__).parents[2] / "docs" / "robots.md"
# The package mujoco-menagerie holds a list and downloads the robots; those of its models that other packages carry are here.
TABLED = re.compile(
    r"^(example_robot_data-|mujoco_menagerie-|mjlab-[^/]*/mjlab/asset_zoo/robots/|pybullet-[^/]*/pybullet_data/(?!random_urdfs/)"
    r"|genesis_world-[^/]*/genesis/assets/xml/(franka_emika_panda|universal_robots_ur5e)/"
    r"|mujoco_mjx-[^/]*/mujoco/mjx/test_data/(shadow_hand|barkour_v0)/)"
)
NEVER = re.compile(r"(?!)")


def main() -> None:
    """Examine what is not known yet, then write the page."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--only", type=re.compile, default=TABLED, help="names of files to take")
    parser.add_argument("--again", type=re.compile, default=NEVER, help="names or verdicts to examine once more")
    parser.add_argument("--page-only", action="store_true")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    known = _known(options.results, options.again)
    if not options.page_only:
        for twin in ("quadcopter", "meldog"):  # compile and load what runs need before the first fork
            didymos.load(twin).simulate().run(0.1)
        with options.results.open("w", encoding="utf-8") as results:
            for row in known.values():
                results.write(json.dumps(row) + "\n")
            _examine_all(options, known, results)
    write_table(options.page, list(known.values()))


def _known(file: Path, again: re.Pattern[str]) -> dict[str, dict[str, Any]]:
    """What earlier runs found, by file."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.is_file() else []
    return {row["file"]: row for row in rows if not (again.search(row["file"]) or again.search(row["verdict"]))}


def _examine_all(options: argparse.Namespace, known: dict[str, dict[str, Any]], results: Any) -> None:
    folder = options.folder.resolve()
    for package in sorted(path for path in folder.iterdir() if path.is_dir()):
        names = [str(path.relative_to(folder)) for path in package.rglob("*")]
        if not any(options.only.search(name) for name in names):
            continue
        content = Package(package)
        for path in content.files:
            name = str(path.relative_to(folder))
            if name in known or not options.only.search(name):
                continue
            sort, why = content.sort(path)
            if sort == "fragment":
                found = {"verdict": sort, "why": why}
            else:
                found = in_child(lambda path=path, package=package: judge(path, package, options.seconds))  # type: ignore[misc]
            found["why"] = str(found["why"]).replace(f"{path}", path.name).replace(f"{package}/", "").replace(f"{folder}/", "")
            known[name] = {"file": name, **found}
            results.write(json.dumps(known[name]) + "\n")
            results.flush()
            print(f"{found['verdict']:12} {name}  {found['why']}", flush=True)


if __name__ == "__main__":
    main()
