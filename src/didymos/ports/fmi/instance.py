"""The run behind one instance of an exported FMU, whichever version of FMI asks.

A step is a whole number of ticks: the engine's clock is discrete, and a part of a tick is nothing that it could do exactly. At
the end of a step, readings, positions and velocities are those of that instant: they are looked at ahead, as the next tick would
begin. What parts and the program tell, and what was commanded, belongs to the last tick that has passed: the next commands are
not known before the other side has said what it wants.

A state is the engine's state vector, the tick, what the program remembers, the last rows of the log and the parameters set.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.engine.context import Source
from didymos.engine.intervention import Intervention
from didymos.engine.link_frames import place_links
from didymos.engine.saved_state import State
from didymos.engine.simulation import Simulation
from didymos.errors import InputError
from didymos.ports.fmi.variables import SEED, Variable, is_instant, variables_of

__all__ = ["TwinInstance", "state_from_bytes", "state_to_bytes"]

_SLACK = 1e-6  # of a tick: how far a time may be from one; times of co-simulations are sums of steps
_MAGIC = b"didymos state 1\n"


class TwinInstance:
    """One instance: a run that is stepped, told and asked by value references, shape [n] each.

    The run records at every tick, or truth would be older than the instant.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.variables: tuple[Variable, ...] = variables_of(simulation)
        plans = [plan for robot in simulation.robots.values() for plan in robot.built.streams]
        self._instant = [is_instant(plan) for plan in plans]
        self._columns = [plan.columns for plan in plans]
        self._robots = [robot for robot in simulation.robots.values() for _ in robot.built.streams]
        data = simulation.data
        shared = {
            Source.STATE: data.plugin_state, Source.QPOS: data.qpos, Source.QVEL: data.qvel, Source.XPOS: data.xpos.reshape(-1),
            Source.XQUAT: data.xquat.reshape(-1), Source.SENSORDATA: data.sensordata,
        }  # fmt: skip
        self._arrays = [shared | {Source.LINK_POSES: robot.context.links.poses.reshape(-1)} for robot in self._robots]
        sources = [{source for source, _, _ in columns} for columns in self._columns]
        self._posed = {number for number, own in enumerate(sources) if Source.LINK_POSES in own}
        self._rows: list[NDArray[np.float64]] = [np.zeros(len(layout.columns)) for layout in simulation.layouts]
        self._fixed: dict[str, float] = {}  # `start.*` and the seed, as they were set
        self._given: dict[str, float] = {}  # inputs, as they were set
        self._set: dict[str, float] = {}  # tunable parameters, as they were set
        self._running, self._stale = False, False  # `stale`: something was set that counts from the beginning
        self._begin: float | None = None  # the other side's time at our tick 0
        simulation.switch_record(True)

    # values

    def get(self, references: Sequence[int]) -> list[float]:
        """The values of variables now."""
        self._settle()
        asked = [self._variable(reference) for reference in references]
        self._place(frozenset(item.stream for item in asked))
        return [self._output(item) if item.causality == "output" else self._own(item) for item in asked]

    def set(self, references: Sequence[int], values: Sequence[float]) -> None:
        """Give inputs and parameters values; one that cannot have this value, or not now, is an `InputError`."""
        live: dict[str, float] = {}
        for reference, value in zip(references, values, strict=True):
            variable = self._variable(reference)
            if not math.isfinite(value):
                raise InputError(f"found {value}, expected a finite number", path=variable.name)
            if variable.causality == "input":
                self._given[variable.path] = float(value)
                self._apply(variable.path, float(value))
            elif variable.variability == "fixed":
                if self._running:
                    raise InputError("is fixed: it counts until the initialization ends", path=variable.name)
                self._fixed[variable.path] = value
                self._stale = True
            elif variable.causality == "parameter":
                live[variable.path] = float(value)
            else:
                raise InputError(f"is of causality {variable.causality} and cannot be set", path=variable.name)
        if live:
            self.simulation.set_all(live)
            self._set |= live
            self._stale = self._stale or not self._running

    def _variable(self, reference: int) -> Variable:
        if not 0 <= reference < len(self.variables):
            raise InputError(f"there is no variable with the value reference {reference}")
        return self.variables[reference]

    def _apply(self, path: str, value: float) -> None:
        self.simulation.intervene(Intervention(self.simulation.tick, "steer", path, (value,)))

    def _own(self, variable: Variable) -> float:
        """The value of time, of an input or of a parameter."""
        if variable.causality == "independent":
            return (self._begin or 0.0) + self.simulation.time
        if variable.causality == "input":
            return self._given.get(variable.path, float(variable.start or 0.0))
        if variable.variability == "fixed":
            return self._fixed.get(variable.path, float(variable.start or 0.0))
        return self.simulation.get(variable.path)

    def _output(self, variable: Variable) -> float:
        if not self._instant[variable.stream]:
            return float(self._rows[variable.stream][variable.column])
        source, index, factor = self._columns[variable.stream][variable.column]
        return float(self._arrays[variable.stream][source][index]) * factor

    def _place(self, streams: frozenset[int]) -> None:
        """Bring the poses of links up to date, where they are asked for; the loop does so only for its own record."""
        data = self.simulation.data
        for stream in streams & self._posed:
            links = self._robots[stream].context.links
            where = (links.bodies, links.frames, data.xpos, data.xquat, links.poses)
            place_links(len(links.bodies), *(array.ctypes.data for array in where))

    # time

    def begin(self) -> None:
        """The initialization is over."""
        self._settle()
        self._running = True

    def step(self, time: float, size: float) -> None:
        """Let `size` [s] pass from a time [s]; anything but whole ticks is an `InputError`, a run that fails a `RunError`."""
        self.begin()
        period = self.simulation.period
        if self._begin is None:
            self._begin = time - self.simulation.time
        now = (time - self._begin) / period
        if abs(now - self.simulation.tick) > _SLACK:
            here = self._begin + self.simulation.time
            raise InputError(f"found a step from {time:.9g} s, expected one from {here:.9g} s, where the last one ended")
        ticks = round(size / period)
        if ticks < 1 or abs((time + size - self._begin) / period - self.simulation.tick - ticks) > _SLACK:
            raise InputError(f"found a step of {size:.9g} s, expected a whole number of ticks of {period:.9g} s")
        end = self.simulation.tick + ticks
        while self.simulation.tick < end:
            count = min(self.simulation.chunk, end - self.simulation.tick)
            self.simulation.advance(count, ahead=self.simulation.tick + count == end)
            for number, _, values in self.simulation.take():
                self._rows[number] = values[-1]

    def close(self) -> None:
        """The run is over."""
        self.simulation.close()

    def _settle(self) -> None:
        """Begin anew where something was set that counts from the beginning."""
        if not self._stale or self._running:
            return
        self._stale = False
        starts = {_below_start(path): value for path, value in self._fixed.items() if path != SEED}
        seed = self._fixed.get(SEED)
        self.simulation.reset(None if seed is None else int(seed), starts)
        self.simulation.switch_record(True)
        for path, value in self._given.items():
            self._apply(path, value)

    # state

    def save(self) -> dict[str, Any]:
        """Everything that is needed to go on from here, to the bit."""
        self._settle()
        return {
            "state": self.simulation.save(), "rows": [row.copy() for row in self._rows], "given": dict(self._given),
            "set": dict(self._set), "fixed": dict(self._fixed), "running": self._running, "begin": self._begin,
            "sensordata": self.simulation.data.sensordata.copy(),
        }  # fmt: skip

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved, by this instance or by another one of the same FMU."""
        defaults = {item.path: float(item.start or 0.0) for item in self.variables if item.variability == "tunable"}
        back = {path: defaults[path] for path in self._set if path not in saved["set"]}
        self.simulation.set_all({**back, **saved["set"]})
        self.simulation.restore(saved["state"])
        self._rows = [np.array(row) for row in saved["rows"]]
        self._given, self._set, self._fixed = dict(saved["given"]), dict(saved["set"]), dict(saved["fixed"])
        self._running, self._begin, self._stale = saved["running"], saved["begin"], False
        self.simulation.sense(self.simulation.tick)
        self.simulation.data.sensordata[:] = saved["sensordata"]
        self.simulation.switch_record(True)

    @property
    def can_serialize(self) -> bool:
        """Whether a state can be written as bytes: what a Python program remembers may be anything."""
        return all(robot.compiled for robot in self.simulation.robots.values())


def _below_start(path: str) -> str:
    """A path below `start` as a reset takes it: `start.position.z` -> `position.z`, `drone.start.z` -> `drone.z`."""
    head, _, rest = path.partition("start.")
    return head + rest


def state_to_bytes(saved: dict[str, Any]) -> bytes:
    """A saved state as bytes: a header in JSON, then the numbers; nothing in it can run."""
    state: State = saved["state"]
    rows = saved["rows"]
    header = {
        "tick": state.tick, "made_by": state.made_by, "robots": list(state.program), "vector": len(state.vector),
        "sensordata": len(saved["sensordata"]), "rows": [len(row) for row in rows],
        **{key: saved[key] for key in ("given", "set", "fixed", "running", "begin")},
    }  # fmt: skip
    text = json.dumps(header).encode()
    numbers = np.concatenate([state.vector, saved["sensordata"], *rows]).astype("<f8").tobytes()
    return _MAGIC + len(text).to_bytes(8, "little") + text + numbers


def state_from_bytes(data: bytes) -> dict[str, Any]:
    """What `state_to_bytes` wrote; anything else is an `InputError`."""
    try:
        if not data.startswith(_MAGIC):
            raise ValueError
        first = len(_MAGIC) + 8
        end = first + int.from_bytes(data[len(_MAGIC) : first], "little")
        header = json.loads(data[first:end])
        sizes = [header.pop("vector"), header.pop("sensordata"), *header.pop("rows")]
        numbers = np.frombuffer(data[end:], "<f8")
        if len(numbers) != sum(sizes) or min(sizes) < 0:
            raise ValueError
        vector, sensordata, *rows = np.split(numbers, np.cumsum(sizes)[:-1])
        state = State(vector.copy(), header.pop("tick"), {name: {} for name in header.pop("robots")}, header.pop("made_by"))
        return {**header, "state": state, "sensordata": sensordata.copy(), "rows": [row.copy() for row in rows]}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError("these bytes are no state of a twin") from None
