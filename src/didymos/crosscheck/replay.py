"""A run of a scenario, held against pinocchio state by state.

At states along the run, with parts, program, sensors and all, our engine says which acceleration a comes of which forces, those
of contacts, limits and dry friction left out. pinocchio says which forces a takes at that state (inverse dynamics). The residual

    r = (M + A) a + h - (f_parts + f_actuators + f_passive)

would be an error of the engine; nothing is integrated, so none of a run's sensitivity is in it. What constraints add is found by
our engine's solver, which stops at a tolerance: with their forces and the acceleration a_c that it found,

    r_c = (M + A) a_c + h - (f_parts + f_actuators + f_passive + f_constraints)

is what it left unbalanced. Both are relative, r_i / (|f_i| + 10 M_ii), to the largest force of each degree of freedom in the run.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from didymos.crosscheck.findings import ReplayFinding
from didymos.crosscheck.rigid_bodies import Array, RigidBodies
from didymos.describe.twin import Twin
from didymos.engine.simulation import Simulation
from didymos.errors import InputError

__all__ = ["compare_replay"]

_STATES = 500  # at most, evenly over the run
_LIVELY = 10.0  # [rad/s^2] or [m/s^2]


def compare_replay(
    twin: Twin, theirs: RigidBodies, scenario: str, seed: int, progress: Callable[[float], None] = lambda _: None
) -> ReplayFinding:
    """Run a scenario and compare forces along it; `progress` is told which part of the run is done."""
    simulation = Simulation(twin, seed=seed, scenario=scenario)
    if any(path.startswith(("links.", "joints.", "world.gravity")) for path in _changed(simulation, twin)):
        raise InputError("changes masses, joints or gravity, which the second engine is not told", option="scenario")
    model = simulation.model
    beside = mujoco.MjData(model)
    ticks = max(1, round(simulation.seconds / simulation.period))
    every = max(1, ticks // _STATES)
    times: list[float] = []
    residuals, unbalanced, forces = list[Array](), list[Array](), list[Array]()
    try:
        while simulation.tick + every <= ticks:
            simulation.advance(every)
            mujoco.mj_copyData(beside, model, simulation.data)
            mujoco.mj_forward(model, beside)
            matrix, bias = theirs.mass_matrix(beside.qpos), theirs.bias(beside.qpos, beside.qvel)
            acted = beside.qfrc_applied + beside.qfrc_actuator + beside.qfrc_passive
            times.append(simulation.time)
            residuals.append(matrix @ beside.qacc_smooth + bias - acted)
            unbalanced.append(matrix @ beside.qacc + bias - acted - beside.qfrc_constraint)
            forces.append(np.maximum(np.abs(acted), np.abs(beside.qfrc_constraint)) + _LIVELY * np.diag(matrix))
            progress(simulation.tick / ticks)
    finally:
        simulation.close()
    largest = np.max(forces, axis=0)
    errors = np.abs(residuals) / largest
    row, dof = np.unravel_index(np.argmax(errors), errors.shape)
    name = model.joint(int(model.dof_jntid[dof])).name
    left = float((np.abs(unbalanced) / largest).max())
    return ReplayFinding(scenario, simulation.time, len(times), float(errors.max()), name, times[int(row)], left)


def _changed(simulation: Simulation, twin: Twin) -> set[str]:
    """Paths that the scenario sets or moves."""
    moved = {item.target for item in simulation.stimuli}
    return moved | (set(simulation.twin.set_by_hand) - set(twin.set_by_hand))
