"""Models and data with our plugin travel between processes.

The engine writes a plugin into a pickled model as the number of its slot, and looks for it there in the other process, whether or
not anything is registered in that slot; a data is unpickled by making one for the raw model inside it. So our models and data
are pickled through functions of this module: to read such a pickle is to import it, which registers the plugin, and the slot
becomes the one that the plugin has there. Models and data without our plugin are pickled as ever.
"""

from __future__ import annotations

import copyreg
from typing import Any

import mujoco
import numpy as np

__all__ = ["make_picklable"]

_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


def _is_ours(model: mujoco.MjModel) -> bool:
    from didymos.engine.plugin import PLUGIN

    return PLUGIN in _instances(model)


def _instances(model: mujoco.MjModel) -> list[str]:
    """Names of a model's plugin instances."""
    names = model.names
    return [names[address : names.index(b"\0", address)].decode() for address in model.name_pluginadr]


def _reduce_model(model: mujoco.MjModel) -> Any:
    default = model.__reduce_ex__(4)
    if not (model.nplugin and _is_ours(model)):
        return default
    return _load_model, (default,)


def _load_model(default: tuple[Any, ...]) -> mujoco.MjModel:
    from didymos.engine.plugin import PLUGIN, install

    slot = install()
    model = _rebuilt(default)
    for i, name in enumerate(_instances(model)):
        if name == PLUGIN:
            model.plugin[i] = slot
    return model


def _rebuilt(default: tuple[Any, ...]) -> Any:
    """The object that a `__reduce_ex__` describes."""
    make, arguments, state, *_ = (*default, None)
    made = make(*arguments)
    if state is not None:
        made.__setstate__(state)
    return made


def _reduce_data(data: mujoco.MjData) -> Any:
    model = data.model
    if not (model.nplugin and _is_ours(model)):
        return data.__reduce_ex__(4)
    vector = np.empty(mujoco.mj_stateSize(model, _STATE))
    mujoco.mj_getState(model, data, vector, _STATE)
    return _load_data, (model, vector)


def _load_data(model: mujoco.MjModel, vector: np.ndarray) -> mujoco.MjData:
    data = mujoco.MjData(model)
    mujoco.mj_setState(model, data, vector, _STATE)
    mujoco.mj_forward(model, data)
    return data


def make_picklable() -> None:
    """Let pickles of our models and data name this module."""
    copyreg.pickle(mujoco.MjModel, _reduce_model)
    copyreg.pickle(mujoco.MjData, _reduce_data)
