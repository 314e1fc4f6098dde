"""Answers of xacro's child that stay true: a process that reads the same description again need not expand it again.

An answer follows from the request and from the files that were read, if nothing else was looked at: no pattern of names, no
package by its name, no file that is not there. The child says so by `files`, the size and SHA-256 of each; the answer is given
again as long as all of them are the same. Thirty robots of a world, and a twin that is loaded once more, cost one child.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

__all__ = ["digest", "keep_answer", "kept_answer"]

_MOST = 32  # answers, the oldest go first
_kept: dict[str, dict[str, Any]] = {}


def digest(data: bytes) -> list[Any]:
    """What a file is known by: its size [bytes] and its SHA-256."""
    return [len(data), hashlib.sha256(data).hexdigest()]


def kept_answer(request: dict[str, Any]) -> dict[str, Any] | None:
    """The answer to a request, if there is one and the files that it was made of are as they were."""
    answer = _kept.get(_key(request))
    if answer is None or not all(_is_same(Path(name), *known) for name, known in answer["files"].items()):
        return None
    return answer


def keep_answer(request: dict[str, Any], answer: dict[str, Any]) -> None:
    """Keep an answer for the next time, where it may be kept."""
    if answer.get("files"):
        _kept[_key(request)] = answer
        for old in list(_kept)[:-_MOST]:
            _kept.pop(old, None)


def _key(request: dict[str, Any]) -> str:
    return json.dumps(request, sort_keys=True)


def _is_same(file: Path, size: int, sha256: str) -> bool:
    try:
        same_size = file.is_file() and file.stat().st_size == size  # what is no plain file any more is not opened
        return same_size and digest(file.read_bytes()) == [size, sha256]
    except OSError:
        return False
