"""Start a twin from a robot description: a folder with the description, its meshes and a `twin.yaml` that runs at once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from didymos.describe.description import Description
from didymos.describe.formats.importer import read_description
from didymos.errors import InputError

__all__ = ["new_twin"]

_TEMPLATE = """\
# {name}: made from {source} by `didymos new`. Every key is explained in docs/twin_files.md.
title: {title}

description:
  file: {file}
  base: {base}   # floating: the root link is free; as_described: it is held where the description puts it
{reading}
world:
  step: {step}
  integrator: {integrator}
  ground: {{friction: 1.0}}
  wind: {{speed: 0.0}}

sensors:
  state: {{kind: odometry, link: {root}, rate: 100}}
{joints}
{start}scenarios:
  rest:
    title: Let go and see
    seconds: 2
"""


_NOTHING: Mapping[str, str] = {}
_NOWHERE: Mapping[str, Path] = {}


def new_twin(
    name: str,
    source: Path,
    folder: Path,
    *,
    arguments: Mapping[str, str] = _NOTHING,
    packages: Mapping[str, Path] = _NOWHERE,
) -> Path:
    """Make the folder of a new twin below `folder`; nothing that exists is touched.

    The description is referred to where it is, unless it stands alone: a single file without meshes is copied, so that the
    folder can be moved. `arguments` and `packages` are those of `read_description`, and go into the twin file.
    """
    source = Path(source)
    if not source.is_file():
        raise InputError("there is no such file", file=source)
    if not name or any(sign in name for sign in "/\\ \t\n") or name.startswith("."):
        raise InputError(f"found the name {name!r}, expected one that can be a folder's")
    target = Path(folder) / name
    if target.exists():
        raise InputError("exists already; choose another name or remove it", file=target)
    description = read_description(source, arguments=arguments, packages=packages)
    target.mkdir(parents=True)
    try:
        reading = _reading(target, arguments, packages)
        (target / "twin.yaml").write_text(_text(name, source, target, description, reading), encoding="utf-8")
    except BaseException:
        shutil.rmtree(target)
        raise
    return target


def _reading(target: Path, arguments: Mapping[str, str], packages: Mapping[str, Path]) -> str:
    """The lines of `description` that say how it is read."""
    folders = {name: os.path.relpath(folder.resolve(), target.resolve()) for name, folder in packages.items()}
    lines = []
    for key, texts in (("arguments", arguments), ("packages", folders)):
        if texts:
            lines += [f"  {key}:", *(f"    {_quoted(name)}: {_quoted(text)}" for name, text in texts.items())]
    return "".join(line + "\n" for line in lines)


def _text(name: str, source: Path, target: Path, description: Description, reading: str) -> str:
    standing = description.floating or description.held_by is not None
    movable = [joint for joint, about in description.joints.items() if len(about.engine_joints) == 1]
    if _stands_alone(source):
        shutil.copyfile(source, target / source.name)
        file = source.name
    else:
        file = os.path.relpath(source.resolve(), target.resolve())
    base = "as_described" if standing else "floating"
    floating = description.floating or base == "floating"
    start = f"start:\n  position: [0, 0, {_clearance(description):.3g}]\n\n" if floating else ""
    return _TEMPLATE.format(
        name=name,
        source=source.name,
        title=_quoted(f"{description.name or name}, from {source.name}"),
        file=_quoted(file),
        base=base,
        reading=reading,
        step=0.002,
        integrator="implicitfast" if movable else "rk4",
        root=_quoted(description.root),
        joints="  encoders: {kind: joints, rate: 100}\n" if movable else "",
        start=start,
    )


def _stands_alone(source: Path) -> bool:
    """Whether a description names no other file."""
    text = source.read_text(encoding="utf-8", errors="replace")
    words = ("package://", "model://", "file://", "filename=", "file=", "<uri>", "xacro:include", "<include")
    return not any(word in text for word in words)


def _clearance(description: Description) -> float:
    """A height [m] at which nothing of the robot is below the ground."""
    import mujoco
    import numpy as np

    model = description.spec.copy().compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    root = model.body(description.links[description.root].body).id
    lowest = 0.0
    for geom in range(model.ngeom):
        if model.geom_bodyid[geom] != 0:
            lowest = min(lowest, float(data.geom_xpos[geom][2] - model.geom_rbound[geom] - data.xpos[root][2]))
    return float(np.ceil(100 * -lowest) / 100 + 0.01)


def _quoted(text: str) -> str:
    """A YAML string in double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'
