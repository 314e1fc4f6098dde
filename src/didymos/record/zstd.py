"""Zstandard, with which others pack their logs: Python's own from 3.14 on, else its backport, an extra."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from didymos.extras import missing

__all__ = ["packed_size", "unpack_zstd", "unpacked_pieces"]

_PIECE = 2**20  # [bytes]


def unpack_zstd(data: bytes, most: int) -> bytes:
    """What is packed in `data`, `most` bytes of it at most.

    Raises:
        ValueError: it is damaged.
    """
    module = _zstd()
    try:
        return bytes(module.ZstdDecompressor().decompress(data, max_length=most))
    except module.ZstdError as error:
        raise ValueError(str(error)) from error


def packed_size(data: bytes) -> int | None:
    """The size [bytes] that packed data claims to unpack to; None where it does not say.

    Raises:
        ValueError: it is damaged.
    """
    module = _zstd()
    try:
        size: int | None = module.get_frame_info(data).decompressed_size
    except module.ZstdError as error:
        raise ValueError(str(error)) from error
    return size


def unpacked_pieces(file: Path) -> Iterator[bytes]:
    """The content of a packed file, piece by piece.

    Raises:
        ValueError: it is damaged, or ends too early.
        OSError: it cannot be read.
    """
    module = _zstd()
    try:
        with module.open(file) as source:
            while piece := source.read(_PIECE):
                yield piece
    except (module.ZstdError, EOFError) as error:
        raise ValueError(str(error)) from error


def _zstd() -> Any:
    try:
        return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ModuleNotFoundError:
        raise missing("it is packed with zstd, which needs", "backports.zstd", "logs") from None
