"""The spaces of an environment, and what it tells beside its observation; the one place that needs Gymnasium to be there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.learning.batch import Batch

try:
    from gymnasium.spaces import Box
except ImportError as error:
    raise InputError(f"environments need {error.name}; install it with: pip install 'didymos[rl]'") from None

__all__ = ["action_box", "checked_actions", "fresh_seed", "many", "observation_box"]


def observation_box(batch: Batch, agent: str = "") -> Box:
    """Of one environment: `stack` observations, the newest last."""
    layout = batch.bound.agents[agent].observed
    return Box(-np.inf, np.inf, (batch.bound.tables.stack * (layout.stop - layout.start),), np.float32)


def action_box(batch: Batch, agent: str = "") -> Box:
    """Of one environment: each number from -1 to 1."""
    layout = batch.bound.agents[agent].acted
    return Box(-1.0, 1.0, (layout.stop - layout.start,), np.float32)


def many(box: Box, count: int) -> Box:
    """The space of so many environments."""
    return Box(np.tile(box.low, (count, 1)), np.tile(box.high, (count, 1)), dtype=np.float32)


def checked_actions(given: Any, space: Box) -> NDArray[np.floating]:
    """Actions as an array of the shape of their space, all of them numbers."""
    actions = np.asarray(given)
    if actions.shape != space.shape:
        raise InputError(f"found actions of shape {list(actions.shape)}, expected {list(space.shape)}")
    if not np.isfinite(actions).all():
        place = np.argwhere(~np.isfinite(actions))[0].tolist()
        raise InputError(f"found an action of {actions[tuple(place)]} at {place}, expected numbers from -1 to 1")
    return actions


def fresh_seed() -> int:
    """A seed that nobody gave."""
    return int(np.random.SeedSequence().generate_state(1)[0])
