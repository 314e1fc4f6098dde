"""Blocks: arrays of numbers in one packed text, as an exported page holds them (`scripts/blocks.js` reads them).

Neighbouring numbers of a signal are alike, so what is packed are differences, byte by byte of the same weight:

    float32 or integer      ->  its bits as integers  ->  each less the one before  ->  all lowest bytes, all second ones, ...

and the whole by deflate. Nothing is lost by it. A minute of a quadcopter, 2.9 MB of float32, becomes 0.9 MB.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Blocks", "packed_size"]

_KINDS = {"f4": np.uint32, "u4": np.uint32, "u2": np.uint16, "f8": np.uint64}  # and what their bits are as integers
_LEVEL = 6
_EVEN = 1e-9  # [s]: times that are as even as this are told by the first, their step and their number


class Blocks:
    """Arrays that go into a page, each known by where it stands."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._end = 0

    def add(self, values: NDArray[Any], kind: str) -> dict[str, Any]:
        """Put an array in, as `f4`, `f8`, `u2` or `u4`; what the page has to know to find it."""
        content = shuffled(values, kind)
        self._parts.append(content)
        self._end += len(content)
        return {"at": self._end - len(content), "count": int(np.size(values)), "kind": kind}

    def add_times(self, times: NDArray[np.float64]) -> dict[str, Any]:
        """Put times [s] in, which cost nothing where they are even."""
        count = len(times)
        if count > 1:
            step = float(times[-1] - times[0]) / (count - 1)
            if np.abs(times - (times[0] + step * np.arange(count))).max() < _EVEN:
                return {"first": float(times[0]), "step": step, "count": count}
        return self.add(times, "f8")

    @property
    def text(self) -> str:
        """All of them, packed, in base64."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), _LEVEL)).decode("ascii")


def shuffled(values: NDArray[Any], kind: str) -> bytes:
    """The bytes of an array, differences of neighbours ordered by weight: little end first on every machine."""
    flat = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).ravel()
    bits = flat.view(np.dtype(_KINDS[kind]).newbyteorder("<"))
    differences = np.diff(bits, prepend=bits.dtype.type(0))  # modulo the word
    return differences.view(np.uint8).reshape(-1, bits.dtype.itemsize).T.tobytes()


def packed_size(values: NDArray[Any], kind: str = "f4") -> int:
    """How many bytes an array takes in the text of a page, nearly: alone it cannot profit from what others have."""
    return 4 * len(zlib.compress(shuffled(values, kind), _LEVEL)) // 3
