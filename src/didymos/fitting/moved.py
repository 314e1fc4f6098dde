"""What an excitation moves, and how far: set-points and inputs of a twin, from where the scenario has them.

A range is what the user says (`limits` of the target itself); else that of the joint whose set-point it is (positions, velocity
or effort, by its unit), or that of the part's input; else as far as any scenario of the twin moves it. A target without any is
refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from didymos.describe.description import Joint
from didymos.describe.names import movable_joints, part_inputs
from didymos.describe.path_patterns import tied_paths
from didymos.describe.twin import Twin
from didymos.engine.program_scope import stimuli_of
from didymos.engine.sampler import Samples
from didymos.engine.simulation import Simulation
from didymos.errors import InputError, nearest
from didymos.fitting.excitation import Moved, values_of
from didymos.fitting.limits import BELOW

__all__ = ["choose_targets", "moved_by"]

_LOOKS = 1000  # at a scenario
_KINDS = ("setpoints.", "inputs.")
_POSITIONS, _VELOCITIES, _EFFORTS = ("rad", "m"), ("rad/s", "m/s"), ("N m", "N")


def choose_targets(simulation: Simulation, scenario: str | None, named: Sequence[str]) -> tuple[str, ...]:
    """What is moved: what is named, by pattern or one by one, else the set-points and inputs that the scenario moves."""
    known = [name for name in simulation.robot.units if name.startswith(_KINDS)]
    if named:
        found: list[str] = []
        for name in named:
            tied = tied_paths(name, known)
            if not tied:
                text = f"there is no set-point or input {name!r}{nearest(name, known)} (there is: {', '.join(known)})"
                raise InputError(text, option="move")
            found += tied
        return tuple(dict.fromkeys(found))
    stimuli = stimuli_of(simulation.twin.scenarios[scenario]) if scenario is not None else ()
    moving = [item.target for item in stimuli if item.kind != "constant" and item.target.startswith(_KINDS)]
    if not moving:
        what = "there is no scenario" if scenario is None else f"the scenario {scenario!r} moves nothing"
        raise InputError(f"{what}; say what to move: one or several of {', '.join(known) or 'nothing'}", option="move")
    return tuple(dict.fromkeys(moving))


def moved_by(
    twin: Twin, simulation: Simulation, targets: Sequence[str], limits: Mapping[str, tuple[float, float]], present: Samples
) -> tuple[Moved, ...]:
    """Each target with its home and range; `present` are the samples of the scenario as it is, targets among them."""
    made = []
    for target in targets:
        unit, values = simulation.robot.units[target], present[target][1]
        first = float(values[0])
        said = limits.get(target) or _of_joint(twin, target, unit) or _of_input(twin, target)
        low, high = said or _of_scenarios(twin, target, values)
        if not low <= first <= high:
            raise InputError(f"{target} begins at {first:g} {unit}, outside of {low:g}:{high:g}", option="limits")
        if not low < high:
            raise InputError(f"nothing says how far {target} may move; say {target}=LOW:HIGH", option="limits")
        # a stimulus is added to what a program tells an input, and is all that a set-point is
        home = 0.0 if target.startswith("inputs.") else first
        made.append(Moved(target, unit, home, low - first + home, high - first + home, _speed(twin, target, unit)))
    return tuple(made)


def _joint(twin: Twin, target: str) -> Joint | None:
    name = target.removeprefix("setpoints.")
    return twin.description.joints[name] if name in movable_joints(twin.description) else None


def _of_joint(twin: Twin, target: str, unit: str) -> tuple[float, float] | None:
    joint = _joint(twin, target)
    if joint is None:
        return None
    if unit in _POSITIONS and joint.lower is not None and joint.upper is not None:
        return joint.lower, joint.upper
    most = {**dict.fromkeys(_VELOCITIES, joint.velocity), **dict.fromkeys(_EFFORTS, joint.effort)}.get(unit)
    return (-BELOW * most, BELOW * most) if most else None


def _of_input(twin: Twin, target: str) -> tuple[float, float] | None:
    for name, part, index in part_inputs(twin):
        if f"inputs.{name}" == target:
            low, high = twin.file.parts[part].contract.inputs[index].range
            return (low, high) if math.isfinite(low) and math.isfinite(high) else None
    return None


def _of_scenarios(twin: Twin, target: str, present: np.ndarray) -> tuple[float, float]:
    """As far as the scenarios of a twin move a target, and as the present one does; stimuli from files are left aside."""
    found = [present]
    for scenario in twin.scenarios.values():
        stimuli = [item for item in stimuli_of(scenario) if item.target == target and not item.file]
        if stimuli:
            found.append(values_of(stimuli, target, np.linspace(0.0, scenario.seconds, _LOOKS)))
    values = np.concatenate(found)
    return float(values.min()), float(values.max())


def _speed(twin: Twin, target: str, unit: str) -> float:
    """How fast a set-point of a joint's position may move, in its unit per second."""
    joint = _joint(twin, target)
    return BELOW * joint.velocity if joint is not None and unit in _POSITIONS and joint.velocity else math.inf
