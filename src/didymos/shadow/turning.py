"""A floating robot turned about the vertical: what a filter must not learn from readings that do not show it.

Physics on level ground does not know north. A robot that is turned as a whole, with its velocity, moves on turned: with p, v the
place and velocity of its base (world frame), R its attitude, z upwards, the displacement of a turn about the place o is

    N(x) = (z x (p - o),  R' z,  0,  z x v,  0),     w = (0,  R' z,  0),     w' N = 1,     A N(x) = N(F(x)),     C N(x) = 0

for wheels, IMUs and everything else that tells nothing of north. N moves with the estimate. A filter whose Jacobians are those of
an older state, or whose state was just corrected, is told A N /= N(F), C N /= 0, and takes that for news of its heading (Huang,
Mourikis and Roumeliotis, 2010). So the Jacobians are made to agree with where the estimate is, along N alone, and the covariance
follows a correction x -> x+:

    A <- A + (N(F(x)) + d - A N) w',     C <- C - C N w',     P <- T P T',   T = I + (N(x+) - N(x)) w'

d is what a turn did change where the twin was linearised: a slope, a wind. It is found by a stretch that begins turned: columns
of A cannot tell, since dry friction at rest has one slope for the small step of an angle and another for the larger one of a
speed. Readings that show a turn there keep their rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["Turned", "Turning", "turning_of"]

_Array = NDArray[np.float64]
_State = tuple[_Array, _Array, _Array]
_SHOWS = 1e-3  # of a reading's largest slope of the state: a turn that moves it by more is shown by it


@dataclass(frozen=True)
class Turned:
    """What a turn does where the twin was linearised.

    Attributes:
        changed: d, by how much the end of the stretch is not the turned one; shape [states].
        shown: which errors of the channels show a turn; shape [errors].
    """

    changed: _Array
    shown: NDArray[np.bool_]


class Turning:
    """The turns of the free joint of a model whose first position and degree of freedom are given, among `states` states."""

    def __init__(self, position: int, dof: int, nv: int, states: int) -> None:
        self._place = slice(position, position + 3)
        self._attitude = slice(position + 3, position + 7)
        self._linear, self._angular = slice(dof, dof + 3), slice(dof + 3, dof + 6)
        self._speed, self._states = slice(nv + dof, nv + dof + 3), states

    def place(self, state: _State) -> _Array:
        """Where the base is [m], world frame."""
        qpos, _, _ = state
        return np.asarray(qpos[self._place])

    def along(self, state: _State) -> _Array:
        """w: how much of a displacement is a turn; shape [states]."""
        up, found = np.zeros(3), np.zeros(self._states)
        back, (qpos, _, _) = np.empty(4), state
        mujoco.mju_negQuat(back, qpos[self._attitude])
        mujoco.mju_rotVecQuat(up, np.array([0.0, 0.0, 1.0]), back)
        found[self._angular] = up
        return found

    def about(self, state: _State, origin: _Array) -> _Array:
        """N: the displacement of a turn about a place [m]; shape [states]."""
        found, (_, qvel, _) = self.along(state), state
        for where, arm in ((self._linear, self.place(state) - origin), (self._speed, qvel[self._linear])):
            found[where] = -arm[1], arm[0], 0.0
        return found

    def turned(self, moved: _Array, shown: _Array, most: _Array, begin: _State, end: _State) -> Turned:
        """What a turn does, from a stretch that began turned.

        Args:
            moved: by how much its end lies elsewhere, over the angle [rad]; shape [states].
            shown: by how much its readings do; shape [ticks, errors].
            most: the largest slope of each reading; shape [errors].
            begin: of the stretch that was not turned; so is `end`.
        """
        return Turned(moved - self.about(end, self.place(begin)), np.abs(shown).max(axis=0) > _SHOWS * most)

    def agree(
        self, transition: _Array, observed: _Array, shown: NDArray[np.bool_], known: Turned, begin: _State, end: _State
    ) -> None:
        """Let A [n, n] and C [r, n] agree with where a stretch really begins and ends, in place; `shown` of each row of C.

        States come first among the n; biases of readings, which a turn does not move, after them.
        """
        origin, states = self.place(begin), self._states
        turn, along = self.about(begin, origin), self.along(begin)
        transition = transition[:states, :states]
        transition += np.outer(self.about(end, origin) + known.changed - transition @ turn, along)
        observed = observed[:, :states]
        observed -= np.outer(np.where(shown, 0.0, observed @ turn), along)

    def follow(self, covariance: _Array, before: _State, after: _State) -> None:
        """Let a covariance [n, n] follow a correction of the state, in place."""
        origin, states = self.place(before), self._states
        moved, along = self.about(after, origin) - self.about(before, origin), self.along(before)
        covariance[:states] += np.outer(moved, along @ covariance[:states])
        covariance[:, :states] += np.outer(covariance[:, :states] @ along, moved)


def turning_of(model: mujoco.MjModel, states: int) -> Turning | None:
    """The turns of the robot of a model whose first joint is free; None for one that is held somewhere."""
    if not model.njnt or int(model.jnt_type[0]) != int(mujoco.mjtJoint.mjJNT_FREE):
        return None
    return Turning(int(model.jnt_qposadr[0]), int(model.jnt_dofadr[0]), model.nv, states)
