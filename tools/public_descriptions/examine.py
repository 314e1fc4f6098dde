"""Read and run one description as a user would, and say what came of it; in a child process with bounded time and memory."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

from independent import differences

import didymos
from didymos.describe.description import Description
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.xacro_file import expand_xacro, is_xacro
from didymos.describe.formats.xml_file import read_xml
from didymos.describe.new import new_twin
from didymos.errors import DidymosError, InputError

__all__ = ["examine"]

PATIENCE = 180  # [s]
MEMORY = 8 * 2**30  # [bytes]


def examine(path: Path, package: Path, seconds: float) -> dict[str, Any]:
    """What came of a file: `verdict`, and why; mass, joints; what differs from its XML.

    Verdicts: runs; declared, repaired, where it took `--package` with the folder of its package, or `--repair`; refused; fails.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _be_bounded()
        try:
            answer = _examine(path, package, seconds)
        except MemoryError:
            answer = {"verdict": "fails", "why": "more memory than 8 GiB"}
        except BaseException as error:  # a defect of ours, which the page has to show
            answer = {"verdict": "fails", "why": f"{type(error).__name__}: {error}"}
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return dict(json.loads(said)) if said else {"verdict": "fails", "why": f"ended by signal {status & 127}"}


def _be_bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.alarm(PATIENCE)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _examine(path: Path, package: Path, seconds: float) -> dict[str, Any]:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        try:
            made, verdict, refused = _made(path, package, Path(folder))
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


def _made(path: Path, package: Path, folder: Path) -> tuple[Path, str, str]:
    """The twin that `new` makes, what the user had to add if it is to run, and why: as the refusals say."""
    verdict, why = "runs", ""
    declared: dict[str, Path] = {}
    for _ in range(5):
        try:
            return new_twin("robot", path, folder, packages=declared, repair=verdict == "repaired"), verdict, why
        except InputError as error:
            unknown = re.search(r"names the package '([\w.-]+)', which was not found", str(error))
            own = package.name.rpartition("-")[0]
            if "outside of the description" in str(error) and own not in declared:
                declared, verdict = declared | {own: package}, "declared"
            elif unknown and unknown[1] not in declared:  # the folder above that of the description, as ROS packages are laid out
                declared, verdict = declared | {unknown[1]: path.parent.parent}, "declared"
            elif "`repair`" in str(error) and verdict != "repaired":
                verdict = "repaired"
            else:
                raise
            why = str(error)
    raise AssertionError


def _facts(description: Description, path: Path, packages: dict[str, Path], repaired: bool) -> dict[str, Any]:
    """Mass, joints, what becomes of sensors and plugins, and what differs from the XML."""
    text = expand_xacro(path, {}, Packages(path, packages, ()))[1] if is_xacro(path, read_xml(path)) else None
    return {
        "mass": sum(link.mass for link in description.links.values()),
        "joints": sum(bool(joint.engine_joints) for joint in description.joints.values()),
        "devices": [f"{device.role}: {device.record['kind']}" for device in description.devices],
        "notes": len(description.notes),
        "differs": differences(description, path, text, repaired),
        "mended": [note.what for note in description.notes if "repaired" in note.what],
    }
