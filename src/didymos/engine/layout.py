"""Where the arrays of the engine's two structures lie in memory, so that compiled code can reach them.

The wheel carries a machine-readable copy of the C headers (`mujoco.introspect`). From it we build the same structures with
ctypes, which knows the platform's alignment, and take the offset of each field. At import every offset that we use is
checked against the addresses that the bindings report for a small model; a mismatch is an error, not a wrong number.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any

import mujoco
from mujoco.introspect import structs
from mujoco.introspect.ast_nodes import AnonymousStructDecl, AnonymousUnionDecl, ArrayType, PointerType, ValueType

__all__ = [
    "DATA", "DENSITY", "DISABLE_FLAGS", "GRAVITY", "INTEGRATOR", "MODEL", "TIMESTEP", "VISCOSITY", "library_path",
    "struct_offsets",
]  # fmt: skip

_SCALARS: dict[str, Any] = {
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "mjtNum": ctypes.c_double,
    "char": ctypes.c_char,
    "mjtByte": ctypes.c_ubyte,
    "mjtBool": ctypes.c_bool,
    "mjtSize": ctypes.c_int64,
    "size_t": ctypes.c_size_t,
    "uintptr_t": ctypes.c_size_t,
    "uint64_t": ctypes.c_uint64,
    "int64_t": ctypes.c_int64,
}

_MODEL_FIELDS = (
    "nq", "nv", "njnt", "nnumeric", "numeric_adr", "numeric_data", "dof_parentid", "plugin_stateadr", "plugin_statenum", "ngeom",
    "geom_type", "geom_group", "geom_bodyid", "geom_size", "geom_rbound", "body_rootid", "jnt_stiffness", "dof_damping",
    "dof_frictionloss", "nbody", "body_mass", "body_inertia", "body_parentid", "body_dofnum", "body_dofadr",
    "geom_friction",
)  # fmt: skip
_DATA_FIELDS = (
    "time", "qpos", "qvel", "act", "act_dot", "plugin_state", "qfrc_applied", "xpos", "xquat", "xmat", "cvel", "cdof",
    "subtree_com", "sensordata", "xfrc_applied", "geom_xpos", "geom_xmat", "xipos", "ximat", "site_xpos", "site_xmat",
)  # fmt: skip


def _c_type(declared: Any) -> Any:
    if isinstance(declared, PointerType):
        return ctypes.c_void_p
    if isinstance(declared, ArrayType):
        found = _c_type(declared.inner_type)
        for extent in reversed(declared.extents):
            found = found * extent
        return found
    if isinstance(declared, ValueType):
        if declared.name in _SCALARS:
            return _SCALARS[declared.name]
        if declared.name in structs.STRUCTS:
            return _structure(declared.name, structs.STRUCTS[declared.name].fields)
        if declared.name.startswith("mjt"):
            return ctypes.c_int  # an enum
    if isinstance(declared, AnonymousStructDecl | AnonymousUnionDecl):
        return _structure("anonymous", declared.fields, isinstance(declared, AnonymousUnionDecl))
    raise RuntimeError(f"this version of the engine declares a field of type {declared}, which Didymos does not know")


def _structure(name: str, fields: Any, union: bool = False) -> Any:
    base = ctypes.Union if union else ctypes.Structure
    return type(name, (base,), {"_fields_": [(field.name, _c_type(field.type)) for field in fields]})


def _offsets(name: str, fields: tuple[str, ...], live: Any) -> dict[str, int]:
    """Offsets in bytes, checked against a live object of the bindings."""
    layout = _structure(name, structs.STRUCTS[name].fields)
    found = {field: int(getattr(layout, field).offset) for field in fields}
    for field, offset in found.items():
        array = getattr(live, field)
        place = live._address + offset
        if hasattr(array, "ctypes"):
            seen = ctypes.c_uint64.from_address(place).value
            right = array.size == 0 or seen == array.ctypes.data or place == array.ctypes.data
        else:
            kind = ctypes.c_double if isinstance(array, float) else ctypes.c_int64
            right = kind.from_address(place).value == array
        if not right:
            raise RuntimeError(f"{name}.{field} is not where the engine's headers say; this engine cannot be used")
    return found


def library_path() -> str:
    """The engine's shared library, whose functions compiled code calls by name: where the bindings themselves look for it."""
    folder = Path(mujoco.__file__).parent
    patterns = {"win32": ("mujoco*.dll",), "darwin": ("libmujoco*.dylib", "*.framework/**/libmujoco*.dylib")}
    for pattern in patterns.get(sys.platform, ("libmujoco.so*",)):
        libraries = sorted(folder.glob(pattern))
        if libraries:
            return str(libraries[0])
    raise RuntimeError(f"the engine's library is not in {folder}; install it again: pip install --force-reinstall mujoco-core")


def _option(live: Any, name: str, kind: Any, trials: tuple[Any, Any]) -> int:
    """Offset in bytes of a field of `mjModel.opt`, checked against a live model."""
    layout = _structure("mjModel", structs.STRUCTS["mjModel"].fields)
    option = next(kind for name, kind in layout._fields_ if name == "opt")
    offset = int(layout.opt.offset + getattr(option, name).offset)
    before = getattr(live.opt, name)
    for value in trials:
        setattr(live.opt, name, value)
        if kind.from_address(live._address + offset).value != value:
            raise RuntimeError(f"mjModel.opt.{name} is not where the engine's headers say; this engine cannot be used")
    setattr(live.opt, name, before)
    return offset


def _gravity(live: Any) -> int:
    """Offset in bytes of the vector `mjModel.opt.gravity`, checked against a live model."""
    layout = _structure("mjModel", structs.STRUCTS["mjModel"].fields)
    option = next(kind for name, kind in layout._fields_ if name == "opt")
    offset = int(layout.opt.offset + option.gravity.offset)
    if live._address + offset != live.opt.gravity.ctypes.data:
        raise RuntimeError("mjModel.opt.gravity is not where the engine's headers say; this engine cannot be used")
    return offset


def struct_offsets(name: str) -> dict[str, int]:
    """Offsets in bytes of the fields of one of the engine's structures."""
    layout = _structure(name, structs.STRUCTS[name].fields)
    return {field.name: int(getattr(layout, field.name).offset) for field in structs.STRUCTS[name].fields}


_PROBE = """<mujoco><worldbody><body><freejoint/><geom size="1"/><body><joint name="j"/><geom size="1"/>
</body></body></worldbody><actuator><motor joint="j"/><general joint="j" dyntype="integrator"/></actuator>
<sensor><jointpos joint="j"/></sensor><custom><numeric name="n" data="1 2"/></custom></mujoco>"""

_model = mujoco.MjModel.from_xml_string(_PROBE)
_data = mujoco.MjData(_model)
_data.time = 3.25
MODEL = _offsets("mjModel", _MODEL_FIELDS, _model)
DATA = _offsets("mjData", _DATA_FIELDS, _data)
DISABLE_FLAGS = _option(_model, "disableflags", ctypes.c_int, (0x155, 0x2AA))
INTEGRATOR = _option(_model, "integrator", ctypes.c_int, (1, 3))
TIMESTEP = _option(_model, "timestep", ctypes.c_double, (0.25, 0.5))
DENSITY = _option(_model, "density", ctypes.c_double, (0.25, 0.5))
GRAVITY = _gravity(_model)
VISCOSITY = _option(_model, "viscosity", ctypes.c_double, (0.25, 0.5))
del _model, _data
