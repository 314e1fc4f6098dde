"""The runs of a soak: each starts a process, keeps a client at it until the simulated time is over, and says what it saw."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from didymos.record.log import Log
from didymos.record.rotation import PART, RotatedFile
from soaking.clients import MoteusClient, PageClient, Ros2Client
from soaking.lean import PERIOD
from soaking.measure import LIMITS, Watch, watched

__all__ = ["Outcome", "soak_cockpit", "soak_moteus", "soak_ros2", "soak_run"]

KEEP = 3
_SRC = Path(__file__).parents[2] / "src"
_BATCH = 60  # ticks of one step over ROS 2

_COCKPIT = """
import json, sys, threading, didymos
from didymos.cockpit import session
from didymos.cockpit.cockpit import Cockpit
folder, out, end, piece = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
session.MOST_BYTES = 4 * 2**20  # so that the run is long enough to come to it
said, recorded = [], 0
with Cockpit(didymos.load(folder), folder=out, port=0) as page:
    page.session.notify = lambda title, text: said.append(title)
    page.session.set_speed(float("inf"))
    page.session.play()
    print(page.server.port, flush=True)
    sys.stdin.readline()
    rest = threading.Event()
    for i in range(1, round(end / piece) + 1):
        page.session.record(True)
        while page.session.live.snapshot.time < i * piece and not page.session.status.ended:
            rest.wait(0.01)
        page.session.record(False)
        page.session.wait()
        for file in page.session.folder.glob("*"):
            recorded += file.suffix == ".mcap"
            file.unlink()
    print(json.dumps({"time": page.session.live.snapshot.time, "ended": page.session.status.ended, "recorded": recorded,
                      "forgot": said.count("A long run")}), flush=True)
    sys.stdin.readline()
"""


@dataclass
class Outcome:
    """How a run went: simulated and real time [s], what was watched, what was counted, and what is wrong with it."""

    name: str
    simulated: float
    seconds: float
    watch: Watch
    counted: dict[str, Any]
    wrong: list[str] = field(default_factory=list)

    def judge(self, largest_file: float = 0.0) -> Outcome:
        """Add what was not flat; the disk may swing by one file of a rotation."""
        limits = LIMITS | {"disk": max(LIMITS["disk"], largest_file)}
        for name, grown in self.watch.growths().items():
            if not grown <= limits[name]:
                self.wrong.append(f"{name} grew by {grown:.4g} over the second half, at most {limits[name]:.4g} was expected")
        return self


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "didymos", *words]


@contextmanager
def _started(words: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A process that finds this source, ended by its id where it does not end by itself."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("CYCLONEDDS", "ROS_"))}
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment | {"PYTHONPATH": str(_SRC)},
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def _said(process: subprocess.Popen[str], what: str) -> str:
    """The line on stderr with some words in it."""
    assert process.stderr is not None
    heard = ""
    for line in process.stderr:
        heard += line
        if what in line:
            return line
    raise SystemExit(f"the process ended before it was ready: {heard}")


def _ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a verb printed at its end, after Ctrl-C where it waits for one."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    out, error = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"exit status {process.returncode}: {error}")
    facts: dict[str, Any] = json.loads(out)
    return facts


def _check_log(target: RotatedFile, stream: str, period: float, end: float, wrong: list[str]) -> dict[str, Any]:
    """Continuity over all files that are kept: their numbers, their rows, the end of the last."""
    logs = [Log.load(file) for file in target.files]
    stamps = np.concatenate([log[stream].time for log in logs])
    if target.keep is not None and len(logs) > target.keep:
        wrong.append(f"{len(logs)} files are kept, expected {target.keep}")
    if not np.allclose(np.diff(stamps), period, atol=1e-6):
        wrong.append(f"rows are missing or double: steps of {np.unique(np.round(np.diff(stamps), 6))[:5]} s")
    if stamps[-1] < end - 1.5 * period:
        wrong.append(f"the log ends at {stamps[-1]:g} s, expected {end:g} s")
    wrong += [f"{log.metadata['damage']}" for log in logs if "damage" in log.metadata]
    return {"files": int(logs[-1].metadata[PART]), "rows kept": len(stamps)}


def _largest(target: RotatedFile) -> float:
    return max((float(file.stat().st_size) for file in target.files), default=0.0)


def soak_run(twin: str, folder: Path, seconds: float, every: float, name: str, stream: str, period: float) -> Outcome:
    """`didymos run`, recording at full speed."""
    target = RotatedFile(folder / "run.mcap", every, KEEP)
    words = _command("run", twin, "--seconds", repr(seconds), "--record", str(target.path), "--record-every", f"{every:g}s")
    began, wrong = time.monotonic(), list[str]()
    with _started([*words, "--keep", str(KEEP), "--json"]) as process:
        while process.poll() is None and not target.files:  # until then it imports and compiles
            time.sleep(0.01)
        with watched(process.pid, folder) as watch:
            _, error = process.communicate()
        if process.returncode != 0:
            wrong.append(f"exit status {process.returncode}: {error}")
    taken = time.monotonic() - began
    counted = _check_log(target, stream, period, seconds, wrong)
    return Outcome(name, seconds, taken, watch, counted, wrong).judge(_largest(target))


def soak_ros2(twin: str, folder: Path, seconds: float, every: float, domain: int) -> Outcome:
    """`didymos serve --port ros2`, stepped by a client that counts every joint state."""
    target = RotatedFile(folder / "run.mcap", every, KEEP)
    words = _command("serve", twin, "--port", "ros2", "--domain", str(domain), "--step-locked", "--record", str(target.path))
    began, wrong, count = time.monotonic(), list[str](), round(seconds / PERIOD)
    with _started([*words, "--record-every", f"{every:g}s", "--keep", str(KEEP), "--json"]) as process:
        _said(process, "ROS 2 domain")
        client = Ros2Client(domain)
        with watched(process.pid, folder) as watch:
            for first in range(0, count, _BATCH):
                client.step(min(_BATCH, count - first))
        facts = _ended(process)
    taken = time.monotonic() - began
    steps = np.diff(client.stamps)
    if len(client.stamps) != count or not np.all(steps == round(PERIOD * 1e9)):
        wrong.append(f"the client got {len(client.stamps)} of {count} joint states, steps of {np.unique(steps)[:5]} ns")
    wrong += [f"{facts[what]} messages were {what}" for what in ("lost", "refused") if facts[what]]
    counted = {"sent": facts["sent"], "lost": facts["lost"], "joint states": len(client.stamps)}
    counted |= _check_log(target, "joints.hinge.position", PERIOD, seconds, wrong)
    return Outcome("serve --port ros2", seconds, taken, watch, counted, wrong).judge(_largest(target))


def soak_moteus(twin: str, folder: Path, seconds: float, every: float) -> Outcome:
    """`didymos serve --port moteus`, whose time passes with the queries of a client that counts the replies."""
    target, link = RotatedFile(folder / "run.mcap", every, KEEP), folder.parent / f"{folder.name}.tty"
    words = _command("serve", twin, "--port", "moteus", "--link", str(link), "--step-locked", "--record", str(target.path))
    began, wrong, count = time.monotonic(), list[str](), round(seconds / PERIOD)
    with _started([*words, "--record-every", f"{every:g}s", "--keep", str(KEEP), "--json"]) as process:
        _said(process, "fdcanusb at")
        client = MoteusClient(link)
        with watched(process.pid, folder) as watch:
            for _ in range(count):
                client.query()
        client.close()
        facts = _ended(process)
    taken = time.monotonic() - began
    if not client.replies == facts["replies"] == count:
        wrong.append(f"{client.replies} replies to {count} queries, {facts['replies']} were sent")
    wrong += [f"{facts[what]} answers were {what}" for what in ("lost", "refused") if facts[what]]
    counted = {"queries": count, "replies": client.replies, "lost": facts["lost"]}
    counted |= _check_log(target, "joints.hinge.position", PERIOD, seconds, wrong)
    return Outcome("serve --port moteus", seconds, taken, watch, counted, wrong).judge(_largest(target))


def soak_cockpit(twin: str, folder: Path, seconds: float, every: float) -> Outcome:
    """The cockpit at full speed with a page attached; it records, and what it recorded is removed, again and again."""
    began, wrong = time.monotonic(), list[str]()
    folder.mkdir(parents=True, exist_ok=True)
    with _started([sys.executable, "-c", _COCKPIT, twin, str(folder), repr(seconds), repr(every)]) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        first = process.stdout.readline()
        if not re.fullmatch(r"\d+\n", first):
            raise SystemExit(f"the cockpit did not start: {first}{process.communicate()[1]}")
        page = PageClient(int(first), wrong.append)
        with watched(process.pid, folder) as watch:
            process.stdin.write("\n")
            process.stdin.flush()
            text = process.stdout.readline()
        page.close()
        if not text:
            raise SystemExit(f"the cockpit broke off: {process.communicate()[1]}")
        facts = json.loads(text)
        process.stdin.write("\n")
        process.stdin.flush()
        _, error = process.communicate()
    if facts["ended"] or facts["time"] < seconds - every:
        wrong.append(f"the run ended at {facts['time']:g} s: {facts['ended']}")
    if "Traceback" in error:
        wrong.append(error)
    counted = {"recordings": facts["recorded"], "times the log was halved": facts["forgot"], "page messages": page.messages}
    return Outcome("cockpit", facts["time"], time.monotonic() - began, watch, counted, wrong).judge(64e6)
