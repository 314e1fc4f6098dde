"""Friction with a direction: contacts whose tangent follows a frame that does not turn with the shape.

A mecanum wheel grips along the axis of the roller on the ground, and hardly across it; that axis stands still in the
chassis while the wheel turns. The engine knows friction that differs between the two tangents of a contact (an explicit
pair), but it chooses the tangents itself. Its table of collision functions is open, though: we put ours in front of those
for spheres. It calls the engine's own and then sets the first tangent to the axis of the frame that the twin names, for the
shapes that the part table lists. All else (friction cones, slip, the implicit solver, ramps and edges) is the engine's, so
nothing is explicit and stiff, and the contact is made in every evaluation, on any thread.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import mujoco
from mujoco.introspect import structs
from numba import types

from didymos.compiled import CFunction, c_function, kernel
from didymos.engine.forces import table_address
from didymos.engine.layout import DATA, library_path, struct_offsets
from didymos.engine.part_table import DIRECTION, ENTRY, HEADER, ROBOT
from didymos.errors import RunError
from didymos.native import array_at, doubles, record_at, row_at, word

__all__ = ["ContactFrames"]

_XMAT = DATA["xmat"]
_PRE_CONTACT_BYTES = 80  # distance, position [3], normal [3], tangent [3]
_TANGENT = 56
_SIGNATURE = types.int32(types.int64, types.int64, types.int64, types.int32, types.int32, types.float64)
_SPHERE = int(mujoco.mjtGeom.mjGEOM_SPHERE)


@kernel
def _turn(model: int, data: int, contacts: int, count: int, first: int, second: int) -> None:
    """Set the tangents of the contacts of a pair of shapes, where one of them is in the part table's list."""
    table = table_address(model)
    if table == 0:
        return
    header = record_at(table, HEADER)
    for number in range(header.robots):
        own = table + 8 * row_at(table + 8 * header.first_robot, number, ENTRY).table
        robot = record_at(own, ROBOT)
        rows = array_at(own + 8 * robot.first_direction, robot.directions, DIRECTION)
        for i in range(robot.directions):
            row = rows[i]
            if row.shape == first or row.shape == second:
                matrix, along = doubles(word(data + _XMAT) + 72 * row.body), row.axis
                for k in range(count):
                    tangent = doubles(contacts + _PRE_CONTACT_BYTES * k + _TANGENT)
                    for axis in range(3):
                        at = 3 * axis
                        tangent[axis] = matrix[at] * along[0] + matrix[at + 1] * along[1] + matrix[at + 2] * along[2]
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


_FUNCTIONS: dict[tuple[int, int], tuple[str, CFunction]] = {
    (int(mujoco.mjtGeom.mjGEOM_PLANE), _SPHERE): ("mjc_PlaneSphere", _on_plane),
    (_SPHERE, _SPHERE): ("mjc_SphereSphere", _on_sphere),
    (_SPHERE, int(mujoco.mjtGeom.mjGEOM_CAPSULE)): ("mjc_SphereCapsule", _on_capsule),
    (_SPHERE, int(mujoco.mjtGeom.mjGEOM_CYLINDER)): ("mjc_SphereCylinder", _on_cylinder),
    (_SPHERE, int(mujoco.mjtGeom.mjGEOM_BOX)): ("mjc_SphereBox", _on_box),
}

_USERS: set[object] = set()
_lock = threading.RLock()  # the search for garbage may end an object of this class while another one is made, on the same thread


class ContactFrames:
    """Our functions in the engine's table, for as long as any object of this class lives; then the engine's own are back.

    The table belongs to the whole process. It is only touched for twins with `contacts`, only where it holds the engine's own
    functions, and only if the engine's contacts are laid out as this module was written for.
    """

    def __init__(self) -> None:
        _check_layout()
        user = object()
        _enter(user)
        self._end = weakref.finalize(self, _leave, user)


def _check_layout() -> None:
    offsets = struct_offsets("mjPreContact") if "mjPreContact" in structs.STRUCTS else {}
    if offsets.get("tangent") != _TANGENT or len(offsets) != 4:
        raise RunError("this version of the engine lays its contacts out differently: twins with 'contacts' cannot run on it")


def _table() -> tuple[Any, Any]:
    kinds = int(mujoco.mjtGeom.mjNGEOMTYPES)
    library = ctypes.CDLL(library_path())
    return (ctypes.c_void_p * (kinds * kinds)).in_dll(library, "mjCOLLISIONFUNC"), library


def _entries() -> Iterator[tuple[Any, int, str, int, int]]:
    """The engine's table, a place in it, the name and address of the engine's own function there, the address of ours."""
    table, library = _table()
    kinds = int(mujoco.mjtGeom.mjNGEOMTYPES)
    for (first, second), (name, function) in _FUNCTIONS.items():
        own = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        yield table, first * kinds + second, name, own or 0, function.address


def _enter(user: object) -> None:
    entries = list(_entries())  # compiled before the lock is held: another thread that compiles may wait for it
    with _lock:
        for table, place, name, own, ours in entries:
            if table[place] not in (own, ours):
                raise RunError(f"somebody else has replaced the engine's {name}: a twin with 'contacts' cannot run beside it")
        _USERS.add(user)
        for table, place, _, _, ours in entries:
            table[place] = ours


def _leave(user: object) -> None:
    with _lock:
        _USERS.discard(user)
        if not _USERS:
            for table, place, _, own, ours in _entries():
                if table[place] == ours:
                    table[place] = own
