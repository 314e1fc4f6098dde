"""The search for a chain of pieces, by exchange: what pieces tell adds up, so a piece is tried alone, in a run as short as it is.

    F(chain) = sum over its pieces of F(piece)

holds where each piece begins as the robot began, which is nearly so where all of them end at home. Many pieces are drawn; those
that are together the best, some more than once, make the chain (Fedorov, Theory of Optimal Experiments, 1972: a design is a
mixture of experiments, and is improved by exchange of one for another). Then pieces of the chain are changed a little, and take
the place of any that they are better than. A chain counts by what a whole run of it tells, so nothing hangs on the sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.chain import Chain
from didymos.fitting.design_check import Cases
from didymos.fitting.design_search import STEPS, Found, Search, drawn_points
from didymos.fitting.excited_information import ExcitedInformation

__all__ = ["Exchange"]

_Array = NDArray[np.float64]
_BATCH = 24  # pieces that are tried before a chain of the best is run as a whole
_NARROW, _WIDE = 0.02, 0.4  # of the changes of a piece
_CHANGED = 0.5  # of its numbers
_NEW = 0.25  # of pieces that are drawn anew, while others are changed
_BETTER = 1.0 - 1e-9


@dataclass(frozen=True, eq=False)
class _Piece:
    """Numbers of a piece, and its information about all coordinates at each point of the parameters."""

    point: _Array
    tells: tuple[_Array, ...]


class Exchange:
    """One search for a chain.

    Args:
        chain: what is searched.
        whole: judges chains.
        short, checks: information of a piece alone, and its runs with errors of sensors.
        cases: in which a piece has to keep its limits.
        points: coordinates of the parameters.
    """

    def __init__(
        self,
        chain: Chain,
        whole: Search,
        short: ExcitedInformation,
        checks: ExcitedInformation,
        cases: Cases,
        points: Sequence[_Array],
    ) -> None:
        self._chain, self._whole, self._short, self._checks = chain, whole, short, checks
        self._cases, self._points = cases, points
        self._chosen: list[_Piece] = []
        self._loss = np.inf  # of the chosen ones, by the sum of what they tell
        self._tried = 0

    @property
    def best(self) -> Found:
        """The best chain that was run."""
        return self._whole.best

    @property
    def bests(self) -> list[Found]:
        """All chains that were the best once."""
        return self._whole.bests

    @property
    def evaluations(self) -> int:
        """Chains, and pieces by their length."""
        return self._whole.evaluations + self._tried // self._chain.count

    @property
    def runs(self) -> int:
        """Runs so far."""
        return self._whole.runs + self._short.runs.count + self._checks.runs.count

    def close(self) -> None:
        """Let the threads go."""
        self._whole.close()
        self._short.runs.close()
        self._checks.runs.close()

    def draw(self, count: int, rng: np.random.Generator) -> None:
        """Try drawn pieces, as many as make so many chains, and chain the best of them."""
        until = self.evaluations + count
        pool: list[_Piece] = []
        while self.evaluations < until:
            pool += self._tell(drawn_points(self._chain.piece, _BATCH, rng))
            self._whole.watch()
        while len(self._chosen) < self._chain.count and self._grow(pool):
            pass
        while self._chosen and self._exchange(pool):
            pass
        self._judge()

    def improve(self, evaluations: int, rng: np.random.Generator) -> None:
        """Change pieces with about so many evaluations."""
        until = self.evaluations + evaluations
        while self.evaluations < until:
            points = drawn_points(self._chain.piece, _BATCH, rng)
            for i in range(_BATCH if self._chosen else 0):
                if rng.uniform() > _NEW:
                    points[:, i] = self._changed(rng)
            pool, better = self._tell(points), False
            while len(self._chosen) < self._chain.count and self._grow(pool):
                better = True
            while self._chosen and self._exchange(pool):
                better = True
            if better:
                self._judge()
            self._whole.watch()

    def _changed(self, rng: np.random.Generator) -> _Array:
        """One of the chosen, with half of its numbers moved, by little or much."""
        point = self._chosen[int(rng.integers(len(self._chosen)))].point
        spread = _NARROW * (_WIDE / _NARROW) ** rng.uniform()
        moves = spread * rng.standard_normal(len(point)) * (rng.uniform(size=len(point)) < _CHANGED)
        return np.clip(point + moves, 0.0, 1.0)

    def _tell(self, points: _Array) -> list[_Piece]:
        """What pieces tell, shape [size, n], of those that exceed nothing."""
        self._tried += points.shape[1]
        excitations = [self._chain.piece.stimuli(point) for point in points.T]
        told: dict[int, tuple[_Array, ...]] = dict.fromkeys(range(len(excitations)), ())
        for point in self._points:
            found = self._short.of_many([excitations[i] for i in told], point, STEPS)
            told = {
                i: (*before, information)
                for (i, before), (_, information) in zip(told.items(), found, strict=True) if information is not None
            }  # fmt: skip
        return [_Piece(points[:, i].copy(), tells) for i, tells in told.items()]

    def _sum(self, pieces: Iterable[_Piece]) -> float:
        """The criterion of pieces together."""
        together = [sum(each, np.zeros_like(each[0])) for each in zip(*(piece.tells for piece in pieces), strict=True)]
        return self._whole.criterion(together)

    def _keeps(self, piece: _Piece) -> bool:
        return self._cases.worst(self._checks, self._chain.piece.stimuli(piece.point)) is None

    def _grow(self, pool: list[_Piece]) -> bool:
        """Add the piece that tells most beside the chosen; those that fail a case leave the pool."""
        while pool:
            best = min(pool, key=lambda piece: self._sum([*self._chosen, piece]))
            if self._keeps(best):
                self._chosen.append(best)
                self._loss = self._sum(self._chosen)
                return True
            pool.remove(best)
        return False

    def _exchange(self, pool: list[_Piece]) -> bool:
        """Put the best of a pool in the place where it helps most, if it helps anywhere."""
        while pool:
            options = [
                (self._sum([*self._chosen[:k], piece, *self._chosen[k + 1 :]]), i, k)
                for i, piece in enumerate(pool) for k in range(len(self._chosen))
            ]  # fmt: skip
            loss, i, k = min(options)
            if loss > _BETTER * self._loss if self._loss > 0.0 else loss >= self._loss:
                return False
            if self._keeps(pool[i]):
                self._chosen[k], self._loss = pool[i], loss
                return True
            pool.pop(i)
        return False

    def _judge(self) -> None:
        """Run the chain as a whole, once there is one."""
        if len(self._chosen) == self._chain.count:
            self._whole.losses(np.concatenate([piece.point for piece in self._chosen])[:, None])
