"""A worker: tries cases one after the other, in a process of its own that may hang, crash or be killed.

It marks in a file shared with its watcher which case it is at and how much CPU time it had used when it began, and writes
findings and, at its end, a summary as lines of JSON.
"""

from __future__ import annotations

import gc
import importlib
import json
import mmap
import os
import struct
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from fuzzing.target import Case, Target, finding_of, made

__all__ = ["MARK", "TARGETS", "Summary", "find_target", "work"]

MARK = struct.Struct("<qdd")
"""In the shared file: the case, and the worker's CPU time [s] and the monotonic clock [s] when it began."""

TARGETS = {
    "twins": "fuzzing.twins:Twins",
    "descriptions": "fuzzing.descriptions:Descriptions",
    "logs": "fuzzing.logs:Logs",
    "recordings": "fuzzing.recordings:Recordings",
    "frames": "fuzzing.frames:Frames",
    "crtp": "fuzzing.crtp_wire:CrtpPackets",
    "mavlink": "fuzzing.mavlink_wire:MavlinkFrames",
}
_SAMPLES = 200  # of the memory, over all cases


@dataclass
class Summary:
    """What a worker did: cases tried and taken, the slowest of them [s of CPU], memory [bytes] over cases."""

    tried: int = 0
    taken: int = 0
    slowest: float = 0.0
    slowest_case: int = -1
    memory: list[tuple[int, int]] = field(default_factory=list)


def find_target(name: str) -> type[Target]:
    """The target of a name, or MODULE:CLASS."""
    module, _, attribute = TARGETS.get(name, name).partition(":")
    made: type[Target] = getattr(importlib.import_module(module), attribute)
    return made


def _resident() -> int:
    """Memory of this process [bytes]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class _Stderr:
    """What a case prints on stderr, from whatever language: nothing is what it should be."""

    def __init__(self, folder: Path) -> None:
        sys.stderr.flush()
        self._file = (folder / "stderr.txt").open("w+b", buffering=0)
        os.dup2(self._file.fileno(), 2)

    def taken(self) -> str:
        """What was printed since the last time."""
        if os.fstat(self._file.fileno()).st_size == 0:
            return ""
        sys.stderr.flush()
        text = os.pread(self._file.fileno(), 20_000, 0)
        self._file.truncate(0)
        os.lseek(self._file.fileno(), 0, os.SEEK_SET)
        return text.decode("utf-8", "replace")


def work(name: str, seed: int, first: int, end: int, shared: Path, out: TextIO) -> None:
    """Try the cases from `first` up to `end`."""
    with tempfile.TemporaryDirectory(prefix="didymos_fuzz_") as home, shared.open("r+b") as file:
        os.chdir(home)
        mark = mmap.mmap(file.fileno(), MARK.size)
        folder = Path(home) / "files"
        folder.mkdir()
        target = find_target(name)(folder)
        stderr, summary = _Stderr(Path(home)), Summary()
        every = max(1, (end - first) // _SAMPLES)
        for index in range(first, end):
            case = made(target, seed, name, index)
            began = time.process_time()
            MARK.pack_into(mark, 0, index, began, time.monotonic())
            taken, finding = finding_of(target.attempt, case)
            used = time.process_time() - began
            printed = stderr.taken()
            if printed and not finding:
                finding = f"it printed on stderr: {printed}"
            summary.tried, summary.taken = summary.tried + 1, summary.taken + taken
            if used > summary.slowest:
                summary.slowest, summary.slowest_case = used, index
            if finding:
                _say(out, {"case": index, "finding": finding, **_facts(case)})
            if (index - first) % every == every - 1:
                gc.collect()
                summary.memory.append((index, _resident()))
        MARK.pack_into(mark, 0, -1, 0.0, 0.0)
        target.close()
        _say(out, asdict(summary))


def _facts(case: Case) -> dict[str, Any]:
    return {"kind": case.kind, "data": case.data.hex()}


def _say(out: TextIO, fields: dict[str, Any]) -> None:
    print(json.dumps(fields), file=out, flush=True)
