"""The engine plugin through which a twin's parts act: registered by us, its functions compiled.

A twin's model has one instance of `didymos.parts`, on an actuator without gain. The engine calls it in every evaluation of
accelerations (each stage of RK4, and `mj_forwardSkip` after the velocity stage), on any thread; it finds all that it needs in the
model (part_table.py) and in its own state in the data. Nothing of the process is replaced: callbacks and plugins of others go
on working beside ours. A model that came from elsewhere is checked when a data is made for it: its laws are looked up by
identity, kinds that are not loaded yet are loaded, and where that fails the data is refused.
"""

from __future__ import annotations

import ctypes
import importlib
import threading
import warnings
from functools import cache
from typing import Any

import mujoco
from numba import types

from didymos.compiled import c_function
from didymos.engine.engine_warnings import keep_quiet
from didymos.engine.forces import act_all, state_address, table_address
from didymos.engine.law_table import index_of, register
from didymos.engine.layout import MODEL, library_path
from didymos.engine.pickling import make_picklable
from didymos.native import doubles, integers, word

__all__ = ["PLUGIN", "attach", "install"]

PLUGIN = "didymos.parts"
_ATTRIBUTES = ("words", "laws")
_STATENUM = MODEL["plugin_statenum"]
_INSTALLING = threading.RLock()


@c_function(types.void(types.int64, types.int64, types.int32))
def _act_dot(model, data, instance):  # type: ignore[no-untyped-def]
    table = table_address(model)
    if table != 0:
        act_all(model, data, table, state_address(model, data, instance))


@c_function(types.void(types.int64, types.int64, types.int32, types.int32))
def _compute(model, data, instance, capability):  # type: ignore[no-untyped-def]
    """All was done when the rates of states were asked for."""


@c_function(types.void(types.int64, types.int64, types.int64, types.int32))
def _reset(model, state, own, instance):  # type: ignore[no-untyped-def]
    values = doubles(state)
    for i in range(integers(word(model + _STATENUM))[instance]):
        values[i] = 0.0


_Count = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_Init = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)


class _Plugin(ctypes.Structure):
    """The engine's `mjpPlugin` (mjplugin.h)."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("nattribute", ctypes.c_int),
        ("attributes", ctypes.POINTER(ctypes.c_char_p)),
        ("capabilityflags", ctypes.c_int),
        ("needstage", ctypes.c_int),
        *((name, ctypes.c_void_p) for name in (
            "nstate", "nsensordata", "init", "destroy", "copy", "reset", "compute", "advance", "visualize", "actuator_act_dot",
            "sdf_distance", "sdf_gradient", "sdf_staticdistance", "sdf_attribute", "sdf_aabb",
        )),
    ]  # fmt: skip


@cache
def _library() -> Any:
    library = ctypes.CDLL(library_path())
    library.mj_getPluginConfig.restype = ctypes.c_char_p
    library.mj_getPluginConfig.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p]
    return library


def _attribute(model: int, instance: int, name: str) -> str:
    return (_library().mj_getPluginConfig(model, instance, name.encode()) or b"").decode()


@_Count
def _nstate(model: int, instance: int) -> int:
    return int(_attribute(model, instance, "words") or 0)


@_Init
def _init(model: int, data: int, instance: int) -> int:
    """Whether this process can run the laws that a model names; loads those of packages that are not loaded yet."""
    try:
        for entry in _attribute(model, instance, "laws").split():
            own, _, reference = entry.partition("=")
            if index_of(int(own, 16)) is None:
                _load(reference, int(own, 16))
    except Exception as error:  # nothing may be raised into the engine
        warnings.warn(f"this model cannot be used here: {error}", RuntimeWarning, stacklevel=2)
        return -1
    return 0


def _load(reference: str, own: int) -> None:
    """Load the kind of a law by its module and name, if it is the same law."""
    module, _, name = reference.rpartition(":")
    if not module.startswith("didymos."):
        raise RuntimeError(f"it was made with {reference}, which this process has not loaded; load its twin first")
    kind: Any = importlib.import_module(module)
    for step in name.split("."):
        kind = getattr(kind, step)
    function = getattr(kind, "law", None) or kind.measure
    found, _ = register(kind, function, getattr(kind, "tick", None))
    if found != own:
        raise RuntimeError(f"it was made by another version of Didymos, whose {name} is another one; make it again from its twin")


def install() -> int:
    """Register the plugin with the engine, which one thread does; its slot."""
    with _INSTALLING:
        return _installed()


@cache
def _installed() -> int:
    keep_quiet()
    make_picklable()
    names = (ctypes.c_char_p * len(_ATTRIBUTES))(*(name.encode() for name in _ATTRIBUTES))
    own = _Plugin(
        name=PLUGIN.encode(),
        nattribute=len(_ATTRIBUTES),
        attributes=names,
        capabilityflags=int(mujoco.mjtPluginCapabilityBit.mjPLUGIN_ACTUATOR),
        needstage=0,
        nstate=ctypes.cast(_nstate, ctypes.c_void_p),
        init=ctypes.cast(_init, ctypes.c_void_p),
        reset=_reset.address,
        compute=_compute.address,
        actuator_act_dot=_act_dot.address,
    )
    _library().mjp_registerPlugin.argtypes = [ctypes.POINTER(_Plugin)]
    return int(_library().mjp_registerPlugin(ctypes.byref(own)))


def attach(spec: mujoco.MjSpec, *, words: int, states: int, laws: dict[int, str], joint: str | None, site: str) -> None:
    """Give a model the plugin: `words` numbers of state, so many continuous states, laws as identity -> MODULE:NAME.

    An actuator has to act on something, though ours has no gain: on a joint, or, of a robot without one, on a site. It says
    everything itself: what it left open would come from the description's own defaults for actuators.
    """
    install()
    spec.activate_plugin(PLUGIN)
    instance = spec.add_plugin(name=PLUGIN, plugin_name=PLUGIN, active=True)
    instance.config = {"words": str(words), "laws": " ".join(f"{own:x}={kind}" for own, kind in laws.items())}
    actuator = spec.add_actuator(
        name=PLUGIN,
        trntype=mujoco.mjtTrn.mjTRN_SITE if joint is None else mujoco.mjtTrn.mjTRN_JOINT,
        target=site if joint is None else joint,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        biastype=mujoco.mjtBias.mjBIAS_NONE,
        dyntype=mujoco.mjtDyn.mjDYN_NONE,
        gainprm=[0.0] * 10,
        biasprm=[0.0] * 10,
        dynprm=[0.0] * 10,
        gear=[0.0] * 6,
        ctrllimited=False,
        ctrlrange=[0.0, 0.0],
        forcelimited=False,
        forcerange=[0.0, 0.0],
        actlimited=False,
        actrange=[0.0, 0.0],
        actearly=False,
    )
    if states:
        actuator.actdim = states
    actuator.plugin = instance
    actuator.plugin.name, actuator.plugin.active = PLUGIN, True
