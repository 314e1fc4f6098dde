"""Run the notebooks of docs/notebooks and keep what they show: `python docs/make_notebooks.py [NAME...]`"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parent / "notebooks"


def executed(file: Path, folder: Path) -> Any:
    """A notebook after all of its cells have run, in a folder that may be written to."""
    notebook = nbformat.read(file, as_version=4)
    NotebookClient(notebook, timeout=None, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    for cell in notebook.cells:
        cell.metadata = {}  # when each cell ran is nobody's concern
    return notebook


if __name__ == "__main__":
    for file in [NOTEBOOKS / f"{name}.ipynb" for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(file, Path(folder)), file)
