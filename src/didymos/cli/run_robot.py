"""`didymos run TWIN --robot KIND:ADDRESS`: the same program, scenario and log, and a real robot."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from didymos.cli.progress import progress
from didymos.cli.signals import interrupted_by_all_signals
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import bus_numbers
from didymos.cli.verdicts import as_facts, print_skipped, print_verdicts, skipped_facts, status

if TYPE_CHECKING:
    from didymos import Twin
    from didymos.cli.run_options import RunOptions

__all__ = ["drive_robot"]


def drive_robot(twin: Twin, options: RunOptions) -> int:
    """Drive it for the time of the scenario and say how it went; also the log of a run that fails is kept."""
    from didymos.ports import find_robot
    from didymos.ports.hardware import run_hardware

    ids, robot, files = bus_numbers(options.on.ids or ()), str(options.on.robot), options.files
    connect, address = find_robot(robot)
    scenario = options.what.scenario or next(iter(twin.scenarios), None)
    simulation = twin.simulate(scenario=scenario)
    seconds = simulation.seconds if options.what.seconds is None else options.what.seconds
    hardware = connect(simulation, address, ids, options.on.zero)
    try:
        with files.kept_if_it_fails(), interrupted_by_all_signals(), progress(seconds, quiet=options.quiet) as tick:
            done = run_hardware(
                simulation, hardware, seconds, record=files.streamed, keep=files.rotated is None, say=_say, progress=tick
            )
    finally:
        hardware.close()
    files.keep(done.log)
    verdicts = simulation.judge(done.log) if done.log.keeps_rows else ()
    kept = {"record": files.record, "plot": files.plot}
    if options.as_json:
        facts = {"twin": twin.name, "robot": robot, "scenario": scenario, "seconds": done.seconds, "overruns": done.overruns}
        log = {"log_sha256": done.log.sha256, "expectations": as_facts(verdicts), "skipped": skipped_facts(simulation.skipped)}
        records = {} if files.rotated is None else {"records": files.rotated.files}
        print_json({**facts, "latest": done.latest, **log, **kept, **records})
    elif not options.quiet:
        rows = [("driven", number(done.seconds, "s")), ("overruns", str(done.overruns)), ("worst", number(done.latest, "s late"))]
        print_table([*rows, *((name, str(file)) for name, file in kept.items() if file is not None)])
        print_verdicts(verdicts)
        print_skipped(simulation.skipped)
    return status(verdicts)


def _say(line: str) -> None:
    print(f"didymos: {line}", file=sys.stderr, flush=True)
