"""Files of ours, and of others: what Didymos writes says so; what does not was made by somebody else, and is not written over.

    pictures, films   our name in their metadata          pages   the element that their script reads
    logs              the library of an MCAP's header, the first line of a CSV
"""

from __future__ import annotations

from pathlib import Path

from didymos.errors import InputError

__all__ = ["NAME", "check_replaceable"]

NAME = "Didymos"

_MARKS = {
    ".png": b"Software\0" + NAME.encode(),
    ".svg": f">{NAME}<".encode(),
    ".pdf": f"/Creator ({NAME})".encode(),
    **dict.fromkeys((".jpg", ".jpeg", ".webp", ".gif", ".mp4"), NAME.encode()),
    **dict.fromkeys((".html", ".htm"), b'id="didymos-about"'),
}
_LOGS = {".mcap": b"didymos", ".csv": b"# didymos "}
_HEAD = 64  # bytes of a log, at most, up to the end of its mark


def check_replaceable(path: Path) -> None:
    """Refuse to write over a file that we did not make; an empty one holds nothing that could be lost."""
    suffix = path.suffix.lower()
    try:
        if not path.is_file():
            return
        with path.open("rb") as file:
            content = file.read(_HEAD) if suffix in _LOGS else file.read()
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from error
    mark = (_MARKS | _LOGS).get(suffix, b"")
    if content and (mark not in content if mark else True):
        kind = "log" if suffix in _LOGS else "page" if suffix in (".html", ".htm") else "film" if suffix == ".mp4" else "picture"
        raise InputError(f"is there already, and no {kind} of {NAME}: name another file, or move it away", file=path)
