"""A spec that does what the file says, and its compilation as a check."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco

from didymos.errors import InputError

__all__ = ["check_compiles", "engine_complaint", "new_spec", "unique"]


def new_spec(name: str) -> mujoco.MjSpec:
    """An empty spec in radians that takes no inertia from shapes, repairs none, and keeps welded bodies apart."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    spec.compiler.balanceinertia = False
    spec.compiler.boundmass = 0.0
    spec.compiler.boundinertia = 0.0
    spec.compiler.autolimits = True
    return spec


def check_compiles(spec: mujoco.MjSpec, file: Path) -> mujoco.MjModel:
    """The engine's model of a spec; what the engine says against it becomes an `InputError`."""
    try:
        return spec.compile()
    except (ValueError, mujoco.FatalError, mujoco.UnexpectedError, RuntimeError, MemoryError) as error:
        raise engine_complaint(error, file) from error


def engine_complaint(error: BaseException, file: Path) -> InputError:
    """The engine's message as one sentence, with the line where it gives one."""
    text = " ".join(str(error).split()) or type(error).__name__
    text = re.sub(r"^(XML )?Error: ?", "", text)
    line = re.search(r",? ?line (\d+)(, column -?\d+)?", text)
    if line is not None:
        text = text.replace(line[0], "")
    message = f"the engine refuses it: {text.strip()}"
    return InputError(message, file=file, line=int(line[1]) if line and int(line[1]) > 0 else None)


def unique(name: str, taken: set[str]) -> str:
    """A name that is not taken, which it then is: `name` itself, or with a number behind it."""
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    taken.add(found)
    return found
