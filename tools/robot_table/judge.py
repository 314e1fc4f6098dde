"""What a robot does in its first two seconds as a twin: a verdict and the figures behind it.

The verdict is that of `didymos new` on its own trial run (`didymos.engine.trial` has the rules), in a word or two:

| verdict | base | |
|---|---|---|
| holds, sags | fixed | its driven joints stay where they began, or not |
| hangs loose, stands still | fixed | it has joints and no drives, or no joints |
| stands, falls over | floating | it has drives, and stays upright, or not |
| rolls | floating | it stands, and the program `wheeled` drives it |
| lies | floating | nothing drives it |
| fell through the floor, diverges | | the run ended with that sentence |
| refused | | `new`, `check` or `run` refused the file with that sentence |
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from examine import made_twin

import didymos
from didymos.cli.main import main
from didymos.describe.names import movable_joints
from didymos.engine.trial import try_twin
from didymos.errors import DidymosError, InputError

__all__ = ["judge"]


def judge(path: Path, package: Path, seconds: float) -> dict[str, Any]:
    """The verdict on a file, and why; mass, joints, drives, base and its rule, program, largest joint error, change of height.

    `estimated` is how many links have a mass and no inertia in the file, and got that of their shapes.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            os.environ["DIDYMOS_CONFIG"] = folder  # where `new` notes that it trusts what it made
            made, needed, refused = made_twin(path, package, Path(folder), _new)
            twin = didymos.load(made, trust=True)
            facts = _facts(twin) | {"needed": needed, "notes": len(twin.notes)}
        except InputError as error:
            return {"verdict": "refused", "why": str(error)}
        try:
            for scenario in list(twin.scenarios)[1:]:  # the first is run
                twin.make_ready(scenario)
            return facts | {"why": refused} | _run(twin, seconds)
        except InputError as error:
            return facts | {"verdict": "refused", "why": str(error)}
        except DidymosError as error:
            verdict = "fell through the floor" if "floor" in str(error) or "below the ground" in str(error) else "diverges"
            return facts | {"verdict": verdict, "why": str(error)}


def _new(name: str, path: Path, folder: Path, *, packages: Mapping[str, Path], repair: bool) -> Path:
    """What `didymos new` makes on the command line; one that is made and does not run is for the run to show."""
    flags = [f"--package={key}={where}" for key, where in packages.items()] + ["--repair"] * repair
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        status = main(["new", name, "--from", str(path), "--into", str(folder), "--json", *flags])
    if status == InputError.exit_status:
        raise InputError(json.loads(said.getvalue())["error"])
    return folder / name


def _facts(twin: didymos.Twin) -> dict[str, Any]:
    """What the twin is made of."""
    description = twin.description
    text = twin.source.read_text(encoding="utf-8")
    base = re.search(r"^ *base: *\w+ *# *\w+ base: (.*)$", text, re.MULTILINE)
    return {
        "mass": sum(link.mass for link in description.links.values()),
        "joints": len(movable_joints(description)),
        "base": "floating" if description.floating else "fixed",
        "rule": base[1] if base else "",
        "program": twin.file.control.program if twin.file.control is not None else "",
        "estimated": len(description.estimated),
    }


def _run(twin: didymos.Twin, seconds: float) -> dict[str, Any]:
    """Run the first scenario and look at joints and base before and after."""
    simulation = twin.simulate(scenario=next(iter(twin.scenarios), None))
    drives = len({actuator.joint for actuator in simulation.built.robot.actuators})
    trial = try_twin(twin, simulation, seconds)
    verdict = re.split(r"[,:]| its ", trial.verdict)[0]
    if verdict == "stands" and twin.file.control is not None and twin.file.control.program == "wheeled":
        verdict = "rolls"
    figures = {"joint_error": trial.error, "joint": trial.joint, "rise": -trial.sunk, "tilt": trial.tilt}
    return {"verdict": verdict, "drives": drives, **figures}
