"""A run that begins in the middle of a scenario goes on with its stimuli: waves that never end, and those that have."""

from __future__ import annotations

import numpy as np
import pytest

import didymos
from didymos.control.stimulus import StimulusSpec
from didymos.engine.sampler import Sampler
from didymos.engine.sampling import Sampling
from didymos.fitting.excitation import values_of

TARGET = "setpoints.position"
WAVES = {
    "sine": {"kind": "sine", "amplitude": 1.0, "frequency": 0.7},
    "triangle": {"kind": "triangle", "amplitude": 1.0, "period": 1.1},
    "trapezoid": {"kind": "trapezoid", "amplitude": 1.0, "rise": 0.1, "hold": 0.3},
    "sine that ends": {"kind": "sine", "amplitude": 1.0, "frequency": 0.7, "end": 0.6},
    "trapezoid that ends now": {"kind": "trapezoid", "amplitude": 1.0, "rise": 0.1, "hold": 0.3, "end": 0.5},
}


@pytest.mark.parametrize("name", WAVES)
def test_a_window_has_the_stimuli_of_its_time(name: str) -> None:
    at, twin = 0.5, didymos.load("power_unit")
    stimulus = StimulusSpec.model_validate({"target": TARGET, **WAVES[name]})
    twin.add_scenarios({"wave": {"seconds": 2.0, "stimuli": [{"target": TARGET, **WAVES[name]}]}})
    sampler = Sampler(twin, "wave", Sampling((), 0, (TARGET,), 2.0))
    data = sampler.simulation.data
    times, values = sampler.run_from(data.qpos.copy(), data.qvel.copy(), 0.3, at=at, tables={})[TARGET]
    later = times if times[0] >= at else times + at
    assert values == pytest.approx(values_of([stimulus], TARGET, np.asarray(later)), abs=1e-9)
