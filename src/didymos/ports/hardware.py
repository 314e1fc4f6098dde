"""A real robot behind a port, driven by the control program of its twin and recorded under the same names.

However a run ends, the motors are stopped.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from didymos.engine.drive import drive
from didymos.errors import RunError
from didymos.ports.real_plant import RealPlant
from didymos.record.log import Log
from didymos.record.recorder import RecordTo
from didymos.record.stream import StreamLayout

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["Hardware", "HardwareRun", "Witness", "run_hardware"]


class Hardware(Protocol):
    """A real robot on its wire."""

    @property
    def reports(self) -> tuple[tuple[str, str], ...]:
        """PART.QUANTITY and unit of everything that it says."""
        ...

    def begin(self) -> None:
        """Make ready; what is not as the run needs it is an error."""
        ...

    def read(self) -> NDArray[np.float64]:
        """What it says now, in the order of `reports`; a fault is a `RunError`."""
        ...

    def write(self, inputs: Mapping[str, float]) -> None:
        """Hand over all inputs."""
        ...

    def stop(self) -> tuple[str, ...]:
        """Bring everything to rest; what did not confirm it."""
        ...

    def close(self) -> None:
        """Let go of the wire."""
        ...


class Witness(Protocol):
    """Somebody who sees what a robot is commanded and what it says, tick by tick, while it is driven; may not keep the loop."""

    def begin(self, layouts: Sequence[StreamLayout]) -> None:
        """The robot is ready, its clock starts when this returns; rows will have these layouts."""
        ...

    def rows(self, stamp: float, rows: Sequence[NDArray[np.float64]]) -> None:
        """A row for each layout, read at a time of the run [s]."""
        ...


@dataclass(frozen=True)
class HardwareRun:
    """What a run left: its log, the ticks that were late, and the worst lateness [s]."""

    log: Log
    seconds: float
    overruns: int
    latest: float


def run_hardware(
    simulation: Simulation,
    hardware: Hardware,
    seconds: float,
    *,
    record: RecordTo | None = None,
    keep: bool = True,
    say: Callable[[str], None] = print,
    progress: Callable[[float], None] | None = None,
    witness: Witness | None = None,
) -> HardwareRun:
    """Drive a robot with the program and the scenario of a simulated twin, which itself stands still.

    Without `keep` the log is only recorded.

    A run that fails or is interrupted raises, with what was recorded until then as `log`; the robot is stopped before.
    """
    plant = RealPlant(simulation, hardware, record, progress, keep=keep, witness=witness)
    program = simulation.program
    assert program is not None  # the plant would have refused
    try:
        try:
            hardware.begin()
            if witness is not None:
                witness.begin(plant.log.layouts)
            plant.begin()
            drive(plant, program, first=0, count=max(1, round(seconds / plant.period)))
        finally:
            with _undisturbed():
                try:
                    left = hardware.stop()
                except RunError as error:
                    say(f"could not stop the motors: {error}; their watchdogs have to")
                else:
                    for who in left:
                        say(f"{who} did not confirm that it stopped")
                plant.close()
    except (RunError, KeyboardInterrupt) as error:
        error.log = plant.log  # type: ignore[union-attr]
        raise
    return HardwareRun(plant.log, plant.seconds, plant.overruns, plant.latest)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold back Ctrl-C and the like, so that a second one does not come between a motor and its stop."""
    signals = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
