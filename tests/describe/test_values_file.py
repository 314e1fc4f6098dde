"""Files of values: what is written is read back, and what is no number is named with its line."""

import pytest

from didymos.describe.values_file import read_values, write_values
from didymos.errors import InputError


def test_values_are_read_back_to_the_bit(tmp_path):
    values = {"control.gains.roll.kp": 0.1 + 0.2, "links.body.mass": 1e-7, "links.arm.mass": 3.0}
    file = tmp_path / "new" / "tuned.yaml"
    write_values(file, values, comments=("tuned",), remarks={"links.body.mass": "kg; 95 %: 0 .. 1"})
    assert read_values(file) == values
    assert file.read_text().splitlines()[0] == "# tuned"
    assert file.read_text().splitlines()[2] == "links.body.mass: 1e-07  # kg; 95 %: 0 .. 1"
    write_values(file, {}, comments=("nothing",))
    assert read_values(file) == {}


def test_a_file_gives_numbers_by_path(tmp_path):
    file = tmp_path / "fitted.yaml"
    file.write_text("# from a fit\nlinks.body.mass: 1.5\nparts.motor1.delay: 2\n")
    assert read_values(file) == {"links.body.mass": 1.5, "parts.motor1.delay": 2.0}


def test_an_empty_file_of_values_sets_nothing(tmp_path):
    file = tmp_path / "none.yaml"
    file.write_text("# nothing yet\n")
    assert read_values(file) == {}


@pytest.mark.parametrize(
    ("content", "line"),
    [("a.b: 1\nc.d: heavy\n", 2), ("a.b: true\n", 1), ("a.b: .nan\n", 1), ("a: 1\nb: [1\n", 3), ("a: {b: 1}\n", 1)],
)
def test_a_wrong_line_in_a_file_is_named(tmp_path, content, line):
    file = tmp_path / "bad.yaml"
    file.write_text(content)
    with pytest.raises(InputError) as caught:
        read_values(file)
    assert str(caught.value).startswith(f"{file}:{line}: ")


@pytest.mark.parametrize("content", [b"- 1\n- 2\n", b"just text\n", b"\xff\xfe\x00"])
def test_a_file_that_holds_no_values_is_refused(tmp_path, content):
    file = tmp_path / "other.yaml"
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"other\.yaml"):
        read_values(file)


def test_a_missing_file_of_values_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_values(tmp_path / "absent.yaml")
