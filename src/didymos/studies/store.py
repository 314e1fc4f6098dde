"""A sweep on disk: a folder with `sweep.json`, which says what was asked for, and `runs-*.parquet`, which say what came of it.

| column | |
|---|---|
| `index`, `seed` | number of the run, and its seed; int64 |
| `values.PATH` | what was varied; float64 |
| `measured.NAME`, `met.NAME` | value of an expectation and whether it was met; float64 and bool, null where a run failed |
| `ok`, `error` | whether the run met all, and what ended it |
| `weight` | what the run counts for, where runs do not all count the same; float64 |
| `signal.NAME` | samples of a signal that is kept; list of float64 |

Parts are written as runs come, every few seconds, each under another name first: a part that is there is complete, and a killed
sweep loses the last few seconds at most. Which runs there are is known from the parts alone, so `resume` makes those that are
missing and none twice. In which part a run lies hangs on when it came; the table sorted by `index` does not.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.engine.verdict import Verdict
from didymos.errors import InputError
from didymos.studies.stored_sweep import ABOUT, PARTS, StoredSweep, parquet, read_about, read_store
from didymos.studies.trial import Trial

__all__ = ["StoredSweep", "SweepStore", "read_store"]

_ROWS = 5000  # of a part at most
_SECONDS = 5.0  # between two parts at most, while runs come
_FREE = ("command", "skipped")  # may differ between a sweep and its resumption


class SweepStore:
    """The folder of a sweep that is being made. `about` is what `sweep.json` says; `expected` are verdicts without values.

    A folder with a sweep in it is refused unless it is to `resume` and the sweep is the same. `close` writes what is left.
    """

    def __init__(
        self, folder: Path, about: Mapping[str, Any], expected: Iterable[Verdict], *, resume: bool = False, weighted: bool = False
    ) -> None:
        self._pq, self.folder = parquet(), Path(folder)
        limits = [{"name": x.name, "low": x.low, "high": x.high, "unit": x.unit} for x in expected]
        self.about = json.loads(json.dumps({**about, "expectations": limits, "weighted": weighted}))
        self._index = np.zeros(max(int(about["runs"]), 1), dtype=bool)  # which runs there are
        self._rows: list[dict[str, Any]] = []
        self._flushed = time.monotonic()
        self._schema = _schema(self.about)
        self._lock: int | None = None
        with self._speaking():
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock_folder()
            try:
                self._open(resume)
            except BaseException:
                self._unlock()
                raise

    def _open(self, resume: bool) -> None:
        file = self.folder / ABOUT
        if file.exists():
            kept = read_about(self.folder)
            if not resume:
                raise InputError("holds a sweep; `resume` goes on with it, or name another folder", file=self.folder)
            for key, value in self.about.items():
                if key not in _FREE and kept.get(key) != value:
                    what = f"the sweep in it has {key} = {_short(kept.get(key))}, and this one {_short(value)}"
                    raise InputError(f"cannot go on: {what}", file=self.folder, option="resume")
            for index in StoredSweep(self.folder, kept).indices():
                self._index[index] = True
        elif any(self.folder.glob(PARTS)):
            raise InputError(f"holds runs and no {ABOUT}; name another folder", file=self.folder)
        else:
            self._write(file, lambda made: made.write_text(json.dumps(self.about, indent=1) + "\n", encoding="utf-8"))
        self._next = 1 + max((int(part.stem.partition("-")[2]) for part in self.folder.glob(PARTS)), default=-1)

    def __contains__(self, index: int) -> bool:
        return bool(self._index[index])

    def __len__(self) -> int:
        return int(self._index.sum())

    def kept(self) -> Iterator[tuple[int, Trial]]:
        """Number and trial of each run that is on disk."""
        return StoredSweep(self.folder, self.about).trials()

    @property
    def missing(self) -> NDArray[np.int64]:
        """The numbers of the runs that are not there yet."""
        return np.flatnonzero(~self._index)

    def add(self, index: int, trial: Trial, weight: float | None = None) -> None:
        """Keep a run; it is on disk a few seconds later."""
        if index in self:
            raise InputError(f"run {index} is there already", file=self.folder)
        self._index[index] = True
        self._rows.append(_row(index, trial, weight, self.about))
        if len(self._rows) >= _ROWS or time.monotonic() - self._flushed > _SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what was added since the last part."""
        if self._rows:
            import pyarrow

            rows = sorted(self._rows, key=lambda row: row["index"])
            table = pyarrow.Table.from_pylist(rows, schema=self._schema)
            part = self.folder / f"runs-{self._next:05d}.parquet"
            with self._speaking():
                self._write(part, lambda made: self._pq.write_table(table, made))
            self._rows.clear()
            self._next += 1
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Write what is left, and let the folder go."""
        try:
            self.flush()
        finally:
            self._unlock()

    def _write(self, file: Path, write: Any) -> None:
        """A whole file or none."""
        made = file.with_name(f".{file.name}.part")
        try:
            write(made)
            with made.open("rb") as written:
                os.fsync(written.fileno())
            os.replace(made, file)
        except BaseException:
            with contextlib.suppress(OSError):
                made.unlink(missing_ok=True)
            raise

    def _lock_folder(self) -> None:
        """One sweep at a time writes into a folder; where a system has no locks nobody is kept out."""
        with contextlib.suppress(ImportError):
            import fcntl

            self._lock = os.open(self.folder / ".lock", os.O_CREAT | os.O_RDWR, 0o644)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._unlock()
                raise InputError("another sweep is writing into this folder", file=self.folder) from None

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @contextlib.contextmanager
    def _speaking(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            why = error.strerror or str(error)
            then = "; the runs that are in it stay, `resume` goes on with the others" if len(self) else ""
            raise InputError(f"cannot be written: {why}{then}", file=self.folder) from error


def _schema(about: Mapping[str, Any]) -> Any:
    """The columns of a sweep."""
    import pyarrow as pa

    names = [item["name"] for item in about["expectations"]]
    fields = [("index", pa.int64()), ("seed", pa.int64())]
    fields += [(f"values.{path}", pa.float64()) for path in about["ranges"]]
    fields += [(f"measured.{name}", pa.float64()) for name in names] + [(f"met.{name}", pa.bool_()) for name in names]
    fields += [("ok", pa.bool_()), ("error", pa.string())]
    fields += [("weight", pa.float64())] if about["weighted"] else []
    return pa.schema([*fields, *((f"signal.{name}", pa.list_(pa.float64())) for name in about.get("keep", ()))])


def _row(index: int, trial: Trial, weight: float | None, about: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"index": index, "seed": trial.seed, "ok": trial.ok, "error": trial.error}
    row |= {f"values.{path}": trial.values[path] for path in about["ranges"]}
    for verdict in trial.verdicts:
        row |= {f"measured.{verdict.name}": verdict.value, f"met.{verdict.name}": verdict.ok}
    row |= {f"signal.{name}": list(trial.signals.get(name, ())) for name in about.get("keep", ())}
    return {**row, "weight": weight} if about["weighted"] else row


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 60 else f"{text[:57]}..."
