"""Lidars: rays cast at the shapes of the engine, with the shapes that cannot be hit left out before any ray is cast.

A scan lies in a plane through the sensor with the unit normal n. A shape whose reach along n (its support function) is
shorter than its distance from that plane cannot be hit, nor can one beyond the farthest range; of the others each is tried
only by the rays that pass its bounding sphere. What is left is the engine's own `mju_rayGeom` or `mj_rayMesh`. On open
ground a scan costs a microsecond; the engine's `mj_multiRay`, which tries every shape by every ray, costs a hundred.

A lidar with a `scan_time` casts each ray from where it is by then (see `Lidar`); its rays lie in no plane, and shapes are left
out by their distance alone.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numba import types

from didymos.compiled import kernel
from didymos.engine.context import LIDAR
from didymos.native import array_at, doubles, matrix_at, row_at

__all__ = ["HFIELD", "MESH", "PLANE", "UNSEEN_GROUPS", "ray_geom", "ray_hfield", "ray_mesh", "scan"]

PLANE, HFIELD, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, MESH = (
    int(getattr(mujoco.mjtGeom, f"mjGEOM_{name}"))
    for name in ("PLANE", "HFIELD", "SPHERE", "CAPSULE", "ELLIPSOID", "CYLINDER", "BOX", "MESH")
)
_FLOAT, _INT, _INT32 = np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.int32)
UNSEEN_GROUPS = (2, 5)
"""Groups of shapes that only serve to be seen, and of marks."""

ray_geom = types.ExternalFunction("mju_rayGeom", types.float64(*[types.int64] * 5, types.int32, types.int64))
ray_mesh = types.ExternalFunction("mj_rayMesh", types.float64(types.int64, types.int64, types.int32, *[types.int64] * 3))
ray_hfield = types.ExternalFunction("mj_rayHfield", types.float64(types.int64, types.int64, types.int32, *[types.int64] * 3))
_object_velocity = types.ExternalFunction(
    "mj_objectVelocity", types.void(types.int64, types.int64, types.int32, types.int32, types.int64, types.int32)
)
_SITE = int(mujoco.mjtObj.mjOBJ_SITE)


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
    if kind == PLANE:
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
    model: int, data: int, geom: int, kind: int, size: Any, bound: float, place: Any, matrix: Any, eye: Any, rays: Any,
    ranges: Any,
) -> None:
    """Shorten the distances `ranges` along `rays` where a shape stands in the way."""
    dx, dy, dz = place[0] - eye[0], place[1] - eye[1], place[2] - eye[2]
    away = dx * dx + dy * dy + dz * dz - bound * bound
    for i in range(rays.shape[0]):
        ray = rays[i]
        ahead = dx * ray[0] + dy * ray[1] + dz * ray[2]
        if kind != PLANE and (away > ahead * ahead or (ahead < 0.0 and away > 0.0)):
            continue
        if kind == MESH:
            distance = ray_mesh(model, data, geom, eye.ctypes.data, ray.ctypes.data, 0)
        elif kind == HFIELD:
            distance = ray_hfield(model, data, geom, eye.ctypes.data, ray.ctypes.data, 0)
        else:
            distance = ray_geom(
                place.ctypes.data, matrix.ctypes.data, size.ctypes.data, eye.ctypes.data, ray.ctypes.data, kind, 0
            )
        if 0.0 <= distance < ranges[i]:
            ranges[i] = distance


@kernel
def scan(engine: Any, tables: Any, due: int) -> None:
    """Cast the rays of the lidars that read at this tick; out of reach is infinite, too near is minus infinite (REP 117).

    `engine` and `tables` are groups of a packed context; `due` is the address of an array that is not zero for
    the sensors that read.
    """
    state = array_at(engine.state, engine.state_count, _FLOAT)
    own_rays = matrix_at(tables.rays, tables.rays_count, 3, _FLOAT)
    world_rays = matrix_at(tables.rays_world, tables.rays_world_count, 3, _FLOAT)
    for i in range(tables.lidars_count):
        lidar = row_at(tables.lidars, i, LIDAR)
        if doubles(due)[lidar.sensor] != 0.0:
            eye = array_at(tables.site_xpos + 24 * lidar.site, 3, _FLOAT)
            frame = array_at(tables.site_xmat + 72 * lidar.site, 9, _FLOAT)
            first, count = lidar.first_ray, lidar.rays
            rays, ranges = world_rays[first : first + count], state[lidar.ranges : lidar.ranges + count]
            for ray in range(count):
                ranges[ray] = np.inf
                for row in range(3):
                    rays[ray, row] = (
                        frame[3 * row] * own_rays[first + ray, 0]
                        + frame[3 * row + 1] * own_rays[first + ray, 1]
                        + frame[3 * row + 2] * own_rays[first + ray, 2]
                    )
            twist = np.zeros(6)
            if lidar.scan_time > 0.0:
                _object_velocity(engine.model, engine.data, _SITE, lidar.site, twist.ctypes.data, 0)
                _turn_on(rays, twist, lidar.scan_time / (count - 1))
            _cast_at_all(engine, tables, lidar, eye, frame, twist, rays, ranges)
            for ray in range(count):
                if ranges[ray] > lidar.farthest:
                    ranges[ray] = np.inf
                elif ranges[ray] < lidar.nearest:
                    ranges[ray] = -np.inf


@kernel
def _turn_on(rays: Any, twist: Any, step: float) -> None:
    """Turn each ray by what the lidar turns until its time; `twist`: rate [rad/s], then velocity [m/s], in the world."""
    rate = math.sqrt(twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2)
    if rate == 0.0:
        return
    a, b, c = twist[0] / rate, twist[1] / rate, twist[2] / rate
    for i in range(rays.shape[0]):
        cosine, sine = math.cos(rate * step * i), math.sin(rate * step * i)
        x, y, z = rays[i, 0], rays[i, 1], rays[i, 2]
        along = (1.0 - cosine) * (a * x + b * y + c * z)
        rays[i, 0] = cosine * x + sine * (b * z - c * y) + along * a
        rays[i, 1] = cosine * y + sine * (c * x - a * z) + along * b
        rays[i, 2] = cosine * z + sine * (a * y - b * x) + along * c


@kernel
def _cast_moving(
    model: int, data: int, geom: int, kind: int, size: Any, bound: float, place: Any, matrix: Any, eye: Any, twist: Any,
    scan_time: float, farthest: float, rays: Any, ranges: Any,
) -> None:  # fmt: skip
    """The same as `_cast`, each ray from where the lidar is at its time."""
    travel = scan_time * math.sqrt(twist[3] ** 2 + twist[4] ** 2 + twist[5] ** 2)
    dx, dy, dz = place[0] - eye[0], place[1] - eye[1], place[2] - eye[2]
    if kind != PLANE and dx * dx + dy * dy + dz * dz > (farthest + bound + travel) ** 2:
        return
    count, origin = rays.shape[0], np.empty(3)
    for i in range(count):
        time = scan_time * i / (count - 1)
        for k in range(3):
            origin[k] = eye[k] + time * twist[3 + k]
        _cast(model, data, geom, kind, size, bound, place, matrix, origin, rays[i : i + 1], ranges[i : i + 1])


@kernel
def _cast_at_all(engine: Any, tables: Any, lidar: Any, eye: Any, frame: Any, twist: Any, rays: Any, ranges: Any) -> None:
    """Cast rays at every shape that they can hit, but for those of the lidar's own link."""
    kinds = array_at(tables.geom_type, tables.geom_type_count, _INT32)
    groups = array_at(tables.geom_group, tables.geom_group_count, _INT32)
    links = array_at(tables.geom_link, tables.geom_link_count, _INT)
    bounds = array_at(tables.geom_rbound, tables.geom_rbound_count, _FLOAT)
    for geom in range(kinds.shape[0]):
        if groups[geom] == UNSEEN_GROUPS[0] or groups[geom] == UNSEEN_GROUPS[1] or links[geom] == lidar.link:
            continue
        size = array_at(tables.geom_size + 24 * geom, 3, _FLOAT)
        middle, matrix = array_at(tables.geom_xpos + 24 * geom, 3, _FLOAT), array_at(tables.geom_xmat + 72 * geom, 9, _FLOAT)
        if lidar.scan_time > 0.0:
            _cast_moving(
                engine.model, engine.data, geom, kinds[geom], size, bounds[geom], middle, matrix, eye, twist, lidar.scan_time,
                lidar.farthest, rays, ranges,
            )  # fmt: skip
        elif _may_be_hit(kinds[geom], size, bounds[geom], middle, matrix, eye, frame, lidar.farthest):
            _cast(engine.model, engine.data, geom, kinds[geom], size, bounds[geom], middle, matrix, eye, rays, ranges)
