"""What a robot does in its first two seconds as a twin: a verdict and the figures behind it.

| verdict | base | |
|---|---|---|
| holds | fixed | no driven joint is further than `HELD` from where it began |
| sags | fixed | one is |
| swings | fixed | it has joints, and nothing that drives them |
| stands | floating | it has drives, its base has turned by less than `UPRIGHT` and sunk by less than a third of its height |
| rolls | floating | it stands, and the program `wheeled` drives it |
| lies | floating | nothing drives it, and it came to rest or is about to |
| falls over | floating | it has drives, and turned or sank by more |
| fell through the floor, diverges | | the run ended with that sentence |
| refused | | `new`, `check` or `run` refused the file with that sentence |
"""

from __future__ import annotations

import math
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from examine import made_twin

import didymos
from didymos.describe.names import movable_joints
from didymos.errors import DidymosError, InputError

__all__ = ["judge"]

HELD = 0.05  # [rad, m]: what a servo gives way by under the weight of an arm
UPRIGHT = 0.5  # [rad]


def judge(path: Path, package: Path, seconds: float) -> dict[str, Any]:
    """The verdict on a file, and why; mass, joints, drives, base and its rule, program, largest joint error, change of height."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            made, needed, refused = made_twin(path, package, Path(folder))
            twin = didymos.load(made, trust=True)
            facts = _facts(twin) | {"needed": needed, "notes": len(twin.notes)}
        except InputError as error:
            return {"verdict": "refused", "why": str(error)}
        try:
            for scenario in (None, *twin.scenarios):
                twin.make_ready(scenario)
            return facts | {"why": refused} | _run(twin, seconds)
        except InputError as error:
            return facts | {"verdict": "refused", "why": str(error)}
        except DidymosError as error:
            verdict = "fell through the floor" if "floor" in str(error) or "below the ground" in str(error) else "diverges"
            return facts | {"verdict": verdict, "why": str(error)}


def _facts(twin: didymos.Twin) -> dict[str, Any]:
    """What the twin is made of."""
    description = twin.description
    text = twin.source.read_text(encoding="utf-8")
    base = re.search(r"^ *base: *(\w+) *(?:# *(.*))?$", text, re.MULTILINE)
    return {
        "mass": sum(link.mass for link in description.links.values()),
        "joints": len(movable_joints(description)),
        "drives": len(_driven(twin)),
        "base": "floating" if description.floating else "fixed",
        "rule": base[2] or "" if base else "",
        "program": twin.file.control.program if twin.file.control is not None else "",
    }


def _driven(twin: didymos.Twin) -> set[str]:
    """The joints that a part or an actuator of the description drives."""
    joints = {str(part.joint) for part in twin.file.parts.values() if getattr(part, "joint", None) is not None}
    return joints | {str(actuator.target) for actuator in twin.description.spec.actuators}


def _run(twin: didymos.Twin, seconds: float) -> dict[str, Any]:
    """Run the first scenario and look at joints and base before and after."""
    simulation = twin.simulate(scenario=next(iter(twin.scenarios), None))
    model, data = simulation.model, simulation.data
    driven = [name for name in movable_joints(twin.description) if name in _driven(twin)]
    addresses = [int(model.joint(twin.description.joints[name].engine_joints[0]).qposadr[0]) for name in driven]
    root = simulation.links.root_body(model)
    before, height, upright = data.qpos[addresses].copy(), float(data.xpos[root][2]), data.xmat[root].reshape(3, 3)[2].copy()
    log = simulation.run(seconds)
    errors = np.abs(data.qpos[addresses] - before)
    worst = int(np.argmax(errors)) if len(errors) else None
    rise = float(data.xpos[root][2]) - height
    tilt = math.acos(float(np.clip(upright @ data.xmat[root].reshape(3, 3)[2], -1.0, 1.0)))
    error = float(errors[worst]) if worst is not None else 0.0
    del log
    found = {"joint_error": error, "joint": driven[worst] if worst is not None else "", "rise": rise, "tilt": tilt}
    return found | {"verdict": _verdict(twin, error, rise, tilt, height, bool(driven))}


def _verdict(twin: didymos.Twin, error: float, rise: float, tilt: float, height: float, driven: bool) -> str:
    if not twin.description.floating:
        if not driven and movable_joints(twin.description):
            return "swings"
        return "holds" if error <= HELD else "sags"
    if rise < -max(2.0, 2.0 * abs(height)):
        return "fell through the floor"
    if not driven:
        return "lies"
    if tilt > UPRIGHT or rise < -abs(height) / 3.0:
        return "falls over"
    return "rolls" if twin.file.control is not None and twin.file.control.program == "wheeled" else "stands"
