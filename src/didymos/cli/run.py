"""`didymos run`: simulate a twin, say how it went, keep what was asked for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.cockpit import watch
from didymos.cli.completion import complete_robots
from didymos.cli.options import (
    AsJson,
    BusNumbers,
    Control,
    Quiet,
    Scenario,
    Seed,
    Sets,
    TwinName,
    Values,
    Variant,
    chosen_values,
    load_twin,
)
from didymos.cli.progress import progress
from didymos.cli.run_robot import drive_robot
from didymos.cli.text import number, print_json, print_table, vector
from didymos.cli.values import bus_numbers
from didymos.cli.verdicts import as_facts, print_verdicts, status
from didymos.errors import InputError, RunError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from didymos import Log
    from didymos.control.pilot import Pilot
    from didymos.engine.intervention import Intervention, InterventionLog
    from didymos.engine.simulation import Simulation
    from didymos.engine.verdict import Verdict
    from didymos.ports.gamepad.gamepad import Gamepad

__all__ = ["run"]

LONGEST = 1e6  # [s], as for a scenario
CLIP_RATE = 20.0  # [1/s]: frames of a film

RECORDS, PLOTS = (".mcap", ".csv"), (".png", ".svg", ".pdf")
PICTURES, CLIPS = (".png", ".jpg", ".jpeg", ".webp"), (".gif",)


def run(
    twin: TwinName,
    variant: Variant = None,
    scenario: Scenario = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="Length; the scenario's by default.")] = None,
    seed: Seed = None,
    sets: Sets = None,
    values: Values = None,
    control: Control = None,
    firmware: Annotated[
        str | None,
        typer.Option(metavar="WHAT", help="Fly by firmware: betaflight, FILE.py:NAME, FILE.so, peer:COMMAND, listen:ADDRESS."),
    ] = None,
    by_hand: Annotated[
        Path | None,
        typer.Option("--interventions", metavar="FILE", help="Repeat what was done by hand: .yaml, or the .mcap itself."),
    ] = None,
    gamepad: Annotated[
        str | None,
        typer.Option(metavar="[DEVICE]", help="Fly it by hand, in real time; a device, a pipe, a file of events."),
    ] = None,
    pad_map: Annotated[
        Path | None, typer.Option(metavar="FILE.yaml", help="Which axes and buttons of the pad feed which channels.")
    ] = None,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the log: .mcap or .csv.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw an overview of the log.")] = None,
    picture: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw the robot where it ended.")] = None,
    clip: Annotated[Path | None, typer.Option(metavar="FILE.gif", help="Draw the whole run as a film.")] = None,
    real_time: Annotated[
        bool, typer.Option("--real-time", help="Not faster than the wall clock; counts overruns.")
    ] = False,
    robot: Annotated[
        str | None,
        typer.Option(
            metavar="KIND:ADDRESS",
            help="Drive a real robot instead of simulating: moteus:PATH.",
            autocompletion=complete_robots,
        ),
    ] = None,
    ids: BusNumbers = None,
    zero: Annotated[
        bool, typer.Option("--zero", help="Where the robot stands is where the scenario begins.")
    ] = False,
    view: Annotated[bool, typer.Option("--view", help="Watch it in the browser: didymos cockpit TWIN --play.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Simulate a twin, or drive its real robot, and say how it went.

    Exit status 1 if the run fails or falls short of its scenario's expectations.
    """
    _prepare(record, RECORDS, "--record")
    _prepare(plot, PLOTS, "--plot")
    _prepare(picture, PICTURES, "--picture")
    _prepare(clip, CLIPS, "--clip")
    if seconds is not None and not 0 < seconds <= LONGEST:
        raise InputError(f"found {seconds:g}, expected a number of seconds from 0 to {LONGEST:g}", path="--seconds")
    chosen = chosen_values(values, sets)
    if view:
        files = {"record": record, "plot": plot, "picture": picture, "clip": clip, "interventions": by_hand}
        why = "the page records, and runs until it is ended"
        _refuse_with("view", why, seconds=seconds, robot=robot, gamepad=gamepad, firmware=firmware, **files)
        return watch(load_twin(twin, variant, chosen, control, quiet=quiet or as_json), scenario, seed or 0, as_json)

    from didymos.engine.engine_warnings import warnings_of

    done = _done_by_hand(by_hand)
    variant = variant or (done.variant if done is not None else None)
    loaded = load_twin(twin, variant, chosen, control, firmware, quiet=quiet or as_json)
    if robot is not None:
        _refuse_with("robot", "it is for a simulation", picture=picture, clip=clip, interventions=by_hand, gamepad=gamepad,
                     firmware=firmware)  # fmt: skip
        _refuse_with("robot", "a real robot has its own numbers", set=_physical(chosen))
        log_files = {"record": record, "plot": plot}
        return drive_robot(loaded, robot, scenario, seconds, bus_numbers(ids or ()), zero, log_files, as_json, quiet)
    pad = _open_pad(gamepad, pad_map)
    if done is not None:
        seconds, scenario = seconds or done.seconds, scenario or done.scenario
        seed = done.seed if seed is None else seed
    else:
        scenario = scenario or next(iter(loaded.scenarios), None)
    seed = seed or 0
    piloted = pad is not None or (done is not None and done.piloted)
    simulation = loaded.simulate(seed=seed, scenario=scenario, piloted=piloted)
    real_time = real_time or (pad is not None and pad.live)
    if simulation.cameras and record is not None and record.suffix.lower() != ".mcap":
        raise InputError(f"found {str(record)!r}, expected a .mcap: the pictures of a camera fit into no other", path="--record")
    try:
        by_pilot = _pilot(simulation, pad)
        log = _simulate(simulation, seconds, record, plot, real_time, quiet, done.interventions if done else (), by_pilot)
    finally:
        simulation.close()
    if picture is not None:
        from didymos.record.picture import render_picture

        render_picture(simulation.shown.model, simulation.shown.pose(simulation.data), picture)
    if clip is not None:
        from didymos.record.picture import render_clip

        every = max(1, round(loaded.file.record.rate / CLIP_RATE))
        render_clip(simulation.shown.model, simulation.poses(log)[::every], clip, fps=loaded.file.record.rate / every)
    for warning in warnings_of(simulation.data):
        print(f"didymos: the engine warns: {warning}", file=sys.stderr)
    verdicts = simulation.judge(log)
    files = {"record": record, "plot": plot, "picture": picture, "clip": clip}
    if as_json:
        facts = {"twin": loaded.name, "variant": variant, "scenario": scenario, "seconds": simulation.time, "seed": seed}
        print_json({**facts, **_result(simulation, log, verdicts, real_time), **files})
    elif not quiet:
        _print_result(simulation, log, verdicts, real_time, files)
    return status(verdicts)


def _refuse_with(option: str, why: str, **others: object) -> None:
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise InputError(f"cannot go with --{option}; {why}", path=f"--{given[0]}")


def _physical(chosen: dict[str, float]) -> str | None:
    """The first value that is not the control program's."""
    return next((path for path in chosen if not path.startswith("control.")), None)


def _done_by_hand(file: Path | None) -> InterventionLog | None:
    if file is None:
        return None
    from didymos.engine.intervention import load_interventions

    return load_interventions(file)


def _open_pad(device: str | None, pad_map: Path | None) -> Gamepad | None:
    if device is None:
        if pad_map is not None:
            raise InputError("goes with --gamepad only", path="--pad-map")
        return None
    from didymos.ports.gamepad.gamepad import open_gamepad
    from didymos.ports.gamepad.pad_map import load_pad_map

    return open_gamepad(device, load_pad_map(pad_map))


def _pilot(simulation: Simulation, pad: Gamepad | None) -> Pilot | None:
    """The pilot of a run, and a line that says what its channels do."""
    if pad is None:
        return None
    from didymos.control.pilot import Pilot

    found = Pilot(simulation.twin.file.pilot, simulation.overrides.names, pad, lambda text: print(f"didymos: {text}", file=sys.stderr))
    does = [f"{row.channel} {row.target}" for row in found.rows]
    does += [f"{channel} {name}" for name, channel in found.buttons.items()]
    print(f"didymos: {pad.name} flies; channels: {', '.join(does) or 'none does anything here'}", file=sys.stderr)
    return found


def _prepare(file: Path | None, suffixes: tuple[str, ...], option: str) -> None:
    """Refuse a file that could not be written before the run, not after it."""
    if file is None:
        return
    if file.suffix.lower() not in suffixes:
        raise InputError(f"found {str(file)!r}, expected a file that ends in {' or '.join(suffixes)}", path=option)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        is_new = not file.exists()
        with file.open("ab"):  # what is there stays until there is something to put in its place
            pass
        if is_new:
            file.unlink()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{str(file)!r} cannot be written: {why}", path=option) from None


def _simulate(
    simulation: Simulation,
    seconds: float | None,
    record: Path | None,
    plot: Path | None,
    real_time: bool,
    quiet: bool,
    by_hand: Sequence[Intervention],
    pilot: Pilot | None,
) -> Log:
    """Run, and keep the log: also that of a run which fails."""
    streamed = record if record is not None and record.suffix.lower() == ".mcap" else None
    planned = simulation.seconds if seconds is None else seconds
    try:
        with progress(planned, quiet=quiet) as tick:
            log = simulation.run(
                seconds, record=streamed, progress=tick, real_time=real_time, interventions=by_hand, pilot=pilot
            )
    except (RunError, KeyboardInterrupt) as error:
        kept_log = getattr(error, "log", None)
        if kept_log is not None:
            _keep(kept_log, record, streamed, plot)
            kept = [str(file) for file in (record, plot) if file is not None]
            print(f"didymos: what happened until then is in {' and '.join(kept) or 'no file'}", file=sys.stderr)
        raise
    _keep(log, record, streamed, plot)
    return log


def _keep(log: Log, record: Path | None, streamed: Path | None, plot: Path | None) -> None:
    if record is not None and record != streamed:
        log.save(record)
    if plot is not None:
        log.plot(path=plot)


def _result(simulation: Simulation, log: Log, verdicts: tuple[Verdict, ...], real_time: bool) -> dict[str, Any]:
    return {
        "real_time_factor": simulation.real_time_factor,
        "log_sha256": log.sha256,
        "expectations": as_facts(verdicts),
        "events": [{"time": time, "what": what, "is": word} for time, what, word in simulation.events(log)],
        "position": _position(simulation),
        "overruns": simulation.overruns if real_time else None,
    }


def _print_result(
    simulation: Simulation, log: Log, verdicts: tuple[Verdict, ...], real_time: bool, files: dict[str, Path | None]
) -> None:
    rows = [("simulated", number(simulation.time, "s")), ("real-time factor", f"{simulation.real_time_factor:.3g}")]
    position = _position(simulation)
    if position is not None:
        rows.append(("final position", vector(position) + " m"))
    if real_time:
        rows.append(("overruns", str(simulation.overruns)))
    rows += [(name, str(file)) for name, file in files.items() if file is not None]
    print_table(rows)
    print_table([(number(time, "s"), what, word) for time, what, word in simulation.events(log)])
    print_verdicts(verdicts)


def _position(simulation: Simulation) -> list[float] | None:
    """Where the first free body is [m], shape [3]; none where every body is tied to the world."""
    free = simulation.model.jnt_type == 0  # mjJNT_FREE
    return [float(x) for x in simulation.data.xpos[simulation.model.jnt_bodyid[free][0]]] if free.any() else None
