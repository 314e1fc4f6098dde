"""`didymos run TWIN --robot KIND:ADDRESS`: the same program, scenario and log, and a real robot."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from didymos.cli.progress import progress
from didymos.cli.text import number, print_json, print_table
from didymos.cli.verdicts import as_facts, print_verdicts, status
from didymos.errors import RunError

if TYPE_CHECKING:
    from didymos import Log, Twin

__all__ = ["drive_robot"]


def drive_robot(
    twin: Twin,
    robot: str,
    scenario: str | None,
    seconds: float | None,
    ids: Mapping[str, int],
    zero: bool,
    files: Mapping[str, Path | None],
    as_json: bool,
    quiet: bool,
) -> int:
    """Drive it for the time of the scenario and say how it went; also the log of a run that fails is kept."""
    from didymos.ports import find_robot
    from didymos.ports.hardware import run_hardware

    connect, address = find_robot(robot)
    scenario = scenario or next(iter(twin.scenarios), None)
    simulation = twin.simulate(scenario=scenario)
    duration = simulation.seconds if seconds is None else seconds
    record = files["record"]
    streamed = record if record is not None and record.suffix.lower() == ".mcap" else None
    hardware = connect(simulation, address, ids, zero)
    try:
        with _interrupted_by_all_signals(), progress(duration, quiet=quiet) as tick:
            done = run_hardware(simulation, hardware, duration, record=streamed, say=_say, progress=tick)
    except (RunError, KeyboardInterrupt) as error:
        kept = getattr(error, "log", None)
        if kept is not None:
            _keep(kept, files, streamed)
            _say(f"what happened until then is in {' and '.join(str(file) for file in files.values() if file) or 'no file'}")
        raise
    finally:
        hardware.close()
    _keep(done.log, files, streamed)
    verdicts = simulation.judge(done.log)
    facts = {
        "twin": twin.name, "robot": robot, "scenario": scenario, "seconds": done.seconds, "overruns": done.overruns,
        "latest": done.latest,
    }  # fmt: skip
    if as_json:
        print_json({**facts, "log_sha256": done.log.sha256, "expectations": as_facts(verdicts), **files})
    elif not quiet:
        rows = [("driven", number(done.seconds, "s")), ("overruns", str(done.overruns)), ("worst", number(done.latest, "s late"))]
        print_table([*rows, *((name, str(file)) for name, file in files.items() if file is not None)])
        print_verdicts(verdicts)
    return status(verdicts)


def _keep(log: Log, files: Mapping[str, Path | None], streamed: Path | None) -> None:
    record, plot = files["record"], files["plot"]
    if record is not None and record != streamed:
        log.save(record)
    if plot is not None:
        log.plot(path=plot)


def _say(line: str) -> None:
    print(f"didymos: {line}", file=sys.stderr, flush=True)


@contextmanager
def _interrupted_by_all_signals() -> Iterator[None]:
    """TERM and a closed terminal interrupt as Ctrl-C does, so that they too stop the motors."""

    def interrupt(_which: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {which: signal.signal(which, interrupt) for which in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)
