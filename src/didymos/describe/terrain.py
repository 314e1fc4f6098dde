"""Terrain for legs, made by rule and by a random stream of its own: the same seed and name give the same bytes.

With L the `length`, H the `height`, S the `size` and U a uniform random number of the stream `terrain.NAME` of the seed:

    steps    square blocks of side ~L (S / round(S / L)), each of height U H
    stairs   boxes along x: the k-th from either end is k H high, until the level top of length 2 `level`
    slopes   a profile along x, linear over pieces of ~L, each with the slope tan((2 U - 1) `slope`); its size, 0 at the middle
    rough    heights U H at the nodes of a grid of ~L, linear in between

Blocks and stairs are boxes, with edges as sharp as boxes have; slopes and bumps are height fields whose nodes are the corners of
the profile, so nothing is cut off. Within `level` of the middle (the larger of |x| and |y|) blocks, ramps and bumps have height
0: a place to start from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from didymos.describe.object_spec import TerrainSpec
from didymos.noise import stream_key, uniform

__all__ = ["Block", "MadeTerrain", "make_terrain", "wrong_terrain"]

_MOST_BLOCKS = 2000
_MOST_NODES = 2**20


@dataclass(frozen=True)
class Block:
    """A box that stands on the terrain's z = 0: the middle of its base and its lengths [m]."""

    x: float
    y: float
    lengths: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class MadeTerrain:
    """Either blocks, or heights [m], shape [rows, columns], the first row at the largest y."""

    blocks: tuple[Block, ...] = ()
    heights: NDArray[np.float64] | None = None


def wrong_terrain(terrain: TerrainSpec, x: float, y: float) -> tuple[str, str] | None:
    """The key of a number that does not fit a terrain of lengths x and y [m], and why; None where all do."""
    columns, rows = _cells(x, terrain.length), _cells(y, terrain.length)
    if terrain.seed != round(terrain.seed):
        return "seed", f"found {terrain.seed:g}, expected a whole number"
    if terrain.kind == "stairs" and _flight(terrain, x) < 1:
        return "length", f"found {terrain.length:g} m, expected at most {0.5 * x - terrain.level:g} m: no stair fits"
    if terrain.kind == "steps" and columns * rows > _MOST_BLOCKS:
        return "length", f"found {terrain.length:g} m, which makes {columns * rows} blocks, expected at most {_MOST_BLOCKS}"
    if terrain.kind == "rough" and (columns + 1) * (rows + 1) > _MOST_NODES:
        return "length", f"found {terrain.length:g} m, which makes {columns * rows} bumps, expected at most {_MOST_NODES}"
    return None


@lru_cache(maxsize=64)
def make_terrain(terrain: TerrainSpec, name: str, x: float, y: float) -> MadeTerrain:
    """Terrain of lengths x and y [m] for an object of a name."""
    made = {"steps": _steps, "stairs": _stairs, "slopes": _slopes, "rough": _rough}[terrain.kind]
    return made(terrain, _Stream(terrain, name), x, y)


class _Stream:
    """Uniform random numbers of a terrain's own stream, by number."""

    def __init__(self, terrain: TerrainSpec, name: str) -> None:
        self._key = stream_key(int(terrain.seed), f"terrain.{name}")

    def take(self, *shape: int) -> NDArray[np.float64]:
        count = math.prod(shape)
        return np.array([uniform(*self._key, i) for i in range(count)]).reshape(shape)


def _cells(length: float, cell: float) -> int:
    return max(1, round(length / cell))


def _middles(length: float, count: int) -> NDArray[np.float64]:
    return np.asarray((np.arange(count) + 0.5) * (length / count) - 0.5 * length, dtype=np.float64)


def _steps(terrain: TerrainSpec, stream: _Stream, x: float, y: float) -> MadeTerrain:
    columns, rows = _cells(x, terrain.length), _cells(y, terrain.length)
    heights = terrain.height * stream.take(rows, columns)
    xs, ys = _middles(x, columns), _middles(y, rows)
    apart = np.maximum(np.abs(xs)[None, :] - 0.5 * x / columns, np.abs(ys)[:, None] - 0.5 * y / rows)
    if terrain.level > 0.0:
        heights[apart < terrain.level - 1e-9] = 0.0
    side = x / columns, y / rows
    blocks = [
        Block(float(xs[j]), float(ys[i]), (*side, float(heights[i, j])))
        for i in range(rows) for j in range(columns) if heights[i, j] > 0.0
    ]  # fmt: skip
    return MadeTerrain(tuple(blocks))


def _flight(terrain: TerrainSpec, x: float) -> int:
    """How many stairs lead up."""
    return math.floor((0.5 * x - terrain.level) / terrain.length + 1e-9)


def _stairs(terrain: TerrainSpec, _stream: _Stream, x: float, y: float) -> MadeTerrain:
    count = _flight(terrain, x)
    blocks = []
    for k in range(count - 1):
        middle = 0.5 * x - (k + 0.5) * terrain.length
        lengths = (terrain.length, y, (k + 1) * terrain.height)
        blocks += [Block(-middle, 0.0, lengths), Block(middle, 0.0, lengths)]
    top = x - 2.0 * (count - 1) * terrain.length
    blocks.append(Block(0.0, 0.0, (top, y, count * terrain.height)))
    return MadeTerrain(tuple(sorted(blocks, key=lambda block: block.x)) if terrain.height > 0.0 else ())


def _slopes(terrain: TerrainSpec, stream: _Stream, x: float, y: float) -> MadeTerrain:
    count = _cells(x, terrain.length)
    slopes = np.tan((2.0 * stream.take(count) - 1.0) * terrain.slope)
    if terrain.level > 0.0:
        slopes[np.abs(_middles(x, count)) - 0.5 * x / count < terrain.level - 1e-9] = 0.0
    nodes = np.linspace(-0.5 * x, 0.5 * x, count + 1)
    heights = np.concatenate([[0.0], np.cumsum(slopes * (x / count))])
    heights = np.abs(heights - np.interp(0.0, nodes, heights))
    return MadeTerrain(heights=np.stack([heights, heights]))


def _rough(terrain: TerrainSpec, stream: _Stream, x: float, y: float) -> MadeTerrain:
    columns, rows = _cells(x, terrain.length), _cells(y, terrain.length)
    heights = terrain.height * stream.take(rows + 1, columns + 1)
    apart = np.maximum(
        np.abs(np.linspace(-0.5 * x, 0.5 * x, columns + 1))[None, :], np.abs(np.linspace(0.5 * y, -0.5 * y, rows + 1))[:, None]
    )
    cell = max(x / columns, y / rows)
    if terrain.level > 0.0:
        heights[apart < terrain.level + cell - 1e-9] = 0.0
    return MadeTerrain(heights=heights)
