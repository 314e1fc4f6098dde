"""A run that serves a recording of the real robot: what the recording feeds to it, and which signals are taken of it.

Inputs that are fed take the place of the program: the run is open loop, and sensors that nobody asks for are left out. Set-points
that are fed take the place of the scenario's; the program runs.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from didymos.control.stimulus import StimulusSpec
from didymos.describe.twin import Twin
from didymos.engine.streams import StreamPlan
from didymos.errors import InputError, nearest
from didymos.parts.fmu_part import FmuPart

__all__ = ["Sampling", "drop_sensors", "is_fed", "only", "refuse_fmus", "with_fed"]


@dataclass(frozen=True)
class Sampling:
    """What a recording feeds (`inputs.NAME`, `setpoints.NAME`), its rows at most, the signals taken, and for how long [s]."""

    fed: tuple[str, ...]
    rows: int
    signals: tuple[str, ...]
    seconds: float

    @property
    def is_open_loop(self) -> bool:
        """Whether inputs come from the recording, so that no program runs."""
        return any(target.startswith("inputs.") for target in self.fed)


def is_fed(stimulus: StimulusSpec) -> bool:
    """Whether a stimulus gets its rows from a recording."""
    return stimulus.kind == "held" and not stimulus.file


def refuse_fmus(twin: Twin) -> None:
    """Refuse a twin with an FMU among its parts: a run begins anywhere in a recording, and the state of an FMU does not."""
    for name, spec in twin.file.parts.items():
        if issubclass(spec.contract, FmuPart):
            what = f"{spec.contract.fmu.file.name} is an FMU: a run of it cannot begin in the middle of a recording"
            raise InputError(what, path=f"parts.{name}")


def with_fed(stimuli: tuple[StimulusSpec, ...], sampling: Sampling) -> tuple[StimulusSpec, ...]:
    """The stimuli of a scenario, those that the recording feeds instead of its own."""
    kept = tuple(item for item in stimuli if item.target not in sampling.fed)
    return (*kept, *(StimulusSpec(target=target, kind="held", file="", column="") for target in sampling.fed))


def drop_sensors(twin: Twin, sampling: Sampling) -> None:
    """Leave out sensors whose readings are not among the signals."""
    asked = {signal.partition(".")[0] for signal in sampling.signals}
    sensors = {name: item for name, item in twin.file.sensors.items() if name in asked}
    twin.file = twin.file.model_copy(update={"sensors": sensors})


def only(streams: tuple[StreamPlan, ...], signals: Collection[str]) -> tuple[StreamPlan, ...]:
    """The columns of some signals, of the streams that have any of them; one that no stream has is an `InputError`."""
    known = [name for stream in streams for name in stream.layout.signals]
    for name in signals:
        if name not in known:
            raise InputError(f"no signal {name!r} in a run of this twin{nearest(name, known)}")
    kept = []
    for stream in streams:
        places = [i for i, name in enumerate(stream.layout.signals) if name in signals]
        if places:
            columns, units = (tuple(values[i] for i in places) for values in (stream.layout.columns, stream.layout.units))
            layout = replace(stream.layout, columns=columns, units=units)
            kept.append(replace(stream, layout=layout, columns=[stream.columns[i] for i in places]))
    return tuple(kept)
