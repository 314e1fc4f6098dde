"""What a design found: an excitation, what it will tell, and what it keeps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.engine.sampler import Samples
from didymos.fitting.excitation import Moved
from didymos.fitting.limits import Limit

__all__ = ["Design", "KeptLimit", "PredictedParameter"]


@dataclass(frozen=True)
class PredictedParameter:
    """A parameter, and the half widths of its 95 % interval by the designed and by the present experiment of equal length.

    Infinite where an experiment tells nothing of it.
    """

    path: str
    unit: str
    value: float
    half_width: float
    half_width_present: float

    @property
    def ratio(self) -> float:
        """The designed interval over the present one; 0 where only the designed one knows anything, nan where none does."""
        if math.isinf(self.half_width):
            return math.nan if math.isinf(self.half_width_present) else math.inf
        return self.half_width / self.half_width_present


@dataclass(frozen=True)
class KeptLimit:
    """A limit, and the least and the largest that the designed run came to at the twin's own values."""

    limit: Limit
    least: float
    most: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Design:
    """A designed experiment."""

    twin: str
    scenario: str | None  # that it was made of
    seconds: float
    criterion: str
    family: str
    factor: float  # by which the excitation was made smaller so that it keeps its limits at the ends of the bounds as well
    moved: tuple[Moved, ...]
    stimuli: tuple[StimulusSpec, ...]
    plain: dict[str, Any]  # the scenario, as plain data of a twin file
    parameters: tuple[PredictedParameter, ...]
    correlation: NDArray[np.float64]  # of the parameters, shape [n, n]
    limits: tuple[KeptLimit, ...]
    verified: int  # runs that were looked at before this was said
    evaluations: int
    runs: int
    interrupted: bool
    samples: Samples  # of the designed run
    present: Samples  # of the scenario that it was made of
    units: Mapping[str, str]  # by signal

    @property
    def gain(self) -> float:
        """Geometric mean of the ratios of designed to present intervals, of parameters of which both tell something."""
        ratios = [item.ratio for item in self.parameters if 0.0 < item.ratio < math.inf]
        return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
