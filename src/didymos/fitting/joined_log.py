"""Several files of one clock as one log: what a camera system wrote, and what the robot wrote, of the same flight.

Stamps that count from 1970 were moved to begin at zero when each file was read (`metadata["time_shift"]`); here they count from
the first sample of all. Stamps that do not count from 1970 stay as they are: the files share their zero.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from didymos.errors import InputError
from didymos.record.log import Log, Signal

__all__ = ["JoinedLog", "split_files", "split_scenario"]


def split_files(text: str) -> tuple[Path, ...]:
    """The files that `A+B` names; one of that very name goes first."""
    return (Path(text),) if Path(text).exists() else tuple(Path(part) for part in text.split("+"))


def split_scenario(text: str | Path) -> tuple[str, str]:
    """The files and the scenario of `FILE=SCENARIO`; no scenario where none is named, or where a file has that very name."""
    name, equals, scenario = str(text).rpartition("=")
    return (name, scenario) if equals and not Path(str(text)).exists() else (str(text), "")


class JoinedLog:
    """The signals of one or several logs, by name; a name that two of them have is an `InputError` when it is asked for."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.logs = tuple(Log.load(file) for file in files)
        shifts = [Decimal(log.metadata.get("time_shift", "0")) for log in self.logs]
        if len({shift == 0 for shift in shifts}) > 1:
            raise InputError("one of these files counts its time from 1970 and another does not: they have no common clock",
                             file=files[0])  # fmt: skip
        self._late = [float(shift - min(shifts)) for shift in shifts]
        self._files = tuple(files)
        self.metadata = {key: value for log in reversed(self.logs) for key, value in log.metadata.items()}

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of all signals."""
        return tuple(dict.fromkeys(name for log in self.logs for name in log.signals))

    @property
    def sha256(self) -> str:
        """SHA-256 of what all logs hold."""
        return hashlib.sha256("".join(log.sha256 for log in self.logs).encode()).hexdigest()

    def __contains__(self, name: str) -> bool:
        return any(name in log for log in self.logs)

    def __getitem__(self, name: str) -> Signal:
        having = [i for i, log in enumerate(self.logs) if name in log]
        if len(having) > 1:
            names = " and ".join(self._files[i].name for i in having)
            raise InputError(f"{name!r} is in {names}: rename it in one of them", file=self._files[having[1]])
        if not having:
            return self.logs[0][name]  # says what is near
        signal = self.logs[having[0]][name]
        late = self._late[having[0]]
        return signal if late == 0.0 else replace(signal, time=signal.time + late)
