"""What a training has found so far, in a folder: enough to go on from, to look at and to fly.

| file | |
|---|---|
| `training.json` | twin, task, method, seed and all else that the result hangs on |
| `progress.npz` | returns of every candidate of every generation, and the moments of what was observed: plain arrays, no pickle |
| `policy.npz` | the best policy so far, by the episodes of its validation |
| `curve.csv`, `curve.png` | the learning curve |

A search that is told the same returns stands where it stood (`search.py`), so this is all that is needed to go on. Each file is
replaced at once by its next state: an interrupt, whenever it comes, leaves a whole one.
"""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.learning.normalizer import Moments

__all__ = ["Checkpoint", "Generation"]

Array = NDArray[np.float64]

_ROWS = ("returns", "validation", "steps", "seconds", "cpu_seconds")
_COLUMNS = ("generation", "validation", "validation_least", "mean", "best", "steps", "episodes", "seconds", "cpu_seconds")


@dataclass(frozen=True)
class Generation:
    """One generation: returns [candidates] and of the centre's validation [episodes], steps and time of all of it."""

    returns: Array
    validation: Array
    steps: int
    seconds: float
    cpu_seconds: float
    observed: Moments  # until here


@dataclass
class Checkpoint:
    """A folder of a training."""

    folder: Path
    about: Mapping[str, Any]
    first: Moments  # observed before the first generation
    generations: list[Generation] = field(default_factory=list)

    @classmethod
    def holds_one(cls, folder: Path) -> bool:
        """Whether there is a training in a folder."""
        return (folder / "training.json").exists()

    @classmethod
    def load(cls, folder: Path, about: Mapping[str, Any]) -> Checkpoint:
        """The training of a folder, which has to be the one that is meant."""
        file = folder / "training.json"
        try:
            said = json.loads(file.read_text())
            with np.load(folder / "progress.npz", allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            moments = [Moments(float(n), mean, squares) for n, mean, squares in zip(*_rows(arrays), strict=True)]
            generations = [
                Generation(returns, validation, int(steps), float(seconds), float(cpu), observed)
                for returns, validation, steps, seconds, cpu, observed in zip(
                    *(arrays[name] for name in _ROWS), moments[1:], strict=True
                )
            ]  # fmt: skip
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            what = f"cannot go on with this training: {type(error).__name__}: {error}"
            raise InputError(what, file=file, option="resume") from None
        wanted = json.loads(json.dumps(about))
        if not isinstance(said, dict):
            raise InputError("is no training", file=file, option="resume")
        other = next((key for key in {**said, **wanted} if said.get(key) != wanted.get(key)), None)
        if other is not None:
            what = f"it was begun with {other} {said.get(other)!r}, now found {wanted.get(other)!r}"
            raise InputError(f"cannot go on with another training: {what}", file=file, option="resume")
        return cls(folder, about, moments[0], generations)

    def save(self) -> None:
        """Write what there is."""
        moments = [self.first, *(item.observed for item in self.generations)]
        arrays = {
            "count": np.array([item.count for item in moments]), "mean": np.array([item.mean for item in moments]),
            "squares": np.array([item.squares for item in moments]),
            **{name: np.array([getattr(item, name) for item in self.generations]) for name in _ROWS},
        }  # fmt: skip
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, **arrays)
        self._write("progress.npz", content.getvalue())
        self._write("training.json", (json.dumps(self.about, indent=2) + "\n").encode())
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(_COLUMNS)
        table.writerows(self.curve().tolist())
        self._write("curve.csv", text.getvalue().encode())

    def curve(self) -> Array:
        """The learning curve, shape [generations, columns of curve.csv]."""
        rows = []
        steps = episodes = 0
        seconds = cpu_seconds = 0.0
        for number, item in enumerate(self.generations):
            steps, episodes = steps + item.steps, episodes + self._episodes(item)
            seconds, cpu_seconds = seconds + item.seconds, cpu_seconds + item.cpu_seconds
            centre = item.validation
            rows.append((
                number, centre.mean(), centre.min(), item.returns.mean(), item.returns.max(), steps, episodes, seconds,
                cpu_seconds,
            ))  # fmt: skip
        return np.array(rows).reshape(len(rows), len(_COLUMNS))

    def _episodes(self, item: Generation) -> int:
        return len(item.returns) * int(self.about.get("episodes", 1)) + len(item.validation)

    def _write(self, name: str, content: bytes) -> None:
        beside = self.folder / f".{name}.part"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(content)
            os.replace(beside, self.folder / name)
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file=self.folder / name) from None


def _rows(arrays: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    return arrays["count"], arrays["mean"], arrays["squares"]
