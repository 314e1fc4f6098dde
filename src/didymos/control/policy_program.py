"""Policy: a program that answers by a network, alone or through the set-points of another program.

    observations -> network -> inputs of the robot                     at the policy's own rate
    observations -> network -> set-points of a program -> inputs       the program at its rate, the policy at a whole part of it

A kind is made for each policy (`policy_program`), as for an FMU. The gains, reports and odometry of the program that it commands
are its own; `control.action.NAME` is what the network last answered. In the compiled loop nothing of it passes through Python.

Memory: the records of this program hold those of the commanded one: settings, measured, set-points and inputs behind its own,
memory before its own. `LINKS` (`policy_law.py`) says where each begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from didymos.contract import ODOMETRY, Declaration, offset_of
from didymos.control.compiled_controller import CompiledController
from didymos.control.controller import Gain, Robot
from didymos.control.policy import INPUTS, SETPOINTS, Policy
from didymos.control.policy_law import CALLS, ENDPOINT, LINKS, POLICY_LAW, ROOMS
from didymos.control.policy_network import ACTION, LAYER, NORMAL
from didymos.control.policy_observation import PolicyObservation
from didymos.control.steps import STEP
from didymos.errors import InputError, nearest

__all__ = ["PolicyProgram", "policy_program"]

_FEW = 1e-6
_EMPTY = np.dtype([("nothing", np.float64)])


class PolicyProgram(CompiledController):
    """A program that is a policy."""

    policy: ClassVar[Policy]
    file: ClassVar[str]
    commands: ClassVar[type[CompiledController] | None]

    def __init__(self) -> None:
        policy = self.policy
        self._inner: CompiledController | None = None
        self._measured: tuple[str, ...] = ()
        if self.commands is not None and policy.program is not None:
            try:
                self._inner = self.commands(**policy.program.get("options", {}))
            except InputError:
                raise
            except Exception as error:  # options of a stranger's file
                what = f"{policy.program['program']} refuses its options: {type(error).__name__}: {error}"
                raise InputError(what, file=self.file, path="program.options") from None
            self._inner.rate = type(self).rate
            self._inner.gains = self.gains
        self.name_joints((), Path())

    def name_joints(self, joints: Sequence[str], folder: Path) -> None:
        """Set-points that it observes, and those of the commanded program that it leaves alone."""
        self._report_actions()
        names: dict[str, tuple[str, ...]] = {}
        if self._inner is not None:
            if joints:
                self._inner.name_joints(joints, folder)
            names = self._inner.setpoint_names
        known = {name for each in names.values() for name in each}
        for declaration, each in names.items():
            self.setpoint_names[declaration] = tuple(name for name in each if name not in self.policy.commanded)
        self.setpoint_names["observed"] = tuple(name for name in self.policy.asked if name not in known)

    def _report_actions(self, units: Sequence[str] = ()) -> None:
        """Report each action under its name, behind what the commanded program tells about itself."""
        self.name_reports("action", self.policy.actions, units)
        if self._inner is not None:
            self.reports = (*self._inner.reports, *(item for item in self.reports if item.name == "action"))

    @property
    def _commanded_units(self) -> dict[str, str]:
        """Units of the commanded program's set-points, by `setpoints.NAME`."""
        inner = self._inner
        units = {item.name: item.unit for item in inner.declared_setpoints} if inner is not None else {}
        names = inner.setpoint_names if inner is not None else {}
        return {SETPOINTS + name: units[declared] for declared, each in names.items() for name in each}

    def start(self, robot: Robot) -> None:
        """Find what it observes and commands, and fill in its tables."""
        policy, inner = self.policy, self._inner
        self._check(robot)
        try:
            seen = PolicyObservation(policy.observations, robot.measured, policy.asked, self._own_signals())
        except InputError as error:
            raise InputError(error.message, file=self.file) from None
        if len(seen.observed) != policy.mean.size:
            what = f"observes {policy.mean.size} numbers, which on this robot are {len(seen.observed)}"
            raise InputError(what, file=self.file)
        self._measured = seen.measured
        self._lay_out(seen)
        tables = {
            "sources": seen.sources, "slots": seen.slots, "steps": seen.steps, "observed": seen.observed,
            "layers": policy.layers, "numbers": policy.numbers, "normal": policy.normal, "limits": policy.limits,
        }  # fmt: skip
        links = self.settings["links"]
        for name, rows in tables.items():
            self.settings[name][: len(rows)] = rows
            links[f"{name}_at"] = _offset(self.setting_layout, name)
            if name in (LINKS.names or ()):
                links[name] = len(rows)
        links["actions"], links["stack"], links["every"] = len(policy.actions), policy.stack, round(type(self).rate / policy.rate)
        links["targets_at"] = _offset(self.setting_layout, "targets")
        for name in ("calls", "output", "previous", "past"):
            links[f"{name}_at"] = _offset(self.memory_layout, f"policy_{name}")
        links["action_at"] = _offset(self.memory_layout, "action")
        if inner is not None:
            inner.start(robot)
            self.initial = {name: value for name, value in inner.initial.items() if name not in policy.commanded}
            self.settings["inner"] = inner.settings
        self._lead_to(links)
        units = {**self._commanded_units, **robot.units}
        self._report_actions([units.get(name, "") for name in policy.actions])

    def _own_signals(self) -> dict[str, int]:
        """Signals that lie in its memory, and where: what the commanded program tells about itself, its own outputs."""
        inner, layout = self._inner, self.memory_layout
        found: dict[str, int] = {}
        for item in inner.reports if inner is not None else ():
            first = offset_of(layout, item.name.replace(".", "_"))
            found |= {f"control.{name}": first + i for i, name in enumerate(item.names)}
        if inner is not None and inner.odometry is not None:
            found |= {f"odom.{name}": offset_of(layout, inner.odometry) + i for i, name in enumerate(ODOMETRY)}
        for i, name in enumerate(self.policy.actions):
            own = name.partition(".")[2]
            found |= {f"action.{own}": offset_of(layout, "policy_output") + i}
            found |= {f"previous_action.{own}": offset_of(layout, "policy_previous") + i}
        return found

    def _lead_to(self, links: Any) -> None:
        """Where the actions go: to inputs, or to set-points of the commanded program."""
        policy, inner = self.policy, self._inner
        inputs = [name for name in policy.actions if name.startswith(INPUTS)]
        words = {name: i for i, name in enumerate(inputs)}
        if inner is not None:
            first = _offset(self.setpoint_layout, "inner") // 8
            words |= {SETPOINTS + name: first + word for name, word in inner.setpoint_offsets}
            links["function"] = inner.program.address
            for name, layout in (
                ("settings", self.setting_layout), ("measured", self.measurement_layout),
                ("setpoints", self.setpoint_layout), ("inputs", self.command_layout),
            ):  # fmt: skip
                links[f"{name}_at"] = _offset(layout, "inner")
        for row, name in zip(self.settings["targets"], policy.actions, strict=False):
            row["room"], row["word"] = ROOMS.index(name.partition(".")[0]), words[name]

    def _check(self, robot: Robot) -> None:
        """Refuse a robot that the policy was not made for."""
        policy = self.policy
        for name in policy.actions:
            known = robot.inputs if name.startswith(INPUTS) else self._inner.setpoints if self._inner is not None else ()
            own = name.partition(".")[2]
            if own not in known:
                what = "input of this robot" if name.startswith(INPUTS) else f"set-point of {(policy.program or {})['program']}"
                raise InputError(f"commands {name!r}, which is no {what}{nearest(own, known)}", file=self.file)
            if name in policy.signals:
                raise InputError(f"observes and commands {name!r}", file=self.file)
        if abs(robot.rate - type(self).rate) > _FEW * robot.rate:
            raise InputError(f"is called at {robot.rate:g} Hz, expected rate: {type(self).rate:g}", file=self.file)

    def _lay_out(self, seen: PolicyObservation) -> None:
        """The records whose lengths only the robot says: settings and measurements."""
        policy, inner = self.policy, self._inner
        self.setting_layout = np.dtype([  # type: ignore[misc]
            ("links", LINKS), ("sources", ENDPOINT, (len(seen.sources),)), ("slots", np.float64, (len(seen.slots),)),
            ("steps", STEP, (len(seen.steps),)), ("observed", np.int64, (len(seen.observed),)),
            ("targets", ENDPOINT, (len(policy.actions),)), ("layers", LAYER, (len(policy.layers),)),
            ("numbers", np.float64, (len(policy.numbers),)), ("normal", NORMAL, (policy.mean.size,)),
            ("limits", ACTION, (len(policy.actions),)), ("inner", _EMPTY if inner is None else inner.setting_layout),
        ])  # fmt: skip
        self.settings = np.zeros((), dtype=self.setting_layout)
        behind = ("inner", _EMPTY if inner is None else inner.measurement_layout)
        self.measurement_layout = np.dtype([("observed", np.float64, (len(seen.measured),)), behind])  # type: ignore[misc]

    @property
    def read_offsets(self) -> tuple[tuple[str, int], ...]:
        """Each reading that it or the commanded program needs, and where in its measurements it belongs."""
        own, others = tuple(zip(self._measured, range(len(self._measured)), strict=True)), self._inner
        return own + tuple((name, len(own) + word) for name, word in (others.read_offsets if others is not None else ()))

    @property
    def write_offsets(self) -> tuple[tuple[str, int], ...]:
        """Each input that it or the commanded program sets, and where in its commands it stands; the policy's own go first."""
        own = tuple(name.removeprefix(INPUTS) for name in self.policy.actions if name.startswith(INPUTS))
        others = self._inner.write_offsets if self._inner is not None else ()
        theirs = tuple((name, len(own) + word) for name, word in others if name not in own)
        return tuple((name, i) for i, name in enumerate(own)) + theirs

    @property
    def setpoint_offsets(self) -> tuple[tuple[str, int], ...]:
        """Each set-point that it observes or leaves to the commanded program, and where it belongs."""
        own = tuple((name, i) for i, name in enumerate(self.policy.asked))
        others = self._inner.setpoint_offsets if self._inner is not None else ()
        return own + tuple((name, len(own) + word) for name, word in others if name not in self.policy.commanded)


def policy_program(policy: Policy, file: str, program: type[CompiledController] | None) -> type[PolicyProgram]:
    """The kind of program that a policy is; `program` is the one whose set-points it commands."""
    about = policy.program or {}
    rate = float(about.get("rate", policy.rate))
    every = rate / policy.rate
    if every < 1.0 - _FEW or abs(every - round(every)) > _FEW * every:
        what = f"answers at {policy.rate:g} Hz and commands a program at {rate:g} Hz, expected a whole part of that"
        raise InputError(what, file=file)
    namespace: dict[str, Any] = {"__module__": __name__, "__doc__": f"The policy {file}.", "rate": rate}
    gains = dict(about.get("gains", {}))
    for gain in program.gain_table if program is not None else ():
        value = gains.pop(gain.path, gain.value)
        namespace[gain.name] = Gain(value, low=gain.low, high=gain.high, unit=gain.unit, path=gain.path, doc=gain.doc)
    if gains:
        raise InputError(f"{about['program']} has no gain {next(iter(gains))!r}", file=file, path="program.gains")
    made: type[PolicyProgram] = type(Path(file).name, (PolicyProgram,), namespace)
    made.policy, made.file, made.commands, made.program = policy, file, program, POLICY_LAW
    action = Declaration("report", "action", "", shape=(len(policy.actions),))
    made.reports = (*(program.reports if program is not None else ()), action)
    observed = Declaration("setpoint", "observed", shape=(max(1, len(policy.asked)),))
    made.declared_setpoints = (*(program.declared_setpoints if program is not None else ()), observed)
    inputs, answers = sum(name.startswith(INPUTS) for name in policy.actions), (len(policy.actions),)
    layouts = ("setpoint_layout", "command_layout", "memory_layout")
    behind: dict[str, Any] = {name: getattr(program, name, _EMPTY) for name in layouts}
    made.setpoint_layout = np.dtype([("observed", np.float64, (len(policy.asked),)), ("inner", behind["setpoint_layout"])])
    made.command_layout = np.dtype([("commanded", np.float64, (inputs,)), ("inner", behind["command_layout"])])
    memory = behind["memory_layout"]
    own = [
        ("action", np.float64, answers), ("policy_calls", CALLS), ("policy_output", np.float64, answers),
        ("policy_previous", np.float64, answers), ("policy_past", np.float64, (policy.inputs,)),
    ]  # fmt: skip
    made.memory_layout = np.dtype([*((name, memory.fields[name][0]) for name in memory.names or ()), *own])
    made.odometry = program.odometry if program is not None else None
    return made


def _offset(layout: np.dtype[Any], field: str) -> int:
    """Where a field of a record begins, in bytes."""
    return 8 * offset_of(layout, field)
