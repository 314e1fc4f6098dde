"""Didymos: digital twins of robots. Describe, simulate, drive, compare, fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from didymos.errors import DidymosError, InputError, RunError

if TYPE_CHECKING:
    from didymos.contract import (
        choice,
        command,
        input,
        measurement,
        memory,
        needs,
        odometry,
        option,
        output,
        parameter,
        quantity,
        report,
        setpoint,
        setting,
        state,
    )
    from didymos.control import CompiledController, Controller, Gain, program
    from didymos.control.policy import Policy
    from didymos.describe.bundled import bundled
    from didymos.engine.batch import run_many
    from didymos.engine.drive import Plant, drive
    from didymos.engine.simulation import Simulation
    from didymos.environments import make_env, make_parallel_env, make_vec_env
    from didymos.fitting.fit import fit
    from didymos.learning.train import train
    from didymos.parts.part import Motion, Part, law, tick
    from didymos.record.compare import compare
    from didymos.record.health import examine
    from didymos.record.log import Log
    from didymos.record.rotation import RotatedFile
    from didymos.sensors.sensor import Sensor, measure
    from didymos.shadow.shadow import Shadow
    from didymos.studies.falsify import falsify
    from didymos.studies.sweep import sweep
    from didymos.twin import Twin, load
    from didymos.world import World, load_world

__version__ = "0.2.0.dev0"

_HOMES = {
    "didymos.contract": (
        "choice", "command", "input", "measurement", "memory", "needs", "odometry", "option", "output", "parameter", "quantity",
        "report", "setpoint", "setting", "state",
    ),
    "didymos.control": ("CompiledController", "Controller", "Gain", "program"),
    "didymos.control.policy": ("Policy",),
    "didymos.describe.bundled": ("bundled",),
    "didymos.engine.batch": ("run_many",),
    "didymos.engine.drive": ("Plant", "drive"),
    "didymos.engine.simulation": ("Simulation",),
    "didymos.studies.falsify": ("falsify",),
    "didymos.environments": ("make_env", "make_parallel_env", "make_vec_env"),
    "didymos.studies.sweep": ("sweep",),
    "didymos.fitting.fit": ("fit",),
    "didymos.learning.train": ("train",),
    "didymos.parts.part": ("Motion", "Part", "law", "tick"),
    "didymos.record.compare": ("compare",),
    "didymos.record.health": ("examine",),
    "didymos.record.log": ("Log",),
    "didymos.record.rotation": ("RotatedFile",),
    "didymos.sensors.sensor": ("Sensor", "measure"),
    "didymos.shadow.shadow": ("Shadow",),
    "didymos.twin": ("Twin", "load"),
    "didymos.world": ("World", "load_world"),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "CompiledController", "Controller", "DidymosError", "Gain", "InputError", "Log", "Motion", "Part", "Plant", "Policy",
    "RotatedFile", "RunError", "Sensor", "Shadow", "Simulation", "Twin", "World", "bundled", "choice", "command", "compare",
    "drive", "examine", "falsify", "fit", "input", "law", "load", "load_world", "make_env", "make_parallel_env", "make_vec_env",
    "measure", "measurement", "memory", "needs", "odometry", "option", "output", "parameter", "program", "quantity", "report",
    "run_many", "setpoint", "setting", "state", "sweep", "tick", "train",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used: the help of the command line needs none of them."""
    if name not in _HOME:
        raise AttributeError(f"module 'didymos' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
