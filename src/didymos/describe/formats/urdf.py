"""URDF: the ``<robot>`` of ROS becomes a mechanism.

Read as urdfdom reads it, with three differences that are noted where they matter: a revolute joint without room to move
(no limits, or equal ones; an old trick to keep a link apart in Gazebo) is welded, ``<mimic>`` becomes a constraint, and
of the ``<gazebo>`` tags friction (mu1), gravity, sensors and plugins are used. ``<ros2_control>`` and ``<transmission>`` say
which joints have drives (`urdf_drives.py`). All else is listed.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from didymos.describe.description import Description, Device, JointKind
from didymos.describe.formats.build_spec import build_spec
from didymos.describe.formats.device_list import DeviceList
from didymos.describe.formats.format import DescriptionFile, Format
from didymos.describe.formats.gazebo_plugins import add_plugin
from didymos.describe.formats.gazebo_sensors import add_joint_sensor, add_link_sensor
from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.inertia import INERTIA_KEYS, ROUNDED_TO_ZERO, inertia_fault
from didymos.describe.formats.joint_limits import bounds, checked_axis, not_negative, welded
from didymos.describe.formats.mechanism import WORLD, Inertial, JointSource, LinkSource, Mechanism, Mimic, Shape
from didymos.describe.formats.sdf_frames import raw_pose
from didymos.describe.formats.urdf_drives import read_drives
from didymos.describe.formats.urdf_gazebo import GazeboTags, read_gazebo_tags
from didymos.describe.formats.urdf_origin import read_origin
from didymos.describe.formats.urdf_shapes import read_colours, read_shapes
from didymos.describe.formats.urdf_tags import URDF_TAGS
from didymos.describe.formats.xml_file import Element
from didymos.describe.formats.xml_values import limit, name_of, number, rounding, text_of, vector
from didymos.errors import nearest
from didymos.rotations import Pose

__all__ = ["URDF", "read_urdf"]

_KINDS = {
    "fixed": JointKind.FIXED,
    "revolute": JointKind.REVOLUTE,
    "continuous": JointKind.CONTINUOUS,
    "prismatic": JointKind.PRISMATIC,
    "floating": JointKind.FLOATING,
    "planar": JointKind.PLANAR,
    "spherical": JointKind.BALL,  # not in the standard, but in bullet and in the engine's own reader
}
_WITH_AXIS = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC, JointKind.PLANAR)


def read_urdf(file: DescriptionFile) -> Description:
    """The description in a file that begins with ``<robot>``."""
    robot = file.root
    assert robot is not None
    report = ImportReport()
    report.audit(robot, URDF_TAGS)
    gazebo = read_gazebo_tags(robot, report)
    colours = read_colours(robot)
    links: dict[str, LinkSource] = {}
    for element in robot.all("link"):
        name = name_of(element)
        if name in links:
            raise element.error(f"link {name!r} stands here a second time, first in line {links[name].element.line}")
        shapes = read_shapes(element, colours, file.packages, gazebo, report)
        links[name] = _read_link(element, name, shapes, gazebo, report)
    if not links:
        hints = [f"{child} in line {child.line}" for child in robot.children if nearest(child.tag, ["link"])]
        raise robot.error("<robot> has no <link>" + (f"; it has {hints[0]}, did you mean <link>?" if hints else ""))
    joints: dict[str, JointSource] = {}
    for element in robot.all("joint"):
        name = name_of(element)
        if name in joints:
            raise element.error(f"joint {name!r} stands here a second time, first in line {joints[name].element.line}")
        joints[name] = _read_joint(element, name, report)
    gazebo.check_references(links, joints, report)
    root = _root(robot, links, joints)
    held_by = None
    roots = {root: Pose()}
    if root not in links:  # 'world' as a parent that the file does not declare, as Drake writes it
        holder = next(joint for joint in joints.values() if joint.parent == WORLD)
        root, roots = holder.child, {}
        if holder.kind is not JointKind.FLOATING:
            held_by = f"joint {holder.name!r} holds it in the world"
    elif root == WORLD:
        held_by = "it is the world itself"
        if fault := inertia_fault(links[root].inertial.inertia):
            report.add(
                links[root].inertial_element,
                f"link {root!r} has an inertia that no body can have ({fault}); it "
                "is not used, as the world does not move",
            )
            links[root].inertial = replace(links[root].inertial, inertia=np.zeros((3, 3)))
    mechanism = Mechanism(
        robot.attributes.get("name") or robot.file.stem,
        robot,
        links,
        joints,
        roots=roots,
        held_by=held_by,
        root=root,
    )
    devices = _read_devices(mechanism, gazebo, report)
    drives = read_drives(robot, joints, report)
    return replace(build_spec(mechanism, report, file), devices=devices, drives=drives)


def _read_devices(mechanism: Mechanism, gazebo: GazeboTags, report: ImportReport) -> tuple[Device, ...]:
    """Sensors and plugins for which we have a law; their frames go into the mechanism."""
    devices = DeviceList(mechanism, report)
    for reference, sensor in gazebo.sensors:
        if reference in mechanism.links:
            add_link_sensor(devices, sensor, reference, raw_pose(sensor)[0])
        elif reference in mechanism.joints:
            add_joint_sensor(devices, sensor, mechanism.joints[reference])
        for plugin in sensor.all("plugin"):
            report.add(plugin, f"{plugin} of {sensor} is not used: it only publishes its readings")
    for plugin in gazebo.plugins:
        add_plugin(devices, plugin, "")
    return devices.devices()


def _read_link(
    element: Element, name: str, shapes: list[Shape], gazebo: GazeboTags, report: ImportReport
) -> LinkSource:
    inertial = element.first("inertial")
    where = element if inertial is None else inertial
    for further in element.all("inertial")[1:]:
        report.add(further, f"<inertial> of {element} stands here a second time; the first one is used, as by other readers")
    value = Inertial() if inertial is None else _read_inertial(inertial, name, report)
    return LinkSource(name, element, value, where, shapes, weightless=name in gazebo.weightless)


def _read_inertial(element: Element, link: str, report: ImportReport) -> Inertial:
    if element.first("mass") is None:
        report.add(element, f"<inertial> of link {link!r} has no <mass>, which means none: it is not used")
        return Inertial()
    mass = number(element.needed("mass"), "value")
    if mass < 0:
        raise element.needed("mass").error(f"link {link!r} has a mass of {mass:g} kg, expected none below zero")
    tensor = element.needed("inertia")
    ixx, ixy, ixz, iyy, iyz, izz = (number(tensor, key, 0.0) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    for key, value in (("ixx", ixx), ("iyy", iyy), ("izz", izz)):
        if value < -ROUNDED_TO_ZERO:
            raise tensor.error(f"link {link!r} has {key} = {value:g} kg m^2, expected no moment below zero")
    pose = read_origin(element)
    inertia = pose.rotation @ np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]) @ pose.rotation.T
    digits = [[rounding(tensor.attributes.get(key, "")) for key in row] for row in INERTIA_KEYS]
    return Inertial(mass, pose.position, inertia, np.abs(pose.rotation) @ np.array(digits) @ np.abs(pose.rotation).T)


def _read_joint(element: Element, name: str, report: ImportReport) -> JointSource:
    text = text_of(element, "type")
    kind = _KINDS.get(text)
    if kind is None:
        raise element.error(
            f"joint {name!r} has the type {text!r}, expected one of {', '.join(_KINDS)}" + nearest(text, _KINDS)
        )
    axis = element.at_most_one("axis")
    direction = np.array([1.0, 0.0, 0.0])
    if axis is not None and kind in _WITH_AXIS:
        direction = checked_axis(axis, vector(axis, "xyz", (1.0, 0.0, 0.0)), name)
    dynamics = element.at_most_one("dynamics")
    limits = element.at_most_one("limit")
    lower, upper = (
        (None, None)
        if limits is None or kind not in (JointKind.REVOLUTE, JointKind.PRISMATIC)
        else bounds(limits, limit(limits, "lower", 0.0), limit(limits, "upper", 0.0), name)
    )
    joint = JointSource(
        name,
        element,
        kind,
        text_of(element.needed("parent"), "link"),
        text_of(element.needed("child"), "link"),
        read_origin(element),
        direction,
        lower=lower,
        upper=upper,
        effort=_magnitude(limits, "effort", name, report),
        velocity=_magnitude(limits, "velocity", name, report),
        damping=0.0 if dynamics is None else not_negative(dynamics, number(dynamics, "damping", 0.0), "damping", name),
        friction=0.0
        if dynamics is None
        else not_negative(dynamics, number(dynamics, "friction", 0.0), "friction", name),
        mimic=_read_mimic(element),
    )
    if joint.parent == joint.child:
        raise element.error(f"joint {name!r} joins link {joint.child!r} to itself")
    if kind in (JointKind.REVOLUTE, JointKind.PRISMATIC) and limits is None:
        report.add(element, f"joint {name!r} is {text} and has no <limit>, which means no room to move: it is welded")
        return welded(joint, 0.0)
    if lower is not None and lower == upper:
        report.add(
            element,
            f"joint {name!r} is {text} between {lower:g} and {upper:g}, which leaves no room to move: it is welded",
        )
        return welded(joint, lower)
    return joint


def _magnitude(limits: Element | None, attribute: str, joint: str, report: ImportReport) -> float | None:
    """The largest effort or velocity; None where the file gives none, or zero (which people write for unknown)."""
    value = math.inf if limits is None else limit(limits, attribute, math.inf)
    if value == 0 and limits is not None:
        report.add(limits, f"joint {joint!r} has a limit of {attribute} 0, which is read as no limit")
        return None
    if value < 0 and limits is not None:
        report.add(limits, f"joint {joint!r} has a limit of {attribute} {value:g} below zero, which is read as no limit")
        return None
    return value if value < 1e9 else None


def _read_mimic(element: Element) -> Mimic | None:
    mimic = element.at_most_one("mimic")
    if mimic is None:
        return None
    return Mimic(text_of(mimic, "joint"), number(mimic, "multiplier", 1.0), number(mimic, "offset", 0.0))


def _root(robot: Element, links: dict[str, LinkSource], joints: dict[str, JointSource]) -> str:
    """The one link that is nobody's child."""
    carriers: dict[str, JointSource] = {}
    for joint in joints.values():
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links and not (role == "parent" and link == WORLD):
                raise joint.element.error(
                    f"joint {joint.name!r} has the {role} link {link!r}, which does not exist" + nearest(link, links)
                )
        if joint.child in carriers:
            raise joint.element.error(
                f"link {joint.child!r} is the child of joint {joint.name!r} and of joint "
                f"{carriers[joint.child].name!r}, expected one parent"
            )
        carriers[joint.child] = joint
    roots = [name for name in links if name not in carriers]
    if any(joint.parent == WORLD for joint in carriers.values()) and WORLD not in links:
        roots.insert(0, WORLD)
    if not roots:
        raise robot.error(
            f"every link is the child of another, link {next(iter(links))!r} first: the joints form a "
            "loop, expected a tree"
        )
    if len(roots) > 1:
        raise links[roots[1]].element.error(
            f"links {roots[0]!r} and {roots[1]!r} are both the child of no joint, expected one root link"
        )
    return roots[0]


URDF = Format("URDF", read_urdf, tags=("robot",))
