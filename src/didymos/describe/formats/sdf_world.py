"""SDF worlds: their models, ground planes, height maps and lights join a world.

Static models stand; every other model is one free body, its joints held where they are. A model whose joints plugins drive is a
robot: it is left out. Gazebo's own models `sun` and `ground_plane`, which nearly every world includes and no folder holds, are
known here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.description import JointKind, Note
from didymos.describe.formats.build_spec import build_spec
from didymos.describe.formats.format import DescriptionFile
from didymos.describe.formats.import_report import ImportReport, allowed
from didymos.describe.formats.joint_limits import welded
from didymos.describe.formats.mechanism import WORLD, JointSource, Mechanism
from didymos.describe.formats.mesh_paths import resolve_uri
from didymos.describe.formats.sdf import spanning_tree, version_of
from didymos.describe.formats.sdf_frames import Reference, raw_pose
from didymos.describe.formats.sdf_include import with_includes
from didymos.describe.formats.sdf_joints import read_sdf_joint
from didymos.describe.formats.sdf_model import ModelReader
from didymos.describe.formats.sdf_tags import SDF_TAGS
from didymos.describe.formats.xml_file import Element, parse_xml
from didymos.describe.formats.xml_values import name_of, parse_numbers
from didymos.describe.height_file import HeightsError, read_heights
from didymos.describe.scene import SceneLight
from didymos.rotations import Pose

__all__ = ["HeightMap", "SdfWorld", "read_sdf_world"]

Array = NDArray[np.float64]
_WORLD_TAGS = SDF_TAGS | {
    "world": allowed(
        "name",
        "model include frame light",
        "gravity physics scene plugin gui actor state audio wind magnetic_field atmosphere spherical_coordinates road population"
        " joint",
    ),
    "light": allowed("name type", "pose diffuse direction", "specular attenuation cast_shadows spot intensity visualize"),
    "heightmap": allowed("", "uri size pos", "texture blend use_terrain_paging sampling"),
}
_BUILT_IN = {
    "sun": '<light name="sun" type="directional"><pose>0 0 10 0 0 0</pose><direction>-0.5 0.1 -0.9</direction></light>',
    "ground_plane": '<model name="ground_plane"><static>1</static><link name="link"><collision name="c"><geometry><plane><normal>'
    '0 0 1</normal><size>100 100</size></plane></geometry></collision></link></model>',
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class HeightMap:
    """A height map in the world: pose, heights [m], the first row at the largest y, lengths along x and y [m]."""

    pose: Pose
    heights: Array
    lengths: tuple[float, float]


@dataclass(eq=False)
class SdfWorld:
    """What a file holds: a spec of its models (None where it has none), names of free bodies by their bodies, maps, lights."""

    spec: mujoco.MjSpec | None = None
    names: dict[str, str] = field(default_factory=dict)
    maps: list[HeightMap] = field(default_factory=list)
    lights: list[SceneLight] = field(default_factory=list)
    notes: tuple[Note, ...] = ()


def read_sdf_world(file: DescriptionFile) -> SdfWorld:
    """The world in a file that begins with ``<sdf>``: that of its ``<world>``, or of its models where it has none."""
    root = file.root
    assert root is not None
    report, version, made = ImportReport(), version_of(root), SdfWorld()
    worlds = root.all("world")
    if len(worlds) > 1:
        raise worlds[1].error("<sdf> has more than one world, expected one")
    container = worlds[0] if worlds else root
    _add_built_in(container, file)
    with_includes(root, file.packages, report)
    report.audit(root, _WORLD_TAGS)
    made.lights = [_light(element) for element in container.all("light")]
    models = [model for model in container.all("model") if not _is_robot(model, report)]
    reader = ModelReader(file.packages, report)
    for model in models:
        reader.add_model(model, name_of(model), Reference("", WORLD), tribe=0)
    for frame in container.all("frame"):
        reader.add_frame(frame, "")
    made.maps = _height_maps(reader, file)
    reader.read_shapes()
    joints = {
        name: _held(read_sdf_joint(name, element, scope, reader.graph, version, report), report)
        for name, (element, scope) in reader.joints.items()
    }
    if reader.links:
        mechanism = _mechanism(root, reader, joints)
        description = build_spec(mechanism, report, file)
        made.spec = description.spec
        made.names = {description.links[link].body: _model_name(link, mechanism) for link in mechanism.free_roots}
        for geom in made.spec.geoms:
            if geom.contype or geom.conaffinity:
                geom.contype = geom.conaffinity = 1  # models of a world meet each other
    made.notes = report.notes()
    return made


def _add_built_in(container: Element, file: DescriptionFile) -> None:
    """Put Gazebo's own models in the place of includes that no folder answers."""
    children = []
    for child in container.children:
        uri = child.first("uri") if child.tag == "include" else None
        name = "" if uri is None else uri.text.strip().rstrip("/").rpartition("/")[2].lower().replace(" ", "_")
        there = name in _BUILT_IN and any(True for _ in file.packages.folders(name, container.file))
        if name in _BUILT_IN and not there:
            children.append(parse_xml(_BUILT_IN[name].encode(), child.file, lines=False))
        else:
            children.append(child)
    container.children = children


def _is_robot(model: Element, report: ImportReport) -> bool:
    joints = [joint for joint in model.walk() if joint.tag == "joint" and joint.attributes.get("type", "fixed") != "fixed"]
    static = model.first("static")
    if static is not None and static.text.strip().lower() in ("1", "true"):
        return False
    if not joints or not any(element.tag == "plugin" for element in model.walk()):
        return False
    report.add(model, f"{model} is a robot, with joints that plugins drive; it is left out")
    return True


def _held(joint: JointSource, report: ImportReport) -> JointSource:
    if joint.kind is JointKind.FIXED:
        return joint
    report.add(joint.element, f"joint {joint.name!r} is held where it is")
    return welded(joint, 0.0)


def _mechanism(root: Element, reader: ModelReader, joints: dict[str, JointSource]) -> Mechanism:
    tree, _ = spanning_tree(joints)
    carried = {joint.child for joint in tree.values()}
    roots = [link for link in reader.links if link not in carried]
    free = frozenset(link for link in roots if link not in reader.static)
    poses = {link: reader.graph.in_world(link) for link in roots}
    first = next(iter(reader.links))
    return Mechanism(first, root, reader.links, tree, {}, poses, free, (), "it is a world", root=first)


def _model_name(link: str, mechanism: Mechanism) -> str:
    """A free body has its model's name, where it is the only one of it."""
    model = link.partition("::")[0]
    return model if sum(other.partition("::")[0] == model for other in mechanism.free_roots) == 1 else link


def _height_maps(reader: ModelReader, file: DescriptionFile) -> list[HeightMap]:
    """Take the collision height maps out of the links that have them."""
    found = []
    for name, link in reader.links.items():
        left = []
        for element in link.element.children:
            geometry = element.first("geometry") if element.tag == "collision" else None
            field_of = None if geometry is None else geometry.first("heightmap")
            if field_of is None:
                left.append(element)
                continue
            if name not in reader.static:
                raise element.error(f"{element} of link {name!r} is a height map on a link that moves, expected one that stands")
            found.append(_height_map(field_of, reader.graph.in_world(name) @ raw_pose(element)[0], file))
        link.element.children = left
    return found


def _height_map(element: Element, pose: Pose, file: DescriptionFile) -> HeightMap:
    uri, size = element.needed("uri").text, element.at_most_one("size")
    x, y, z = (1.0, 1.0, 1.0) if size is None else parse_numbers(size, size.text, "the text", 3)
    place = element.at_most_one("pos")
    offset = np.zeros(3) if place is None else parse_numbers(place, place.text, "the text", 3)
    path = resolve_uri(uri, element, file.packages)
    try:
        heights = read_heights(path).between((0.0, float(z)))
    except HeightsError as error:
        raise element.error(f"the height map {str(path)!r} {error}") from None
    return HeightMap(pose @ Pose(np.asarray(offset)), heights, (float(x), float(y)))


def _light(element: Element) -> SceneLight:
    pose, _ = raw_pose(element)
    colour, along = element.at_most_one("diffuse"), element.at_most_one("direction")
    diffuse = np.ones(3)
    if colour is not None:  # with an opacity, or without
        diffuse = parse_numbers(colour, colour.text, "the text", 3 if len(colour.text.split()) == 3 else 4)[:3]
    direction = np.array([0.0, 0.0, -1.0]) if along is None else parse_numbers(along, along.text, "the text", 3)
    if along is not None and not np.linalg.norm(direction) > 0.0:
        raise along.error(f"{element} shines along 0 0 0, expected a direction")
    turned = pose.rotation @ np.asarray(direction)
    kind = element.attributes.get("type", "point")
    return SceneLight(pose.position, turned, np.clip(diffuse, 0.0, 1.0), kind == "directional")
