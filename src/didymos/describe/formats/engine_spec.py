"""A spec that does what the file says, and its compilation as a check."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import mujoco

from didymos.describe.formats.mechanism import ShapeKind
from didymos.errors import InputError

__all__ = ["GEOM_TYPES", "ask_engine", "check_compiles", "new_spec", "unique"]

GEOM_TYPES = {
    ShapeKind.BOX: mujoco.mjtGeom.mjGEOM_BOX,
    ShapeKind.SPHERE: mujoco.mjtGeom.mjGEOM_SPHERE,
    ShapeKind.CYLINDER: mujoco.mjtGeom.mjGEOM_CYLINDER,
    ShapeKind.CAPSULE: mujoco.mjtGeom.mjGEOM_CAPSULE,
    ShapeKind.ELLIPSOID: mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    ShapeKind.PLANE: mujoco.mjtGeom.mjGEOM_PLANE,
    ShapeKind.MESH: mujoco.mjtGeom.mjGEOM_MESH,
}
"""What the engine calls the shapes of a description."""

_Answer = TypeVar("_Answer")


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


def check_compiles(spec: mujoco.MjSpec, file: Path) -> tuple[mujoco.MjModel, list[str]]:
    """The engine's model of a spec, and its warnings; what it says against the spec becomes an `InputError`."""
    return ask_engine(spec.compile, file)


def ask_engine(question: Callable[[], _Answer], file: Path) -> tuple[_Answer, list[str]]:
    """What the engine answers, and its warnings, which it would otherwise print and write into the current folder."""
    complaints: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: complaints.append(str(text)))
    callbacks = _set_aside()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer = question()
    except (ValueError, mujoco.FatalError, mujoco.UnexpectedError, RuntimeError, MemoryError) as error:
        raise _complaint(error, file) from error
    finally:
        mujoco.set_mju_user_warning(before)
        for name, callback in callbacks.items():
            getattr(mujoco, f"set_mjcb_{name}")(callback)
    complaints += [str(warning.message) for warning in caught]
    return answer, [" ".join(text.split()) for text in complaints]


def _set_aside() -> dict[str, Any]:
    """Callbacks that somebody hung into the engine: while it compiles they would be handed a model that Python does not know."""
    names = ("control", "passive", "act_dyn", "act_gain", "act_bias", "sensor", "contactfilter")
    callbacks = {name: getattr(mujoco, f"get_mjcb_{name}")() for name in names}
    callbacks = {name: callback for name, callback in callbacks.items() if callback is not None}
    for name in callbacks:
        getattr(mujoco, f"set_mjcb_{name}")(None)
    return callbacks


def _complaint(error: BaseException, file: Path) -> InputError:
    """The engine's message as one sentence, with the line where it gives one."""
    text = " ".join(str(error).split()) or type(error).__name__
    text = re.sub(r"^((XML )?Error: ?)+", "", text)
    line = re.search(r",? ?line (\d+)(, column -?\d+)?", text)
    if line is not None:
        text = text.replace(line[0], "")
    text = re.sub(r"\s*Element name '([^']*)', id \d+", r" (element '\1')", text)
    text = re.sub(r"\s*Element '([^']*)'", r" (element <\1>)", text)
    message = f"the engine refuses it: {text.strip()}"
    return InputError(message, file=file, line=int(line[1]) if line and int(line[1]) > 0 else None)


def unique(name: str, taken: set[str]) -> str:
    """A name that is not taken, which it then is: `name` itself, or with a number behind it."""
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}_{count}"
    taken.add(free)
    return free
