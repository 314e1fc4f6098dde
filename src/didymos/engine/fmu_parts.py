"""The FMUs among a robot's parts: stepped between ticks, beside the engine.

Before a tick at a communication point, the FMU goes on to it with what it was told of the tick from which it goes on (inputs and
motion, which lie in the state of the run), and its outputs are held from then on (`parts/fmu_part.py`). What it holds is in the
state of the run as well; its own state is not, and is saved beside it where the FMU can.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from didymos.contract import offset_of
from didymos.engine.build import Built
from didymos.errors import RunError
from didymos.fmu.description import FmuVariable
from didymos.fmu.instance import FmuInstance, FmuState
from didymos.parts.fmu_part import SOURCES, TARGETS, FmuPart

__all__ = ["FmuParts"]

_NEVER = 1 << 60
Saved = dict[str, tuple[int, FmuState]]
"""By part: the tick that it has reached, and its state."""


class FmuParts:
    """All parts of a robot that are FMUs and may run; `period` is the time of a tick [s]."""

    def __init__(self, built: Built, period: float) -> None:
        kinds = {name: spec.contract for name, spec in built.twin.file.parts.items()}
        named = [name for name, kind in kinds.items() if issubclass(kind, FmuPart) and kind.runs]
        self._parts = [_FmuOfPart(built, name, period) for name in named]

    def __len__(self) -> int:
        return len(self._parts)

    def begin(self, tick: int) -> None:
        """Let all of them begin anew at a tick, with the motion as the law has just seen it."""
        for part in self._parts:
            part.begin(tick)

    def step(self, tick: int) -> None:
        """Let those go on whose communication point a tick is."""
        for part in self._parts:
            while part.reached + part.every <= tick:
                part.step()

    def until(self, tick: int) -> int:
        """Ticks from this one to the next communication point."""
        return min((part.reached + part.every - tick for part in self._parts), default=_NEVER)

    def save(self) -> Saved:
        """Where all of them are; an `InputError` where one cannot tell."""
        return {part.name: (part.reached, part.instance.save()) for part in self._parts}

    def restore(self, saved: Saved) -> None:
        """Let all of them go on from what was saved."""
        for part in self._parts:
            part.reached, state = saved[part.name]
            part.restore(state)

    def close(self) -> None:
        """Let all of them go."""
        for part in self._parts:
            part.instance.close()


class _FmuOfPart:
    """One of them."""

    def __init__(self, built: Built, name: str, period: float) -> None:
        spec: Any = built.twin.file.parts[name]
        kind: type[FmuPart] = spec.contract
        self.name, self._period = name, period
        self.every = 1 if spec.step is None else round(spec.step / period)
        self.reached = 0
        self.instance = FmuInstance(kind.fmu, f"part {name}", self.every * period)
        starts, state = built.assembly.state.starts, built.data.plugin_state
        first = starts[f"memory:{name}"] + offset_of(kind.memory_layout, "seen")
        self._seen = state[first : first + len(SOURCES)]
        first = starts[f"memory:{name}"] + offset_of(kind.memory_layout, "held")
        self._held = state[first : first + len(TARGETS)]
        self._inputs = state[starts[f"inputs:{name}"] :][: len(kind.own_inputs)]
        self._outputs = state[starts[f"outputs:{name}"] :][: len(kind.own_outputs)]
        self._own_inputs, self._own_outputs = kind.own_inputs, kind.own_outputs
        self._read = [
            (kind.fmu.variable(own, "input"), SOURCES.index(source) if isinstance(source, str) else -1, source)
            for own, source in spec.reads.items()
        ]
        order = [item.name for item in kind.own_outputs]
        self._acting = [(TARGETS.index(target), order.index(own)) for target, own in spec.acts.items()]
        numbers = built.assembly.numbers
        self._model, self._fixed, self._live = built.assembly.model, {}, {}
        for own, item in kind.own_parameters.items():
            index = numbers.get(f"parts.{name}.{own}")
            if index is None:
                self._fixed[item] = float(getattr(spec, own))
            else:
                self._live[item] = index
        self._told: dict[FmuVariable, float] = {}

    def _parameters(self) -> dict[FmuVariable, float]:
        """All parameters as they are now."""
        return self._fixed | {item: float(self._model.numeric_data[index]) for item, index in self._live.items()}

    def _given(self) -> dict[FmuVariable, float]:
        """All inputs of the FMU as they are now."""
        given = {item: float(value) for item, value in zip(self._own_inputs, self._inputs, strict=True)}
        for item, place, source in self._read:
            given[item] = float(self._seen[place]) if place >= 0 else float(source)
        return given

    def begin(self, tick: int) -> None:
        """Begin anew at a tick."""
        self.reached = tick
        self._told = self._parameters()
        self._guarded(lambda: self.instance.begin({**self._told, **self._given()}))
        self._hold()

    def step(self) -> None:
        """Go on to the next communication point."""
        now = self._parameters()
        changed: Mapping[FmuVariable, float] = {
            item: value for item, value in now.items() if item.is_tunable and self._told.get(item) != value
        }
        self._told = now

        def go_on() -> None:
            self.instance.set({**changed, **self._given()})
            self.instance.step()

        self._guarded(go_on)
        self.reached += self.every
        self._hold()

    def restore(self, state: FmuState) -> None:
        """Go on from a saved state; what it holds is in the state of the run."""
        self._told = self._parameters()
        self._guarded(lambda: self.instance.restore(state, {**self._told, **self._given()}))
        self._told = {}  # tell it all parameters at its next step: they are not part of what was saved

    def _hold(self) -> None:
        """Let what it says act and be recorded."""
        values = self._guarded(lambda: self.instance.get(self._own_outputs))
        self._outputs[:] = values
        self._held[:] = 0.0
        for target, own in self._acting:
            self._held[target] = values[own]

    def _guarded(self, call: Any) -> Any:
        try:
            return call()
        except RunError as error:
            if error.time is not None:
                raise
            raise RunError(error.message, time=self.reached * self._period) from None
