"""`EntityFilters`: which entities a client asks for, by name, category, tags, and where they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from didymos.errors import InputError
from didymos.ports.ros2.entities import Box, Entities, Entity
from didymos.ports.ros2.posix_regex import PosixRegex

__all__ = ["Unsupported", "matching"]

_ANY, _ALL = 0, 1
_EMPTY, _BOX, _CONVEX_HULL, _SPHERE = range(4)

Within = Callable[[Box], bool]


class Unsupported(Exception):
    """What the standard leaves open and a twin does not do."""


def matching(entities: Entities, filters: Any) -> list[Entity]:
    """The entities that fit a message `EntityFilters`, in order; a filter that is none is an `InputError`.

    Where bounds are asked for, `entities.look` was called.
    """
    name = PosixRegex(filters.filter) if filters.filter else None
    kinds, tags, mode = {item.category for item in filters.categories}, set(filters.tags.tags), filters.tags.filter_mode
    if mode not in (_ANY, _ALL):
        raise InputError(f"found the filter mode {mode}, expected 0 (any tag) or 1 (all tags)")
    within = _within(filters.bounds)
    return [
        entity
        for entity in entities.all.values()
        if (name is None or name.search(entity.name))
        and (not kinds or entity.category in kinds)
        and (not tags or (tags <= set(entity.tags) if mode == _ALL else bool(tags & set(entity.tags))))
        and (within is None or (box := entities.box(entity)) is None or within(box))
    ]


def _within(bounds: Any) -> Within | None:
    """Whether a box overlaps with bounds; None without any."""
    if bounds.type == _EMPTY:
        return None
    points = np.array([[point.x, point.y, point.z] for point in bounds.points]).reshape(-1, 3)
    if bounds.type == _CONVEX_HULL:
        raise Unsupported("bounds of the type TYPE_CONVEX_HULL are not supported; use a box or a sphere")
    if bounds.type not in (_BOX, _SPHERE) or len(points) != 2 or not np.isfinite(points).all():
        raise InputError(f"found bounds of type {bounds.type} with {len(points)} points, expected a box or a sphere with two")
    if bounds.type == _BOX:
        low, high = points.min(axis=0), points.max(axis=0)
        return lambda box: bool((box[0] <= high).all() and (box[1] >= low).all())
    centre, radius = points[0], abs(points[1][0])
    return lambda box: math.hypot(*(np.clip(centre, box[0], box[1]) - centre)) <= radius  # without overflow
