"""Watch a worker: end it by its id where a case hangs, see how it crashed, go on with the case after that."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from fuzzing.worker import MARK

__all__ = ["HANG", "MOST_GROWTH", "Finding", "Result", "distinct", "watch"]

HANG = 10.0
"""[s] of CPU time that a case may take."""
BLOCKED = 60.0  # [s] of wall time, for one that waits for something that does not come, on a machine with much else to do
MOST_GROWTH = 32e6
"""[bytes] by which the memory may grow, by a line through its second half, from there to the end."""
_LOOK = 0.25  # [s]
_TOOL = Path(__file__).parent.parent / "fuzz"


@dataclass(frozen=True)
class Finding:
    """A case that was not read, nor refused in one sentence."""

    case: int
    what: str
    kind: str = ""
    data: bytes = b""


@dataclass
class Result:
    """All cases of a target."""

    name: str
    tried: int = 0
    taken: int = 0
    slowest: float = 0.0
    slowest_case: int = -1
    growth: float = 0.0
    findings: list[Finding] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings and self.growth <= MOST_GROWTH


def watch(
    name: str, seed: int, count: int, first: int = 0, tell: Callable[[int], None] = lambda done: None, hang: float = HANG
) -> Result:
    """Try `count` cases from `first` on, in as many workers as it takes; a case may take `hang` [s] of CPU time."""
    result, began, end = Result(name), time.monotonic(), first + count
    while first < end:
        first = _one_worker(name, seed, first, end, result, tell, hang)
    result.seconds = time.monotonic() - began
    return result


def _one_worker(
    name: str, seed: int, first: int, end: int, result: Result, tell: Callable[[int], None], hang: float
) -> int:
    """Let one worker try as many cases as it can; where the next one has to begin."""
    with tempfile.NamedTemporaryFile(prefix="didymos_fuzz_") as file:
        file.write(MARK.pack(first - 1, 0.0, time.monotonic()))
        file.flush()
        words = [sys.executable, str(_TOOL), "--worker", name, str(seed), str(first), str(end), file.name]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines: list[str] = []
        errors: list[str] = []
        readers = [Thread(target=_gather, args=(process.stdout, lines)), Thread(target=_gather, args=(process.stderr, errors))]
        for reader in readers:
            reader.start()
        at, hung = _wait(process, Path(file.name), tell, hang)
        for reader in readers:
            reader.join()
    for fields in map(json.loads, lines):
        if "finding" in fields:
            data = bytes.fromhex(fields["data"])
            result.findings.append(Finding(fields["case"], fields["finding"], fields["kind"], data))
        else:
            _add(result, fields)
            return end
    how = "hung" if hung else f"ended the process with status {process.returncode}: {''.join(errors)[-2000:]}"
    if at < first:
        raise SystemExit(f"the worker for {name} could not begin: {how}")
    result.findings.append(Finding(at, how))
    result.tried += at - first + 1
    return at + 1


def _gather(stream: Any, lines: list[str]) -> None:
    lines.extend(stream)


def _wait(process: subprocess.Popen[str], shared: Path, tell: Callable[[int], None], hang: float) -> tuple[int, bool]:
    """Until the worker ends, or has to be ended; the case it was at, and whether it hung."""
    last = -1
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK)
        index, cpu, wall = MARK.unpack(shared.read_bytes()[: MARK.size])
        last = index if index >= 0 else last
        tell(last)
        if process.returncode is not None:
            return last, False
        used = _cpu_time(process.pid)
        begun = cpu > 0.0  # before its first case it imports and compiles
        if index >= 0 and begun and (used - cpu > hang or time.monotonic() - wall > BLOCKED):
            process.kill()
            process.wait()
            return last, True


def _cpu_time(pid: int) -> float:
    """CPU time [s] that a process has used."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _add(result: Result, fields: dict[str, Any]) -> None:
    result.tried += fields["tried"]
    result.taken += fields["taken"]
    if fields["slowest"] > result.slowest:
        result.slowest, result.slowest_case = fields["slowest"], fields["slowest_case"]
    memory = np.array(fields["memory"], float).reshape(-1, 2)
    half = memory[len(memory) // 2 :]
    if len(half) > 2:
        slope = float(np.polyfit(half[:, 0], half[:, 1], 1)[0])
        result.growth = max(result.growth, slope * float(half[-1, 0] - half[0, 0]))


def distinct(findings: list[Finding]) -> Iterator[tuple[Finding, int]]:
    """Findings that differ in their last line, each with how many there are of it."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.what.strip().splitlines()[-1][:80], []).append(finding)
    for group in sorted(groups.values(), key=len, reverse=True):
        yield group[0], len(group)
