"""What a Python control program remembers, so that its run can be saved, restored and reset.

Gains are parameters, not memory. A compiled program remembers in the engine's own state: nothing is kept for it here.
"""

from __future__ import annotations

import copy
from typing import Any

from didymos.control import Controller
from didymos.errors import InputError

__all__ = ["ProgramMemory"]

_BESIDE = " beside"  # no attribute has this name


class ProgramMemory:
    """The memory of one program; `compiled` where there is none, or one that remembers in the engine's state."""

    def __init__(self, program: Controller | None, *, compiled: bool) -> None:
        self._program = None if compiled else program
        self._fresh = self._copy()

    def save(self) -> dict[str, Any]:
        """A copy of all that the program remembers now."""
        return self._given(self._copy())

    def restore(self, memory: dict[str, Any]) -> None:
        """Let the program remember what was saved."""
        if self._program is not None:
            own = vars(self._program)
            kept = {key: own[key] for key in ("gains", *self._program.held_beside) if key in own}
            own.clear()
            own.update(copy.deepcopy({key: value for key, value in memory.items() if key != _BESIDE}), **kept)
            self._program.recall(memory.get(_BESIDE))

    def reset(self) -> None:
        """Let the program forget all that has happened since it started."""
        self.restore(self._given(self._fresh))

    def _copy(self) -> dict[str, Any] | None:
        """None where it cannot be copied."""
        if self._program is None:
            return {}
        left_out = {"gains", *self._program.held_beside}
        try:
            beside = self._program.remember()
            memory = copy.deepcopy({key: value for key, value in vars(self._program).items() if key not in left_out})
            return memory if beside is None else {**memory, _BESIDE: beside}
        except InputError:
            raise  # it says itself why
        except Exception:  # the user's own objects: a socket, a thread
            return None

    def _given(self, memory: dict[str, Any] | None) -> dict[str, Any]:
        if memory is None:
            raise InputError(
                f"the control program {type(self._program).__name__} holds something that cannot be copied,"
                " so its run can be neither saved nor reset"
            )
        return memory
