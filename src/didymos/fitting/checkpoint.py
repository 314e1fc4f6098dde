"""The best so far of a search, in a file: what a crash or a power cut leaves to begin at."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.fitting.parameterization import Parameterization

__all__ = ["Checkpoint"]

_PAUSE = 1.0  # [s] between two writes


class Checkpoint:
    """A file that follows a search; nothing is written without one."""

    def __init__(self, file: Path | None, parameters: Parameterization, recordings: Sequence[str]) -> None:
        self._file, self._loss, self._written, self._parameters = file, np.inf, -np.inf, parameters
        self._names = [
            group.path if index is None else f"{group.path} of {recordings[index]}" for group, index in parameters.entries()
        ]

    def update(self, point: NDArray[np.float64], loss: float) -> None:
        """Keep a point, if it is better than what was kept and the last write is a while ago."""
        now = time.monotonic()
        if self._file is None or not loss < self._loss or now - self._written < _PAUSE:
            return
        self._loss, self._written = loss, now
        content = {"names": self._names, "point": point.tolist(), "loss": loss}
        beside = self._file.with_name(self._file.name + ".new")
        beside.write_text(json.dumps(content))
        os.replace(beside, self._file)

    def load(self) -> NDArray[np.float64]:
        """Where an earlier search was; an `InputError` where it was another one."""
        if self._file is None or not self._file.is_file():
            raise InputError("there is nothing to resume: no search has kept its progress here", file=self._file)
        try:
            content = json.loads(self._file.read_text())
            point = np.array(content["point"], dtype=np.float64)
            same = content["names"] == self._names and point.shape == (self._parameters.size,) and np.isfinite(point).all()
        except (ValueError, KeyError, TypeError):
            raise InputError("is not what a search keeps; delete it and begin anew", file=self._file) from None
        if not same:
            raise InputError("belongs to a search of other parameters or recordings; delete it and begin anew", file=self._file)
        return np.clip(point, 0.0, 1.0)

    def finish(self, interrupted: bool) -> None:
        """The search is over: its file goes, unless somebody interrupted it."""
        if self._file is not None and not interrupted:
            self._file.unlink(missing_ok=True)
