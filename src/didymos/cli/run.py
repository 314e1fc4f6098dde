"""`didymos run`: simulate a twin, say how it went, keep what was asked for."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from didymos.cli.cockpit import watch
from didymos.cli.command import command
from didymos.cli.flags import flag
from didymos.cli.log_files import LogFiles
from didymos.cli.options import chosen_values, load_model
from didymos.cli.progress import progress
from didymos.cli.run_options import RunOptions
from didymos.cli.run_result import print_result, print_warnings, result_facts
from didymos.cli.run_robot import drive_robot
from didymos.cli.signals import interrupted_by_all_signals
from didymos.cli.text import print_json
from didymos.cli.verdicts import status
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos import Log, Twin, World
    from didymos.control.pilot import Pilot
    from didymos.engine.intervention import InterventionLog
    from didymos.engine.simulation import Simulation
    from didymos.engine.verdict import Verdict
    from didymos.ports.gamepad.gamepad import Gamepad

__all__ = ["run"]

CLIP_RATES = {".gif": 20.0, ".mp4": 25.0}  # [1/s]: pictures of a film


@command
def run(options: RunOptions) -> int:
    """Simulate a twin, or drive its real robot, and say how it went.

    Exit status 1 if the run fails or falls short of its scenario's expectations.
    """
    options.files.prepare()
    options.check_seconds()
    options.check_watched()
    what = options.what
    chosen = chosen_values(what.values, what.sets)
    if options.watched.view:
        options.check_view()
        watched = load_model(
            what.twin, what.variant, chosen, what.control, read=options.read, scenarios=what.scenarios, quiet=options.silent
        )
        return watch(watched, what.twin, what.scenario, what.seed or 0, options.as_json)
    repeated = _load_interventions(options.by_hand.interventions)
    variant = what.variant or (repeated.variant if repeated is not None else None)
    twin = load_model(
        what.twin, variant, chosen, what.control, what.firmware, read=options.read, scenarios=what.scenarios,
        quiet=options.silent,
    )  # fmt: skip
    if repeated is not None and not options.silent:
        _tell_what_is_missing(repeated, twin)
    if repeated is not None and repeated.every_input:
        from didymos.engine.every_input import record_every_input

        record_every_input(twin)
    if options.on.robot is not None:
        from didymos.world import World

        options.check_robot(chosen)
        if isinstance(twin, World):
            raise InputError("drives the robot of a twin; a world has several", option="robot")
        return drive_robot(twin, options)
    if options.by_hand.gamepad is not None:
        from didymos.world import World

        if isinstance(twin, World):
            raise InputError("flies the robot of a twin; a world has several", option="gamepad")
    pad = _open_pad(options.by_hand.gamepad, options.by_hand.pad_map)
    return _simulate(twin, _planned(options, twin, variant, repeated, pad), options)


@dataclass(frozen=True)
class _Plan:
    """What is simulated: as the options say, or else the interventions that are repeated, or else the twin."""

    variant: str | None
    scenario: str | None
    seconds: float | None
    seed: int
    pad: Gamepad | None
    repeated: InterventionLog | None
    real_time: bool


def _planned(
    options: RunOptions, twin: Twin | World, variant: str | None, repeated: InterventionLog | None, pad: Gamepad | None
) -> _Plan:
    watched = options.watched.foxglove is not None and not options.watched.fast
    what, real_time = options.what, options.real_time or watched or (pad is not None and pad.live)
    if repeated is None:
        scenario = what.scenario or next(iter(twin.scenarios), None)
        return _Plan(variant, scenario, what.seconds, what.seed or 0, pad, None, real_time)
    scenario, seconds = what.scenario or repeated.scenario, what.seconds or repeated.seconds
    return _Plan(variant, scenario, seconds, repeated.seed if what.seed is None else what.seed, pad, repeated, real_time)


def _started(twin: Twin | World, plan: _Plan) -> Simulation:
    piloted = plan.pad is not None or (plan.repeated is not None and plan.repeated.piloted)
    from didymos.world import World

    if not isinstance(twin, World):
        return twin.simulate(seed=plan.seed, scenario=plan.scenario, piloted=piloted)
    return twin.simulate(seed=plan.seed, scenario=plan.scenario, piloted=plan.repeated.piloted_robots if plan.repeated else ())


def _simulate(twin: Twin | World, plan: _Plan, options: RunOptions) -> int:
    """Simulate, keep the files, say how it went; the exit status."""
    simulation = _started(twin, plan)
    files = options.files
    if simulation.cameras and files.record is not None and files.streamed is None:
        why = "expected a .mcap: the pictures of a camera fit into no other"
        raise InputError(f"found {str(files.record)!r}, {why}", option="record")
    if files.camera is not None:  # before the run, not after it
        from didymos.record.view import Framing, read_view

        Framing(simulation.shown.model, read_view(files.camera), 1.0)
    try:
        log = _run(simulation, plan, options)
    finally:
        simulation.close()
    _draw(simulation, log, files)
    print_warnings(simulation)
    verdicts = _judged(simulation, log)
    if options.as_json:
        what = {"twin": twin.name, "variant": plan.variant, "scenario": plan.scenario}
        facts = {"seconds": simulation.time, "seed": plan.seed, **result_facts(simulation, log, verdicts, plan.real_time)}
        print_json({**what, **facts, **files.results})
    elif not options.quiet:
        shown = {**files.chosen, "record": files.rotated or files.record}
        print_result(simulation, log, verdicts, plan.real_time, shown)
    return max(status(verdicts), _fall_status(simulation))


def _run(simulation: Simulation, plan: _Plan, options: RunOptions) -> Log:
    """Run, and keep the log: also that of a run which fails."""
    pilot, files, watched = _pilot(simulation, plan.pad), options.files, options.watched
    planned = simulation.seconds if plan.seconds is None else plan.seconds
    interventions = plan.repeated.interventions if plan.repeated is not None else ()
    streamed, keep = files.streamed, files.rotated is None
    with files.kept_if_it_fails(), interrupted_by_all_signals(), progress(planned, quiet=options.quiet) as tick:
        if watched.foxglove is None:
            log = simulation.run(
                plan.seconds, record=streamed, progress=tick, real_time=plan.real_time, interventions=interventions,
                pilot=pilot, keep=keep,
            )  # fmt: skip
        else:
            from didymos.ports.foxglove.port import run_watched

            log = run_watched(
                simulation, planned, watched.foxglove, fast=watched.fast, record=streamed, progress=tick,
                interventions=interventions, pilot=pilot, keep=keep, layout=watched.layout, say=_say,
            )  # fmt: skip
    files.keep(log)
    return log


def _say(line: str) -> None:
    print(f"didymos: {line}", file=sys.stderr, flush=True)


def _judged(simulation: Simulation, log: Log) -> tuple[Verdict, ...]:
    """What the scenario expects, measured; not where the log went to the disk alone, and then that is said."""
    if log.keeps_rows:
        return simulation.judge(log)
    if simulation.expects:
        print("didymos: what the scenario expects is not judged: with --record-every no log is held in memory", file=sys.stderr)
    return ()


def _fall_status(simulation: Simulation) -> int:
    """1 where the robot does nothing but fall, unless its scenario says what a good run is; a line says so either way."""
    fall = simulation.free_fall
    if fall is None:
        return 0
    print(f"didymos: at t = {simulation.time:.6g} s: {fall}", file=sys.stderr)
    return 0 if simulation.expects else 1


def _draw(simulation: Simulation, log: Log, files: LogFiles) -> None:
    """The pictures of the robot."""
    from didymos.record.picture import render_clip, render_picture

    shown = simulation.shown
    if files.picture is not None:
        render_picture(shown.model, shown.pose(simulation.data), files.picture, camera=files.camera)
    if files.clip is not None:
        rate = next(iter(simulation.robots.values())).twin.file.record.rate
        every = max(1, round(rate / CLIP_RATES[files.clip.suffix.lower()]))
        render_clip(shown.model, simulation.poses(log)[::every], files.clip, fps=rate / every, camera=files.camera)


def _load_interventions(file: Path | None) -> InterventionLog | None:
    if file is None:
        return None
    from didymos.engine.intervention import load_interventions

    return load_interventions(file)


def _tell_what_is_missing(repeated: InterventionLog, twin: Twin | World) -> None:
    """Say what the twin of an earlier run was given and this one is not: without it, the run is another."""
    from didymos.engine.given import Given

    if repeated.given.options and Given.to(twin).without_folders != repeated.given.without_folders:
        words = " ".join(f"{flag(name)} {shlex.quote(value)}" for name, value in repeated.given.options)
        print(f"didymos: the run that is repeated was made with {words}", file=sys.stderr)


def _open_pad(device: str | None, pad_map: Path | None) -> Gamepad | None:
    if device is None:
        if pad_map is not None:
            raise InputError("goes with --gamepad only", option="pad_map")
        return None
    from didymos.ports.gamepad.gamepad import open_gamepad
    from didymos.ports.gamepad.pad_map import load_pad_map

    return open_gamepad(device, load_pad_map(pad_map))


def _pilot(simulation: Simulation, pad: Gamepad | None) -> Pilot | None:
    """The pilot of a run, and a line that says what its channels do."""
    if pad is None:
        return None
    from didymos.control.pilot import Pilot

    names = simulation.overrides.names
    pilot = Pilot(simulation.twin.file.pilot, names, pad, lambda text: print(f"didymos: {text}", file=sys.stderr))
    does = [f"{row.channel} {row.target}" for row in pilot.rows]
    does += [f"{channel} {name}" for name, channel in pilot.buttons.items()]
    print(f"didymos: {pad.name} flies; channels: {', '.join(does) or 'none does anything here'}", file=sys.stderr)
    return pilot
