"""Which joints of a URDF have drives: ``<ros2_control>`` and ``<transmission>``.

ros2_control lists for each joint the quantities that it can be commanded by (``<command_interface name="position">``) and
measured by (``<state_interface>``); one without a command is passive. ``initial_value`` is where it begins. A transmission names
its joint and the kind of command (``hardware_interface/EffortJointInterface``). The reduction of a transmission changes the
motion only together with the inertia of the rotor, which no URDF says; it is noted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping

from didymos.describe.description import DriveSource
from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.xml_file import Element
from didymos.errors import nearest

__all__ = ["read_drives"]

_COMMANDS = ("position", "velocity", "effort")


def read_drives(robot: Element, joints: Mapping[str, object], report: ImportReport) -> dict[str, DriveSource]:
    """What a robot says about the drives of its joints; ros2_control wins over transmissions."""
    found: dict[str, DriveSource] = {}
    for element in [*robot.all("transmission"), *robot.all("ros2_control")]:
        if not element.all("joint"):
            report.add(element, f"{element} is not used: it names no joint")
    for element in robot.all("transmission"):
        for name, commands in _transmission(element, report):
            if _is_there(name, joints, element, report):
                found[name] = DriveSource("<transmission>", commands)
    for element in robot.all("ros2_control"):
        for joint in element.all("joint"):
            name = joint.attributes.get("name", "")
            if _is_there(name, joints, joint, report):
                found[name] = DriveSource("<ros2_control>", _commands(joint, report), _start(joint))
        for other in element.children:
            if other.tag in ("sensor", "gpio"):
                report.add(other, f"{other} of <ros2_control> is not used: it names readings of the real robot's hardware")
    return found


def _is_there(name: str, joints: Collection[str], element: Element, report: ImportReport) -> bool:
    if name not in joints:
        report.add(element, f"{element} is not used: there is no joint {name!r}{nearest(name, joints)}")
    return name in joints


def _transmission(element: Element, report: ImportReport) -> Iterator[tuple[str, tuple[str, ...]]]:
    for joint in element.all("joint"):
        kinds = [child.text for child in joint.all("hardwareInterface")]
        kinds += [child.text for actuator in element.all("actuator") for child in actuator.all("hardwareInterface")]
        text = " ".join(kinds).lower()
        yield joint.attributes.get("name", ""), tuple(word for word in _COMMANDS if word in text) or ("effort",)
    for child in element.walk():
        if child.tag == "mechanicalReduction" and child.text.strip() not in ("", "1", "1.0", "1.", "-1", "-1.0"):
            report.add(
                child,
                f"mechanicalReduction {child.text.strip()} of {element} is not used: without the inertia of the rotor, which no "
                "URDF says, it changes nothing; give it as `armature` of the servo",
            )


def _commands(joint: Element, report: ImportReport) -> tuple[str, ...]:
    names = [child.attributes.get("name", "").strip() for child in joint.all("command_interface")]
    for name in names:
        if name not in _COMMANDS:
            report.add(joint, f"command_interface {name!r} of {joint} is not used; position, velocity and effort are")
    return tuple(word for word in _COMMANDS if word in names)


def _start(joint: Element) -> float | None:
    """The position that a joint begins at, in either of the ways in which it is written."""
    for interface in joint.all("state_interface"):
        if interface.attributes.get("name") != "position":
            continue
        for param in interface.all("param"):
            if param.attributes.get("name") == "initial_value" and re.fullmatch(r"[-+0-9.eE]+", param.text.strip()):
                return _finite(param.text)
    for param in joint.all("param"):
        if param.attributes.get("name") == "initial_position":
            return _finite(param.text)
    return None


def _finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
