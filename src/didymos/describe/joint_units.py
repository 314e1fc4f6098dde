"""Units of what belongs to a joint: declared for one that turns, in metres and newtons where it slides.

    rad -> m      rad/s -> m/s      N m -> N      N m/rad -> N/m      N m s/rad -> N s/m      kg m^2 -> kg

So one servo, and one program whose set-points bear the names of joints, serve both kinds, and what they record says what it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from didymos.describe.description import Description, JointKind

if TYPE_CHECKING:
    from didymos.contract import Declaration
    from didymos.control import Controller
    from didymos.parts.part import PartSpec

__all__ = ["of_joint", "of_part", "program_setpoints", "report_units"]

_SLIDING = {"rad": "m", "rad/s": "m/s", "N m": "N", "N m/rad": "N/m", "N m s/rad": "N s/m", "kg m^2": "kg"}


def of_joint(description: Description, joint: str | None, unit: str) -> str:
    """A unit as it is for this joint; the same where that is none, or none that slides."""
    slides = joint is not None and joint in description.joints and description.joints[joint].kind is JointKind.PRISMATIC
    return _SLIDING.get(unit, unit) if slides else unit


def of_part(description: Description, part: PartSpec, unit: str) -> str:
    """The unit of an input, an output or a parameter of a part."""
    return of_joint(description, part.joint, unit) if part.contract.may_slide else unit


def program_setpoints(description: Description, program: Controller | None) -> dict[str, str]:
    """Names and units of the set-points that a program declares; those of an array may bear the names of joints."""
    if program is None:
        return {}
    declared = {item.name: item for item in program.declared_setpoints}
    return {
        name: _named(description, declared[declaration], name)
        for declaration, names in program.setpoint_names.items()
        for name in names
    }


def report_units(description: Description, program: Controller) -> dict[str, str]:
    """Names and units of what a program reports: of an array whose numbers bear the names of joints, each as its joint moves."""
    return {
        name: of_joint(description, column, unit)
        for item in program.reports
        for column, name, unit in zip(item.columns or ("",) * len(item.names), item.names, item.each_unit, strict=True)
    }


def _named(description: Description, item: Declaration, name: str) -> str:
    return of_joint(description, name, item.unit) if item.shape else item.unit
