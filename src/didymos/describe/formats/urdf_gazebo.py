"""The ``<gazebo>`` tags of a URDF: friction and gravity of links, sensors and plugins are used, everything else is listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.xml_file import Element
from didymos.describe.formats.xml_values import flag, number_in_text
from didymos.errors import nearest

__all__ = ["GazeboTags", "read_gazebo_tags"]


@dataclass
class GazeboTags:
    """What the tags say about links: friction coefficients [1], and which links feel no gravity; sensors, each with the link or
    joint that it refers to, and plugins."""

    friction: dict[str, float] = field(default_factory=dict)
    weightless: set[str] = field(default_factory=set)
    references: list[tuple[str, Element]] = field(default_factory=list)
    sensors: list[tuple[str, Element]] = field(default_factory=list)
    plugins: list[Element] = field(default_factory=list)

    def check_references(self, links: Mapping[str, object], joints: Mapping[str, object], report: ImportReport) -> None:
        """Note every tag that refers to a link or joint which does not exist."""
        for name, element in self.references:
            if name not in links and name not in joints:
                hint = nearest(name, [*links, *joints])
                report.add(element, f"<gazebo> refers to {name!r}, which is no link or joint{hint}")


def read_gazebo_tags(robot: Element, report: ImportReport) -> GazeboTags:
    """Read every ``<gazebo>`` tag of a robot, and note what is not used of them."""
    tags = GazeboTags()
    for element in robot.all("gazebo"):
        for child in element.children:  # an old way to write <mu1>0.5</mu1>
            child.text = child.attributes.get("value", child.text)
        reference = element.attributes.get("reference")
        if reference is not None:
            tags.references.append((reference, element))
        for child in element.children:
            if not _used(tags, reference, child):
                where = "<gazebo>" if reference is None else f"<gazebo> for {reference!r}"
                report.add(child, f"{child} of {where} is not used")
    return tags


def _used(tags: GazeboTags, link: str | None, child: Element) -> bool:
    if child.tag == "plugin":
        tags.plugins.append(child)
        return True
    if link is None:
        return False
    if child.tag == "sensor":
        tags.sensors.append((link, child))
        return True
    if child.tag in ("mu", "mu1"):
        value = number_in_text(child)
        if value < 0:
            raise child.error(f"link {link!r} has a friction coefficient of {value:g}, expected none below zero")
        tags.friction[link] = value
        return True
    if child.tag in ("turnGravityOff", "gravity"):
        if flag(child) == (child.tag == "turnGravityOff"):
            tags.weightless.add(link)
        return True
    return False
