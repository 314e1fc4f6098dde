"""The parameters of a run as Foxglove's: those that can change while it goes on, by their paths, in both directions.

Whoever changes one, a viewer, a scenario, a program, all viewers that have subscribed to it hear of it: the run looks at a few
of the subscribed ones between two slices of ticks.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import foxglove

from didymos.errors import DidymosError, InputError, nearest
from didymos.ports.foxglove.live import LiveRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from didymos.describe.parameter import Parameter

__all__ = ["Parameters"]

_AT_ONCE = 32  # subscribed parameters that are looked at in one go: 0.1 ms
_APART = 0.02  # [s] between two looks


class Parameters:
    """What viewers may read and set. All but `changed` is called on threads of the wire."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live
        known: Mapping[str, Parameter] = live.simulation.twin.parameters
        self._paths, self._live_paths = frozenset(known), tuple(path for path, item in known.items() if item.live)
        self._subscribed: frozenset[str] = frozenset()
        self._values: dict[str, float] = {}  # as viewers know them
        self._turn, self._next_look = 0, 0.0

    def get(self, names: Sequence[str]) -> list[foxglove.Parameter]:
        """Those of these names that there are; all that can change where none is named."""
        wanted = [name for name in names if name in self._paths] if names else self._live_paths
        return list(self._live.inbox.ask(lambda: self._now(wanted)))

    def set(self, parameters: Sequence[foxglove.Parameter]) -> tuple[list[foxglove.Parameter], dict[str, str | None]]:
        """Set them before the next tick, each for itself; how all of them stand then, and why a name was refused, if it was."""
        names = {parameter.name: parameter.get_value() for parameter in parameters}

        def do() -> tuple[list[foxglove.Parameter], dict[str, str | None]]:
            why = {name: self._set(name, value) for name, value in names.items()}
            return self._now(name for name in names if name in self._paths), why

        found: tuple[list[foxglove.Parameter], dict[str, str | None]] = self._live.inbox.ask(do)
        return found

    def subscribe(self, names: Sequence[str], on: bool) -> None:
        """Viewers hear of changes of these from now on, or no more."""
        known = self._paths & set(names)
        self._subscribed = self._subscribed | known if on else self._subscribed - set(names)

    def changed(self) -> list[foxglove.Parameter]:
        """Subscribed ones that are not as viewers know them; some in each call, all within some."""
        now = time.monotonic()
        if now < self._next_look or not self._subscribed:
            return []
        self._next_look = now + _APART
        paths = sorted(self._subscribed)
        self._turn = self._turn % len(paths)
        looked = paths[self._turn : self._turn + _AT_ONCE]
        self._turn += _AT_ONCE
        values = {path: self._value(path) for path in looked}
        return [_parameter(path, value) for path, value in values.items() if value is not None and self._is_new(path, value)]

    def _set(self, path: str, value: Any) -> str | None:
        """Set one; why it was refused, if it was."""
        try:
            if path not in self._paths:
                raise InputError(f"there is no such parameter{nearest(path[:200], self._paths)}", path=path[:200])
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"found {str(value)[:40]!r}, expected a number", path=path)
            self._live.intervene("set", path, (value,))
        except DidymosError as error:
            return str(error)
        except OverflowError:
            return f"{path}: found a number that is too large"
        return None

    def _now(self, paths: Iterable[str]) -> list[foxglove.Parameter]:
        values = {path: self._value(path) for path in paths}
        found = {path: value for path, value in values.items() if value is not None}
        self._values |= found
        return [_parameter(path, value) for path, value in found.items()]

    def _value(self, path: str) -> float | None:
        """As the run uses it now; None where JSON has no word for it."""
        value = float(self._live.simulation.get(path))
        return value if math.isfinite(value) else None

    def _is_new(self, path: str, value: float) -> bool:
        before, self._values[path] = self._values.get(path), value
        return before is not None and before != value


def _parameter(path: str, value: float) -> foxglove.Parameter:
    return foxglove.Parameter(path, value=value)
