"""Friction with a direction: contacts whose tangent follows a frame that does not turn with the shape.

A mecanum wheel grips along the axis of the roller on the ground, and hardly across it; that axis stands still in the
chassis while the wheel turns. The engine knows friction that differs between the two tangents of a contact (an explicit
pair), but it chooses the tangents itself. Its table of collision functions is open, though: we put ours in front of those
for spheres. It calls the engine's own and then sets the first tangent to the axis of the frame that the twin names, for the
shapes that our block lists. All else (friction cones, slip, the implicit solver, ramps and edges) is the engine's, so
nothing is explicit and stiff, and the contact is made in every evaluation, on any thread.
"""

from __future__ import annotations

import ctypes
from typing import Any

import mujoco
from numba import types

from didymos.compiled import DOUBLES, c_function, kernel
from didymos.engine import block as b
from didymos.engine.callback import block_address
from didymos.engine.layout import DATA, library_path
from didymos.engine.memory import doubles, word

__all__ = ["install_contact_frames"]

_XMAT = DATA["xmat"]
_TANGENT, _PRE_CONTACT_WORDS = 7, 10  # of mjPreContact: distance, position [3], normal [3], tangent [3]
_SIGNATURE = types.int32(types.int64, types.int64, DOUBLES, types.int32, types.int32, types.float64)
_SPHERE = int(mujoco.mjtGeom.mjGEOM_SPHERE)


@kernel
def _turn(model: int, data: int, contacts: Any, count: int, first: int, second: int) -> None:
    """Set the tangents of the contacts of a pair of shapes, where one of them is in the block's list."""
    block = block_address(model)
    if block == 0:
        return
    header = doubles(block)
    for i in range(int(header[b.DIRECTION_COUNT])):
        row = doubles(block + 8 * (int(header[b.DIRECTIONS]) + b.DIRECTION_WORDS * i))
        if row[0] == first or row[0] == second:
            matrix = doubles(word(data + _XMAT) + 72 * int(row[1]))
            for k in range(count):
                for axis in range(3):
                    contacts[k * _PRE_CONTACT_WORDS + _TANGENT + axis] = (
                        matrix[3 * axis] * row[2] + matrix[3 * axis + 1] * row[3] + matrix[3 * axis + 2] * row[4]
                    )
            return


_plane_sphere = types.ExternalFunction("mjc_PlaneSphere", _SIGNATURE)
_sphere_sphere = types.ExternalFunction("mjc_SphereSphere", _SIGNATURE)
_sphere_capsule = types.ExternalFunction("mjc_SphereCapsule", _SIGNATURE)
_sphere_cylinder = types.ExternalFunction("mjc_SphereCylinder", _SIGNATURE)
_sphere_box = types.ExternalFunction("mjc_SphereBox", _SIGNATURE)


@c_function(_SIGNATURE)
def _on_plane(model, data, contacts, first, second, margin):  # type: ignore[no-untyped-def]
    count = _plane_sphere(model, data, contacts, first, second, margin)
    if count > 0:
        _turn(model, data, contacts, count, first, second)
    return count


@c_function(_SIGNATURE)
def _on_sphere(model, data, contacts, first, second, margin):  # type: ignore[no-untyped-def]
    count = _sphere_sphere(model, data, contacts, first, second, margin)
    if count > 0:
        _turn(model, data, contacts, count, first, second)
    return count


@c_function(_SIGNATURE)
def _on_capsule(model, data, contacts, first, second, margin):  # type: ignore[no-untyped-def]
    count = _sphere_capsule(model, data, contacts, first, second, margin)
    if count > 0:
        _turn(model, data, contacts, count, first, second)
    return count


@c_function(_SIGNATURE)
def _on_cylinder(model, data, contacts, first, second, margin):  # type: ignore[no-untyped-def]
    count = _sphere_cylinder(model, data, contacts, first, second, margin)
    if count > 0:
        _turn(model, data, contacts, count, first, second)
    return count


@c_function(_SIGNATURE)
def _on_box(model, data, contacts, first, second, margin):  # type: ignore[no-untyped-def]
    count = _sphere_box(model, data, contacts, first, second, margin)
    if count > 0:
        _turn(model, data, contacts, count, first, second)
    return count


def install_contact_frames() -> None:
    """Put our functions into the engine's table; harmless to repeat."""
    kinds = int(mujoco.mjtGeom.mjNGEOMTYPES)
    table = (ctypes.c_void_p * (kinds * kinds)).in_dll(ctypes.CDLL(library_path()), "mjCOLLISIONFUNC")
    table[int(mujoco.mjtGeom.mjGEOM_PLANE) * kinds + _SPHERE] = _on_plane.address
    for kind, function in (
        (_SPHERE, _on_sphere),
        (int(mujoco.mjtGeom.mjGEOM_CAPSULE), _on_capsule),
        (int(mujoco.mjtGeom.mjGEOM_CYLINDER), _on_cylinder),
        (int(mujoco.mjtGeom.mjGEOM_BOX), _on_box),
    ):
        table[_SPHERE * kinds + kind] = function.address
