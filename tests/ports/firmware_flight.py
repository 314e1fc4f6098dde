"""A twin flown by a firmware of the command line, and where it was: for the tests of autopilots."""

from __future__ import annotations

import numpy as np

from didymos import Log, Twin
from didymos.ports.firmware import use_firmware


def flown_by(twin: Twin, firmware: str, seconds: float, seed: int) -> Log:
    """The log of a flight."""
    use_firmware(twin, firmware)
    simulation = twin.simulate(seed=seed)
    try:
        return simulation.run(seconds)
    finally:
        simulation.close()


def at(log: Log, name: str, time: float) -> float:
    """A signal at a time [s]."""
    return float(np.interp(time, log[name].time, log[name].values))
