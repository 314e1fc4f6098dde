"""Named numbers with attribute access: `measured.imu.gyro.x`, `setpoints.z`, over one flat array that is never copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import nearest

__all__ = ["Values"]

_Tree = dict[str, Any]  # indices, groups, and things


class Values:
    """A view on an array whose entries, here by index, have dotted names; a group unpacks and converts to an array.

    `things` are further entries that are no numbers, such as what a camera sees; they are given out as they are.
    """

    __slots__ = ("_array", "_place", "_tree")

    def __init__(
        self, places: Mapping[str, int], array: NDArray[np.float64], things: Mapping[str, object] | None = None
    ) -> None:
        tree: _Tree = dict(things or {})
        for name, index in places.items():
            node = tree
            *groups, leaf = name.split(".")
            for group in groups:
                child = node.setdefault(group, {})
                if not isinstance(child, dict):
                    raise ValueError(f"{name!r} runs through the value {group!r}")
                node = child
            node[leaf] = index
        self._fill(tree, array, "")

    def _fill(self, tree: _Tree, array: NDArray[np.float64], place: str) -> None:
        object.__setattr__(self, "_tree", tree)
        object.__setattr__(self, "_array", array)
        object.__setattr__(self, "_place", place)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{self._place + name} is measured, not set")

    def __getitem__(self, name: str) -> Any:
        found: Any = self._tree
        for step in name.split("."):
            if type(found) is not dict or step not in found:
                raise AttributeError(self._missing(name))
            found = found[step]
        if isinstance(found, int):
            return float(self._array[found])
        if not isinstance(found, dict):
            return found
        child = Values.__new__(Values)
        child._fill(found, self._array, f"{self._place}{name}.")
        return child

    def _missing(self, name: str) -> str:
        """Where on its way a name leads nowhere."""
        found: Any = self._tree
        place = self._place
        for step in name.split("."):
            if not isinstance(found, dict):
                return f"{place[:-1]!r} is a number, there is no {name.removeprefix(place.removeprefix(self._place))!r} in it"
            if step not in found:
                break
            found, place = found[step], f"{place}{step}."
        return f"there is no {place + step!r}{nearest(step, found)} (known here: {', '.join(found) or 'nothing'})"

    def reader(self, names: Sequence[str]) -> Callable[[], NDArray[np.float64]]:
        """A function that reads many numbers at once, in the order of their names, shape [n]."""
        indices = np.array([self._index(name) for name in names], dtype=np.intp)
        return lambda: self._array[indices]

    def _index(self, name: str) -> int:
        node: Any = self._tree
        for step in name.split("."):
            node = node[step]
        return int(node)

    def __iter__(self) -> Iterator[Any]:
        return (self[name] for name in self._tree)

    def __len__(self) -> int:
        return len(self._tree)

    def __contains__(self, name: str) -> bool:
        return name in self._tree

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(list(self), dtype=dtype or np.float64)

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name}={self._array[found]:.6g}" if isinstance(found, int) else f"{name}=..." for name, found in self._tree.items()
        )
        return f"Values({inside})"
