"""What takes rows to the disk while a run goes on: one file, or a row of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from numpy.typing import ArrayLike

from didymos.record.rotation import RotatedFile, RotatingRecorder

if TYPE_CHECKING:
    from didymos.record.image import Picture, PinHole
    from didymos.record.stream import StreamLayout

__all__ = ["RecordTo", "Recorder", "open_recorder"]

RecordTo = str | Path | RotatedFile
"""Where a recording goes: a file, or files one after the other."""


class Recorder(Protocol):
    """See `McapRecorder`."""

    @property
    def path(self) -> Path:
        """The file that is written now."""
        ...

    def write(self, layout_index: int, times: ArrayLike, values: ArrayLike) -> None:
        """Take rows of a stream."""
        ...

    def write_picture(self, camera: str, picture: Picture) -> None:
        """Take a picture of a camera."""
        ...

    def note(self, name: str, texts: Mapping[str, str]) -> None:
        """Add texts about the run."""
        ...

    def flush(self) -> None:
        """Bring everything taken so far to the disk."""
        ...

    def close(self) -> None:
        """Flush and complete the file."""
        ...


def open_recorder(
    record: RecordTo, layouts: Sequence[StreamLayout], metadata: Mapping[str, str], eyes: Sequence[PinHole] = ()
) -> Recorder:
    """The recorder for a file or for a row of them."""
    from didymos.record.mcap_file import McapRecorder

    if isinstance(record, RotatedFile):
        return RotatingRecorder(record, layouts, metadata, eyes)
    return McapRecorder(record, layouts, metadata, eyes)
