"""Read and run one description as a user would, and say what came of it; in a child process with bounded time and memory."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from child import in_child
from independent import differences

import didymos
from didymos.describe.description import Description
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.xacro_file import expand_xacro, is_xacro
from didymos.describe.formats.xml_file import read_xml
from didymos.describe.new import new_twin
from didymos.errors import DidymosError, InputError

__all__ = ["examine", "made_twin"]


def examine(path: Path, package: Path, seconds: float) -> dict[str, Any]:
    """What came of a file: `verdict`, and why; mass, joints; what differs from its XML.

    Verdicts: runs; declared, repaired, where it took `--package` with the folder of its package, or `--repair`; refused; fails.
    """
    return in_child(lambda: _examine(path, package, seconds))


def _examine(path: Path, package: Path, seconds: float) -> dict[str, Any]:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        try:
            made, verdict, refused = made_twin(path, package, Path(folder))
        except InputError as error:
            return {"verdict": "refused", "why": str(error)}
        try:
            twin = didymos.load(made, trust=True)
            packages = {key: twin.folder / folder for key, folder in twin.file.description.packages.items()}
            answer = _facts(twin.description, path, packages, repaired=verdict == "repaired")
            simulation = twin.simulate()
            simulation.run(seconds)
        except DidymosError as error:
            return {"verdict": "fails", "why": str(error)}
        height = float(simulation.reading("state", "position")[2])
    answer |= {"verdict": verdict, "why": refused, "height": height}
    return answer | {"time": round(time.perf_counter() - began, 2)}


def made_twin(path: Path, package: Path, folder: Path, make: Callable[..., Path] = new_twin) -> tuple[Path, str, str]:
    """The twin that `new` makes, what the user had to add if it is to run, and why: as the refusals say.

    `make` is called as `new_twin` is.
    """
    verdict, why = "runs", ""
    declared: dict[str, Path] = {}
    for _ in range(5):
        try:
            return make("robot", path, folder, packages=declared, repair=verdict == "repaired"), verdict, why
        except InputError as error:
            unknown = re.search(r"names the package '([\w.-]+)', which was not found", str(error))
            own = package.name.rpartition("-")[0]
            if "outside of the description" in str(error) and own not in declared:
                declared, verdict = declared | {own: package}, "declared"
            elif unknown and unknown[1] not in declared:  # the folder above that of the description, as ROS packages are laid out
                declared, verdict = declared | {unknown[1]: path.parent.parent}, "declared"
            elif re.search("`repair`|--repair", str(error)) and verdict != "repaired":
                verdict = "repaired"
            else:
                raise
            why = str(error)
    raise AssertionError


def _facts(description: Description, path: Path, packages: dict[str, Path], repaired: bool) -> dict[str, Any]:
    """Mass, joints, what becomes of sensors and plugins, and what differs from the XML."""
    text = expand_xacro(path, {}, Packages(path, packages, ())).text if is_xacro(path, read_xml(path)) else None
    return {
        "mass": sum(link.mass for link in description.links.values()),
        "joints": sum(bool(joint.engine_joints) for joint in description.joints.values()),
        "devices": [f"{device.role}: {device.record['kind']}" for device in description.devices],
        "notes": len(description.notes),
        "differs": differences(description, path, text, repaired),
        "mended": [note.what for note in description.notes if "repaired" in note.what],
    }
