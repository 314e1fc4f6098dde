"""A draft as the text of a `twin.yaml`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from didymos.describe.description import Device, Joint
from didymos.describe.names import movable_joints
from didymos.describe.new.draft import Draft
from didymos.describe.yaml_text import block, flow, wrapped

__all__ = ["twin_text"]

_LINE = 180  # columns: thirty servos read best in a line each
_TEMPLATE = """\
# {name}: made from {source} by `didymos new`. Every key is explained in docs/twin_files.md.
title: {title}

description:
  file: {file}
  base: {base}   # {why}
{reading}
world:
  step: {step}
  integrator: {integrator}
{ground}  wind: {{speed: 0.0}}

{parts}{contacts}sensors:
{sensors}
{control}{start}scenarios:
{scenarios}"""


def twin_text(name: str, source: Path, draft: Draft, *, file: str, folder: Path) -> str:
    """The text of the twin file of a draft, which is to stand in `folder` and names its description as `file`."""
    description, base = draft.description, draft.base
    return _TEMPLATE.format(
        name=name,
        source=source.name,
        title=flow(f"{description.name or name}, from {source.name}"),
        file=flow(file),
        base="floating" if base.frees else "as_described",
        why=str(base),
        reading=_reading(draft, folder),
        step=flow(draft.step),
        integrator="implicitfast" if movable_joints(description) else "rk4",
        ground=_ground(draft),
        parts=f"parts:   # {draft.drives.why}\n{_lines(draft.parts)}\n" if draft.parts else "",
        contacts=_contacts(draft),
        sensors=_lines(draft.sensors),
        control=_control(draft),
        start=_start(draft),
        scenarios="".join(block(key, record, indent=2) for key, record in draft.scenarios.items()),
    )


def _reading(draft: Draft, folder: Path) -> str:
    """The lines that say how the description is read, beside its file."""
    lines: dict[str, Any] = {}
    if draft.reading.arguments:
        lines["arguments"] = dict(draft.reading.arguments)
    if draft.reading.packages:
        here = folder.resolve()
        lines["packages"] = {key: os.path.relpath(Path(path).resolve(), here) for key, path in draft.reading.packages.items()}
    if draft.reading.inertia_from_shapes:
        lines["inertia"] = "from_shapes"
    if draft.reading.repair:
        lines["repair"] = True
    if draft.reading.density is not None:
        lines["density"] = draft.reading.density
    if draft.visuals:
        lines["collision"] = "with_visuals"
    about = {"inertia": "   # an estimate, for links that have a mass and no inertia"}
    text = "".join(f"  {key}: {flow(value)}{about.get(key, '')}\n" for key, value in lines.items())
    if draft.placement.passing:
        pairs = "".join(f"    - {flow(list(pair))}\n" for pair in draft.placement.passing)
        text += f"  no_collision:   # these overlap at the start\n{pairs}"
    return text


def _ground(draft: Draft) -> str:
    height = draft.placement.ground
    if height is None:
        return "  # the ground is that of the description\n"
    lines = f"  ground: {{{f'height: {flow(round(height, 6))}, ' if height else ''}friction: 1.0}}\n"
    wheels = draft.program.wheels
    return lines if wheels is None else lines + "".join(f"  {key}: {flow(value)}\n" for key, value in wheels.world.items())


def _contacts(draft: Draft) -> str:
    wheels = draft.program.wheels
    if wheels is None or not wheels.contacts:
        return ""
    lines = "".join(block(name, record, indent=2, widest=_LINE) for name, record in wheels.contacts.items())
    return f"contacts:\n{lines}\n"


def _control(draft: Draft) -> str:
    if draft.program.name is None:
        return ""
    return f"control: {{program: {draft.program.name}, rate: {draft.program.rate:g}}}   # {draft.program.why}\n\n"


def _start(draft: Draft) -> str:
    placement, lines = draft.placement, ""
    if placement.position is not None:
        lines += f"  position: {flow([round(value, 6) + 0.0 for value in placement.position])}\n"
    if placement.roll:
        lines += f"  orientation: {flow([round(placement.roll, 9), 0.0, 0.0])}   # the description has y upward\n"
    joints = draft.description.joints
    moved = {name: _within(joints[name], value) for name, value in placement.joints.items() if abs(value) > 5e-7}
    if moved:
        lines += wrapped("joints", moved, indent=2)
    return f"start:\n{lines}\n" if lines else ""


def _within(joint: Joint, value: float) -> float:
    """A position [rad] or [m] with six digits behind the point, or with nine where those would leave the limits."""
    short = round(value, 6)
    below = joint.lower is not None and short < joint.lower
    above = joint.upper is not None and short > joint.upper
    return round(value, 9) if below or above else short


def _lines(devices: tuple[Device, ...]) -> str:
    return "".join(block(device.name, device.record, indent=2, widest=_LINE) for device in devices)
