"""What `--set` and `--rename` accept, and what they say about the rest."""

import pytest

from didymos.cli.values import pairs, settings
from didymos.errors import InputError


def test_a_setting_is_a_path_and_a_number():
    assert settings(["links.body.mass=1.5", "control.gains.kp = -2e-3"]) == {
        "links.body.mass": 1.5,
        "control.gains.kp": -0.002,
    }


@pytest.mark.parametrize("text", ["links.body.mass", "=3", "mass=", "mass=heavy", "mass=nan", "mass=inf", "mass=1=2"])
def test_a_setting_that_is_no_finite_number_is_refused_with_the_option_named(text):
    with pytest.raises(InputError, match="--set"):
        settings([text])


def test_giving_a_path_twice_is_refused_because_one_of_them_would_be_lost():
    with pytest.raises(InputError, match="'mass' is given twice"):
        settings(["mass=1", "mass=2"])


def test_a_rename_keeps_the_order_b_to_a():
    assert pairs(["alt=baro.altitude"], "--rename") == {"alt": "baro.altitude"}
