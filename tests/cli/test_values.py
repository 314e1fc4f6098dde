"""What `--set`, `--with` and `--rename` accept, and what they say about the rest."""

import pytest

from didymos.cli.values import pairs, read_settings, settings
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


def test_a_file_of_settings_gives_numbers_by_path(tmp_path):
    file = tmp_path / "fitted.yaml"
    file.write_text("# from a fit\nlinks.body.mass: 1.5\nparts.motor1.delay: 2\n")
    assert read_settings(file) == {"links.body.mass": 1.5, "parts.motor1.delay": 2.0}


def test_an_empty_file_of_settings_sets_nothing(tmp_path):
    file = tmp_path / "none.yaml"
    file.write_text("# nothing yet\n")
    assert read_settings(file) == {}


@pytest.mark.parametrize(
    ("content", "line"),
    [("a.b: 1\nc.d: heavy\n", 2), ("a.b: true\n", 1), ("a.b: .nan\n", 1), ("a: 1\nb: [1\n", 3), ("a: {b: 1}\n", 1)],
)
def test_a_wrong_line_in_a_file_of_settings_is_named(tmp_path, content, line):
    file = tmp_path / "bad.yaml"
    file.write_text(content)
    with pytest.raises(InputError) as caught:
        read_settings(file)
    assert str(caught.value).startswith(f"{file}:{line}: ")


@pytest.mark.parametrize("content", [b"- 1\n- 2\n", b"just text\n", b"\xff\xfe\x00"])
def test_a_file_that_holds_no_settings_is_refused(tmp_path, content):
    file = tmp_path / "other.yaml"
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"other\.yaml"):
        read_settings(file)


def test_a_missing_file_of_settings_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_settings(tmp_path / "absent.yaml")
