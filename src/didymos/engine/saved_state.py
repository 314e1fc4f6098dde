"""The state of a run as it is saved, and whether one that somebody brings is a state of this run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError

__all__ = ["State", "checked_vector"]


@dataclass(frozen=True)
class State:
    """Everything that a run needs to continue to the bit: the engine's state, the tick, the program's own memory.

    `made_by` names the model and the program that it belongs to; another one refuses it.
    """

    vector: NDArray[np.float64]
    tick: int
    program: dict[str, Any]
    made_by: str = ""


def _after_the_name(made_by: str) -> str:
    """What has to agree: a twin may be called otherwise in another folder."""
    return made_by.partition(": ")[2]


def checked_vector(state: Any, own: str, size: int) -> NDArray[np.float64]:
    """The engine's state in a saved one, of `size` numbers, for a run that is `own`; an `InputError` where it is none of it."""
    if not isinstance(state, State):
        raise InputError(f"found {type(state).__name__}, expected a state that was saved by a simulation")
    if not isinstance(state.made_by, str) or _after_the_name(state.made_by) != _after_the_name(own):
        raise InputError(f"this state was saved by {state.made_by or 'another version'}, and this run is {own}")
    vector = np.asarray(state.vector)
    if vector.dtype != np.float64 or vector.shape != (size,) or not isinstance(state.program, dict):
        found = f"{vector.dtype} numbers of shape {list(vector.shape)}"
        raise InputError(f"this state is damaged: found {found}, expected float64 of shape [{size}] and a program's memory")
    return np.ascontiguousarray(vector)
