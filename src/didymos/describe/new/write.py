"""Start a twin from a robot description: a folder with the description, its meshes and a `twin.yaml` that runs at once."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from didymos.describe.description import Description, Device
from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.describe.names import RESERVED, movable_joints
from didymos.describe.yaml_text import block, flow
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

{parts}sensors:
{sensors}
{start}scenarios:
  rest:
    title: Let go and see
    seconds: 2
"""
_STEP = 0.002  # [s], or less where a sensor reads more often
_RATE = 100.0  # [Hz], of the sensors that every new twin has
_NOTHING: Mapping[str, str] = {}
_NOWHERE: Mapping[str, Path] = {}


def new_twin(
    name: str,
    source: Path,
    folder: Path,
    *,
    arguments: Mapping[str, str] = _NOTHING,
    packages: Mapping[str, Path] = _NOWHERE,
    repair: bool = False,
) -> Path:
    """Make the folder of a new twin below `folder`; nothing that exists is touched.

    The description is referred to where it is, unless it stands alone: a single file without meshes is copied, so that the
    folder can be moved. Its sensors and plugins become parts and sensors of the twin where there is a law for them. `arguments`,
    `packages` and `repair` are those of `read_description`, and go into the twin file.
    """
    source = Path(source)
    if not source.is_file():
        raise InputError("there is no such file", file=source)
    if not name or any(sign in name for sign in "/\\ \t\n") or name.startswith("."):
        raise InputError(f"found the name {name!r}, expected one that can be a folder's")
    target = Path(folder) / name
    if target.exists():
        raise InputError("exists already; choose another name or remove it", file=target)
    description = read_description(source, arguments=arguments, packages=packages, repair=repair)
    target.mkdir(parents=True)
    try:
        reading = _reading(target, arguments, packages, repair)
        (target / "twin.yaml").write_text(_text(name, source, target, description, reading), encoding="utf-8")
    except BaseException:
        shutil.rmtree(target)
        raise
    return target


def _reading(target: Path, arguments: Mapping[str, str], packages: Mapping[str, Path], repair: bool) -> str:
    """The lines that say how the description is read, beside its file."""
    lines = {}
    if arguments:
        lines["arguments"] = flow(dict(arguments))
    if packages:
        lines["packages"] = flow({key: os.path.relpath(Path(path).resolve(), target.resolve()) for key, path in packages.items()})
    if repair:
        lines["repair"] = "true"
    return "".join(f"  {key}: {text}\n" for key, text in lines.items())


def _text(name: str, source: Path, target: Path, description: Description, reading: str) -> str:
    movable = movable_joints(description)
    if _stands_alone(source):
        shutil.copyfile(source, target / source.name)
        file = source.name
    else:
        file = os.path.relpath(source.resolve(), target.resolve())
    base = "floating" if _can_float(description) else "as_described"
    floating = description.floating or base == "floating"
    start = f"start:\n  position: [0, 0, {_clearance(description):.3g}]\n\n" if floating else ""
    parts = [device for device in description.devices if device.role == "parts"]
    sensors = _sensors(description, bool(movable))
    rates = [device.record["rate"] for device in sensors if "rate" in device.record]
    step = min([_STEP, float(description.spec.option.timestep), *(1.0 / rate for rate in rates)])
    for device in sensors:
        device.record.setdefault("rate", 1.0 / step)
    return _TEMPLATE.format(
        name=name,
        source=source.name,
        title=flow(f"{description.name or name}, from {source.name}"),
        file=flow(file),
        base=base,
        reading=reading,
        step=flow(step),
        integrator="implicitfast" if movable else "rk4",
        parts="parts:\n" + _lines(parts) + "\n" if parts else "",
        sensors=_lines(sensors),
        start=start,
    )


def _can_float(description: Description) -> bool:
    """Whether the root link is to be set free: nothing holds it, its format does not, and it has mass."""
    if description.floating or description.held_by is not None or description.stands:
        return False
    try:
        float_base(description)
    except InputError:
        return False
    return True


def _sensors(description: Description, movable: bool) -> list[Device]:
    """The sensors of the new twin: its pose, what the description brings, encoders; under names that no run takes itself."""
    own = [device for device in description.devices if device.role == "sensors"]
    names = {device.name for device in own}
    made = [Device("sensors", _free("state", names), {"kind": "odometry", "link": description.root, "rate": _RATE})]
    for device in own:
        name = device.name if device.name not in RESERVED else _free(f"{device.name}_sensor", names)
        made.append(Device("sensors", name, dict(device.record)))
    if movable and not any(device.record["kind"] == "joints" for device in own):
        made.append(Device("sensors", _free("encoders", names), {"kind": "joints", "rate": _RATE}))
    return made


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _lines(devices: list[Device]) -> str:
    return "".join(block(device.name, device.record, indent=2) for device in devices)


def _stands_alone(source: Path) -> bool:
    """Whether a description names no other file; the library of a Gazebo plugin is none."""
    text = re.sub(r"<plugin\b[^>]*>", "", source.read_text(encoding="utf-8", errors="replace"))
    words = ("package://", "model://", "file://", "<uri>", "xacro:include", "<include")
    return not any(word in text for word in words) and re.search(r"\bfile\w*\s*=", text) is None


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
