"""SDF 1.4 to 1.11: the models of Gazebo become a mechanism.

One model, or a world with several: the first that is not static is the robot, the others stand in the world with it.
Names are those of the file; nested models give ``model::link``, and so does every model of a world with several. A link
without a joint to the world floats in Gazebo; the robot's root link is left without a joint (see `float_base`), those
of other models get a free one. SDF allows loops: the joint that closes one becomes a constraint.
"""

from __future__ import annotations

import re
from dataclasses import replace

from didymos.describe.description import Description, Device, JointKind
from didymos.describe.formats.build_spec import build_spec
from didymos.describe.formats.device_list import DeviceList
from didymos.describe.formats.format import DescriptionFile, Format
from didymos.describe.formats.gazebo_plugins import add_plugin
from didymos.describe.formats.gazebo_sensors import add_joint_sensor, add_link_sensor
from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.joint_limits import welded
from didymos.describe.formats.mechanism import WORLD, FrameSource, JointSource, Mechanism
from didymos.describe.formats.sdf_frames import Reference
from didymos.describe.formats.sdf_include import with_includes
from didymos.describe.formats.sdf_joints import read_sdf_joint
from didymos.describe.formats.sdf_model import ModelReader
from didymos.describe.formats.sdf_tags import SDF_TAGS
from didymos.describe.formats.xml_file import Element
from didymos.describe.formats.xml_values import name_of, parse_numbers

__all__ = ["SDF", "read_sdf", "spanning_tree", "version_of"]

_MOST_MODELS = 30  # contacts between models take a bit each


def read_sdf(file: DescriptionFile) -> Description:
    """The description in a file that begins with ``<sdf>``."""
    root = file.root
    assert root is not None
    report = ImportReport()
    version = version_of(root)
    with_includes(root, file.packages, report)
    report.audit(root, SDF_TAGS)
    container, models = _models(root)
    reader = ModelReader(file.packages, report)
    alone = len(models) == 1 and not container.all("frame")
    names = [""] if alone else [name_of(model) for model in models]
    for tribe, (name, model) in enumerate(zip(names, models, strict=True), start=1):
        reader.add_model(model, name, Reference("", WORLD), tribe=0 if alone else tribe)
    for frame in container.all("frame"):
        reader.add_frame(frame, "")
    reader.read_shapes()
    joints = {
        name: read_sdf_joint(name, element, scope, reader.graph, version, report)
        for name, (element, scope) in reader.joints.items()
    }
    joints = {name: _still(joint, report) if joint.child in reader.static else joint for name, joint in joints.items()}
    robot = next((name for name in names if reader.graph.link_of(name) not in reader.static), names[0])
    mechanism = _mechanism(root, reader, joints, robot)
    mechanism.name = name_of(models[names.index(robot)])
    gravity = container.at_most_one("gravity")
    if gravity is not None:
        mechanism.gravity = parse_numbers(gravity, gravity.text, "the text", 3)
    devices = _read_devices(mechanism, reader)
    return replace(build_spec(mechanism, report, file), devices=devices)


def _read_devices(mechanism: Mechanism, reader: ModelReader) -> tuple[Device, ...]:
    """Sensors and plugins for which we have a law; their frames go into the mechanism."""
    devices = DeviceList(mechanism, reader.report)
    for sensor, link, pose in reader.sensors():
        add_link_sensor(devices, sensor, link, pose)
    for name, (element, _) in reader.joints.items():
        for sensor in element.all("sensor"):
            if name in mechanism.joints:
                add_joint_sensor(devices, sensor, mechanism.joints[name])
    for plugin, scope in reader.plugins:
        add_plugin(devices, plugin, scope)
    return devices.devices()


def version_of(root: Element) -> tuple[int, ...]:
    """The version of SDF that a file says it is; an `InputError` where that is none."""
    text = root.attributes.get("version", "").strip()
    if not re.fullmatch(r"1\.\d{1,2}", text):
        raise root.error(f"<sdf> has the version {text!r}, expected 1.4 to 1.11")
    return tuple(int(part) for part in text.split("."))


def _models(root: Element) -> tuple[Element, list[Element]]:
    """Where the models stand (the file or its world), and the models."""
    worlds = root.all("world")
    if len(worlds) > 1 or (worlds and root.first("model") is not None):
        raise worlds[-1].error("<sdf> has more than one world, or models beside its world, expected one of them")
    container = worlds[0] if worlds else root
    models = container.all("model")
    if not models:
        raise container.error(f"{container} has no <model>, expected at least one")
    if len(models) > _MOST_MODELS:
        raise container.error(f"{container} has {len(models)} models, expected at most {_MOST_MODELS}")
    return container, models


def _still(joint: JointSource, report: ImportReport) -> JointSource:
    if joint.kind is JointKind.FIXED:
        return joint
    report.add(joint.element, f"joint {joint.name!r} belongs to a static model: it is welded")
    return welded(joint, 0.0)


def _mechanism(root: Element, reader: ModelReader, joints: dict[str, JointSource], robot: str) -> Mechanism:
    tree, loops = spanning_tree(joints)
    carriers = {joint.child: joint for joint in tree.values()}
    roots = [link for link in reader.links if link not in carriers]
    first = reader.graph.link_of(robot)
    while first in carriers and carriers[first].parent != WORLD:
        first = carriers[first].parent
    held_by = "its model is static" if first in reader.static else None
    if first in carriers:
        held_by = f"joint {carriers[first].name!r} holds it in the world"
    roots.sort(key=lambda link: link != first)
    frames = {}
    for name, element in reader.frames.items():
        link = reader.graph.link_of(name)
        if link == WORLD:
            reader.report.add(element, f"{element} stands in the world, not on a link; it is not used")
            continue
        pose = reader.graph.in_world(link).inverse() @ reader.graph.in_world(name)
        frames[name] = FrameSource(name, link, pose)
    return Mechanism(
        robot,
        root,
        reader.links,
        tree,
        frames,
        {link: reader.graph.in_world(link) for link in roots},
        frozenset(link for link in roots if link != first and link not in reader.static),
        tuple(loops),
        held_by,
        root=first,
    )


def spanning_tree(joints: dict[str, JointSource]) -> tuple[dict[str, JointSource], list[JointSource]]:
    """The joints that carry their child, in the order of the file, and those that close a loop."""
    tree: dict[str, JointSource] = {}
    loops: list[JointSource] = []
    carried: set[str] = set()
    group: dict[str, str] = {}

    def head(link: str) -> str:
        while group.get(link, link) != link:
            link = group[link]
        return link

    for name, joint in joints.items():
        if joint.child in carried or (joint.parent != WORLD and head(joint.parent) == head(joint.child)):
            loops.append(joint)
            continue
        tree[name] = joint
        carried.add(joint.child)
        if joint.parent != WORLD:
            group[head(joint.child)] = head(joint.parent)
    return tree, loops


SDF = Format("SDF", read_sdf, tags=("sdf",))
