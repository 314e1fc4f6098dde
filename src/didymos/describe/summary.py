"""What a twin is made of, in numbers: for `didymos show` and for checks by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.description import Description

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["JointRow", "LinkRow", "ObjectRow", "PartRow", "SensorRow", "Summary", "composite", "summarize"]


@dataclass(frozen=True)
class LinkRow:
    """A link: mass [kg], centre of mass [m] and inertia about it [kg m^2] in the link's frame."""

    name: str
    mass: float
    com: NDArray[np.float64]
    inertia: NDArray[np.float64]


@dataclass(frozen=True)
class JointRow:
    """A joint and the links it connects."""

    name: str
    kind: str
    parent: str
    child: str


@dataclass(frozen=True)
class PartRow:
    """A part, the link it acts on, the names of its inputs and readouts."""

    name: str
    kind: str
    link: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class SensorRow:
    """A sensor, where it sits and how often it reads [Hz]."""

    name: str
    kind: str
    link: str
    rate: float


@dataclass(frozen=True)
class ObjectRow:
    """A thing of the world: what it is, whether it stands, is free or follows a trajectory, its mass [kg] and its place [m]."""

    name: str
    shape: str
    moves: str
    mass: float | None
    position: tuple[float, ...]


@dataclass(frozen=True)
class Summary:
    """A whole twin. Mass [kg], centre of mass [m] and inertia about it [kg m^2] in the root link's frame, joints at zero."""

    mass: float
    com: NDArray[np.float64]
    inertia: NDArray[np.float64]
    links: tuple[LinkRow, ...]
    joints: tuple[JointRow, ...]
    parts: tuple[PartRow, ...]
    sensors: tuple[SensorRow, ...]
    inputs: tuple[str, ...]
    step: float
    integrator: str
    control: str
    objects: tuple[ObjectRow, ...] = ()


def composite(description: Description) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Mass, centre of mass and inertia of the whole robot in the root link's frame at zero joint positions."""
    model = description.spec.copy().compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    root = model.body(description.links[description.root].body).id
    turn = data.xmat[root].reshape(3, 3)
    masses, coms, inertias = [], [], []
    for link in description.links.values():
        body = model.body(link.body).id
        matrix = data.xmat[body].reshape(3, 3)
        masses.append(link.mass)
        coms.append(turn.T @ (data.xpos[body] + matrix @ link.com - data.xpos[root]))
        inertias.append(turn.T @ matrix @ link.inertia @ matrix.T @ turn)
    mass = float(sum(masses))
    com = np.average(coms, axis=0, weights=masses) if mass > 0 else np.zeros(3)
    inertia = np.zeros((3, 3))
    for m, c, i in zip(masses, coms, inertias, strict=True):
        away = c - com
        inertia += i + m * (away @ away * np.eye(3) - np.outer(away, away))
    return mass, com, inertia


def summarize(twin: Twin) -> Summary:
    """The summary of a twin as it is now."""
    from dataclasses import replace

    from didymos.describe.names import input_names, link_values

    links = {name: link_values(twin, name) for name in twin.description.links}
    description = replace(
        twin.description,
        links={
            name: replace(link, mass=links[name][0], com=links[name][1], inertia=links[name][2])
            for name, link in twin.description.links.items()
        },
    )
    mass, com, inertia = composite(description)
    file = twin.file
    return Summary(
        mass=mass,
        com=com,
        inertia=inertia,
        links=tuple(LinkRow(name, *links[name]) for name in links),
        joints=tuple(JointRow(j.name, j.kind.value, j.parent, j.child) for j in description.joints.values()),
        parts=tuple(
            PartRow(
                name,
                part.kind,
                part.link,
                tuple(item.name for item in part.contract.inputs),
                tuple(item.name for item in part.contract.outputs),
            )
            for name, part in file.parts.items()
        ),
        sensors=tuple(
            SensorRow(name, item.kind, getattr(item, "link", None) or ", ".join(getattr(item, "joints", ())), item.rate)
            for name, item in file.sensors.items()
        ),
        inputs=input_names(twin),
        step=file.world.step,
        integrator=file.world.integrator,
        control=file.control.program if file.control else "",
        objects=tuple(_objects(twin)),
    )


def _objects(twin: Twin) -> Iterator[ObjectRow]:
    """The objects of the twin file, then what the world's file brings: free bodies one by one, the rest together."""
    for name, thing in twin.file.world.objects.items():
        shape = thing.shape if thing.terrain is None else f"{thing.shape}: {thing.terrain.kind}"
        moves = "free" if thing.is_free else "stands" if thing.motion is None else thing.motion.kind
        first = thing.motion.poses[0] if thing.motion is not None and thing.motion.poses else thing
        yield ObjectRow(name, shape, moves, thing.mass, tuple(first.position))
    scene = twin.surroundings.scene
    if scene is not None:
        yield ObjectRow(scene.source.name, f"{len(scene.shapes)} shapes", "stands", None, (0.0, 0.0, 0.0))
        for body in scene.bodies:
            place = tuple(float(value) for value in body.position)
            yield ObjectRow(body.name, f"{len(body.shapes)} shapes", "free", body.mass, place)
