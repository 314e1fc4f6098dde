"""Names and values that a twin implies: its inputs, its set-points, the inertia of its links as set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.describe.parameters import INERTIA_AXES
from didymos.parts import PARTS

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["input_names", "link_values", "part_inputs"]


def part_inputs(twin: Twin) -> tuple[tuple[str, str, int], ...]:
    """(input name, part name, index among the part's inputs) of every input of a part, in order.

    A part with one input lends it its own name; several are named PART.INPUT.
    """
    found = []
    for part, spec in twin.file.parts.items():
        inputs = PARTS[spec.kind].inputs
        for index, name in enumerate(inputs):
            found.append((part if len(inputs) == 1 else f"{part}.{name}", part, index))
    return tuple(found)


def input_names(twin: Twin) -> tuple[str, ...]:
    """All inputs that a control program can set: those of parts, then the description's own actuators."""
    actuators = [actuator.name for actuator in twin.description.spec.actuators]
    return (*(name for name, _, _ in part_inputs(twin)), *actuators)


def link_values(twin: Twin, name: str) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Mass [kg], centre of mass [m] and inertia [kg m^2] of a link as described, with what was set since."""
    link, values = twin.description.links[name], twin.body_values()
    mass = values.get(f"links.{name}.mass", link.mass)
    com = np.array([values.get(f"links.{name}.com.{axis}", link.com[i]) for i, axis in enumerate("xyz")])
    inertia = np.array(link.inertia, dtype=np.float64)
    for axes, (i, j) in INERTIA_AXES.items():
        inertia[i, j] = inertia[j, i] = values.get(f"links.{name}.inertia.{axes}", inertia[i, j])
    return mass, com, inertia
