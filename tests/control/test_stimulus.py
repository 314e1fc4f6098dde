"""Stimuli against their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from didymos.control.stimulus import StimulusSpec, evaluate
from didymos.errors import InputError

ROTOR = {"rotor": {"kind": "rotor", "link": "body", "direction": 1, "thrust_coefficient": 0, "speed_per_input": 1}}
NO_TABLE = np.zeros((1, 2))


def _value(t: float, **keys: Any) -> float:
    return evaluate(StimulusSpec(target="setpoints.z", **keys).record(), NO_TABLE, t)


def test_constant_step_pulse_and_ramp() -> None:
    assert _value(3.0, kind="constant", value=2.5) == 2.5
    step = {"kind": "step", "at": 1.0, "from": -1.0, "to": 4.0}
    assert [_value(t, **step) for t in (0.0, 0.999, 1.0, 9.0)] == [-1.0, -1.0, 4.0, 4.0]
    pulse = {"kind": "pulse", "start": 1.0, "end": 2.0, "value": 3.0}
    assert [_value(t, **pulse) for t in (0.0, 1.0, 1.999, 2.0)] == [0.0, 3.0, 3.0, 0.0]
    ramp = {"kind": "ramp", "start": 1.0, "end": 3.0, "from": 10.0, "to": 20.0}
    assert [_value(t, **ramp) for t in (0.0, 1.0, 1.5, 2.0, 3.0, 8.0)] == [10.0, 10.0, 12.5, 15.0, 20.0, 20.0]


@pytest.mark.parametrize("t", np.linspace(0.0, 5.0, 11))
def test_sine(t: float) -> None:
    about = {"kind": "sine", "start": 1.0, "amplitude": 2.0, "frequency": 0.7, "phase": 0.3, "offset": 5.0}
    expected = 5.0 + (2.0 * np.sin(2 * np.pi * 0.7 * (t - 1.0) + 0.3) if t >= 1.0 else 0.0)
    assert _value(t, **about) == pytest.approx(expected, abs=1e-14)


def test_a_sine_may_end() -> None:
    about = {"kind": "sine", "start": 1.0, "end": 2.0, "amplitude": 2.0, "frequency": 1.0, "offset": 5.0}
    assert [_value(t, **about) for t in (0.5, 1.25, 2.0, 2.25)] == pytest.approx([5.0, 7.0, 5.0, 5.0])
    with pytest.raises(ValidationError, match=r"found end 0.5 s, expected it after start 1 s"):
        _value(0.0, **{**about, "end": 0.5})


CHIRP = {
    "kind": "chirp", "start": 1.0, "end": 5.0, "amplitude": 1.5, "frequency": 0.5, "to_frequency": 4.0, "phase": 0.2,
}  # fmt: skip


@pytest.mark.parametrize("t", np.linspace(1.0, 7.0, 13))
def test_chirp_is_the_sine_of_the_integral_of_its_frequency(t: float) -> None:
    grid = np.linspace(1.0, t, 20_001)
    frequency = np.interp(grid, [1.0, 5.0], [0.5, 4.0])  # held beyond the end
    turns = np.trapezoid(frequency, grid)  # exact on straight lines, and one kink between two grid points
    assert _value(t, **CHIRP) == pytest.approx(1.5 * np.sin(2 * np.pi * turns + 0.2), abs=1e-6)


def test_the_phase_of_a_chirp_is_continuous_where_it_ends() -> None:
    eps = 1e-7
    before, at, after = (_value(5.0 + d, **CHIRP) for d in (-eps, 0.0, eps))
    fastest = 1.5 * 2 * np.pi * 4.0  # [1/s]
    assert abs(at - before) <= fastest * eps
    assert abs(after - at) <= fastest * eps
    assert (at - before) == pytest.approx(after - at, abs=1e-6 * fastest * eps + 1e-14)  # and so is its slope


def test_a_column_of_a_file_is_a_line_between_its_rows_and_held_at_its_ends(make_twin: Any) -> None:
    twin = make_twin(
        world={"step": 0.001, "gravity": 0.0},
        parts=ROTOR,
        files={"input.csv": "time,a,b\n0.1,0.2,9\n0.2,0.6,9\n0.4,0.4,9\n"},
        scenarios={
            "replay": {"stimuli": [{"target": "inputs.rotor", "kind": "file", "file": "input.csv", "column": "a"}]}
        },
    )
    signal = twin.simulate(scenario="replay").run(0.6)["inputs.rotor"]
    expected = np.interp(signal.time, [0.1, 0.2, 0.4], [0.2, 0.6, 0.4])
    np.testing.assert_allclose(signal.values, expected, atol=1e-15)


def test_stimuli_of_one_target_add_up_and_inputs_stay_in_their_range(make_twin: Any) -> None:
    one = {"target": "inputs.rotor", "kind": "constant", "value": 0.75}
    two = {"target": "inputs.rotor", "kind": "step", "at": 0.1, "to": 0.125}
    three = {"target": "inputs.rotor", "kind": "step", "at": 0.2, "to": 10.0}
    twin = make_twin(
        parts=ROTOR,
        scenarios={"sum": {"stimuli": [one, two, three]}},
    )
    signal = twin.simulate(scenario="sum").run(0.3)["inputs.rotor"]
    expected = np.where(signal.time < 0.0999, 0.75, np.where(signal.time < 0.1999, 0.875, 1.0))
    np.testing.assert_array_equal(signal.values, expected)


def test_a_stimulus_moves_a_parameter_of_the_world(make_twin: Any) -> None:
    twin = make_twin(
        world={"gravity": 0.0},
        parts={"drag": {"kind": "body_drag", "link": "body", "area_x": 0.1, "area_y": 0.1, "area_z": 0.1}},
        scenarios={"gust": {"stimuli": [{"target": "world.wind.speed", "kind": "step", "at": 0.1, "to": 5.0}]}},
    )
    log = twin.simulate(scenario="gust").run(0.2)
    force = log["parts.drag.force.x"]
    assert (force.values[force.time < 0.0999] == 0.0).all()
    rho = 101_325.0 / (287.05287 * 288.15)
    assert force.values[10] == pytest.approx(0.5 * rho * 0.1 * 25.0, rel=1e-12)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"kind": "step", "to": 1.0}, "needs the key 'at'"),
        ({"kind": "ramp", "start": 2.0, "end": 1.0, "to": 1.0}, "found end 1 s, expected it after start 2 s"),
        ({"kind": "chirp", "amplitude": 1, "frequency": 1, "to_frequency": 2, "end": 0}, "expected it after start 0 s"),
        ({"kind": "sine", "amplitude": 1.0}, "needs the key 'frequency'"),
        ({"kind": "square"}, "Input should be 'constant'"),
    ],
)
def test_an_incomplete_stimulus_says_what_it_needs(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        StimulusSpec(target="setpoints.z", **keys)


def test_a_column_that_is_not_there_is_named(make_twin: Any) -> None:
    stimulus = {"target": "inputs.rotor", "kind": "file", "file": "input.csv", "column": "c"}
    twin = make_twin(
        parts=ROTOR,
        files={"input.csv": "time,a\n0,0.2\n1,0.6\n"},
        scenarios={"replay": {"stimuli": [stimulus]}},
    )
    with pytest.raises(InputError, match="no column 'c'"):
        twin.simulate(scenario="replay")
