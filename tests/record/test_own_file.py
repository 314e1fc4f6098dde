"""What somebody else made is not written over, what we made is, whichever kind of file it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from didymos.describe.values_file import write_values
from didymos.errors import InputError
from didymos.record import Kind, Log, StreamLayout
from didymos.record.film import write_film
from didymos.record.own_file import check_replaceable
from didymos.record.picture import _stamp
from didymos.web.export.html_page import html_page


def save_picture(file: Path) -> None:
    if file.suffix == ".gif":
        Image.new("RGB", (8, 8)).save(file, comment="Didymos")
    else:
        Image.new("RGB", (8, 8)).save(file, **_stamp(file))


def save_log(file: Path) -> None:
    log = Log([StreamLayout("", Kind.SCALARS, ("x",), ("m",))], {"twin": "ball"})
    log.append(0, [0.0, 1.0], [[0.0], [1.0]])
    log.save(file)


def save_page(file: Path) -> None:
    file.write_text(html_page("a flight", {}, ""), encoding="utf-8")


MAKERS = {"png": save_picture, "jpg": save_picture, "webp": save_picture, "gif": save_picture,
          "mcap": save_log, "csv": save_log, "html": save_page}  # fmt: skip


@pytest.mark.parametrize("suffix", MAKERS)
def test_a_file_of_ours_may_be_written_over_and_none_of_others(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"a.{suffix}"
    check_replaceable(file)  # there is none
    file.touch()
    check_replaceable(file)  # nothing could be lost
    MAKERS[suffix](file)
    check_replaceable(file)
    file.write_bytes(b"time,height\n0,1\n" + bytes(100))
    with pytest.raises(InputError, match=r"is there already, and no (picture|log|page) of Didymos: name another file"):
        check_replaceable(file)


def test_a_log_does_not_replace_a_recording_of_somebody_else(tmp_path: Path) -> None:
    for suffix in ("csv", "mcap"):
        file = tmp_path / f"robot.{suffix}"
        file.write_text("time,height\n0,1\n", encoding="utf-8")
        with pytest.raises(InputError, match="no log of Didymos"):
            save_log(file)
        assert file.read_text(encoding="utf-8") == "time,height\n0,1\n"


def test_values_do_not_replace_a_twin(tmp_path: Path) -> None:
    file = tmp_path / "twin.yaml"
    file.write_text("title: Mine\nparts: {a: {kind: drag}}\n", encoding="utf-8")
    with pytest.raises(InputError, match="no file of values"):
        write_values(file, {"links.a.mass": 1.0})
    assert "title: Mine" in file.read_text(encoding="utf-8")
    write_values(tmp_path / "new.yaml", {"links.a.mass": 1.0})
    write_values(tmp_path / "new.yaml", {"links.a.mass": 2.0})
    assert "2.0" in (tmp_path / "new.yaml").read_text(encoding="utf-8")


def test_a_film_says_that_it_is_ours(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    file = tmp_path / "a.mp4"
    write_film([np.zeros((16, 16, 3), np.uint8)] * 3, (16, 16), 10.0, file)
    check_replaceable(file)
