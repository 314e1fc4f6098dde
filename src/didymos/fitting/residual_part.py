"""The part of a twin in which a residual is learned, and its numbers by path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.parts import PartSpec
from didymos.parts.learned import UNITS, Learned

__all__ = ["ResidualPart", "find_residual_part"]

_Array = NDArray[np.float64]


@dataclass(frozen=True)
class ResidualPart:
    """A part of a kind that learns, and what of it is trained: outputs and features by name."""

    name: str
    kind: type[Learned]
    outputs: tuple[str, ...]
    features: tuple[str, ...]

    def path(self, word: str) -> str:
        """The path of one of its numbers."""
        return f"parts.{self.name}.{word}"

    @property
    def limits(self) -> tuple[str, ...]:
        """The path of the bound of each trained output."""
        return tuple(self.path(self.kind.limits[output]) for output in self.outputs)

    @property
    def constants(self) -> tuple[str, ...]:
        """The path of the constant of each trained output."""
        return tuple(self.path(f"{output}_constant") for output in self.outputs)

    @property
    def places(self) -> NDArray[np.int64]:
        """Where the trained features lie among all that its law works out."""
        return np.array([self.kind.feature_names.index(name) for name in self.features], dtype=np.int64)

    def blank(self) -> dict[str, float]:
        """Its learned numbers as they are without training: no weight, no range, no hidden unit, off."""
        arrays = {name: item.default for item in self.kind.parameters for name in item.columns}
        return {self.path(name): float(value) for name, value in {**arrays, "scale": 0.0, "hidden_units": 0.0}.items()}

    def linear_paths(self) -> Iterator[str]:
        """Paths of the linear part, row by row."""
        for output in self.outputs:
            yield self.path(f"{output}_constant")
            for feature in self.features:
                yield self.path(f"{output}_per_{feature}")

    def network_paths(self, units: int) -> Iterator[str]:
        """Paths of so many hidden units: into each, row by row, then from all to each output."""
        for unit in UNITS[:units]:
            yield self.path(f"{unit}_constant")
            for feature in self.features:
                yield self.path(f"{unit}_per_{feature}")
        for output in self.outputs:
            for unit in UNITS[:units]:
                yield self.path(f"{output}_per_{unit}")

    def ranges(self, low: _Array, high: _Array) -> dict[str, float]:
        """The trained range of features by path, shape [features] each."""
        found = {}
        for k, feature in enumerate(self.features):
            found[self.path(f"{feature}_low")], found[self.path(f"{feature}_high")] = float(low[k]), float(high[k])
        return found


def find_residual_part(twin: Twin, link: str | None = None, joint: str | None = None) -> ResidualPart:
    """The part of a twin that learns, on a link or a joint where there are several; an `InputError` says what to add."""
    learning = {name: spec for name, spec in twin.file.parts.items() if issubclass(spec.contract, Learned)}
    if not learning:
        example = "residual: {kind: correction, link: LINK}"
        if joint is not None or (link is None and not twin.description.floating):
            example = "residual: {kind: joint_correction, link: LINK, joint: JOINT}"
        text = f"there is no part that could learn what physics leaves over; add it below `parts:` as a line `{example}`"
        raise InputError(text, file=twin.source, path="parts")
    chosen = [
        name for name, spec in learning.items()
        if (link is None or (spec.joint is None and spec.link == link)) and (joint is None or spec.joint == joint)
    ]  # fmt: skip
    if len(chosen) != 1:
        listed = ", ".join(f"{name} on {_where(spec)}" for name, spec in learning.items())
        text = "several parts could learn, say which" if chosen else "no part that learns acts there"
        raise InputError(f"{text}: {listed}", option="residual_joint" if joint is not None else "residual_link")
    spec: Any = learning[chosen[0]]
    kind = spec.contract
    assert issubclass(kind, Learned)
    features = tuple(name for name in kind.feature_names if name in spec.features_trained)
    if not spec.levels_from:
        features = tuple(name for name in features if name != "level")
    outputs = tuple(name for name in kind.limits if name in spec.outputs_trained)
    if not outputs:
        path = f"parts.{chosen[0]}.outputs_trained"
        raise InputError("names no output, so there is nothing to train", file=twin.source, path=path)
    return ResidualPart(chosen[0], kind, outputs, features)


def _where(spec: PartSpec) -> str:
    return f"the joint {spec.joint}" if spec.joint is not None else f"the link {spec.link}"
