"""Lens distortion of a camera, after Brown and Conrady, as ROS and OpenCV say it (`plumb_bob`: k1, k2, p1, p2, k3).

A point (X, Y, Z) of the optical frame (x right, y down, z forward) goes through the pin-hole, x = X / Z, y = Y / Z, then a lens,

    r^2 = x^2 + y^2,    c = 1 + k1 r^2 + k2 r^4 + k3 r^6
    x_d = c x + 2 p1 x y + p2 (r^2 + 2 x^2)
    y_d = c y + p1 (r^2 + 2 y^2) + 2 p2 x y

and falls on column f x_d + (w - 1) / 2, row f y_d + (h - 1) / 2, counted from 0 in the middle of the first pixel. A picture with
a lens is drawn through a wider or narrower pin-hole of the same focal length and then bent: for every pixel the equations are
solved for (x, y) by Newton's method. Colours are interpolated between the four nearest pixels, depth is that of the nearest one.

It holds where the lens maps one to one: a lens that folds its picture over itself is refused. So is one that needs a pin-hole of
more than 150 degrees, for which a fisheye model would be right. It cannot blur, and knows no vignetting and no rolling shutter.
References: D. C. Brown, Decentering distortion of lenses, 1966; OpenCV, calib3d; REP 104 and sensor_msgs/CameraInfo.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Lens"]

_Array = NDArray[np.float64]
_WIDEST = math.tan(math.radians(75.0))  # half of what a pin-hole may be asked to see
_STEPS = 50
_CONVERGED = 1e-10


@dataclass(frozen=True)
class Lens:
    """A lens before a sensor of a size [pixel] at a focal length [pixel]; `coefficients` k1, k2, p1, p2, k3.

    Raises:
        ValueError: it folds the picture, or sees too far to the side.
    """

    width: int
    height: int
    focal: float
    coefficients: tuple[float, float, float, float, float]

    def distort(self, x: _Array, y: _Array) -> tuple[_Array, _Array]:
        """Where points x, y of the plane at distance 1 appear in it, behind the lens."""
        k1, k2, p1, p2, k3 = self.coefficients
        square = x * x + y * y
        c = 1.0 + square * (k1 + square * (k2 + square * k3))
        return c * x + 2.0 * p1 * x * y + p2 * (square + 2.0 * x * x), c * y + p1 * (square + 2.0 * y * y) + 2.0 * p2 * x * y

    def _slopes(self, x: _Array, y: _Array) -> tuple[_Array, _Array, _Array, _Array]:
        """Derivatives of x_d by x and y, then of y_d."""
        k1, k2, p1, p2, k3 = self.coefficients
        square = x * x + y * y
        c = 1.0 + square * (k1 + square * (k2 + square * k3))
        slope = 2.0 * (k1 + square * (2.0 * k2 + 3.0 * square * k3))
        across = slope * x * y + 2.0 * p1 * x + 2.0 * p2 * y
        return (
            c + slope * x * x + 2.0 * p1 * y + 6.0 * p2 * x, across,
            across, c + slope * y * y + 6.0 * p1 * y + 2.0 * p2 * x,
        )  # fmt: skip

    @cached_property
    def points(self) -> tuple[_Array, _Array]:
        """Of every pixel the point x, y of the plane at distance 1 that falls on its middle; shape [height, width] each."""
        columns = (np.arange(self.width) - 0.5 * (self.width - 1)) / self.focal
        rows = (np.arange(self.height) - 0.5 * (self.height - 1)) / self.focal
        goal_x, goal_y = np.meshgrid(columns, rows)
        x, y = goal_x.copy(), goal_y.copy()
        for _ in range(_STEPS):
            seen_x, seen_y = self.distort(x, y)
            error_x, error_y = seen_x - goal_x, seen_y - goal_y
            if max(np.abs(error_x).max(), np.abs(error_y).max()) < _CONVERGED:
                break
            a, b, c, d = self._slopes(x, y)
            determinant = a * d - b * c
            if not (determinant > 0.0).all():
                raise ValueError("this lens folds its picture over itself: its distortion is too strong for this field of view")
            x, y = x - (d * error_x - b * error_y) / determinant, y - (a * error_y - c * error_x) / determinant
        else:
            raise ValueError("this lens folds its picture over itself: its distortion is too strong for this field of view")
        if max(np.abs(x).max(), np.abs(y).max()) > _WIDEST:
            raise ValueError("this lens sees more than 150 degrees, which no pin-hole draws")
        return x, y

    @cached_property
    def source_size(self) -> tuple[int, int]:
        """Width and height [pixel] of the pin-hole picture, of the same focal length, that holds all that the lens sees."""
        width, height = (2 * math.ceil(self.focal * float(np.abs(part).max()) + 1.0) for part in self.points)
        return width, height

    @cached_property
    def _places(self) -> tuple[_Array, _Array]:
        """Column and row of every pixel in the pin-hole picture."""
        width, height = self.source_size
        x, y = self.points
        return self.focal * x + 0.5 * (width - 1), self.focal * y + 0.5 * (height - 1)

    def bend_colour(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """A pin-hole picture, [source height, source width, 3], as the lens shows it, [height, width, 3]."""
        columns, rows = self._places
        left, top = np.floor(columns).astype(np.int64), np.floor(rows).astype(np.int64)
        right, down = (columns - left)[..., None].astype(np.float32), (rows - top)[..., None].astype(np.float32)
        upper = (1.0 - right) * picture[top, left] + right * picture[top, left + 1]
        lower = (1.0 - right) * picture[top + 1, left] + right * picture[top + 1, left + 1]
        return np.rint((1.0 - down) * upper + down * lower).astype(np.uint8)

    def bend_depth(self, depth: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same of distances [m]: the nearest, since one between two things is neither's."""
        columns, rows = self._places
        return depth[np.rint(rows).astype(np.int64), np.rint(columns).astype(np.int64)]
