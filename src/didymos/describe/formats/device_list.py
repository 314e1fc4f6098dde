"""Collects the sensors and plugins of a description that become parts and sensors of a twin, with the frames that they sit in.

A device that does not sit at the origin of its link gets a frame of its own, so that a twin file can name it. What no law of ours
stands for is noted once for each kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from didymos.describe.description import Device, JointKind
from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.mechanism import WORLD, FrameSource, Inertial, JointSource, Mechanism
from didymos.describe.formats.xml_file import Element
from didymos.errors import InputError
from didymos.rotations import Pose

__all__ = ["DeviceList", "Unmapped"]

_LONGEST_NAME = 64
_ONE_AXIS = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)
_STILL = 1e-9  # [m] and [1], below which a pose is none


class Unmapped(Exception):
    """Why no law of ours stands for a device, as the end of a sentence."""


class DeviceList:
    """The devices of one description, in the order of the file; frames go into its mechanism."""

    def __init__(self, mechanism: Mechanism, report: ImportReport) -> None:
        self.mechanism, self.report = mechanism, report
        self._devices: list[Device] = []
        self._unmapped: dict[str, list[Element]] = {}

    def devices(self) -> tuple[Device, ...]:
        """All of them; what was not mapped is noted now, once for each kind."""
        for kind, elements in self._unmapped.items():
            names = ", ".join(repr(element.attributes.get("name", "")) for element in elements[:3])
            more = ", ..." if len(elements) > 3 else ""
            count = "" if len(elements) == 1 else f"{len(elements)} of these: "
            self.report.add(elements[0], f"{kind} ({count}{names}{more})")
        self._unmapped.clear()
        return tuple(self._devices)

    def attempt(self, element: Element, kind: str, read: Callable[[], None]) -> None:
        """Read a device; where it has no law of ours, or refers to nothing, it is noted with its kind and left out."""
        before = len(self._devices)
        try:
            read()
        except Unmapped as reason:
            self._unmapped.setdefault(f"{kind} is not used: {reason}", []).append(element)
        except InputError as error:
            self.report.add(element, f"{element} is not used: {error.message}")
        for device in self._devices[before:]:
            what = f"the {device.role.removesuffix('s')} {device.name!r} of kind {device.record['kind']!r}"
            self.report.add(element, f"{element} is offered to `didymos new` as {what}")

    def add(self, role: str, name: str, record: dict[str, Any]) -> None:
        """Add a device under a name that a twin file can hold and no other of its role has."""
        clean = re.sub(r"[^A-Za-z0-9_-]+", "_", name.replace("::", "_")).strip("_") or "device"
        if not re.match(r"[A-Za-z_]", clean):
            clean = f"_{clean}"
        clean = clean[: _LONGEST_NAME - 4]
        taken = {device.name for device in self._devices if device.role == role}
        free, count = clean, 1
        while free in taken:
            count += 1
            free = f"{clean}_{count}"
        self._devices.append(Device(role, free, record))

    def placed(self, name: str, link: str, pose: Pose) -> str:
        """What a device at a pose in a link names as its `link`: the link itself, or a frame that is made for it."""
        if np.abs(pose.position).max() < _STILL and np.abs(pose.rotation - np.eye(3)).max() < _STILL:
            return link
        base = f"{name}_frame"
        free, count = base, 1
        while free in self.mechanism.frames or free in self.mechanism.links or free in self.mechanism.joints:
            count += 1
            free = f"{base}_{count}"
        self.mechanism.frames[free] = FrameSource(free, link, pose)
        return free

    def link(self, name: str, scope: str) -> str:
        """The link that a device names, in its model or anywhere."""
        return self._found(name, scope, list(self.mechanism.links), "link")

    def joint(self, name: str, scope: str) -> JointSource:
        """The joint that a device names, which turns or slides."""
        joint = self.mechanism.joints[self._found(name, scope, list(self.mechanism.joints), "joint")]
        if joint.kind not in _ONE_AXIS:
            raise Unmapped(f"its joint {joint.name!r} is {joint.kind.value}")
        return joint

    def inertial(self, link: str) -> Inertial:
        """Mass and inertia of a link."""
        return self.mechanism.links[link].inertial

    def mount(self, joint: JointSource) -> str:
        """The link that a drive of a joint sits on: its parent, or, where that is the world, its child."""
        return joint.child if joint.parent == WORLD and WORLD not in self.mechanism.links else joint.parent

    def _found(self, name: str, scope: str, known: list[str], what: str) -> str:
        within = f"{scope}::{name}" if scope else name
        for candidate in (within, name, name.partition("::")[2]):
            if candidate and candidate in known:
                return candidate
        endings = [other for other in known if other.endswith(f"::{name}")]
        if len(endings) == 1:
            return endings[0]
        raise Unmapped(f"it names the {what} {name!r}, which is not there")
