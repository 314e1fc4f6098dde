"""What if: a simulation of the twin that goes on from where the robot is thought to be, while the shadow goes on beside it.

The branch begins in the estimated state: positions, velocities, states of parts; and, where the shadow's stepper is given, all
else that its engine knows: what parts remember (commands on their way, heat), gusts, pushes, what objects do. It is a run of its
own, with its own memory: as many as are wanted may run at once, on any threads, and the same estimate, seed and set-points give
the same bytes.

Its clock is the twin's: it begins at the tick of the estimate, so that its log lies beside the shadow's and a scenario goes on
where the robot is in it. `at` [s] begins elsewhere in the scenario.

Its program begins with fresh memory, as a robot's whose computer was restarted in mid-motion: filters settle anew, integrals
begin at zero, and a program in stages begins with its first, whatever the robot does meanwhile. A program that only looks at
readings and set-points goes on as if nothing had been; for others the first moments are theirs, not the robot's. Sensors read
at once, with errors of their own; what was on its way to the program is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.engine.memory_layout import LOOP_STATE, ROBOT_STATE
from didymos.engine.sampling import refuse_fmus
from didymos.engine.simulation import Simulation
from didymos.errors import InputError, nearest
from didymos.shadow.estimate import Estimate

if TYPE_CHECKING:
    from didymos.control import Controller
    from didymos.describe.twin import Twin

__all__ = ["Origin", "begin_at", "branch", "hold_setpoints"]

_Array = NDArray[np.float64]
_WHOLE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_PLUGIN = int(mujoco.mjtState.mjSTATE_PLUGIN)
_ENGINE = _WHOLE & ~_PLUGIN
_KEPT = ("inputs", "outputs", "memory", "coupling")  # of a part or coupling
_KEPT_WHOLE = ("applied", "couplings", "air", "place", "earth_truth", "driven", "pushes", "wakes", "pushing", "commands")


class Origin(Protocol):
    """Whose state an estimate's vector is: a `Stepper`."""

    @property
    def simulation(self) -> Simulation:
        """The shadow's."""
        ...


def branch(
    estimate: Estimate,
    twin: Twin,
    *,
    origin: Origin | None = None,
    scenario: str | None = None,
    control: Controller | None = None,
    setpoints: Mapping[str, float] | None = None,
    values: Mapping[str, float] | None = None,
    seed: int = 0,
    at: float | None = None,
    piloted: bool = False,
) -> Simulation:
    """A simulation with all sensors and the twin's own program (or `control`) that begins where the robot is.

    `origin` is the stepper that the estimate comes from. `setpoints` hold whatever the scenario says of them; `values` are
    parameters by path; `at` [s] is the begin on the clock of the scenario, that of the estimate by default.
    """
    refuse_fmus(twin)
    made = Simulation(twin, seed=seed, scenario=scenario, control=control, piloted=piloted)
    if values:
        made.set_all(values)
    begin_at(made, estimate, origin, at=at)
    hold_setpoints(made, setpoints or {})
    made.sense(made.tick)
    return made


def begin_at(simulation: Simulation, estimate: Estimate, origin: Origin | None, *, at: float | None = None) -> None:
    """Put a simulation that was reset into the estimated state; its sensors and its program begin anew there."""
    model, data = simulation.model, simulation.data
    sizes = (len(estimate.qpos), len(estimate.qvel), len(estimate.act))
    if sizes != (model.nq, model.nv, model.na):
        raise InputError(
            f"this estimate has {sizes[0]} positions, {sizes[1]} velocities and {sizes[2]} states of parts,"
            f" and this twin {model.nq}, {model.nv} and {model.na}: it is one of another twin or variant"
        )
    if origin is not None:
        _take_over(simulation, origin.simulation, estimate.vector)
    period = simulation.period if origin is None else origin.simulation.period
    tick = round((estimate.tick * period if at is None else at) / simulation.period)
    data.time = tick * simulation.period
    data.qpos[:], data.qvel[:], data.act[:] = estimate.qpos, estimate.qvel, estimate.act
    simulation.only.set_inputs(estimate.inputs)
    built, state = simulation.built, data.plugin_state
    loop = state[built.assembly.common.stretch("loop")].view(LOOP_STATE)[0]
    own = state[built.assembly.state.stretch("robot")].view(ROBOT_STATE)[0]
    loop["tick"], loop["sensed_ticks"] = tick, 0.0
    own["reset_tick"], own["program_called"] = tick, 0.0


def _take_over(simulation: Simulation, origin: Simulation, vector: _Array) -> None:
    """All that the engine knows beside positions, velocities and states: by name where sensors and programs differ."""
    model, whole = origin.built.assembly.model, np.ascontiguousarray(vector)
    size = mujoco.mj_stateSize(model, _WHOLE)
    if whole.shape != (size,):
        raise InputError(f"found {whole.size} numbers in the estimate, expected {size} of the stepper that it comes from")
    known = np.empty(mujoco.mj_stateSize(model, _ENGINE))
    mujoco.mj_extractState(model, whole, _WHOLE, known, _ENGINE)
    mujoco.mj_setState(simulation.model, simulation.data, known, _ENGINE)
    plugin = np.empty(mujoco.mj_stateSize(model, _PLUGIN))
    mujoco.mj_extractState(model, whole, _WHOLE, plugin, _PLUGIN)
    assembly, other, state = simulation.built.assembly, origin.built.assembly, simulation.data.plugin_state
    for own, its in ((assembly.common, other.common), (assembly.state, other.state)):
        for name in own.starts:
            kept = name.partition(":")[0] in _KEPT or name in _KEPT_WHOLE
            if kept and own.sizes[name] == its.sizes.get(name):
                state[own.stretch(name)] = plugin[its.stretch(name)]


def hold_setpoints(simulation: Simulation, setpoints: Mapping[str, float]) -> None:
    """Hold set-points at values from now on; what the scenario does to them is left out."""
    robot, rows = simulation.only, simulation.context.stimuli.stimuli
    for name, value in setpoints.items():
        target = f"setpoints.{name}"
        if name not in robot.robot.setpoints:
            raise InputError(f"there is no such set-point{nearest(name, robot.robot.setpoints)}", path=target)
        nothing: Any = StimulusSpec(target=target, kind="constant", value=0.0).record()
        for row, stimulus in enumerate(simulation.stimuli):
            if stimulus.target == target:
                rows[row] = nothing
        robot.overrides.apply(target, (float(value),))
