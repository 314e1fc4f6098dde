"""SDF models, and the models nested in them, become frames, links and joints with absolute names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.inertia import INERTIA_KEYS, ROUNDED_TO_ZERO
from didymos.describe.formats.mechanism import Inertial, LinkSource
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.sdf_frames import FrameGraph, FrameNode, Reference, join, raw_pose
from didymos.describe.formats.sdf_shapes import read_sdf_shape
from didymos.describe.formats.xml_file import Element
from didymos.describe.formats.xml_values import flag, name_of, number_in_text, rounding
from didymos.rotations import Pose

__all__ = ["ModelReader", "first_link"]

_MODEL = "__model__"


@dataclass(eq=False)
class ModelReader:
    """Collects what models hold: frames, links without their shapes, joints still unread.

    Anything may be posed in anything, so shapes and joints are read once all frames are known.
    """

    packages: Packages
    report: ImportReport
    graph: FrameGraph = field(default_factory=FrameGraph)
    links: dict[str, LinkSource] = field(default_factory=dict)
    joints: dict[str, tuple[Element, str]] = field(default_factory=dict)  # the element and its scope
    frames: dict[str, Element] = field(default_factory=dict)
    static: set[str] = field(default_factory=set)  # links that never move
    plugins: list[tuple[Element, str]] = field(default_factory=list)  # each with the scope in which it names things

    def add_model(self, model: Element, absolute: str, outside: Reference, *, tribe: int, static: bool = False) -> None:
        """Read a model that is called `absolute` and stands in the frame `outside` unless its pose says otherwise.

        The only model of a file is called "", so that what is in it need not say its name.
        """
        name_of(model)
        pose, relative_to = raw_pose(model)
        placement = model.attributes.get("placement_frame", "").strip()
        canonical = model.attributes.get("canonical_link", "").strip() or first_link(model)
        if canonical is None:
            raise model.error(f"{model} has no <link>, which it needs")
        self.graph.add(
            absolute,
            FrameNode(
                pose,
                Reference(outside.scope, relative_to or outside.name),
                Reference(absolute, canonical),
                model,
                Reference(absolute, placement) if placement else None,
            ),
        )
        static = static or _says(model, "static", False)
        kin = _says(model, "self_collide", False)
        for element in model.children:
            if element.tag == "link":
                self._add_link(element, absolute, kin, static, tribe)
            elif element.tag == "joint":
                self._add_joint(element, absolute)
            elif element.tag == "frame":
                self.add_frame(element, absolute)
            elif element.tag == "plugin":
                self.plugins.append((element, absolute))
            elif element.tag == "model":
                self.add_model(
                    element, join(absolute, name_of(element)), Reference(absolute, _MODEL), tribe=tribe, static=static
                )

    def add_frame(self, element: Element, scope: str) -> None:
        """Read a ``<frame>`` of a model, or of the world (scope "")."""
        name = join(scope, name_of(element))
        attached_to = element.attributes.get("attached_to", "").strip() or _MODEL
        pose, relative_to = raw_pose(element)
        self.graph.add(
            name, FrameNode(pose, Reference(scope, relative_to or attached_to), Reference(scope, attached_to), element)
        )
        self.frames[name] = element

    def sensors(self) -> Iterator[tuple[Element, str, Pose]]:
        """Every sensor of a link, with its link and its pose in that."""
        for name, link in self.links.items():
            for element in link.element.all("sensor"):
                yield element, name, self._pose_in(name, link.element, element)

    def read_shapes(self) -> None:
        """Read the shapes of all links."""
        for name, link in self.links.items():
            for element in link.element.children:
                if element.tag not in ("visual", "collision"):
                    continue
                pose = self._pose_in(name, link.element, element)
                shape = read_sdf_shape(element, link.element, pose, self.packages, self.report)
                if shape is not None:
                    link.shapes.append(shape)

    def _pose_in(self, name: str, link: Element, element: Element) -> Pose:
        """The pose of something in the frame of its link, whatever frame it is given in."""
        pose, relative_to = raw_pose(element)
        if relative_to is None:
            return pose
        scope = name.removesuffix(link.attributes["name"]).removesuffix("::")
        base = self.graph.find(Reference(scope, relative_to), element)
        return self.graph.in_world(name).inverse() @ self.graph.in_world(base) @ pose

    def _add_link(self, element: Element, scope: str, kin: bool, static: bool, tribe: int) -> None:
        name = join(scope, name_of(element))
        pose, relative_to = raw_pose(element)
        self.graph.add(name, FrameNode(pose, Reference(scope, relative_to or _MODEL), None, element))
        inertial = element.at_most_one("inertial")
        if inertial is None and not static:
            self.report.add(element, f"{element} has no <inertial>; SDF's default of 1 kg and 1 kg m^2 is used")
        value = Inertial(1.0, np.zeros(3), np.eye(3)) if inertial is None else _read_inertial(inertial, name)
        value = Inertial() if static else value  # what never moves has no weight for anybody: it counts no mass
        self.links[name] = LinkSource(
            name,
            element,
            value,
            element if inertial is None else inertial,
            [],
            weightless=not _says(element, "gravity", True),
            collides_with_kin=_says(element, "self_collide", kin),
            tribe=tribe,
        )
        self.plugins += [(plugin, scope) for plugin in element.all("plugin")]
        if static:
            self.static.add(name)

    def _add_joint(self, element: Element, scope: str) -> None:
        name = join(scope, name_of(element))
        child = element.needed("child").text.strip()
        pose, relative_to = raw_pose(element)
        self.graph.add(name, FrameNode(pose, Reference(scope, relative_to or child), Reference(scope, child), element))
        self.joints[name] = (element, scope)


def _says(element: Element, tag: str, default: bool) -> bool:
    child = element.at_most_one(tag)
    return default if child is None else flag(child)


def first_link(model: Element) -> str | None:
    """The link of a model that stands for it: its first one, or the first of the first nested model that has one."""
    link = model.first("link")
    if link is not None:
        return name_of(link)
    for nested in model.all("model"):
        inside = first_link(nested)
        if inside is not None:
            return join(name_of(nested), inside)
    return None


def _read_inertial(element: Element, link: str) -> Inertial:
    if element.attributes.get("auto", "false").strip().lower() in ("true", "1"):
        raise element.error(f"link {link!r} asks for its inertia from its shapes (auto), expected numbers")
    frame = element.first("frame")  # SDF 1.4 wrote the pose one level deeper at times
    pose, relative_to = raw_pose(frame if element.first("pose") is None and frame is not None else element)
    if relative_to is not None:
        raise element.error(f"the inertia of link {link!r} is relative to {relative_to!r}, expected its link")
    mass = _value(element, "mass", 1.0)
    if mass < 0:
        raise element.needed("mass").error(f"link {link!r} has a mass of {mass:g} kg, expected none below zero")
    tensor = element.at_most_one("inertia")
    xx, yy, zz = (1.0, 1.0, 1.0) if tensor is None else (_value(tensor, key, 1.0) for key in ("ixx", "iyy", "izz"))
    xy, xz, yz = (0.0, 0.0, 0.0) if tensor is None else (_value(tensor, key, 0.0) for key in ("ixy", "ixz", "iyz"))
    for key, value in (("ixx", xx), ("iyy", yy), ("izz", zz)):
        if value < -ROUNDED_TO_ZERO:
            raise element.error(f"link {link!r} has {key} = {value:g} kg m^2, expected no moment below zero")
    inertia = pose.rotation @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ pose.rotation.T
    written = {} if tensor is None else {child.tag: child.text for child in tensor.children}
    digits = [[rounding(written.get(key, "")) for key in row] for row in INERTIA_KEYS]
    return Inertial(mass, pose.position, inertia, np.abs(pose.rotation) @ np.array(digits) @ np.abs(pose.rotation).T)


def _value(element: Element, tag: str, default: float) -> float:
    child = element.at_most_one(tag)
    return default if child is None else number_in_text(child)
