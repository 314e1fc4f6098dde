"""A twin's mechanism in a second engine: is the model the same, does the engine compute the same, do they move the same."""

from __future__ import annotations

from collections.abc import Callable

from didymos.crosscheck.engine_check import compare_engines
from didymos.crosscheck.findings import MechanismFinding
from didymos.crosscheck.model_check import compare_models
from didymos.crosscheck.our_mechanism import OurMechanism, our_mechanism
from didymos.crosscheck.replay import compare_replay
from didymos.crosscheck.rigid_bodies import RigidBodies
from didymos.crosscheck.source_reading import NotComparable, read_source
from didymos.crosscheck.trajectory import compare_trajectories, excitation
from didymos.describe.twin import Twin
from didymos.engine.build import choose_scenario

__all__ = ["check_mechanism"]


def check_mechanism(
    twin: Twin,
    *,
    scenario: str | None = None,
    seconds: float = 5.0,
    seed: int = 0,
    ours: OurMechanism | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> MechanismFinding:
    """Compare a twin's mechanism with pinocchio's on Drake's reading of the same file; see `MechanismFinding`.

    `scenario` also holds a run of it against pinocchio. `ours` takes the place of the twin's own model; `progress` is told which
    part of the work is done.
    """
    choose_scenario(twin, scenario)  # one that is not there is refused at once
    ours = our_mechanism(twin) if ours is None else ours
    model = ours.model
    try:
        if not model.nv:
            raise NotComparable("nothing in it moves")
        source = read_source(twin.description_file)
        theirs = RigidBodies(twin, source, ours)
    except NotComparable as reason:
        return MechanismFinding(not_comparable=str(reason))
    error, differences = compare_models(twin, ours, source, theirs)
    engine = compare_engines(ours, theirs, seed)
    progress(0.1)
    share = 0.5 if scenario is not None else 0.9
    motion = excitation(twin, ours, seconds, seed)
    trajectory = compare_trajectories(ours, theirs, motion, lambda done: progress(0.1 + share * done))
    replay = None
    if scenario is not None:
        replay = compare_replay(twin, theirs, scenario, seed, lambda done: progress(0.6 + 0.4 * done))
    return MechanismFinding(
        len(theirs.joints), int(model.nv), error, differences, engine, trajectory, replay, _left_out(twin, ours)
    )


def _left_out(twin: Twin, ours: OurMechanism) -> tuple[str, ...]:
    """What the twin has and the compared mechanism has not, in words."""
    model = ours.model
    solid = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    has = {
        "parts": bool(twin.file.parts),
        "actuators of the description": bool(len(twin.description.spec.actuators)),
        "contacts": bool((solid & (model.geom_bodyid != 0)).any()),
        "joint limits": bool(model.jnt_limited.any()),
        "dry friction": bool(model.dof_frictionloss.any()) or bool(model.tendon_frictionloss.any()),
        "equality constraints (mimic joints, loops)": bool(model.neq),
    }
    return tuple(name for name, there in has.items() if there)
