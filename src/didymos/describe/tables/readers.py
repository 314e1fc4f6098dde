"""What reads the files of tables that the parts of a twin file name, for the validation of its records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from didymos.describe.tables.grid_csv import read_grid
from didymos.describe.tables.propeller_files import propeller_reader
from didymos.describe.tables.read_aero import aero_reader, table_file
from didymos.parts.aero_data import READER
from didymos.parts.propeller_data import PROPELLER_READER
from didymos.parts.thrust_table import AXES, THRUST_READER

__all__ = ["table_readers"]


def table_readers(folder: Path) -> dict[str, Any]:
    """The readers, for the context of a validation, by the key under which parts ask for them."""

    def read_thrust(name: str) -> Any:
        return read_grid(table_file(name, folder), AXES, "thrust")

    return {READER: aero_reader(folder), THRUST_READER: read_thrust, PROPELLER_READER: propeller_reader(folder)}
