"""Inertias that a rigid body can have, and where the engine carries those that it would refuse.

A body's principal moments A <= B <= C are physical where 0 <= A and C <= A + B (the integrals of y^2 + z^2, ...). The
engine refuses anything else, and also a moving body without mass or inertia, unless something heavy is welded to it.
Real descriptions hold both, mostly on small links welded to big ones. Links that are welded together are one rigid
body, so they are judged together:

- a link whose own tensor is not physical lends it to a link that it is welded to, where the sum is physical. Mass and
  centre of mass stay where they are, so the rigid body they form is the same to the last digit;
- a moving rigid body with mass but no inertia (a point), or without either but with massive links further out (the
  crosspiece of a universal joint), gets 1e-12 kg m^2 or 1e-12 kg: a thousandth of the accuracy that we promise.

Both are noted. What is left is refused, or, where the user asks for it and it is little, mended: see `inertia_repair.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.inertia_repair import RobotSize, fault_by_rounding, least_inertial, nearest_physical
from didymos.describe.formats.mechanism import Inertial, LinkSource
from didymos.rotations import Pose

__all__ = [
    "INERTIA_KEYS", "ROUNDED_TO_ZERO", "THIN", "RigidGroup", "carried_inertials", "inertia_fault", "is_point",
    "principal_axes", "thin_points",
]  # fmt: skip

INERTIA_KEYS = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))
"""Where URDF and SDF write each number of an inertia."""

_ROUNDING = 1e-9  # of the largest moment: what a file written with ten digits may miss the inequality by
ROUNDED_TO_ZERO = 1e-15  # [kg m^2], the engine's own zero (mjMINVAL): files hold such rests of a subtraction
THIN = 1e-4  # [m]: all of a thing is within so much of an axis about which it has next to no inertia
_POINT = 1e-6  # [m]: radius of gyration of a link that has a mass and, to speak of, no inertia
_SMALLEST = 1e-12  # [kg] and [kg m^2]
_ESTIMATED = "; `estimate_inertia` of `didymos new` takes that of its shapes"


@dataclass(frozen=True, eq=False)
class RigidGroup:
    """Links welded to each other: the one that a joint (or the world) carries first, each with its pose in that one's
    frame. `carries_mass_further_out` says that joints lead from it to links with mass."""

    members: dict[str, Pose]
    moving: bool
    carries_mass_further_out: bool
    joint: str | None


def principal_axes(inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments [kg m^2], shape [3], that satisfy the engine's test to the last bit, and the rotation, shape
    [3, 3], whose columns are their axes."""
    moments, axes = np.linalg.eigh((inertia + inertia.T) / 2)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    a, b, c = np.maximum(moments, 0.0)
    missing = c - a - b
    if missing > 0:
        a, b = a + missing / 2, b + missing / 2
        while a + b < c:
            a, b = np.nextafter(a, np.inf), np.nextafter(b, np.inf)
    return np.array([a, b, c]), axes


def inertia_fault(inertia: np.ndarray) -> str | None:
    """Why no rigid body can have this inertia [kg m^2], with its numbers; None where one can."""
    a, b, c = np.linalg.eigvalsh((inertia + inertia.T) / 2)
    slack = _ROUNDING * abs(c) + ROUNDED_TO_ZERO
    moments = f"principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m^2"
    if a < -slack:
        return f"{moments}, expected none below zero"
    if c > a + b + slack:
        return f"{moments}, expected the largest to be at most the sum of the others"
    return None


def is_point(inertial: Inertial) -> bool:
    """Whether a link has no inertia to speak of for its mass."""
    return bool(np.linalg.eigvalsh((inertial.inertia + inertial.inertia.T) / 2)[2] <= inertial.mass * _POINT**2)


def thin_points(group: RigidGroup, links: dict[str, LinkSource]) -> tuple[str, ...]:
    """The links of a rigid group that have a mass and no inertia, where it has next to none about some axis either; else none."""
    inertials = {name: links[name].inertial for name in group.members}
    points = tuple(name for name, inertial in inertials.items() if inertial.mass > 0.0 and is_point(inertial))
    return points if points and _is_thin(group, inertials) else ()


def _is_thin(group: RigidGroup, inertials: dict[str, Inertial]) -> bool:
    """Whether links that are welded together have, as one body, next to no inertia about some axis through their centre of mass.

        I = sum_i (R_i I_i R_i^T + m_i (d_i^2 1 - d_i d_i^T)),      d_i from the common centre of mass
    """
    masses = np.array([inertials[name].mass for name in group.members])
    coms = np.array([pose.position + pose.rotation @ inertials[name].com for name, pose in group.members.items()])
    away = coms - masses @ coms / masses.sum()
    total = sum(
        (
            _turned(inertials[name].inertia, pose.rotation) + inertials[name].mass * (d @ d * np.eye(3) - np.outer(d, d))
            for (name, pose), d in zip(group.members.items(), away, strict=True)
        ),
        np.zeros((3, 3)),
    )
    return bool(np.linalg.eigvalsh(total)[0] <= masses.sum() * THIN**2)


def _balance(link: LinkSource, fault: str, report: ImportReport) -> bool:
    """Give a link whose inertia is off by rounding the nearest that a body can have; whether it is."""
    given = link.inertial
    if not fault_by_rounding(given):
        return False
    mended = nearest_physical(given.inertia)
    _, _, largest = np.linalg.eigvalsh(given.inertia)
    by = float(np.linalg.norm(mended - given.inertia, 2))
    report.add(
        link.inertial_element,
        f"link {link.name!r} has an inertia that no body can have ({fault}); repaired: moments moved by {by:.3g} kg m^2, "
        f"{100 * by / largest:.2g} % of the largest",
    )
    link.inertial = Inertial(given.mass, given.com, mended, given.rounding)
    return True


def carried_inertials(
    group: RigidGroup, links: dict[str, LinkSource], report: ImportReport, repair: RobotSize | None
) -> dict[str, Inertial]:
    """What the engine's bodies of a rigid group shall hold, by link; an `InputError` where no body can.

    `repair` is the size of the robot where its links are to be mended, None where they are refused; a link that is mended has its
    new inertia from then on.
    """
    carried = {name: links[name].inertial for name in group.members}
    _lend_tensors(group, links, carried, report, repair is not None)
    if group.moving:
        _strengthen(group, links, carried, report, repair)
    return carried


def _lend_tensors(
    group: RigidGroup, links: dict[str, LinkSource], carried: dict[str, Inertial], report: ImportReport, repair: bool
) -> None:
    faults = {name: fault for name in group.members if (fault := inertia_fault(carried[name].inertia))}
    if not faults:
        return
    lent = sum((_turned(carried[name].inertia, group.members[name].rotation) for name in faults), np.zeros((3, 3)))
    healthy = sorted((name for name in group.members if name not in faults), key=lambda name: -carried[name].mass)
    for taker in healthy:
        total = carried[taker].inertia + _turned(lent, group.members[taker].rotation.T)
        if carried[taker].mass > 0 and inertia_fault(total) is None:
            break
    else:
        mended = [name for name, fault in faults.items() if repair and _balance(links[name], fault, report)]
        if mended:
            carried |= {name: links[name].inertial for name in mended}
            _lend_tensors(group, links, carried, report, repair=False)
            return
        name, fault = next(iter(faults.items()))
        help_ = "; it is off by rounding, which `repair` mends" if fault_by_rounding(links[name].inertial) else _ESTIMATED
        raise links[name].inertial_element.error(f"link {name!r} has an inertia that no body can have: {fault}{help_}")
    carried[taker] = Inertial(carried[taker].mass, carried[taker].com, total)
    for name, fault in faults.items():
        carried[name] = Inertial(carried[name].mass, carried[name].com)
        report.add(
            links[name].inertial_element,
            f"link {name!r} has an inertia that no body can have ({fault}); "
            f"it is carried by link {taker!r}, to which it is welded",
        )


def _strengthen(
    group: RigidGroup,
    links: dict[str, LinkSource],
    carried: dict[str, Inertial],
    report: ImportReport,
    repair: RobotSize | None,
) -> None:
    if any(_is_strong(inertial) for inertial in carried.values()):
        return
    name = max(carried, key=lambda member: carried[member].mass)
    mass = carried[name].mass
    element = links[name].inertial_element
    if mass > _SMALLEST:
        report.add(element, f"link {name!r} has mass but no inertia about some axis; the engine gets 1e-12 kg m^2 more")
    elif group.carries_mass_further_out:
        mass = _SMALLEST
        report.add(element, f"link {name!r} moves but has no mass; the engine gets 1e-12 kg and 1e-12 kg m^2")
    elif repair is not None:
        least = least_inertial(carried[name].com, repair)
        amounts = f"{least.mass:.3g} kg, {least.inertia[0, 0]:.3g} kg m^2"
        guess = "" if any(link.inertial.mass for link in links.values()) else ", a guess: no link of the robot has any"
        report.add(element, f"link {name!r} moves but has no mass; repaired: it gets {amounts}{guess}")
        links[name].inertial = Inertial(least.mass, least.com, carried[name].inertia + least.inertia + _SMALLEST * np.eye(3))
        carried[name] = links[name].inertial
        return
    else:
        by = "" if group.joint is None else f" by joint {group.joint!r}"
        raise element.error(
            f"link {name!r} is moved{by} but neither it nor any link that it carries has mass, "
            "which the engine cannot simulate; `repair` gives it the least that can be, `estimate_inertia` of `didymos new` that "
            "of its shapes"
        )
    carried[name] = Inertial(mass, carried[name].com, carried[name].inertia + _SMALLEST * np.eye(3))


def _is_strong(inertial: Inertial) -> bool:
    moments, _ = principal_axes(inertial.inertia)
    return inertial.mass > 2 * mujoco.mjMINVAL and moments[0] > 2 * mujoco.mjMINVAL


def _turned(inertia: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    return rotation @ inertia @ rotation.T
