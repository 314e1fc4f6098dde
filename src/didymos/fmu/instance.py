"""An FMU of others that runs: its library in this process, through `fmpy`. It is foreign code with all rights of the user.

Its time is its own: it begins at 0 s and counts steps, also where the robot is put back to its start in the middle of a run.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from didymos.errors import InputError, RunError
from didymos.fmu.description import FmuDescription, FmuVariable
from didymos.fmu.library import end_in_time

__all__ = ["FmuInstance", "FmuState"]

_INSTALL = "pip install 'didymos[fmi]'"
_STATUS = {2: "discards", 3: "tells an error in", 4: "tells a fatal error in", 5: "does not finish"}
_ERROR, _FATAL = 3, 4
T = TypeVar("T")


@dataclass(frozen=True)
class FmuState:
    """A state of an FMU: its steps, and bytes, or a handle that is good in this process only; neither where it has just begun."""

    steps: int
    data: bytes | None = None
    handle: Any = None

    def __deepcopy__(self, memo: Any) -> FmuState:
        return self  # it never changes


class FmuInstance:
    """One instance of an FMU, for a `user` that error messages name ("part lift"); `step` [s] is its communication step."""

    def __init__(self, about: FmuDescription, user: str, step: float) -> None:
        self.about, self.user, self.step_size, self.steps = about, user, step, 0
        if about.fixed_step is not None and abs(math.remainder(step, about.fixed_step)) > 1e-9 * about.fixed_step:
            what = f"takes steps of {about.fixed_step:g} s inside, of which {step:g} s is no multiple"
            raise InputError(what, file=about.file)
        fmpy = _fmpy()
        ours = fmpy.platform_tuple if about.fmi == 3 else fmpy.platform
        if not {ours, fmpy.platform, fmpy.platform_tuple} & set(about.platforms):
            has = ", ".join(about.platforms) or "none"
            raise InputError(f"holds no library for this platform, {ours} (it has: {has})", file=about.file)
        self._folder = tempfile.mkdtemp(prefix="didymos-fmu-")
        self._end = weakref.finalize(self, shutil.rmtree, self._folder, True)
        self._messages: list[str] = []
        self._fmu: Any = None
        self._initialized, self._status = False, 0  # the worst status that it told
        try:
            fmpy.extract(str(about.file), self._folder)
            self._fmu = self._instantiated()
        except Exception as error:  # a library of somebody else's
            what = self._messages[-1] if self._messages else " ".join(str(error).split())
            raise InputError(f"cannot be started: {what}", file=about.file) from None
        finally:
            end_in_time(Path(self._folder))

    def _instantiated(self) -> Any:
        """The instance of the library.

        `fmpy` would put one logger of FMI 2 for all FMUs of the process, also for those of others; so this one has its own.
        """
        about = self.about
        which = {"guid": about.token, "unzipDirectory": self._folder, "modelIdentifier": about.identifier}
        if about.fmi == 3:
            from fmpy.fmi3 import FMU3Slave

            made = FMU3Slave(instanceName=about.identifier, **which)
            made.instantiate(loggingOn=True, logMessage=self._logger())
            return made
        from fmpy import calloc, fmi2, free

        callbacks = fmi2.fmi2CallbackFunctions()
        callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(self._logger())
        callbacks.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(calloc)
        callbacks.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(free)
        made = fmi2.FMU2Slave(instanceName=about.identifier, **which)
        made.instantiate(callbacks=callbacks, loggingOn=True)
        return made

    def _logger(self) -> Callable[..., None]:
        """What takes the FMU's messages; the last one that tells of a failure is told on."""
        place = 2 if self.about.fmi == 2 else 1  # of the status; the name of the instance stands before it in FMI 2

        def take(*arguments: Any) -> None:
            told = arguments[-1]
            if arguments[place] not in _STATUS:
                return
            text = told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)
            del self._messages[:-20]
            self._messages.append(" ".join(text.split()))

        return take

    # time

    def begin(self, values: Mapping[FmuVariable, float]) -> None:
        """Begin at 0 s, with parameters and inputs as given; also once more."""
        if self._status >= _FATAL:
            raise RunError(f"{self._who} has told a fatal error, after which it cannot be used")
        if self._initialized:
            self._called("reset", self._fmu.reset)
            self._status = 0
        self.steps = 0
        self.set(values)
        if self.about.fmi == 2:
            self._called("setupExperiment", self._fmu.setupExperiment, startTime=0.0)
        self._called("enterInitializationMode", self._fmu.enterInitializationMode)
        self.set({item: value for item, value in values.items() if item.causality == "input"})
        self._called("exitInitializationMode", self._fmu.exitInitializationMode)
        self._initialized = True

    def step(self) -> None:
        """Let one communication step pass."""
        answer = self._called("doStep", self._fmu.doStep, self.steps * self.step_size, self.step_size)
        if self.about.fmi == 3 and answer is not None:
            _, ended, early, reached = answer
            if ended:
                raise RunError(f"{self._who} ends the simulation")
            if early:
                raise RunError(f"{self._who} returned early from doStep, at {reached:g} s of its time")
        self.steps += 1

    # values

    def set(self, values: Mapping[FmuVariable, float]) -> None:
        """Give variables values."""
        for kind, items in _by_kind(values).items():
            numbers = [_typed(kind, values[item]) for item in items]
            self._called(f"set{kind}", _method(self._fmu, "set", kind), [item.reference for item in items], numbers)

    def get(self, items: Sequence[FmuVariable]) -> list[float]:
        """The values of variables, in their order; one that is not finite is a `RunError`."""
        found: dict[FmuVariable, float] = {}
        for kind, own in _by_kind(items).items():
            values = self._called(f"get{kind}", _method(self._fmu, "get", kind), [item.reference for item in own])
            found |= {item: float(value) for item, value in zip(own, values, strict=True)}
        for item, value in found.items():
            if not math.isfinite(value):
                raise RunError(f"{self._who} says that {item.name} is {value}, expected a finite number")
        return [found[item] for item in items]

    # state

    def save(self) -> FmuState:
        """Its state; an `InputError` for one that has run and cannot tell it."""
        if self.steps == 0:
            return FmuState(0)
        if not self.about.saves_state:
            raise InputError(f"{self._who} cannot save its state (canGetAndSetFMUstate), so its run can be reset, not saved")
        handle = self._called("getFMUState", self._fmu.getFMUState)
        if not self.about.serializes_state:
            return FmuState(self.steps, None, _Handle(self, handle))
        data = self._called("serializeFMUState", self._fmu.serializeFMUState, handle)
        self._called("freeFMUState", self._fmu.freeFMUState, handle)
        return FmuState(self.steps, bytes(data))

    def restore(self, state: FmuState, begin: Mapping[FmuVariable, float]) -> None:
        """Go on from a saved state; `begin` is what it began with, for a state that had just begun."""
        if state.data is None and state.handle is None:
            self.begin(begin)
            return
        if not self._initialized:
            self.begin(begin)
        if state.data is None:
            self._called("setFMUState", self._fmu.setFMUState, state.handle.value)
        else:
            handle = self._called("deserializeFMUState", self._fmu.deserializeFMUState, state.data)
            self._called("setFMUState", self._fmu.setFMUState, handle)
            self._called("freeFMUState", self._fmu.freeFMUState, handle)
        self.steps = state.steps

    def forget(self, handle: Any) -> None:
        """Let a state go that nobody has any more."""
        if self._fmu is not None:
            with contextlib.suppress(RunError):
                self._called("freeFMUState", self._fmu.freeFMUState, handle)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Let it go."""
        fmu, self._fmu = getattr(self, "_fmu", None), None
        if fmu is not None:
            try:
                if self._initialized and self._status < _ERROR:
                    fmu.terminate()
                if self._status < _FATAL:  # after that, nothing may be called
                    fmu.freeInstance()
            except Exception:  # it is over anyway
                return
            finally:
                self._end()

    @property
    def _who(self) -> str:
        return f"{self.about.file.name} of {self.user}"

    def _called(self, name: str, function: Callable[..., T], *arguments: Any, **named: Any) -> T:
        try:
            return function(*arguments, **named)
        except Exception as error:
            status = getattr(error, "status", None)
            if isinstance(status, int):
                self._status = max(self._status, status)
            does = _STATUS.get(status, "fails in") if isinstance(status, int) else "fails in"
            said = self._messages[-1] if self._messages else ("" if isinstance(status, int) else " ".join(str(error).split()))
            raise RunError(f"{self._who} {does} {name}{': ' + said if said else ''}") from None


class _Handle:
    """A state that the FMU keeps for us, until nobody has it any more."""

    def __init__(self, owner: FmuInstance, value: Any) -> None:
        self.owner, self.value = owner, value

    def __del__(self) -> None:
        self.owner.forget(self.value)

    def __reduce__(self) -> Any:
        raise InputError("the state of an FMU that cannot serialize it is good in its own process only")


def _fmpy() -> Any:
    try:
        import fmpy
    except ImportError:
        raise InputError(f"a twin with an FMU needs fmpy; this installs it: {_INSTALL}") from None
    return fmpy


def _by_kind(items: Any) -> dict[str, list[FmuVariable]]:
    kinds: dict[str, list[FmuVariable]] = {}
    for item in items:
        kinds.setdefault(item.kind, []).append(item)
    return kinds


def _method(fmu: Any, verb: str, kind: str) -> Any:
    """The call for a type; enumerations travel as integers."""
    if kind == "Enumeration":
        kind = "Integer" if hasattr(fmu, "getInteger") else "Int64"
    return getattr(fmu, f"{verb}{kind}")


def _typed(kind: str, value: float) -> float | int | bool:
    if kind == "Boolean":
        return value != 0.0
    return value if kind in ("Real", "Float64", "Float32") else round(value)
