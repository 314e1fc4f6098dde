"""Rewards and endings of a step: those of the task's expressions, or functions in Python in their place.

A function gets the signals that it names, shape [environments] each, and answers for all environments at once:

    def reward(signals):
        return -np.abs(signals["truth.position.z"] - 1.0)

So the batch stays without Python per environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, RunError, nearest
from didymos.learning.batch import Batch

__all__ = ["Function", "Judgement"]

Function = Callable[[Mapping[str, NDArray[np.float64]]], Any]


@dataclass(frozen=True)
class Judgement:
    """Functions of the user's instead of the task's reward and ending, and the signals that they read."""

    reward: Function | None = None
    terminate: Function | None = None
    signals: tuple[str, ...] = ()

    def of(self, batch: Batch) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Rewards, whether episodes have ended, and whether they were cut off, after a step; shape [n] each."""
        rows = batch.rows
        rewards, ended, cut_off = rows.rewards[:, 0].copy(), rows.ended[:, 0] != 0, rows.cut_off != 0
        if self.reward is None and self.terminate is None:
            return rewards, ended, cut_off
        failed = rows.status != 0
        signals = _Signals({name: batch.signal(name).copy() for name in batch.bound.signals})
        if self.terminate is not None:
            ended = failed | _answer(self.terminate, signals, len(batch)).astype(np.bool_)
        if self.reward is not None:
            last = batch.tasks[""].end_reward
            rewards = np.where(failed, 0.0, _answer(self.reward, signals, len(batch))) + np.where(ended, last, 0.0)
            if not np.isfinite(rewards).all():
                which = int(np.flatnonzero(~np.isfinite(rewards))[0])
                raise RunError(f"{_name(self.reward)} answered with {rewards[which]} for environment {which}, expected a number")
        return rewards, ended, (rows.passed >= batch.bound.tables.longest) & ~ended


class _Signals(dict[str, NDArray[np.float64]]):
    """Signals that are read by name; one that is not is a sentence."""

    def __missing__(self, name: str) -> NDArray[np.float64]:
        raise InputError(f"a function reads {name!r}, which is not among them{nearest(name, self)}", option="signals")


def _name(function: Function) -> str:
    return str(getattr(function, "__name__", "the function"))


def _answer(function: Function, signals: Mapping[str, NDArray[np.float64]], count: int) -> NDArray[np.float64]:
    given = function(signals)
    name = _name(function)
    if given is None:
        raise RunError(f"{name} answered with nothing; does it return?")
    answer = np.asarray(given, dtype=np.float64)
    if answer.shape not in ((), (count,)):
        raise RunError(f"{name} answered with shape {list(answer.shape)}, expected [{count}], one number for each environment")
    return np.broadcast_to(answer, (count,))
