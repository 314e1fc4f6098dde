"""The rotor's law against a wind tunnel: APC Slow Flyer 10x4.7, its static run as the bench, then its runs in axial flow.

UIUC Propeller Data Base, volume 1 (J. B. Brandt, R. W. Deters, G. K. Ananda, O. D. Dantsker, M. S. Selig, University of Illinois
at Urbana-Champaign, m-selig.ae.illinois.edu/props/propDB.html): apcsf_10x4.7_geom.txt, _static_kt0835.txt, _rd0841_6512.txt and
_rd0840_6020.txt. J = V / (n D), C_T = T / (rho n^2 D^4), C_P = P / (rho n^3 D^5).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from laws import call

from didymos.parts.rotor import Rotor

DIAMETER, RHO = 0.254, 1.225
RADII = np.arange(0.15, 1.001, 0.05)
CHORDS = np.array(
    [0.109, 0.132, 0.156, 0.176, 0.193, 0.206, 0.216, 0.223, 0.226, 0.225, 0.219, 0.210, 0.197, 0.179, 0.157, 0.130, 0.087, 0.042]
)  # over R
SOLIDITY = 3.0 * float(np.trapezoid(CHORDS * RADII**2, RADII)) * 2.0 / math.pi  # weighted as blades lift
STATIC = {6512: (0.1299, 0.0531), 6020: (0.1278, 0.0520)}  # C_T, C_P of the static run at 6528 and 5960 rpm
RUNS = [
    (6512, 0.089, 0.1201, 0.0523), (6512, 0.134, 0.1129, 0.0512), (6512, 0.176, 0.1059, 0.0500), (6512, 0.225, 0.0974, 0.0483),
    (6512, 0.266, 0.0895, 0.0465), (6512, 0.308, 0.0833, 0.0454), (6512, 0.357, 0.0743, 0.0434), (6512, 0.395, 0.0669, 0.0414),
    (6512, 0.445, 0.0562, 0.0381), (6020, 0.408, 0.0624, 0.0397), (6020, 0.458, 0.0519, 0.0366), (6020, 0.507, 0.0405, 0.0331),
    (6020, 0.551, 0.0296, 0.0297),
]  # fmt: skip
UNLOADED = [
    (6020, 0.601, 0.0160, 0.0254), (6020, 0.652, 0.0017, 0.0207), (6020, 0.700, -0.0123, 0.0160), (6020, 0.747, -0.0265, 0.0112),
    (6020, 0.774, -0.0347, 0.0085),
]  # fmt: skip


def _coefficients(rpm: int, advance: float, solidity: float) -> tuple[float, float]:
    """C_T and C_P of the law, whose bench is the static run."""
    turns = rpm / 60.0
    speed = 2.0 * math.pi * turns
    thrust, power = RHO * turns**2 * DIAMETER**4, RHO * turns**3 * DIAMETER**5
    static_thrust, static_power = STATIC[rpm]
    answer = call(
        Rotor, inputs={"command": 1.0}, air_velocity=(advance * turns * DIAMETER, 0.0, 0.0), direction=1, speed_per_input=speed,
        thrust_coefficient=static_thrust * thrust / speed**2, torque_coefficient=static_power * power / speed**3,
        radius=0.5 * DIAMETER, solidity=solidity,
    )  # fmt: skip
    return answer.force[0] / thrust, answer.readouts["torque"] * speed / power


@pytest.mark.parametrize("solidity", [SOLIDITY, 0.0])
@pytest.mark.parametrize(("rpm", "advance", "thrust", "power"), RUNS)
def test_thrust_within_5_and_power_within_10_percent_of_the_tunnel(
    rpm: int, advance: float, thrust: float, power: float, solidity: float
) -> None:
    found_thrust, found_power = _coefficients(rpm, advance, solidity)
    assert found_thrust == pytest.approx(thrust, rel=0.05)
    assert found_power == pytest.approx(power, rel=0.10)


@pytest.mark.parametrize(("rpm", "advance", "thrust", "power"), UNLOADED)
def test_about_zero_thrust_the_thrust_is_right_and_the_power_low(rpm: int, advance: float, thrust: float, power: float) -> None:
    """Here the law falls short: the power is low by 7 % of the static power at J = 0.60, by 33 % at 0.77, where it takes the
    rotor for a windmill that still needs power in the tunnel. Drag of blades at negative lift is not in the law."""
    found_thrust, found_power = _coefficients(rpm, advance, SOLIDITY)
    static_thrust, static_power = STATIC[rpm]
    assert found_thrust == pytest.approx(thrust, abs=0.05 * static_thrust)
    assert power - 0.34 * static_power < found_power < power


def test_it_stops_pulling_at_the_advance_ratio_of_the_tunnel() -> None:
    ratios = np.linspace(0.5, 0.8, 61)
    thrusts = [_coefficients(6020, float(ratio), SOLIDITY)[0] for ratio in ratios]
    assert float(np.interp(0.0, thrusts[::-1], ratios[::-1])) == pytest.approx(0.657, rel=0.02)
