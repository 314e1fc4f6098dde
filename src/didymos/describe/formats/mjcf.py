"""MJCF: the engine's own format, read by the engine; nothing of it is lost.

Bodies are links, sites are frames. Bodies, joints and actuators without a name get one (`body_3`, `joint_5`: their place in the
file), so that they can be addressed; this is noted. A body welded to its parent has no joint of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

from didymos.describe.description import Description, Frame, Joint, JointKind, Link, MeshFile
from didymos.describe.formats.engine_spec import ask_engine, check_compiles, unique
from didymos.describe.formats.format import DescriptionFile, Format
from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.mjcf_guard import names_model, refuse_the_dangerous
from didymos.describe.formats.mjcf_sensors import mjcf_sensors
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.xml_file import Element
from didymos.errors import InputError
from didymos.rotations import quaternion_to_matrix

__all__ = ["MJCF", "read_engine_spec", "read_mjcf"]

_KINDS = {
    mujoco.mjtJoint.mjJNT_FREE: JointKind.FLOATING,
    mujoco.mjtJoint.mjJNT_BALL: JointKind.BALL,
    mujoco.mjtJoint.mjJNT_SLIDE: JointKind.PRISMATIC,
    mujoco.mjtJoint.mjJNT_HINGE: JointKind.REVOLUTE,
}


def read_engine_spec(root: Element, packages: Packages) -> mujoco.MjSpec:
    """The engine's reading of a file, whose root element has been read, if it is safe to read."""
    refuse_the_dangerous(root, packages)
    with _with_its_line(root):
        spec, _ = ask_engine(lambda: _spec(root.file), root.file)
        check_compiles(spec.copy(), root.file)
    return spec


def read_mjcf(root: Element, packages: Packages, text: str | None = None) -> Description:
    """The description in an MJCF file, whose root element has been read to find out what it is.

    `packages` says what it may read; `text` is what the file expands to, where it is a xacro file.
    """
    file = root.file
    refuse_the_dangerous(root, packages)
    for element in root.walk() if text is not None else ():  # the engine would look for it from the current folder
        if names_model(element) and not Path(element.attributes.get("file", "")).is_absolute():
            raise element.error(f"{element} stands in what xacro expands to; use <xacro:include>, or a whole path by $(find ...)")
    report = ImportReport()
    with _with_its_line(root):
        spec, warnings = ask_engine(lambda: _spec(file) if text is None else mujoco.MjSpec.from_string(text), file)
    if text is not None:
        spec.modelfiledir = str(file.resolve().parent)  # where its meshes are looked for
    _name_the_nameless(spec, root, report)
    with _with_its_line(root):
        model, more_warnings = check_compiles(spec, file)
    for warning in dict.fromkeys(warnings + more_warnings):
        report.add(root, f"the engine warns: {warning}")
    if model.nbody < 2:
        raise root.error("<mujoco> has no <body>, expected at least one")
    _check_numbers(model, root)
    body = _root(spec, root, report)
    joints = {joint.name: joint for joint in (_joint(model, index) for index in range(model.njnt))}
    description = Description(
        spec=spec,
        name=spec.modelname or file.stem,
        links=_links(model),
        joints=joints,
        frames=_frames(model),
        notes=report.notes(),
        source=file,
        root=body.name,
        floating=any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in body.joints),
        held_by="it is moved by the mocap data" if body.mocap else None,
        stands=not body.joints,
        followers=frozenset(item.name1 for item in spec.equalities if item.type == mujoco.mjtEq.mjEQ_JOINT and item.name2),
        meshes=_mesh_files(spec),
    )
    devices, left_out = mjcf_sensors(description)
    return replace(description, devices=devices, notes=(*description.notes, *left_out))


@contextmanager
def _with_its_line(root: Element) -> Iterator[None]:
    """Say in which line the file is named that the engine did not find; it does not say so itself."""
    try:
        yield
    except InputError as error:
        missing = re.search(r"Error opening file '([^']*)'", error.message)
        named = Path(missing[1]).name if missing and error.line is None else None
        for element in root.walk():
            if named is not None and Path(element.attributes.get("file", "")).name == named:
                raise element.error(f"{element} means the file {element.attributes['file']!r}, which cannot be opened") from None
        raise


def _spec(file: Path) -> mujoco.MjSpec:
    """The engine's reading of a file; it takes no other ending than .xml, so one of any other is handed to it as such."""
    if file.suffix.lower() == ".xml":
        return mujoco.MjSpec.from_file(str(file))
    named = f"{file}.xml"
    return mujoco.MjSpec.from_file(named, include={named: file.read_bytes()})


def _name_the_nameless(spec: mujoco.MjSpec, root: Element, report: ImportReport) -> None:
    for kind, items in (("body", spec.bodies[1:]), ("joint", spec.joints), ("site", spec.sites), ("actuator", spec.actuators)):
        taken = {item.name for item in items}
        nameless = [(index, item) for index, item in enumerate(items, start=1) if not item.name]
        for index, item in nameless:
            item.name = unique(f"{kind}_{index}", taken)
        if nameless:
            names = ", ".join(item.name for _, item in nameless[:3]) + (", ..." if len(nameless) > 3 else "")
            report.add(root, f"{len(nameless)} of {len(items)} {kind} elements have no name and get one: {names}")


def _check_numbers(model: mujoco.MjModel, root: Element) -> None:
    """An `InputError` for what compiles and cannot be simulated."""
    if not model.opt.timestep > 0:
        raise root.error(f"'timestep' of <option> is {model.opt.timestep:g} s, expected one above zero")
    for index in range(model.nbody):
        numbers = [model.body_mass[index], *model.body_inertia[index], *model.body_ipos[index], *model.body_pos[index]]
        if not np.all(np.isfinite(numbers)):
            raise root.error(f"body {model.body(index).name!r} has a mass, inertia or position that is not finite")


def _root(spec: mujoco.MjSpec, root: Element, report: ImportReport) -> mujoco.MjsBody:
    """The body that stands for the robot: that which actuators drive most of, of several one that floats or carries most."""
    standing = list(spec.worldbody.bodies)
    driven = {actuator.target for actuator in spec.actuators}

    def rank(body: mujoco.MjsBody) -> tuple[int, bool, int]:
        joints = [*body.joints, *(joint for joint in body.find_all(mujoco.mjtObj.mjOBJ_JOINT))]
        floats = any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in body.joints)
        return len(driven & {joint.name for joint in joints}), floats, len(body.find_all(mujoco.mjtObj.mjOBJ_BODY))

    chosen = max(standing, key=rank)
    if len(standing) > 1:
        report.add(root, f"{len(standing)} bodies stand in the world; {chosen.name!r} is taken as the root link")
    return chosen


def _mesh_files(spec: mujoco.MjSpec) -> dict[str, MeshFile]:
    """The files of meshes that are used as they are."""
    found = {}
    for mesh in spec.meshes:
        path = Path(spec.modelfiledir, spec.meshdir, mesh.file)
        if mesh.file and path.is_file() and not np.any(mesh.refpos) and mesh.refquat[0] == 1.0:
            found[mesh.name or path.stem] = MeshFile(path, np.array(mesh.scale))
    return found


def _links(model: mujoco.MjModel) -> dict[str, Link]:
    links = {}
    for index in range(1, model.nbody):
        body = model.body(index)
        rotation = quaternion_to_matrix(body.iquat)
        first = int(model.body_jntadr[index])
        links[body.name] = Link(
            body.name,
            body.name,
            float(body.mass[0]),
            body.ipos.copy(),
            rotation @ np.diag(body.inertia) @ rotation.T,
            model.joint(first).name if first >= 0 else None,
        )
    return links


def _joint(model: mujoco.MjModel, index: int) -> Joint:
    joint = model.joint(index)
    child = int(joint.bodyid[0])
    kind = _KINDS[mujoco.mjtJoint(int(joint.type[0]))]
    limited = bool(joint.limited[0]) and kind is not JointKind.BALL
    if kind is JointKind.REVOLUTE and not limited:
        kind = JointKind.CONTINUOUS
    dof = int(joint.dofadr[0])
    limits_force = bool(model.jnt_actfrclimited[index])
    return Joint(
        name=joint.name,
        kind=kind,
        parent=model.body(int(model.body_parentid[child])).name,
        child=model.body(child).name,
        axis=joint.axis.copy(),
        anchor=joint.pos.copy(),
        lower=float(joint.range[0]) if limited else None,
        upper=float(joint.range[1]) if limited else None,
        effort=float(np.abs(model.jnt_actfrcrange[index]).max()) if limits_force else None,
        velocity=None,
        damping=float(model.dof_damping[dof]),
        friction=float(model.dof_frictionloss[dof]),
        engine_joints=(joint.name,),
    )


def _frames(model: mujoco.MjModel) -> dict[str, Frame]:
    frames = {}
    for index in range(model.nsite):
        site = model.site(index)
        link = model.body(int(site.bodyid[0])).name
        frames[site.name] = Frame(site.name, link, site.pos.copy(), site.quat.copy(), site.name)
    return frames


def _read(file: DescriptionFile) -> Description:
    assert file.root is not None
    return read_mjcf(file.root, file.packages, file.text)


MJCF = Format("MJCF", _read, tags=("mujoco",))
