"""`didymos shadow`: the twin beside its robot, in step with it, first to know when something is wrong."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from threading import Timer
from typing import TYPE_CHECKING, Any

from didymos.cli.command import command
from didymos.cli.options import chosen_values, load_model
from didymos.cli.progress import progress
from didymos.cli.shadow_cockpit import open_page, stay_open
from didymos.cli.shadow_options import ShadowOptions
from didymos.cli.shadow_report import ShadowReport
from didymos.cli.signals import stopped_by_signals
from didymos.cli.text import print_json
from didymos.cli.values import bus_numbers, pairs
from didymos.errors import InputError, RunError

if TYPE_CHECKING:
    from didymos.shadow.calibration import Calibration
    from didymos.shadow.recording import ShadowRecording
    from didymos.shadow.shadow import Audience, Shadow
    from didymos.shadow.source import Source
    from didymos.twin import Twin

__all__ = ["shadow"]


@command
def shadow(options: ShadowOptions) -> int:
    """Run beside a robot, in step with it, and say at once when something is wrong with it, what, and how large.

    The robot is heard, never commanded, unless `--drive` says so. Ends at Ctrl-C, or with the recording. Exit status 1 if alarms
    were raised. With `--calibrate` it learns from healthy recordings what is normal, before or instead.
    """
    from didymos.shadow.heard import Heard
    from didymos.shadow.shadow import Shadow

    options.check()
    twin = _twin(options)
    calibration = _calibration(twin, options)
    robot = options.beside.robot
    if robot is None:
        return 0
    report = ShadowReport(as_json=options.as_json, quiet=options.quiet)
    with ExitStack() as opened:
        source = _source(twin, options, robot)
        opened.callback(source.close)
        recording = _recording(twin, source, options, opened)
        audiences = _audiences(twin, options, report, opened)
        heard = source if recording is None else Heard(source, recording)
        live = Shadow(
            twin, heard, scenario=options.beside.scenario, calibration=calibration,
            alarms_per_hour=options.noticing.alarms_per_hour,
        )  # fmt: skip
        if recording is not None:
            recording.compared = {signal for channel in live.observer.channels for signal in channel.signals}
            audiences.append(recording)
        for audience in (report, *audiences):
            live.listen(audience)
        _learn(live, options, opened)
        open_page(live, options.watched, report, opened)
        cpu = _run(live, source, options, report)
        stay_open(live, options.watched, report)
    facts = {"twin": twin.name, "robot": robot, **_facts(live, cpu), **getattr(source, "facts", {})}
    report.end({**facts, "record": options.kept.record_to()}, live.alarms)
    return 1 if live.alarms else 0


def _twin(options: ShadowOptions) -> Twin:
    from didymos.world import World

    what = options.beside
    twin = load_model(
        what.twin, what.variant, chosen_values(what.values, what.sets), read=options.read, scenarios=what.scenarios,
        quiet=options.quiet or options.as_json,
    )  # fmt: skip
    if isinstance(twin, World):
        raise InputError("a shadow runs beside one robot; this is a world of several", path="TWIN")
    return twin


def _calibration(twin: Twin, options: ShadowOptions) -> Calibration | None:
    """That of a file, or of healthy recordings, which is kept where somebody asks for it."""
    from didymos.shadow.calibration import Calibration, calibrate

    noticing = options.noticing
    if noticing.calibration is not None:
        return Calibration.load(noticing.calibration)
    if not noticing.calibrate:
        return None
    files = [file if file.startswith("log:") else f"log:{file}" for file in noticing.calibrate]
    with progress(1.0, quiet=options.quiet or options.as_json, text="{task.percentage:.0f} % calibrated") as tick:
        found = calibrate(
            twin, files, scenario=options.beside.scenario, signals=options.beside.signal or (), progress=tick,
        )  # fmt: skip
    if noticing.save_calibration is not None:
        noticing.save_calibration.parent.mkdir(parents=True, exist_ok=True)
        found.save(noticing.save_calibration)
        if options.as_json:
            print_json({"event": "calibration", "file": noticing.save_calibration, "recordings": files})
        elif not options.quiet:
            print(f"calibration: {noticing.save_calibration}")
    return found


def _source(twin: Twin, options: ShadowOptions, robot: str) -> Source:
    from didymos.shadow.source import SourceOptions
    from didymos.shadow.sources import open_source

    beside, moving = options.beside, options.moving
    if moving.drive:
        from didymos.shadow.sources.driven import DrivenSource, Driving

        scenario = beside.scenario or next(iter(twin.scenarios), None)
        return DrivenSource(twin, Driving(robot, scenario, beside.seconds, bus_numbers(moving.ids or ()), moving.zero))
    pace = 1.0 if beside.pace is None and options.watched.cockpit else beside.pace
    chosen = SourceOptions(
        pace=pace, signals=tuple(beside.signal or ()), network=beside.network,
        topics=pairs(beside.topic or (), "--topic"), ids=bus_numbers(moving.ids or ()),
    )  # fmt: skip
    return open_source(twin, robot, chosen)


def _recording(twin: Twin, source: Source, options: ShadowOptions, opened: ExitStack) -> ShadowRecording | None:
    """The log of both sides, where it is asked for; closed at the end."""
    from didymos.shadow.recording import ShadowRecording
    from didymos.shadow.signals import all_signals

    record = options.kept.record_to()
    if record is None:
        return None
    known = all_signals(twin)
    units = {name: known.get(name, "") for name in source.signals}
    recording = ShadowRecording(record, twin, str(options.beside.robot), units=units, scenario=options.beside.scenario)
    opened.callback(recording.close)
    return recording


def _audiences(twin: Twin, options: ShadowOptions, report: ShadowReport, opened: ExitStack) -> list[Audience]:
    """Who else is told, each closed at the end."""
    found: list[Audience] = []
    noticing, robot = options.noticing, str(options.beside.robot)
    if noticing.on_alarm is not None:
        from didymos.shadow.hook import AlarmHook

        hook = AlarmHook(noticing.on_alarm, report.say)
        opened.callback(hook.close)
        found.append(hook)
    if robot.startswith("ros2:") if noticing.diagnostics is None else noticing.diagnostics:
        from didymos.shadow.diagnostics import Diagnostics
        from didymos.shadow.sources.ros2 import domain_of

        own = robot.removeprefix("ros2:") if robot.startswith("ros2:") else ""
        domain = domain_of(own) if noticing.domain is None else noticing.domain
        diagnostics = Diagnostics(twin.name, robot, domain, network=options.beside.network)
        opened.callback(diagnostics.close)
        found.append(diagnostics)
    return found


def _learn(live: Shadow, options: ShadowOptions, opened: ExitStack) -> None:
    """Estimate parameters meanwhile, where that is asked for."""
    learning = options.learning
    if learning.paths:
        from didymos.shadow.adapt import Adapter

        adapter = Adapter(live, learning.paths, take=learning.adapt or (), window=learning.window, save=learning.save)
        opened.callback(adapter.close)


def _run(live: Shadow, source: Source, options: ShadowOptions, report: ShadowReport) -> float:
    """Until its time is over, the recording ends, or a person does; the share of a core that it took."""
    seconds = options.beside.seconds
    of_recording = not source.live
    timer = None if seconds is None or of_recording else Timer(seconds, live.stop)
    begun = time.monotonic(), time.process_time()
    try:
        with stopped_by_signals(live.stop), progress(_length(source, seconds), quiet=options.quiet or options.as_json) as tick:
            report.say(f"beside {options.beside.robot}" + ("" if of_recording else ", Ctrl-C ends it"))
            if timer is not None:
                timer.daemon = True
                timer.start()
            live.run(seconds if of_recording else None, progress=tick)
    except RunError:
        if options.kept.record is not None:
            print(f"didymos: what happened until then is in {options.kept.record_to()}", file=sys.stderr)
        raise
    finally:
        if timer is not None:
            timer.cancel()
    return (time.process_time() - begun[1]) / max(time.monotonic() - begun[0], 1e-9)


def _length(source: Source, seconds: float | None) -> float | None:
    """Of a recording [s], as far as it is read."""
    from didymos.shadow.sources.log import LogSource

    if not isinstance(source, LogSource):
        return None
    stamps = source.table.stamps
    whole = float(stamps[-1] - stamps[0])
    return whole if seconds is None else min(whole, seconds)


def _facts(live: Shadow, cpu: float) -> dict[str, Any]:
    summary = live.summary
    facts = {
        "seconds": summary.seconds, "updates": summary.frames, "readings": summary.readings, "nis_per_reading": summary.nis,
        "late": summary.late, "lost": summary.lost, "cpu": cpu,
    }  # fmt: skip
    if live.source.live:
        facts |= {"latency_p50": summary.latency[0], "latency_p99": summary.latency[1]}
    return facts
