"""How far the Crazyflie's own estimate of its place is from Vicon's, in the flights: along its path, and across it.

Packets of the radio were stamped when they arrived. A stamp that is late by d moves an estimate by -v d, along the path and not
across it, so what is across is the estimator's own; the twin has that, not the stamps.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import didymos

FLIGHTS = ("B2_circle_fast_rep1", "B2_circle_slow_rep1", "B3_figure8_medium_rep1", "B5_helix_medium_rep1", "B7_oval_fast_rep1",
           "B8_star_slow_rep1", "B9_trefoil_slow_rep1")  # the eighth ends in made-up samples  # fmt: skip


def along_and_across(file: Path) -> tuple[float, float]:
    """Errors of the estimate in the air [m], rms: along the path, and across it on each of two axes."""
    flight = np.genfromtxt(file, delimiter=",", names=True)
    flight = flight[flight["pz"] > 0.3][:-30]  # the last 0.3 s are made up
    place, velocity, estimate = (
        np.column_stack([flight[name] for name in names])
        for names in (("px", "py", "pz"), ("vx", "vy", "vz"), [f"est_stateEstimate_{axis}" for axis in "xyz"])
    )
    moving = np.linalg.norm(velocity, axis=1) > 0.05
    error, path = (estimate - place)[moving], velocity[moving] / np.linalg.norm(velocity[moving], axis=1, keepdims=True)
    along = (error * path).sum(axis=1)
    across = error - along[:, None] * path
    return float(np.sqrt((along**2).mean())), float(np.sqrt((across**2).sum(axis=1).mean() / 2.0))


def test_the_twin_believes_its_place_as_well_as_the_robot_does(shared_data: Path) -> None:
    measured = [along_and_across(shared_data / "crazyflie" / f"{name}.csv") for name in FLIGHTS]
    for along, across in measured:
        assert along > 5.0 * across  # an error of the estimator would not know where the robot is heading
    position = didymos.load("crazyflie").file.sensors["state"].position
    wander = np.hypot(position.noise, position.bias)
    assert min(across for _, across in measured) < wander < max(across for _, across in measured)


@pytest.mark.parametrize("late", [0.0, 0.03])
def test_late_stamps_move_an_estimate_along_the_path_alone(tmp_path: Path, late: float) -> None:
    t = np.arange(0.0, 10.0, 0.01)
    circle = np.column_stack([np.cos(t - late), np.sin(t - late), np.full_like(t, 1.0)])
    columns = [np.cos(t), np.sin(t), np.ones_like(t), -np.sin(t), np.cos(t), np.zeros_like(t), *circle.T]
    names = "px,py,pz,vx,vy,vz,est_stateEstimate_x,est_stateEstimate_y,est_stateEstimate_z"
    np.savetxt(tmp_path / "circle.csv", np.column_stack(columns), delimiter=",", header=names, comments="", fmt="%.9f")
    along, across = along_and_across(tmp_path / "circle.csv")
    assert along == pytest.approx(np.sin(late), abs=1e-8)  # of a circle of 1 m at 1 m/s
    assert across == pytest.approx((1.0 - np.cos(late)) / np.sqrt(2.0), abs=1e-8)
