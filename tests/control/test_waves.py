"""Triangle and trapezoid by the twin's clock, and the program that hands set-points to drives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from didymos.control.stimulus import StimulusSpec, evaluate
from didymos.describe.twin import Twin
from didymos.errors import InputError

NOTHING = np.zeros((1, 2))


def wave(**keys: float | str) -> Callable[[float], float]:
    stimulus = StimulusSpec(target="setpoints.position", **keys).record()  # type: ignore[arg-type]
    return lambda t: evaluate(stimulus, NOTHING, t)


def test_a_triangle_rises_falls_through_zero_and_returns() -> None:
    at = wave(kind="triangle", amplitude=2.0, period=4.0, start=1.0, offset=0.5)
    knots = {0.0: 0.5, 1.0: 0.5, 1.5: 1.5, 2.0: 2.5, 3.0: 0.5, 4.0: -1.5, 5.0: 0.5, 6.0: 2.5}
    assert [at(t) for t in knots] == pytest.approx(list(knots.values()), abs=1e-12)


def test_a_trapezoid_holds_at_both_ends() -> None:
    at = wave(kind="trapezoid", amplitude=1.0, rise=1.0, hold=0.5)
    knots = {0.0: 0.0, 0.5: 0.5, 1.0: 1.0, 1.5: 1.0, 2.5: 0.0, 3.5: -1.0, 4.0: -1.0, 4.5: -0.5, 5.0: 0.0, 5.5: 0.5}
    assert [at(t) for t in knots] == pytest.approx(list(knots.values()), abs=1e-12)


@pytest.mark.parametrize("shape", [{"kind": "triangle", "period": 1.0}, {"kind": "trapezoid", "rise": 0.1, "hold": 0.3}])
def test_a_wave_is_its_offset_from_its_end_on(shape: dict[str, float | str]) -> None:
    at, forever = (wave(amplitude=1.0, start=1.0, offset=0.5, **shape, **more) for more in ({"end": 1.25}, {}))
    assert [at(t) for t in (0.5, 1.1, 1.2)] == [forever(t) for t in (0.5, 1.1, 1.2)]
    assert at(1.2) > 1.0
    assert at(1.25) == at(3.2) == 0.5
    with pytest.raises(ValueError, match="expected it after start 1 s"):
        wave(amplitude=1.0, start=1.0, end=0.5, **shape)


def test_a_wave_without_its_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="needs the key 'period'"):
        StimulusSpec(target="setpoints.position", kind="triangle", amplitude=1.0)


TWO_SHAFTS = """<mujoco><worldbody><body name="a"><joint name="left" axis="0 0 1"/><geom size=".1"/></body>
  <body name="b" pos="1 0 0"><joint name="right" axis="0 0 1"/><geom size=".1"/></body></worldbody></mujoco>"""


def drive(link: str, joint: str) -> dict[str, object]:
    return {"kind": "drive", "link": link, "joint": joint, "ratio": 10.0, "kp": 1.0, "peak_torque": 5.0}


def two_drives(make_twin: Callable[..., Twin], **options: object) -> Twin:
    return make_twin(
        TWO_SHAFTS,
        parts={"L": drive("a", "left"), "R": drive("b", "right")},
        control={"program": "position_command", "rate": 200, "options": {"drives": ["L", "R"], **options}},
        scenarios={"apart": {"seconds": 0.1, "setpoints": {"L_position": 0.5, "R_position": -0.25}}},
    )


def test_several_drives_have_set_points_of_their_own(make_twin: Callable[..., Twin]) -> None:
    log = two_drives(make_twin).simulate(scenario="apart").run()
    assert log["inputs.L.position"].values[-1] == 0.5
    assert log["inputs.R.position"].values[-1] == -0.25
    assert log["parts.R.mode"].values[-1] == 10.0


def test_set_points_may_be_radians_at_the_output(make_twin: Callable[..., Twin]) -> None:
    log = two_drives(make_twin, unit="rad", ratio=10.0).simulate(scenario="apart").run()
    assert log["inputs.L.position"].values[-1] == pytest.approx(0.5 * 10.0 / (2.0 * np.pi))


def test_a_drive_that_is_not_there_is_named(make_twin: Callable[..., Twin]) -> None:
    options = {"drives": ["X"]}
    with pytest.raises(InputError, match="needs a part 'X' of kind drive"):
        make_twin(
            TWO_SHAFTS, parts={"L": drive("a", "left")}, control={"program": "position_command", "rate": 200, "options": options}
        ).simulate()
