"""Ticks that pass outside of a run: driven by hand, recorded by nobody."""

from __future__ import annotations

import didymos
from didymos.engine.drive import drive


def test_a_simulation_is_a_plant_for_longer_than_its_record_buffers() -> None:
    simulation = didymos.load("quadcopter").simulate(scenario="hover")
    program = simulation.program
    assert program is not None
    drive(simulation, program, first=0, count=2 * simulation.chunk + 10)
    assert simulation.tick == 2 * simulation.chunk + 10
    log = simulation.run(0.5)  # and a run that follows records its own ticks only
    assert log["truth.position.z"].time[0] >= (2 * simulation.chunk + 10) * simulation.period
