"""A motion is proposed only if a fit that begins a tenth off finds its way to what it tells."""

from __future__ import annotations

import pytest

import didymos
from didymos.control.stimulus import StimulusSpec
from didymos.describe.schema import FreeSpec
from didymos.fitting.experiment import Experiment, plan_experiment
from didymos.fitting.read_recording import columns_of
from didymos.fitting.trial_fit import finds_its_way


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    """Which Coulomb friction has a shaft on a position loop?"""
    twin = didymos.load("power_unit")
    twin.set("parts.drive.ripple", 0.0)
    return plan_experiment(
        twin, {"parts.drive.coulomb": FreeSpec(bounds=(0.0, 0.2))}, seconds=2.0, scenario="sine", move=(),
        columns=columns_of(twin), noise={"out_pos_rad": 6e-5, "out_vel_rad_s": 0.01}, limits={"setpoints.position": (-1.0, 1.0)},
        threads=1,
    )  # fmt: skip


def sine(experiment: Experiment, excess: float) -> tuple[StimulusSpec, ...]:
    """A wave that is `excess` times what breaks the shaft away."""
    drive = {name: experiment.twin.get(f"parts.drive.{name}") for name in ("coulomb", "stribeck", "kp")}
    breakaway = (drive["coulomb"] + drive["stribeck"]) / drive["kp"]
    return (StimulusSpec(target="setpoints.position", kind="sine", amplitude=excess * breakaway, frequency=1.0),)


def test_friction_is_found_where_the_shaft_moves_for_all_that_it_may_be(experiment: Experiment) -> None:
    assert finds_its_way(experiment, sine(experiment, 10.0))


def test_friction_is_not_found_where_a_tenth_more_of_it_holds_the_shaft(experiment: Experiment) -> None:
    """At its own value the shaft moves, and slopes there promise much; from a tenth above nothing leads back."""
    assert not finds_its_way(experiment, sine(experiment, 1.02))
