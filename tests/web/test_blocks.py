"""Blocks: what is packed into a page comes out to the bit."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from didymos.web.export.blocks import Blocks

WORDS = {"f4": np.uint32, "u4": np.uint32, "u2": np.uint16, "f8": np.uint64}


def unpacked(content: bytes, about: dict[str, Any]) -> NDArray[Any]:
    """As the page does it: bytes of equal weight lie together, every number is the step from the last."""
    words = np.zeros(about["count"], WORDS[about["kind"]])
    for k in range(words.itemsize):
        part = np.frombuffer(content, np.uint8, about["count"], about["at"] + k * about["count"])
        words |= part.astype(words.dtype) << words.dtype.type(8 * k)
    return np.cumsum(words, dtype=words.dtype).view(about["kind"])


def test_arrays_come_out_to_the_bit() -> None:
    rng, blocks = np.random.default_rng(1), Blocks()
    arrays = {
        "f4": np.array([0.0, -1.5, np.nan, np.inf, 1e-30, 3.0e38, -0.0], np.float32),
        "f8": np.cumsum(rng.random(50)),
        "u2": rng.integers(0, 65536, 100).astype(np.uint16),
        "u4": rng.integers(0, 2**32, 100).astype(np.uint32),
    }
    places = {kind: blocks.add(values, kind) for kind, values in arrays.items()}
    content = zlib.decompress(base64.b64decode(blocks.text))
    for kind, values in arrays.items():
        assert unpacked(content, places[kind]).tobytes() == values.tobytes()


@pytest.mark.parametrize("step", [0.01, 1 / 3])
def test_even_times_are_told_by_first_and_step_others_are_kept(step: float) -> None:
    blocks, even = Blocks(), 5.0 + step * np.arange(1000)
    assert blocks.add_times(even) == {"first": 5.0, "step": pytest.approx(step, rel=1e-12), "count": 1000}
    uneven = even.copy()
    uneven[500] += 1e-6
    about = blocks.add_times(uneven)
    assert unpacked(zlib.decompress(base64.b64decode(blocks.text)), about).tobytes() == uneven.tobytes()
