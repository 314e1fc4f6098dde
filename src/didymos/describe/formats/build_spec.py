"""A mechanism becomes the engine's spec: one body per link, fixed joints included, with exactly the file's inertias."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from didymos.describe.description import Description, Frame, Joint, JointKind, Link
from didymos.describe.formats.engine_joints import add_joint, add_loop, add_mimic
from didymos.describe.formats.engine_spec import GEOM_TYPES, check_compiles, new_spec, unique
from didymos.describe.formats.estimated_inertia import estimate_inertias, fill_points
from didymos.describe.formats.format import DescriptionFile
from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.inertia import RigidGroup, carried_inertials, principal_axes, thin_points
from didymos.describe.formats.inertia_repair import RobotSize, size_without_mass
from didymos.describe.formats.mechanism import WORLD, Inertial, JointSource, Mechanism, Shape, ShapeKind, links_in_order
from didymos.describe.formats.meshes import MeshLibrary
from didymos.describe.formats.odd_units import note_odd_units
from didymos.describe.formats.turning_inertia import refuse_turning_points
from didymos.rotations import Pose

__all__ = ["build_spec"]

_STAND_IN_GROUP, _VISUAL_GROUP, _COLLISION_GROUP = 1, 2, 3


def build_spec(mechanism: Mechanism, report: ImportReport, file: DescriptionFile) -> Description:
    """The description of a mechanism; an `InputError` where it is no tree, not physical, or refused by the engine.

    The file says what is done about masses and inertias that are missing or off by little.
    """
    report.refuse_missing()
    builder = _Builder(mechanism, report, file)
    if file.density is not None:
        estimate_inertias(mechanism.links, file.density, builder.meshes.corners, report)
    builder.add_bodies()
    builder.add_constraints()
    builder.exclude_neighbours_of_the_world()
    floating = [joint for joint in builder.joints.values() if joint.kind is JointKind.FLOATING]
    # Below a floating joint begins the robot: what the joint stands on, such as a link `world` of a URDF, is a part of the world.
    root = next((joint.child for joint in floating if joint.parent == mechanism.root), mechanism.root)
    model, warnings = check_compiles(builder.spec, mechanism.element.file)
    refuse_turning_points(model, builder.thin, mechanism.links, filled=file.inertia_from_shapes or file.density is not None)
    note_odd_units(mechanism, model, {name: link.body for name, link in builder.links().items()}, report)
    for warning in warnings:
        report.add(mechanism.element, f"the engine warns: {warning}")
    return Description(
        spec=builder.spec,
        name=mechanism.name,
        links=builder.links(),
        joints=builder.joints,
        frames=builder.frames,
        notes=report.notes(),
        source=mechanism.element.file,
        root=root,
        floating=any(root == joint.child for joint in floating),
        held_by=mechanism.held_by,
        estimated=tuple(builder.estimated),
        followers=frozenset(item.name1 for item in builder.spec.equalities if item.type == mujoco.mjtEq.mjEQ_JOINT),
        meshes=builder.meshes.files,
    )


@dataclass(frozen=True, eq=False)
class _Placed:
    """Where a link stands: its body, the link that heads its rigid group and its pose there."""

    body: mujoco.MjsBody
    head: str
    in_head: Pose
    in_world: Pose | None  # None where a joint moves it


class _Builder:
    def __init__(self, mechanism: Mechanism, report: ImportReport, file: DescriptionFile) -> None:
        self.mechanism, self.report, self.file = mechanism, report, file
        self.estimated: list[str] = []
        self.thin: dict[str, RigidGroup] = {}  # by the body that carries it
        self.spec = new_spec(mechanism.name)
        self.order = links_in_order(mechanism)
        self.joints: dict[str, Joint] = {}
        self.frames: dict[str, Frame] = {}
        self.meshes = MeshLibrary(self.spec, report)
        self._placed: dict[str, _Placed] = {}
        self._moving_joint: dict[str, JointSource] = {}
        self._body_names: set[str] = {WORLD}
        self._joint_names: set[str] = set()
        if mechanism.gravity is not None:
            self.spec.option.gravity = mechanism.gravity

    def add_bodies(self) -> None:
        for link, carrier in self.order:
            self._place(link, carrier)
        for name, inertial in self._carried().items():
            _set_inertial(self._placed[name].body, inertial)
        for link, _ in self.order:
            self._add_shapes(link)
        for frame in self.mechanism.frames.values():
            body = self._placed[frame.link].body
            body.add_site(name=frame.name, pos=frame.pose.position, quat=frame.pose.quaternion)
            self.frames[frame.name] = Frame(
                frame.name, frame.link, frame.pose.position, frame.pose.quaternion, frame.name
            )

    def add_constraints(self) -> None:
        for source in self.mechanism.joints.values():
            if source.mimic is not None:
                add_mimic(self.spec, source, self.joints, self.report)
        for source in self.mechanism.loops:
            bodies = self._placed[source.parent].body.name, self._placed[source.child].body.name
            self.joints[source.name] = add_loop(self.spec, source, bodies, self.report)

    def links(self) -> dict[str, Link]:
        carriers = dict(self.order)
        links = {}
        for name, source in self.mechanism.links.items():
            carrier = carriers[name]
            inertial = source.inertial
            links[name] = Link(
                name,
                self._placed[name].body.name,
                inertial.mass,
                inertial.com,
                inertial.inertia,
                None if carrier is None else carrier.name,
            )
        return links

    def exclude_neighbours_of_the_world(self) -> None:
        """The engine lets neighbours pass through each other, but not where one of them is welded to the world."""
        colliding = {link for link, source in self.mechanism.links.items() if any(s.collision for s in source.shapes)}
        still = {link: placed.head for link, placed in self._placed.items() if placed.in_world is not None}
        for link, placed in self._placed.items():
            joint = self._moving_joint.get(placed.head)
            if link not in colliding or joint is None or joint.parent not in still:
                continue
            for other, head in still.items():
                if other in colliding and head == still[joint.parent]:
                    self.spec.add_exclude(bodyname1=self._placed[other].body.name, bodyname2=placed.body.name)

    def _place(self, link: str, carrier: JointSource | None) -> None:
        pose = self.mechanism.roots[link] if carrier is None else carrier.pose
        parent = (
            None
            if carrier is None or (carrier.parent == WORLD and WORLD not in self._placed)
            else self._placed[carrier.parent]
        )
        moves = link in self.mechanism.free_roots
        if carrier is not None:
            moves = carrier.kind is not JointKind.FIXED
        in_world = pose if parent is None else None if parent.in_world is None else parent.in_world @ pose
        onto_world = parent is None or (
            carrier is not None and carrier.kind is JointKind.FLOATING and in_world is not None
        )
        base = self.spec.worldbody if onto_world or parent is None else parent.body
        in_base = in_world if onto_world and in_world is not None else pose
        body = base.add_body(name=unique(link, self._body_names), pos=in_base.position, quat=in_base.quaternion)
        body.gravcomp = float(self.mechanism.links[link].weightless)
        if carrier is not None:
            self.joints[carrier.name] = add_joint(body, carrier, self._joint_names, top_level=onto_world)
            if moves:
                self._moving_joint[link] = carrier
        elif moves:
            body.add_freejoint(name=unique(f"{link}_free", self._joint_names))
        if moves or parent is None:
            self._placed[link] = _Placed(body, link, Pose(), None if moves else in_world)
        else:
            self._placed[link] = _Placed(body, parent.head, parent.in_head @ pose, in_world)

    def _carried(self) -> dict[str, Inertial]:
        members: dict[str, dict[str, Pose]] = {}
        for link, placed in self._placed.items():
            members.setdefault(placed.head, {})[link] = placed.in_head
        massive: set[str] = set()  # heads from which joints lead to mass
        for link, carrier in reversed(self.order):
            has_mass = self.mechanism.links[link].inertial.mass > 0 or link in massive
            if has_mass and carrier is not None and carrier.parent in self._placed:
                massive.add(carrier.parent)
        carried: dict[str, Inertial] = {}
        size = self._robot_size() if self.file.repair else None
        for head, poses in members.items():
            joint = self._moving_joint.get(head)
            moving = self._placed[head].in_world is None or any(
                self.mechanism.links[member].inertial.mass > 0 for member in poses
            )
            group = RigidGroup(
                poses, moving, any(member in massive for member in poses), None if joint is None else joint.name
            )
            if self._placed[head].in_world is None or (self.mechanism.held_by is None and self.mechanism.root in poses):
                self._fill(group, head)
            carried |= carried_inertials(group, self.mechanism.links, self.report, size)
        return carried

    def _fill(self, group: RigidGroup, head: str) -> None:
        """Give points of a group that can move their inertia, where that is asked for; keep in mind what stays thin."""
        if self.file.inertia_from_shapes:
            self.estimated += fill_points(group, self.mechanism.links, self.meshes.corners, self.report)
        if thin_points(group, self.mechanism.links):
            self.thin[self._placed[head].body.name] = group

    def _robot_size(self) -> RobotSize:
        """Of all links together, at zero; the world, where it is one of them, is no part of a robot."""
        poses: dict[str, Pose] = {}
        for link, carrier in self.order:
            pose = self.mechanism.roots[link] if carrier is None else carrier.pose
            poses[link] = pose if carrier is None or carrier.parent not in poses else poses[carrier.parent] @ pose
        own = [(self.mechanism.links[link].inertial, pose) for link, pose in poses.items() if link != WORLD]
        masses = np.array([inertial.mass for inertial, _ in own])
        mass = float(masses.sum())
        if not mass > 0.0:
            places = np.array([pose.position for _, pose in own]).reshape(-1, 3)
            return size_without_mass(places)
        coms = np.array([pose.position + pose.rotation @ inertial.com for inertial, pose in own])
        away = coms - masses @ coms / mass
        spread = float(masses @ np.sum(away**2, axis=1)) + 0.5 * sum(float(np.trace(inertial.inertia)) for inertial, _ in own)
        return RobotSize(mass, math.sqrt(max(spread, 0.0) / mass))

    def _add_shapes(self, link: str) -> None:
        """The shapes of a link; where none of those for the eye can be read, it is seen by those that collide."""
        counts = {True: 0, False: 0}
        lost, solid = False, []
        for shape in self.mechanism.links[link].shapes:
            mesh = None
            if shape.mesh is not None:
                mesh = self.meshes.asset(shape.mesh, shape.element, collision=shape.collision)
                if mesh is None:
                    lost = True
                    continue
            role = "collision" if shape.collision else "visual"
            name = f"{self._placed[link].body.name}:{role}{counts[shape.collision]}"
            counts[shape.collision] += 1
            geom = self._add_geom(link, shape, name, mesh)
            if shape.collision:
                solid.append(geom)
        for geom in solid if lost and not counts[False] else ():
            geom.group = _STAND_IN_GROUP

    def _add_geom(self, link: str, shape: Shape, name: str, mesh: str | None) -> mujoco.MjsGeom:
        if shape.kind is ShapeKind.PLANE and self._placed[link].in_world is None:
            raise shape.element.error(
                f"{shape.element} of link {link!r} is a plane on a link that moves, expected one that does not"
            )
        size = np.zeros(3)
        size[: len(shape.size)] = shape.size
        if shape.kind is ShapeKind.PLANE:
            size[2] = 1.0  # [m], between the lines that are drawn on it
        geom = self._placed[link].body.add_geom(
            name=name,
            type=GEOM_TYPES[shape.kind],
            size=size,
            pos=shape.pose.position,
            quat=shape.pose.quaternion,
            group=_COLLISION_GROUP if shape.collision else _VISUAL_GROUP,
            mass=0.0,
            density=0.0,
        )
        if mesh is not None:
            geom.meshname = mesh
        if shape.rgba is not None:
            geom.rgba = shape.rgba
        if shape.friction is not None:
            geom.friction[0] = shape.friction
        source = self.mechanism.links[link]
        geom.contype, geom.conaffinity = (
            _contact_bits(source.tribe, source.collides_with_kin) if shape.collision else (0, 0)
        )
        return geom


def _contact_bits(tribe: int, collides_with_kin: bool) -> tuple[int, int]:
    """Type and affinity of contacts: with the world (bit 0), other tribes (bits 1 to 30), and kin if asked to."""
    if tribe == 0:
        return 1, int(collides_with_kin)
    own = 1 << tribe
    others = (2**31 - 2) & ~own
    return 1 | own, others | (own if collides_with_kin else 0)


def _set_inertial(body: mujoco.MjsBody, inertial: Inertial) -> None:
    moments, axes = principal_axes(inertial.inertia)
    body.mass = inertial.mass
    body.ipos = inertial.com
    body.iquat = Pose(rotation=axes).quaternion
    body.inertia = moments
    body.explicitinertial = inertial.mass > 0 or bool(np.any(moments > 0))
