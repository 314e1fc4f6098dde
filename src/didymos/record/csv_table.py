"""Text -> a table of numbers: lines, cells, names and units, whoever wrote it.

Lines that begin with # or %, or are empty, are comments, but for `%time` of `rostopic echo -p`, which is a name. The first
other line says how cells are separated (comma, semicolon, tab, else blanks) and has the names, each with its unit in brackets
where it has one (`x [m]`, `x (m)`); where it has numbers only, the columns are column1, column2, ... A cell is a number, also
with a decimal comma where commas separate nothing, or true or false, or nothing: empty, null, none, na, n/a. A column without
any number is left out.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.csv_file import METADATA_MARK

__all__ = ["Column", "Table", "read_table"]

_UNIT = re.compile(r"^(.*?)\s*[\[(]([^\])]*)[\])]$")
_NOTHING = frozenset({"", "null", "none", "na", "n/a"})
_WORDS = {"true": 1.0, "false": 0.0}
_WORD = re.compile(r"[^\s\[(][^\s\[(]*(?:\s*[\[(][^\])]*[\])])?")  # between blanks; with its unit, which may follow after one
_BLOCK = 4096  # rows that are lists of numbers before they are an array


@dataclass(frozen=True)
class Column:
    """Name and unit, the unit empty where none is given."""

    name: str
    unit: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers, NaN where a cell holds nothing.

    Attributes:
        columns: their names and units.
        named: whether the names are the file's own.
        numbers: shape [rows, columns].
        present: whether a cell holds something, shape [rows, columns].
        lines: the number in the file of each row.
        texts: the cells of the time, as they stand there.
        metadata: texts about the run, where the file is ours; under `damage` and `unread` what was lost.
    """

    columns: tuple[Column, ...]
    named: bool
    numbers: NDArray[np.float64]
    present: NDArray[np.bool_]
    lines: list[int]
    texts: list[str]
    metadata: dict[str, str]


def read_table(path: Path, time_of: Callable[[Sequence[Column]], int]) -> Table:
    """Read a file; `time_of` says which of some columns is the time. `InputError` with the line for whatever is no table."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            return _Reader(path, time_of).read(file)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    except UnicodeDecodeError as error:
        raise InputError(f"this is not text: byte {error.start} is not UTF-8", file=path) from error


@dataclass
class _Rows:
    """Rows as they come: whole blocks as arrays, the last as lists."""

    blocks: list[tuple[NDArray[np.float64], NDArray[np.bool_]]] = field(default_factory=list)
    numbers: list[list[float]] = field(default_factory=list)
    present: list[list[bool]] = field(default_factory=list)

    def add(self, numbers: list[float], present: list[bool]) -> None:
        self.numbers.append(numbers)
        self.present.append(present)
        if len(self.numbers) == _BLOCK:
            self.close()

    def close(self) -> None:
        if self.numbers:
            self.blocks.append((np.array(self.numbers), np.array(self.present)))
            self.numbers, self.present = [], []


class _Reader:
    def __init__(self, path: Path, time_of: Callable[[Sequence[Column]], int]) -> None:
        self.path, self.time_of = path, time_of
        self.metadata: dict[str, str] = {}
        self.rows, self.lines, self.texts = _Rows(), list[int](), list[str]()
        self.bad: dict[int, tuple[int, str]] = {}  # by column: line and text of the first cell that is no number

    def read(self, file: Iterable[str]) -> Table:
        lines = self._content(file)
        number, first, _ = next(lines, (0, "", True))
        if not number:
            raise InputError("the file is empty, expected a line of names and lines of numbers", file=self.path)
        self.delimiter = max(",;\t", key=first.count)
        if self.delimiter not in first:
            self.delimiter = " "
        cells = self._cells(first, number)
        named = not all(_number(cell, self.delimiter) is not None for cell in cells)
        columns = self._header(cells, number) if named else tuple(Column(f"column{i}") for i in range(1, len(cells) + 1))
        if len(columns) < 2:
            raise InputError(f"only the column {columns[0].name!r}, expected time and a signal", file=self.path, line=number)
        time = self.time_of(columns)
        if not named:
            self._add(number, cells, time, columns)
        for number, text, whole in lines:
            cells = self._cells(text, number)
            if len(cells) < len(columns) and not whole:
                self.metadata["damage"] = f"cut off in line {number}, which was left out"
                break
            if len(cells) != len(columns):
                raise InputError(f"found {len(cells)} cells, expected {len(columns)}", file=self.path, line=number)
            self._add(number, cells, time, columns)
        self.rows.close()
        if not self.lines:
            raise InputError("there is no line of numbers below the names", file=self.path)
        return self._table(columns, named, time)

    def _content(self, file: Iterable[str]) -> Iterator[tuple[int, str, bool]]:
        """Lines that are neither empty nor comments: their number, their text, and whether they are whole."""
        for number, line in enumerate(file, 1):
            text = line.strip("\r\n")
            begin = text.lstrip()
            if text.startswith(METADATA_MARK):
                damage = self.metadata.get("damage")
                self.metadata = _metadata(text[len(METADATA_MARK) :], self.path, number) | ({"damage": damage} if damage else {})
            elif begin.lower().startswith("%time"):
                yield number, begin[1:], True
            elif begin and begin[0] not in "#%":
                yield number, text, line.endswith("\n")

    def _cells(self, text: str, line: int) -> list[str]:
        if self.delimiter == " ":
            return text.split() if "[" not in text and "(" not in text else _WORD.findall(text)
        if '"' not in text:
            return text.split(self.delimiter)
        try:
            return next(csv.reader([text], delimiter=self.delimiter))
        except csv.Error as error:
            raise InputError(f"this is not a table: {error}", file=self.path, line=line) from error

    def _header(self, cells: list[str], line: int) -> tuple[Column, ...]:
        if any(_number(cell, self.delimiter) is not None and cell.strip().lower() != "nan" for cell in cells):
            raise InputError("the first line has names and numbers, expected one of them", file=self.path, line=line)
        columns: list[Column] = []
        for number, cell in enumerate(cells, 1):
            unit = _UNIT.match(cell.strip())
            column = Column(unit[1], unit[2].strip()) if unit else Column(cell.strip())
            if not column.name:
                raise InputError(f"column {number} has no name", file=self.path, line=line)
            if any(column.name == other.name for other in columns):
                raise InputError(f"the column {column.name!r} occurs twice", file=self.path, line=line)
            columns.append(column)
        return tuple(columns)

    def _add(self, line: int, cells: list[str], time: int, columns: Sequence[Column]) -> None:
        try:
            numbers, present = list(map(float, cells)), [True] * len(cells)
        except ValueError:
            numbers, present = [], []
            for i, cell in enumerate(cells):
                value = _number(cell, self.delimiter)
                nothing = cell.strip().lower() in _NOTHING
                if value is None and not nothing:
                    self.bad.setdefault(i, (line, cell.strip()))
                numbers.append(np.nan if value is None else value)
                present.append(not nothing)
        self.rows.add(numbers, present)
        self.lines.append(line)
        self.texts.append(cells[time].strip())

    def _table(self, columns: tuple[Column, ...], named: bool, time: int) -> Table:
        numbers = np.concatenate([block for block, _ in self.rows.blocks])
        present = np.concatenate([block for _, block in self.rows.blocks])
        wordy = [i for i in self.bad if i != time and np.isnan(numbers[:, i]).all()]
        wrong = [(*self.bad[i], i) for i in self.bad if i not in wordy]
        if wrong:
            line, text, i = min(wrong)
            raise InputError(f"{text!r} is not a number", file=self.path, line=line, path=columns[i].name)
        if wordy:
            self.metadata["unread"] = "; ".join(f"{columns[i].name}: no numbers in it" for i in wordy)
            kept = [i for i in range(len(columns)) if i not in wordy]
            if len(kept) < 2:
                line, text = self.bad[wordy[0]]
                raise InputError(f"{text!r} is not a number", file=self.path, line=line, path=columns[wordy[0]].name)
            columns, numbers, present = tuple(columns[i] for i in kept), numbers[:, kept], present[:, kept]
        return Table(columns, named, numbers, present, self.lines, self.texts, self.metadata)


def _number(cell: str, delimiter: str) -> float | None:
    """The number in a cell; None where it holds none."""
    text = cell.strip()
    try:
        return float(text)
    except ValueError:
        pass
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if delimiter != "," and text.count(",") == 1:
        try:
            return float(text.replace(",", "."))
        except ValueError:
            return None
    return None


def _metadata(text: str, path: Path, line: int) -> dict[str, str]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"the metadata is not a JSON object: {error}", file=path, line=line) from error
    except RecursionError:
        raise InputError("the metadata is not a JSON object: it is nested too deeply", file=path, line=line) from None
    if not isinstance(found, dict):
        raise InputError("the metadata is not a JSON object of names and texts", file=path, line=line)
    return {key: str(value) for key, value in found.items()}
