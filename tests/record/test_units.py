"""Units that people log in: factors by definition, ranges and temperatures with their offsets, nonsense in one sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.record.units import WORDS, convert, unit_factor


@pytest.mark.parametrize(
    ("given", "wanted", "factor"),
    [
        ("deg", "rad", math.pi / 180), ("deg/s", "rad/s", math.pi / 180), ("rev", "rad", 2 * math.pi),
        ("rpm", "rad/s", math.pi / 30), ("rev/s", "rpm", 60.0), ("g", "m/s^2", 9.80665),
        ("mg", "m/s^2", 9.80665e-3), ("m/s/s", "m/s^2", 1.0), ("mm", "m", 1e-3),
        ("cm", "m", 1e-2), ("km/h", "m/s", 1 / 3.6), ("knots", "m/s", 1852 / 3600), ("ms", "s", 1e-3), ("us", "s", 1e-6),
        ("µs", "ns", 1e3), ("%", "1", 0.01), ("percent", "", 0.01), ("N m", "Nmm", 1e3), ("N*m", "Nm", 1.0), ("mV", "V", 1e-3),
        ("mA", "A", 1e-3), ("kg m^2/s^2", "J", 1.0), ("V A", "W", 1.0), ("hPa", "Pa", 100.0), ("gauss", "uT", 100.0),
        ("1/s", "Hz", 1.0),
        ("m s^-2", "m/s²", 1.0), ("Degrees", "rad", math.pi / 180), ("RPM", "rpm", 1.0), ("0..65535", "%", 100 / 65535),
    ],
)  # fmt: skip
def test_factors_are_those_of_the_definitions(given: str, wanted: str, factor: float) -> None:
    assert unit_factor(given, wanted) == pytest.approx(factor, rel=1e-14)
    assert unit_factor(wanted, given) == pytest.approx(1.0 / factor, rel=1e-14)
    np.testing.assert_allclose(convert([[-2.0, 0.5]], given, wanted), [[-2.0 * factor, 0.5 * factor]], rtol=1e-14)


@pytest.mark.parametrize(
    ("given", "wanted", "values", "expected"),
    [
        ("1000..2000", "1", [1000.0, 1250.0, 2000.0], [0.0, 0.25, 1.0]),
        ("1000..2000", "%", [1500.0, 2100.0], [50.0, 110.0]),  # nothing is clipped: what is out of range has to be seen
        ("0..65535", "1000..2000", [0.0, 65535.0], [1000.0, 2000.0]),
        ("-1..1", "1", [-1.0, 0.0, 1.0], [0.0, 0.5, 1.0]),
        ("2000..1000", "1", [1000.0, 1900.0], [1.0, 0.1]),
        ("degC", "K", [25.0], [298.15]),
        ("degF", "degC", [212.0, 32.0], [100.0, 0.0]),
    ],
)
def test_ranges_and_temperatures_have_offsets(given: str, wanted: str, values: list[float], expected: list[float]) -> None:
    np.testing.assert_allclose(convert(values, given, wanted), expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(convert(expected, wanted, given), values, rtol=1e-13, atol=1e-10)


def test_every_word_can_be_read_as_itself() -> None:
    for word in WORDS:
        np.testing.assert_array_equal(convert([3.25], word, word), [3.25])


def test_the_array_that_was_given_stays() -> None:
    given = np.array([1.0, 2.0])
    convert(given, "m", "m")[0] = 7.0
    convert(given, "mm", "m")[0] = 7.0
    assert list(given) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("given", "wanted", "said"),
    [
        ("degre", "rad", "'degre' is no unit that is known, did you mean 'degree'?"),
        ("m/sce", "m/s", "'sce' in 'm/sce' is no unit that is known, did you mean 'sec'?"),
        ("m", "rad", "'m' cannot become 'rad': one is m, the other rad"),
        ("rev/s", "Hz", "'rev/s' cannot become 'Hz': one is rad/s, the other 1/s"),
        ("N m", "m/s^2", "'N m' cannot become 'm/s^2': one is m^2 kg/s^2, the other m/s^2"),
        ("deg", "1", "one is rad, the other a number"),
        ("degC", "K", "lies an offset, not a factor alone"),
        ("1000..2000", "1", "lies an offset, not a factor alone"),
        ("5..5", "1", "the range '5..5' cannot be"),
        ("m//s", "m/s", "'m//s' is not a unit"),
        ("mm^999999", "m", "'mm^999999' is not a unit"),
        ("^2", "m", "'^2' is not a unit"),
        ("MN", "N", "'MN' is no unit that is known"),
    ],
)
def test_what_is_no_unit_is_refused_in_one_sentence(given: str, wanted: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        unit_factor(given, wanted)
    assert said in str(caught.value)
