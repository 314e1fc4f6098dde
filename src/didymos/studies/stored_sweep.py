"""Read a sweep that is on disk (`store.py`): what was asked for, the runs as a table, or as trials one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.engine.verdict import Verdict
from didymos.errors import InputError
from didymos.studies.trial import Trial

__all__ = ["ABOUT", "PARTS", "StoredSweep", "parquet", "read_about", "read_store"]

ABOUT = "sweep.json"
PARTS = "runs-*.parquet"
_LARGEST = 10_000_000  # [bytes] of sweep.json


def parquet() -> Any:
    """The module that reads and writes Parquet."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise InputError("a sweep in a folder needs pyarrow; install it with: pip install 'didymos[cluster]'") from None
    return pyarrow.parquet


def read_about(folder: Path) -> dict[str, Any]:
    """What `sweep.json` says."""
    file = folder / ABOUT
    try:
        if file.stat().st_size > _LARGEST:
            raise ValueError("it is too large")
        about = json.loads(file.read_text(encoding="utf-8"))
        if not (isinstance(about, dict) and {"runs", "ranges", "expectations", "seed"} <= about.keys()):
            raise ValueError("it lacks what a sweep has")
    except OSError as error:
        raise InputError(f"there is no {ABOUT} in it that can be read: {error.strerror}", file=folder) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not the {ABOUT} of a sweep: {error}", file=file) from None
    return about


def read_store(folder: str | Path) -> StoredSweep:
    """The sweep in a folder, whole or not yet."""
    parquet()
    return StoredSweep(Path(folder), read_about(Path(folder)))


class StoredSweep:
    """A sweep in a folder; `about` is what `sweep.json` says."""

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        self.folder, self.about = folder, about

    @property
    def parts(self) -> list[Path]:
        """The files of its runs."""
        return sorted(self.folder.glob(PARTS))

    def indices(self) -> NDArray[np.int64]:
        """The numbers of the runs that are there, in the order in which they came."""
        found = [self._read(part, ["index"])["index"].to_numpy() for part in self.parts]
        indices = np.concatenate(found) if found else np.empty(0, dtype=np.int64)
        if len(indices) and not (indices.min() >= 0 and indices.max() < self.about["runs"]):
            raise InputError(f"holds run {int(indices.max())}, and the sweep has {self.about['runs']}", file=self.folder)
        if len(np.unique(indices)) != len(indices):
            raise InputError("holds a run twice; a part was copied into it", file=self.folder)
        return indices

    def table(self) -> Any:
        """All runs as one `pyarrow.Table`, sorted by `index`."""
        import pyarrow

        tables = [self._read(part) for part in self.parts]
        if not tables:
            raise InputError("no run of this sweep is on disk yet", file=self.folder)
        return pyarrow.concat_tables(tables).combine_chunks().sort_by("index")

    def trials(self) -> Iterator[tuple[int, Trial]]:
        """Number and trial of each run, part after part."""
        limits = self.about["expectations"]
        for part in self.parts:
            for row in self._read(part).to_pylist():
                yield int(row["index"]), self._trial(row, limits)

    def _trial(self, row: Mapping[str, Any], limits: list[dict[str, Any]]) -> Trial:
        verdicts = tuple(
            Verdict(x["name"], row[f"measured.{x['name']}"], x["low"], x["high"], row[f"met.{x['name']}"], x["unit"])
            for x in limits
        )
        values = {path: row[f"values.{path}"] for path in self.about["ranges"]}
        signals = {name: tuple(row[f"signal.{name}"] or ()) for name in self.about.get("keep", ())}
        return Trial(int(row["seed"]), values, verdicts if row["error"] is None else (), row["error"], (), signals)

    def _read(self, part: Path, columns: list[str] | None = None) -> Any:
        try:
            return parquet().read_table(part, columns=columns, partitioning=None)
        except Exception as error:  # whatever stands in the file
            raise InputError(f"cannot be read: {' '.join(str(error).split())[:300]}", file=part) from None
