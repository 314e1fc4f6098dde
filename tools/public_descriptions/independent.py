"""What a description says, by readers that share no code with the importer: ElementTree for URDF and SDF, MuJoCo for MJCF.

Every function answers with the differences that it finds, in words; an empty list is agreement.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco

from didymos.describe.description import Description, JointKind

__all__ = ["differences"]

_SAME = 1e-9  # relative: what a sum of doubles leaves
_UNLIMITED = 1e9
_BY_REPAIR = 1e-7  # of the robot's mass: what `repair` gives to links without any


def differences(description: Description, path: Path, text: str | None, repaired: bool) -> list[str]:
    """Masses, joints and limits of a description against its file; `text` is what a xacro file expands to."""
    root = _root(path.read_text(encoding="utf-8", errors="replace") if text is None else text)
    if root.tag == "robot":
        return _of_urdf(description, root, repaired)
    if root.tag == "sdf":
        return _of_sdf(description, root, repaired)
    return _of_mjcf(description, path, text)


def _root(text: str) -> ET.Element:
    """The first element; a prefix that nobody declares (``<drake:...>``) is a part of the name."""
    text = re.sub(r"\sxmlns(:\w+)?\s*=\s*([\"']).*?\2", "", text.strip("\0 \t\r\n\ufeff"))
    text = re.sub(r"<(/?)(\w+):", r"<\1\2_", text)
    return ET.fromstring(re.sub(r"\s\w+:(\w+)\s*=", r" \1=", text).encode())


def _number(text: str | None, default: float) -> float:
    return default if text is None or not text.strip() else float(text)


def _same(a: float | None, b: float | None) -> bool:
    return a == b if a is None or b is None else math.isclose(a, b, rel_tol=_SAME, abs_tol=1e-12)


def _of_urdf(description: Description, root: ET.Element, repaired: bool) -> list[str]:
    found = []
    masses = {}
    for link in root.findall("link"):
        mass = link.find("inertial/mass")
        masses[link.get("name")] = 0.0 if mass is None else _number(mass.get("value"), 0.0)
    slack = _BY_REPAIR * (sum(masses.values()) or 1.0) if repaired else 0.0
    if set(masses) != set(description.links):
        found.append("other links")
    found += [
        f"mass of {name}: {link.mass:g} for {masses[name]:g}"
        for name, link in description.links.items()
        if name in masses and not (_same(link.mass, masses[name]) or abs(link.mass - masses[name]) <= slack)
    ]
    joints = {joint.get("name"): joint for joint in root.findall("joint")}
    if set(joints) != set(description.joints):
        found.append("other joints")
    for name, element in joints.items():
        if name in description.joints:
            found += _of_urdf_joint(description, name, element)
    return found


def _of_urdf_joint(description: Description, name: str, element: ET.Element) -> list[str]:
    joint, limit = description.joints[name], element.find("limit")
    kind = "ball" if element.get("type") == "spherical" else str(element.get("type"))
    lower, upper = (_number(None if limit is None else limit.get(key), 0.0) for key in ("lower", "upper"))
    bounded = kind in ("revolute", "prismatic")
    if bounded and lower == upper:  # no room to move: a weld
        kind, bounded = "fixed", False
    found = [] if joint.kind.value == kind else [f"type of {name}: {joint.kind.value} for {kind}"]
    if bounded:
        low, high = (None if abs(x) >= _UNLIMITED else x for x in (lower, upper))
        if not (_same(joint.lower, low) and _same(joint.upper, high)):
            found.append(f"limits of {name}")
    for key in ("effort", "velocity"):
        value = _number(None if limit is None else limit.get(key), 0.0)
        if not _same(getattr(joint, key), value if 0.0 < value < _UNLIMITED else None):
            found.append(f"{key} of {name}")
    return found


def _of_sdf(description: Description, root: ET.Element, repaired: bool) -> list[str]:
    """Of the models in the file itself; an included one stands in another file."""
    found = []
    own = [model for model in root.iter("model") if model.find("static") is None or not _says(model, "static")]
    masses = sorted(_number(link.findtext("inertial/mass"), 1.0) for model in own for link in model.findall("link"))
    rest = sorted(link.mass for link in description.links.values())
    for mass in masses:
        slack = _BY_REPAIR * (sum(masses) or 1.0) if repaired else 0.0
        match = next((other for other in rest if _same(mass, other) or abs(mass - other) <= slack), None)
        if match is None:
            found.append(f"no link of mass {mass:g}")
        else:
            rest.remove(match)
    joints = {name.rpartition("::")[2]: joint for name, joint in description.joints.items()}
    for element in (joint for model in own for joint in model.findall("joint")):
        joint = joints.get(str(element.get("name")))
        if joint is None:
            found.append(f"no joint {element.get('name')}")
            continue
        if joint.kind not in (JointKind.REVOLUTE, JointKind.PRISMATIC):
            continue
        for side, key, none in ((joint.lower, "lower", -math.inf), (joint.upper, "upper", math.inf)):
            value = _number(element.findtext(f"axis/limit/{key}"), none)
            if not _same(side, None if abs(value) >= _UNLIMITED else value):
                found.append(f"{key} limit of {element.get('name')}")
    return found


def _says(model: ET.Element, tag: str) -> bool:
    return str(model.findtext(tag)).strip().lower() in ("true", "1")


def _of_mjcf(description: Description, path: Path, text: str | None) -> list[str]:
    model = mujoco.MjModel.from_xml_path(str(path)) if text is None else mujoco.MjModel.from_xml_string(text)
    found = []
    masses = [link.mass for link in description.links.values()]
    if len(masses) != model.nbody - 1 or not all(map(_same, masses, model.body_mass[1:])):
        found.append("other masses")
    joints = list(description.joints.values())
    if len(joints) != model.njnt:
        return [*found, "other joints"]
    for index, joint in enumerate(joints):
        limited = bool(model.jnt_limited[index]) and joint.kind is not JointKind.BALL
        low, high = model.jnt_range[index] if limited else (None, None)
        if not (_same(joint.lower, low) and _same(joint.upper, high)):
            found.append(f"limits of {joint.name}")
    return found
