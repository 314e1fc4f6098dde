"""A small function of features whose numbers were learned: linear, with up to eight hidden units beside, and bounded.

    f_i = a_i + sum_k A_ik z_k + sum_j V_ij tanh(b_j + sum_k B_jk n_k)      i: outputs, k: features, j: hidden units
    z_k = min(max(x_k, low_k), high_k),       n_k = (2 z_k - high_k - low_k) / (high_k - low_k)
    F_i = L tanh(f_i / L)

x are the features as they are, z the same held within the range that the function was trained in, n from -1 at its lower to 1 at
its upper end (0 where the range is a point). Whatever its numbers are, F lies within -L and L, and beyond the trained range it
stays what it is at the nearest end. A bound that is far away changes little: by less than 4 % for |f| < L / 3.

Every number is a parameter by name: `OUTPUT_constant` (a), `OUTPUT_per_FEATURE` (A), `FEATURE_low`, `FEATURE_high`,
`unitJ_constant` (b), `unitJ_per_FEATURE` (B), `OUTPUT_per_unitJ` (V).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from didymos.compiled import kernel
from didymos.contract import needs, option, parameter, parameter_array
from didymos.parts.part import Part

__all__ = ["UNITS", "Learned", "bounded", "evaluate", "numbers_from_units", "numbers_into_units", "numbers_of_ends",
           "numbers_of_linear", "sum_of_levels"]  # fmt: skip

UNITS = tuple(f"unit{j}" for j in range(1, 9))
"""The hidden units."""

_LEVELS = 8  # how many readouts of other parts the feature `level` may be the sum of
_FAR = 1e6  # an end of a range that holds nothing


def numbers_of_linear(outputs: Mapping[str, str], features: Mapping[str, str]) -> Any:
    """a and A, shape [outputs, 1 + features]; both are given with their units."""
    names = [f"{output}_{word}" for output in outputs for word in ("constant", *(f"per_{feature}" for feature in features))]
    units = [_quotient(unit, per) for unit in outputs.values() for per in ("1", *features.values())]
    return parameter_array(names, shape=(len(outputs), 1 + len(features)), units=units, doc="of the linear part")


def _quotient(unit: str, per: str) -> str:
    return unit if per == "1" else f"{unit}/({per})" if "/" in per else f"{unit}/{per}"


def numbers_of_ends(features: Mapping[str, str], which: str) -> Any:
    """The ends `low` or `high` of the trained range, shape [features]."""
    far = -_FAR if which == "low" else _FAR
    names = [f"{feature}_{which}" for feature in features]
    return parameter_array(names, default=far, units=features.values(), doc="end of the range that it was trained in")


def numbers_into_units(features: Mapping[str, str]) -> Any:
    """b and B, shape [units, 1 + features]."""
    names = [f"{unit}_{word}" for unit in UNITS for word in ("constant", *(f"per_{feature}" for feature in features))]
    return parameter_array(names, shape=(len(UNITS), 1 + len(features)), doc="into a hidden unit")


def numbers_from_units(outputs: Mapping[str, str]) -> Any:
    """V, shape [outputs, units]."""
    names = [f"{output}_per_{unit}" for output in outputs for unit in UNITS]
    units = [unit for unit in outputs.values() for _ in UNITS]
    return parameter_array(names, shape=(len(outputs), len(UNITS)), units=units, doc="out of a hidden unit")


class Learned(Part):
    """Base of parts whose law is a learned function; off at scale 0.

    A kind declares `lowest`, `highest`, `linear`, `into_units`, `from_units` by the functions above, and the options
    `outputs_trained` and `features_trained`; its law fills the output `feature`, and `evaluate` the output `unbounded`.
    """

    limits: ClassVar[Mapping[str, str]]  # the parameter that bounds each output, by the output's name
    feature_names: ClassVar[tuple[str, ...]]
    switch = "scale"

    scale = parameter(0.0, low=0, high=1, doc="s; 0 switches it off")
    hidden_units = parameter(0.0, low=0, high=len(UNITS), doc="how many take part; 0 for a linear correction")
    levels_from = option(tuple[str, ...], (), doc="readouts of earlier parts, PART.READOUT, whose sum is the feature `level`")
    levels = needs(count=_LEVELS, doc="the readouts of `levels_from`")

    @classmethod
    def check(cls, spec: Any) -> None:
        """There is room for so many levels."""
        if len(spec.levels_from) > _LEVELS:
            raise ValueError(f"found {len(spec.levels_from)} readouts in levels_from, expected {_LEVELS} at most")

    @classmethod
    def connections(cls, spec: Any) -> Mapping[str, tuple[str, ...]]:
        """The readouts whose sum is the level."""
        return {"levels": spec.levels_from}


@kernel
def sum_of_levels(levels: Any) -> float:
    """The sum of readouts of other parts."""
    total = 0.0
    for k in range(_LEVELS):
        total += levels[k]
    return total


@kernel
def evaluate(part: Any, feature: Any, found: Any) -> None:
    """Hold features, shape [features], within their range, and write f, shape [outputs], into `found`."""
    for k in range(len(feature)):
        feature[k] = min(max(feature[k], part.lowest[k]), part.highest[k])
    for i in range(len(found)):
        total = part.linear[i, 0]
        for k in range(len(feature)):
            total += part.linear[i, 1 + k] * feature[k]
        found[i] = total
    for j in range(int(part.hidden_units)):
        total = part.into_units[j, 0]
        for k in range(len(feature)):
            width = part.highest[k] - part.lowest[k]
            if width > 0.0:
                total += part.into_units[j, 1 + k] * (2.0 * feature[k] - part.highest[k] - part.lowest[k]) / width
        fired = math.tanh(total)
        for i in range(len(found)):
            found[i] += part.from_units[i, j] * fired


@kernel
def bounded(value: float, limit: float) -> float:
    """A value that never leaves a limit, both ways; 0 where the limit is 0."""
    return limit * math.tanh(value / limit) if limit > 0.0 else 0.0
