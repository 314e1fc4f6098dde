"""Heights out of a file: a picture (PNG, grey: black is 0, white is 1) or a table of numbers (.npy, .csv) in metres.

Rows lie as on a map: the first one at the largest y, the first column at the smallest x. What a file says about its own size is
checked before anything of that size is read.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["Heights", "HeightsError", "read_heights"]

_MOST_HEIGHTS = 2**24
_LARGEST_TABLE = 256 * 2**20  # [bytes]
_FORMATS = (".png", ".npy", ".csv")


class HeightsError(Exception):
    """Why a file holds no heights, as the end of a sentence that begins with its name."""


@dataclass(frozen=True, eq=False)
class Heights:
    """Heights, shape [rows, columns], the first row at the largest y: in metres, or from 0 to 1 where the file is a picture."""

    values: NDArray[np.float64]
    is_picture: bool

    def between(self, heights: tuple[float, float] | None) -> NDArray[np.float64]:
        """Heights [m]: of a picture from the first (black) to the second number (white); of a table as they are, or stretched."""
        if heights is None:
            return self.values
        low, high = heights
        if self.is_picture:
            return low + (high - low) * self.values
        least, most = float(self.values.min()), float(self.values.max())
        return low + (high - low) * (self.values - least) / (most - least if most > least else 1.0)


def read_heights(file: Path) -> Heights:
    """The heights in a file; a `HeightsError` where it has none."""
    kind = file.suffix.lower()
    if kind not in _FORMATS:
        raise HeightsError(f"is of an unknown kind, expected one of {', '.join(_FORMATS)}")
    if not file.is_file():
        raise HeightsError("is not there")
    try:
        values = {".png": _read_png, ".npy": _read_npy, ".csv": _read_csv}[kind](file)
    except HeightsError:
        raise
    except Exception as error:  # readers raise whatever their parsers do
        raise HeightsError(f"cannot be read: {' '.join(str(error).split())[:200] or type(error).__name__}") from error
    if values.ndim != 2 or min(values.shape) < 2:
        shape = " x ".join(map(str, values.shape))
        raise HeightsError(f"holds {shape or 'one'} numbers, expected a table of at least 2 x 2")
    if not np.all(np.isfinite(values)):
        raise HeightsError("holds a height that is not a finite number")
    return Heights(values, kind == ".png")


def _read_png(file: Path) -> NDArray[np.float64]:
    from PIL import Image

    with file.open("rb") as stream:
        head = stream.read(24)
    if not head.startswith(b"\x89PNG"):
        raise HeightsError("is no PNG picture")
    width, height = (int.from_bytes(head[at : at + 4], "big") for at in (16, 20))
    _check_count(width, height)
    with Image.open(file, formats=["PNG"]) as picture:
        deep = picture.mode.startswith("I")  # 16 bits of grey
        values = np.asarray(picture if deep else picture.convert("L"), dtype=np.float64)
    return values / (65535.0 if deep else 255.0)


def _read_npy(file: Path) -> NDArray[np.float64]:
    mapped = np.load(file, mmap_mode="r", allow_pickle=False)  # fails where the file is smaller than it says
    if mapped.dtype.kind not in "fiu":
        raise HeightsError(f"holds {mapped.dtype}, expected numbers")
    _check_count(*mapped.shape)
    return np.array(mapped, dtype=np.float64)


def _read_csv(file: Path) -> NDArray[np.float64]:
    if file.stat().st_size > _LARGEST_TABLE:
        raise HeightsError(f"is larger than {_LARGEST_TABLE} bytes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an empty file is said to be so below
        values = np.loadtxt(file, delimiter=",", ndmin=2, dtype=np.float64)
    _check_count(*values.shape)
    return np.asarray(values)


def _check_count(*shape: int) -> None:
    if len(shape) == 2 and shape[0] * shape[1] > _MOST_HEIGHTS:
        raise HeightsError(f"holds {shape[0]} x {shape[1]} heights, expected at most {_MOST_HEIGHTS}")
