"""Files that a run leaves: refused before it where they could not be written, kept after it, also after one that fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.completion import complete_views
from didymos.cli.flags import flag
from didymos.cli.options import Keep, RecordEvery, rotated
from didymos.errors import InputError, RunError

if TYPE_CHECKING:
    from didymos import Log
    from didymos.record.rotation import RotatedFile

__all__ = ["LogFiles"]

_ENDINGS = {
    "record": (".mcap", ".csv"),
    "plot": (".png", ".svg", ".pdf"),
    "picture": (".png", ".jpg", ".jpeg", ".webp"),
    "clip": (".gif", ".mp4"),
}


@dataclass(frozen=True)
class LogFiles:
    """The files that were chosen, None for the others."""

    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the log: .mcap or .csv.")] = None
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw an overview of the log.")] = None
    picture: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw the robot where it ended.")] = None
    clip: Annotated[Path | None, typer.Option(metavar="FILE.gif", help="Draw the whole run as a film: .gif or .mp4.")] = None
    camera: Annotated[
        str | None,
        typer.Option(
            metavar="VIEW",
            help="Of --picture, --clip: follow, fixed, top, side, front, AZIMUTH,ELEVATION[,DISTANCE], or a camera of the twin.",
            autocompletion=complete_views,
        ),
    ] = None
    record_every: RecordEvery = None
    keep_files: Keep = None

    def prepare(self) -> None:
        """Refuse a file that could not be written before the run, not after it."""
        rows = self.rotated
        if rows is not None:
            for name in ("plot", "clip"):
                if self.chosen[name] is not None:
                    why = "no log of such a run is held in memory; draw one of its files instead"
                    raise InputError(f"cannot go with --record-every; {why}", option=name)
        for name, file in self.chosen.items():
            if file is not None:
                from didymos.record.own_file import check_replaceable

                _prepare(file, _ENDINGS[name], flag(name))
                check_replaceable(file)
        if self.camera is not None:
            if self.picture is None and self.clip is None:
                raise InputError("goes with --picture or --clip only", option="camera")
            from didymos.record.view import read_view

            read_view(self.camera)
        if self.clip is not None and self.clip.suffix.lower() == ".mp4":
            from didymos.record.film import ffmpeg

            ffmpeg()

    @property
    def chosen(self) -> dict[str, Path | None]:
        """All of them by name."""
        return {name: getattr(self, name) for name in _ENDINGS}

    @property
    def results(self) -> dict[str, object]:
        """The same for the result of a run; where the log went into a row of files, those of them that are there, too."""
        rows = self.rotated
        return dict(self.chosen) if rows is None else {**self.chosen, "records": rows.files}

    @property
    def rotated(self) -> RotatedFile | None:
        """The row of files that the log goes into, where it is one."""
        return rotated(self.record, self.record_every, self.keep_files)

    @property
    def streamed(self) -> Path | RotatedFile | None:
        """The record where it is written while the run goes on."""
        rows = self.rotated
        if rows is not None:
            return rows
        return self.record if self.record is not None and self.record.suffix.lower() == ".mcap" else None

    def keep(self, log: Log) -> None:
        """Write what is made from a whole log."""
        if self.record is not None and self.streamed is None:
            log.save(self.record)
        if self.plot is not None:
            log.plot(path=self.plot)

    @contextmanager
    def kept_if_it_fails(self) -> Iterator[None]:
        """Keep the log of a run that fails or is interrupted, and say where it is."""
        try:
            yield
        except (RunError, KeyboardInterrupt) as error:
            log = getattr(error, "log", None)
            if log is not None:
                self.keep(log)
                files = [str(file) for file in (self.rotated or self.record, self.plot) if file is not None]
                print(f"didymos: what happened until then is in {' and '.join(files) or 'no file'}", file=sys.stderr, flush=True)
            raise


def _prepare(file: Path, endings: tuple[str, ...], option: str) -> None:
    if file.suffix.lower() not in endings:
        raise InputError(f"found {str(file)!r}, expected a file that ends in {' or '.join(endings)}", path=option)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        is_new = not file.exists()
        with file.open("ab"):  # what is there stays until there is something to put in its place
            pass
        if is_new:
            file.unlink()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{str(file)!r} cannot be written: {why}", path=option) from None
