"""A link as a whole: mass, centre of mass and inertia, moved so that every point of the search is a body.

The pseudo-inertia of a body, with m its mass, c its centre of mass and S the second moments of its mass about c, per mass,

    P = m [ S + c c^T   c ]  =  U U^T,      U = e^alpha [ e^d1  s12   s13   t1 ]
          [ c^T         1 ]                             [ 0     e^d2  s23   t2 ]
                                                        [ 0     0     e^d3  t3 ]
                                                        [ 0     0     0     1  ]

is positive definite for a body that fills space, and only for one; so any ten numbers (alpha, d, s, t) are a body, and each body
has one such row of numbers: its log-Cholesky coordinates. In them

    m = e^(2 alpha),    c = t,    S = L L^T  with L the upper 3 x 3 of U without e^alpha,    I = m (tr(S) 1 - S)

with I the inertia about the centre of mass, all along the axes of the link frame. Reference: Rucker & Wensing, Smooth
Parameterization of Rigid-Body Inertia, IEEE Robotics and Automation Letters 7 (2022).

The box of a search reaches from the start by the factor `spread` f: the mass and the extents e^d go from 1/f to f times what they
are, the centre by f r along each axis, s by f r, with r = sqrt(tr S) the radius of gyration about the centre. What is `fixed`
stays as it is; of a fixed inertia I stays, whatever the mass does. What recordings do not tell of a body stays near the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.describe.names import link_values
from didymos.describe.parameters import INERTIA_AXES
from didymos.describe.schema import FreeSpec
from didymos.describe.twin import Twin
from didymos.errors import InputError, nearest

__all__ = ["Body", "body_group", "body_of", "body_to_coordinates"]

_Array = NDArray[np.float64]
_SPREAD = 3.0
_LEAST = 1e-4  # second moment along an axis, of the sum of all three, below which a body counts as flat: it is given that much
_LOOSE = 10.0  # boxes
_S = ((0, 1), (1, 2), (0, 2))  # of s12, s23, s13
_PLACES = {"mass": (0,), "inertia": (1, 2, 3, 4, 5, 6), "com": (7, 8, 9), "com.x": (7,), "com.y": (8,), "com.z": (9,)}
_UNITS = {"mass": "kg", "com": "m", "inertia": "kg m^2"}


def body_of(coordinates: _Array) -> tuple[float, _Array, _Array]:
    """Mass [kg], centre of mass [m], shape [3], and inertia about it [kg m^2], shape [3, 3], of coordinates, shape [10]."""
    mass = float(np.exp(2.0 * coordinates[0]))
    factor = np.diag(np.exp(coordinates[1:4]))
    for (i, j), value in zip(_S, coordinates[4:7], strict=True):
        factor[i, j] = value
    second = factor @ factor.T
    return mass, coordinates[7:10].copy(), mass * (np.trace(second) * np.eye(3) - second)


def body_to_coordinates(mass: float, com: _Array, inertia: _Array) -> _Array:
    """Coordinates, shape [10], of a body with an extent along every axis."""
    second = (0.5 * np.trace(inertia) * np.eye(3) - inertia) / mass
    factor = np.linalg.cholesky(second[::-1, ::-1])[::-1, ::-1]  # upper triangular: that of the axes in reverse order
    return np.concatenate([[0.5 * np.log(mass)], np.log(np.diag(factor)), [factor[place] for place in _S], com])


@dataclass(frozen=True, eq=False)
class Body:
    """The coordinates of a link, or of several that are alike, as one group of a fit."""

    path: str
    links: tuple[str, ...]
    centre: _Array  # coordinates of the start, shape [10]
    reach: _Array  # from the centre to the edge of the box, shape [10]
    free: NDArray[np.int64]  # which of the ten may move
    fixed: frozenset[str]
    sd: float | None
    per_recording: bool
    findings: tuple[str, ...]
    grid: int = 1

    @property
    def quantities(self) -> tuple[str, ...]:
        """What of a link moves: mass, com.x, ..., inertia.xx, ..."""
        every = ("mass", *(f"com.{axis}" for axis in "xyz"), *(f"inertia.{axes}" for axes in INERTIA_AXES))
        return tuple(name for name in every if not self.fixed & {name, name.partition(".")[0]})

    @property
    def names(self) -> tuple[str, ...]:
        """Paths of mass, centre and inertia; of several links by their pattern."""
        return tuple(f"{self.path}.{quantity}" for quantity in self.quantities)

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each of `names`."""
        return tuple(_UNITS[quantity.partition(".")[0]] for quantity in self.quantities)

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """What each of `names` can be within the box; of products of inertia no less than that."""
        low, high = self.centre - self.reach, self.centre + self.reach
        most = np.maximum(np.abs(low), np.abs(high))
        e2 = np.exp(2.0 * np.array([low[1:4], high[1:4]]))
        s2 = np.array([np.where(low * high > 0.0, np.minimum(low**2, high**2), 0.0), most**2])[:, 4:7]
        s12, s23, s13 = s2.T
        squares = np.column_stack([e2[:, 0] + s12 + s13, e2[:, 1] + s23, e2[:, 2]])  # of S, along each axis
        mass = np.exp(2.0 * np.array([low[0], high[0]]))
        ends = {"mass": mass} | {f"com.{axis}": np.array([low[7 + i], high[7 + i]]) for i, axis in enumerate("xyz")}
        for axes, (i, j) in INERTIA_AXES.items():
            if i == j:
                ends[f"inertia.{axes}"] = mass * (squares.sum(axis=1) - squares[:, i])
            else:
                product = mass[1] * float(np.sqrt(squares[1, i] * squares[1, j]))
                ends[f"inertia.{axes}"] = np.array([-product, product])
        return tuple((float(ends[name][0]), float(ends[name][1])) for name in self.quantities)

    @property
    def start(self) -> _Array:
        """The middle of the box."""
        return np.full(len(self.free), 0.5)

    def coordinates(self, point: _Array) -> _Array:
        """Log-Cholesky coordinates, shape [10], of a point of the box."""
        found = self.centre.copy()
        found[self.free] += (2.0 * point - 1.0) * self.reach[self.free]
        return found

    def reported(self, point: _Array) -> _Array:
        """Mass, centre and inertia, without what is fixed."""
        mass, com, inertia = body_of(self.coordinates(point))
        values = {"mass": mass} | {f"com.{axis}": com[i] for i, axis in enumerate("xyz")}
        values |= {f"inertia.{axes}": inertia[place] for axes, place in INERTIA_AXES.items()}
        return np.array([values[quantity] for quantity in self.quantities])

    def followers(self, name: str) -> Mapping[str, float]:
        """The same quantity of every link."""
        quantity = name.removeprefix(f"{self.path}.")
        return {f"links.{link}.{quantity}": 1.0 for link in self.links}

    def values(self, point: _Array) -> dict[str, float]:
        """Mass, centre and inertia of every link."""
        found = dict(zip(self.quantities, self.reported(point).tolist(), strict=True))
        return {f"links.{link}.{quantity}": value for link in self.links for quantity, value in found.items()}

    def prior(self, point: _Array) -> _Array:
        """How far each coordinate is from the start, as a part of the body's own size, over the standard deviation.

        Without one: over ten boxes, which moves nothing that the data tell, and holds what they do not.
        """
        if self.sd is None:
            return (point - self.start) / _LOOSE
        away = self.coordinates(point) - self.centre
        radius = float(np.sqrt(_second_moments(self.centre).trace()))
        sizes = np.array([0.5, 1.0, 1.0, 1.0, *([radius] * 6)])  # alpha is half the logarithm of the mass
        return (away / sizes)[self.free] / self.sd


def body_group(twin: Twin, path: str, spec: FreeSpec, links: Sequence[str]) -> Body:
    """The group of one link, or of several that are alike; what cannot be moved as a whole is an `InputError`."""
    for key, given in (("bounds", spec.bounds), ("tied", spec.tied), ("grid", spec.grid > 1)):
        if given:
            raise InputError(f"a link as a whole has no `{key}`; it has `spread`, `fixed` and `prior`", path=path)
    if spec.prior is not None and spec.prior.mean is not None:
        raise InputError("the prior of a link as a whole has its `sd` alone: a part of its mass and size", path=path)
    bodies = [link_values(twin, name) for name in links]
    for name, body in zip(links, bodies, strict=True):
        if not np.array_equal(_flat(*body), _flat(*bodies[0])):
            raise InputError(f"the links {name} and {links[0]} are not alike, so they cannot move together", path=path)
    mass, com, inertia = bodies[0]
    if not mass > 0.0 or not np.trace(inertia) > 0.0:
        what = "mass" if not mass > 0.0 else "inertia"
        hint = "set one to begin with, or let `description.density` give it that of its shapes"
        raise InputError(f"has no {what}, from which no search can begin; {hint}", path=path)
    fixed = frozenset(spec.fixed)
    for item in spec.fixed:
        if item not in _PLACES:
            known = f"{', '.join(_PLACES)}{nearest(item, _PLACES)}"
            raise InputError(f"found {item!r} in `fixed`, expected some of {known}", path=path)
    free = np.array([i for i in range(10) if not any(i in _PLACES[item] for item in fixed)], dtype=np.int64)
    if not len(free):
        raise InputError("all of it is fixed, so that nothing may move", path=path)
    inside, moved = _with_extent(inertia)
    text = f"{path}: its inertia is that of a flat body, or of none; the search begins with moments moved by {moved:.3g} kg m^2"
    findings = (text,) if moved and "inertia" not in fixed else ()
    centre = body_to_coordinates(mass, com, inside)
    factor = _SPREAD if spec.spread is None else spec.spread
    length = factor * float(np.sqrt(_second_moments(centre).trace()))
    reach = np.array([0.5 * np.log(factor), *([np.log(factor)] * 3), *([length] * 6)])
    sd = None if spec.prior is None else spec.prior.sd
    return Body(path, tuple(links), centre, reach, free, fixed, sd, spec.per_recording, findings)


def _flat(mass: float, com: _Array, inertia: _Array) -> _Array:
    return np.array([mass, *com, *inertia.ravel()])


def _second_moments(coordinates: _Array) -> _Array:
    """S [m^2], shape [3, 3]."""
    mass, _, inertia = body_of(coordinates)
    return (0.5 * np.trace(inertia) * np.eye(3) - inertia) / mass


def _with_extent(inertia: _Array) -> tuple[_Array, float]:
    """An inertia whose body has an extent along every axis, and how far its moments [kg m^2] had to be moved for that."""
    moments, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    enough = np.maximum(moments, _LEAST * 0.5 * np.trace(inertia))
    if np.array_equal(enough, moments):
        return inertia, 0.0
    second = (axes * enough) @ axes.T
    return np.trace(second) * np.eye(3) - second, float(np.abs(enough - moments).max())
