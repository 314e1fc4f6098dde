"""What a fit found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.directions import Direction
from didymos.fitting.evaluation import Evaluation
from didymos.fitting.lags import Lag
from didymos.fitting.misfit import Misfit
from didymos.fitting.parameterization import is_of_recording
from didymos.fitting.samples import Samples

if TYPE_CHECKING:
    from didymos.fitting.residual_model import ResidualModel

__all__ = ["Fit", "FittedParameter", "OtherValley", "own_values", "shared_values"]


@dataclass(frozen=True)
class FittedParameter:
    """A parameter before and after, and its 95 % interval, which is None where the data say nothing about it.

    `followers` are the parameters that took the value times a number: more than one where `path` is a pattern, or others are tied
    to it. `recording` is the one that has the value for itself. `open` says of both ends of the interval whether it is the bound
    that ends it there, not the data.
    """

    path: str
    unit: str
    before: float
    after: float
    interval: tuple[float, float] | None
    bounds: tuple[float, float]
    followers: Mapping[str, float]
    recording: str | None = None
    open: tuple[bool, bool] = (False, False)

    @property
    def full_name(self) -> str:
        """The path, with the recording that has it for itself."""
        return self.path if self.recording is None else f"{self.path} of {Path(self.recording).name}"

    @property
    def values(self) -> dict[str, float]:
        """What the fit found, by the paths that a twin can be set by."""
        return {path: self.after * factor for path, factor in self.followers.items()}


@dataclass(frozen=True)
class OtherValley:
    """Values, by path, at which the loss is least among its neighbours, but not the least of all."""

    loss: float
    values: Mapping[str, float]


@dataclass(frozen=True, eq=False, kw_only=True)
class Fit:
    """What a fit found; `correlation` is of all parameters, in their order, but for those of held-out recordings.

    `intervals` says by what they were found (`intervals.py`); `samples` are those of the posterior, where it was sampled. `given`
    are values that the twin was given and that are kept beside those found; `residual` what was learned on top.
    """

    twin: str
    method: str
    window: float | None
    loss_before: float
    loss_after: float
    seconds: float
    runs: int
    interrupted: bool
    converged: bool
    iterations: int
    parameters: tuple[FittedParameter, ...]
    correlation: NDArray[np.float64]
    evaluations: tuple[Evaluation, ...]
    valleys: tuple[OtherValley, ...]
    misfits: tuple[Misfit, ...]
    directions: tuple[Direction, ...]
    warnings: tuple[str, ...]
    lags: tuple[Lag, ...] = ()
    intervals: str = "sandwich"
    samples: Samples | None = None
    given: Mapping[str, float] = field(default_factory=dict)
    residual: ResidualModel | None = None

    def values(self) -> dict[str, float]:
        """Values by path that belong to the twin: given to it to stay, fitted and shared by all recordings, learned and kept."""
        learned = {} if self.residual is None else self.residual.values
        return {**self.given, **shared_values(self.parameters), **learned}


def shared_values(parameters: Sequence[FittedParameter]) -> dict[str, float]:
    """Fitted values by path, of what is shared by all recordings and belongs to the twin."""
    shared = [item for item in parameters if item.recording is None and not is_of_recording(item.path)]
    return {path: value for item in shared for path, value in item.values.items()}


def own_values(parameters: Sequence[FittedParameter], recordings: Sequence[str]) -> dict[str, dict[str, float]]:
    """Fitted values by recording and path that do not belong to the twin: of one recording, or of all of them alike."""
    alike = [item for item in parameters if item.recording is None and is_of_recording(item.path)]
    shared = {path: value for item in alike for path, value in item.values.items()}
    own: dict[str, dict[str, float]] = {name: dict(shared) for name in recordings}
    for item in parameters:
        if item.recording is not None:
            own[item.recording] |= item.values
    return own
