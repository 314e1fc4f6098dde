"""Lidars: rays cast at the shapes of the engine, with the shapes that cannot be hit left out before any ray is cast.

A scan lies in a plane through the sensor with the unit normal n. A shape whose reach along n (its support function) is
shorter than its distance from that plane cannot be hit, nor can one beyond the farthest range; of the others each is tried
only by the rays that pass its bounding sphere. What is left is the engine's own `mju_rayGeom` or `mj_rayMesh`. On open
ground a scan costs a microsecond; the engine's `mj_multiRay`, which tries every shape by every ray, costs a hundred.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numba import types

from didymos.compiled import inlined, kernel
from didymos.sensors.reading import RATE, is_due

__all__ = ["UNSEEN_GROUPS", "scan"]

_PLANE, _HFIELD, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = (
    int(getattr(mujoco.mjtGeom, f"mjGEOM_{name}"))
    for name in ("PLANE", "HFIELD", "SPHERE", "CAPSULE", "ELLIPSOID", "CYLINDER", "BOX", "MESH")
)
UNSEEN_GROUPS = (2, 5)
"""Groups of shapes that only serve to be seen, and of marks."""

_ray_geom = types.ExternalFunction("mju_rayGeom", types.float64(*[types.int64] * 5, types.int32, types.int64))
_ray_mesh = types.ExternalFunction("mj_rayMesh", types.float64(types.int64, types.int64, types.int32, *[types.int64] * 3))
_ray_hfield = types.ExternalFunction("mj_rayHfield", types.float64(types.int64, types.int64, types.int32, *[types.int64] * 3))


@kernel
def _reach(kind: int, size: Any, bound: float, x: float, y: float, z: float) -> float:
    """How far a shape extends from its middle along a unit direction (x, y, z) in its own frame [m]."""
    if kind == _SPHERE:
        return size[0]
    if kind == _CAPSULE:
        return size[0] + size[1] * abs(z)
    if kind == _CYLINDER:
        return size[0] * math.sqrt(max(1.0 - z * z, 0.0)) + size[1] * abs(z)
    if kind == _ELLIPSOID:
        return math.sqrt((size[0] * x) ** 2 + (size[1] * y) ** 2 + (size[2] * z) ** 2)
    if kind == _BOX:
        return size[0] * abs(x) + size[1] * abs(y) + size[2] * abs(z)
    return bound


@kernel
def _may_be_hit(kind: int, size: Any, bound: float, place: Any, matrix: Any, eye: Any, frame: Any, farthest: float) -> bool:
    """Whether any ray of a scan can hit a shape; `frame` is the sensor's rotation, whose third column is the plane's normal."""
    nx, ny, nz = frame[2], frame[5], frame[8]
    dx, dy, dz = place[0] - eye[0], place[1] - eye[1], place[2] - eye[2]
    if kind == _PLANE:
        height = abs(matrix[2] * dx + matrix[5] * dy + matrix[8] * dz)
        level = matrix[2] * nx + matrix[5] * ny + matrix[8] * nz
        return height <= farthest * math.sqrt(max(1.0 - level * level, 0.0))
    if dx * dx + dy * dy + dz * dz > (farthest + bound) ** 2:
        return False
    x = matrix[0] * nx + matrix[3] * ny + matrix[6] * nz
    y = matrix[1] * nx + matrix[4] * ny + matrix[7] * nz
    z = matrix[2] * nx + matrix[5] * ny + matrix[8] * nz
    return abs(dx * nx + dy * ny + dz * nz) <= _reach(kind, size, bound, x, y, z)


@kernel
def _cast(
    model: int, data: int, geom: int, kind: int, size: Any, bound: float, place: Any, matrix: Any, eye: Any, rays: Any, found: Any
) -> None:
    """Shorten the distances `found` along `rays` where a shape stands in the way."""
    dx, dy, dz = place[0] - eye[0], place[1] - eye[1], place[2] - eye[2]
    away = dx * dx + dy * dy + dz * dz - bound * bound
    for i in range(rays.shape[0]):
        ray = rays[i]
        ahead = dx * ray[0] + dy * ray[1] + dz * ray[2]
        if kind != _PLANE and (away > ahead * ahead or (ahead < 0.0 and away > 0.0)):
            continue
        if kind == _MESH:
            distance = _ray_mesh(model, data, geom, eye.ctypes.data, ray.ctypes.data, 0)
        elif kind == _HFIELD:
            distance = _ray_hfield(model, data, geom, eye.ctypes.data, ray.ctypes.data, 0)
        else:
            distance = _ray_geom(
                place.ctypes.data, matrix.ctypes.data, size.ctypes.data, eye.ctypes.data, ray.ctypes.data, kind, 0
            )
        if 0.0 <= distance < found[i]:
            found[i] = distance


@inlined
def scan(w: Any, tick: int, begins: bool) -> None:
    """Cast the rays of the lidars that read at this tick; out of reach is infinite, too near is minus infinite (REP 117)."""
    for i in range(w.lidars.shape[0]):
        sensor, site, link, source, count, first = w.lidars[i]
        if begins or is_due(tick, w.sensor_numbers[sensor, RATE], w.period):
            nearest, farthest = w.lidar_numbers[i]
            eye, frame = w.site_xpos[site], w.site_xmat[site]
            rays, found = w.rays_world[first : first + count], w.sensordata[source : source + count]
            for ray in range(count):
                found[ray] = np.inf
                for row in range(3):
                    rays[ray, row] = (
                        frame[3 * row] * w.rays[first + ray, 0]
                        + frame[3 * row + 1] * w.rays[first + ray, 1]
                        + frame[3 * row + 2] * w.rays[first + ray, 2]
                    )
            for geom in range(w.geom_type.shape[0]):
                group = w.geom_group[geom]
                if group == UNSEEN_GROUPS[0] or group == UNSEEN_GROUPS[1] or w.geom_link[geom] == link:
                    continue
                kind, size, bound = w.geom_type[geom], w.geom_size[geom], w.geom_rbound[geom]
                place, matrix = w.geom_xpos[geom], w.geom_xmat[geom]
                if _may_be_hit(kind, size, bound, place, matrix, eye, frame, farthest):
                    _cast(w.model, w.data, geom, kind, size, bound, place, matrix, eye, rays, found)
            for ray in range(count):
                if found[ray] > farthest:
                    found[ray] = np.inf
                elif found[ray] < nearest:
                    found[ray] = -np.inf
