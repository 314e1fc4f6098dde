"""Read the files that a part of kind `aero_table` names, each by the reader of its format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from didymos.describe.outside_files import why_not_outside
from didymos.describe.tables.aero_csv import read_aero_csv
from didymos.describe.tables.avl import read_avl
from didymos.describe.tables.jsbsim import read_jsbsim
from didymos.describe.tables.polars import add_polars
from didymos.errors import InputError
from didymos.parts.aero_data import AeroBuilder, AeroFile

__all__ = ["aero_reader", "table_file"]

_BY_ENDING = {".csv": "csv", ".st": "avl", ".xml": "jsbsim", ".pol": "xfoil"}


def aero_reader(folder: Path) -> Callable[[AeroFile, AeroBuilder], None]:
    """What reads a file that a twin file in a folder names."""

    def read(spec: AeroFile, builder: AeroBuilder) -> None:
        names = (spec.file,) if isinstance(spec.file, str) else spec.file
        files = [table_file(name, folder) for name in names]
        form = spec.format or (_BY_ENDING.get(files[0].suffix.lower()) if files else None)
        if form is None:
            raise ValueError(f"what {spec.file!r} holds is not known by its ending, say it by the key 'format'")
        if len(files) != 1 and form != "xfoil":
            raise ValueError(f"found {len(files)} files of format {form}, expected one; a list of records adds up")
        try:
            _read(form, files, spec, builder)
        except ValueError as error:
            raise InputError(str(error), file=files[0]) from None

    return read


def table_file(name: str, folder: Path) -> Path:
    """The file that a twin file in a folder may mean by a name; a ValueError where it may not."""
    why = why_not_outside(name, folder)
    if why:
        raise ValueError(why)
    return folder / name


def _read(form: str, files: list[Path], spec: AeroFile, builder: AeroBuilder) -> None:
    monotone = spec.interpolation == "monotone"
    if form == "csv":
        read_aero_csv(files[0], builder, monotone=monotone)
    elif form == "xfoil":
        add_polars(files, builder, monotone=monotone, aspect_ratio=spec.aspect_ratio, oswald=spec.oswald)
    elif form == "avl":
        read_avl(files[0], spec.controls, builder)
    else:
        read_jsbsim(files[0], spec.properties, builder)
