"""Notebooks of docs/notebooks as pages: their text, their code, and what it showed when they were last run."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File, Files, InclusionLevel

FOLDER = "notebooks"


def on_files(files: Files, config: Any) -> Files:
    """Add a page `notebooks/NAME.md` for each `notebooks/NAME.ipynb`, and the notebook itself to take along."""
    for notebook in sorted((Path(config.docs_dir) / FOLDER).glob("*.ipynb")):
        files.append(File.generated(config, f"{FOLDER}/{notebook.stem}.md", content=page(notebook)))
        taken = File.generated(config, f"{FOLDER}/files/{notebook.name}", abs_src_path=str(notebook))
        taken.inclusion = InclusionLevel.INCLUDED  # as it is, where those of docs/ are not
        files.append(taken)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """A link to a notebook, as it holds in the repository, leads to its page."""
    return re.sub(rf"\]\(((?:[\w./]*/)?(?:{FOLDER}/)?\w+)\.ipynb\)", r"](\1.md)", markdown)


def page(notebook: Path) -> str:
    """The Markdown of a notebook."""
    cells = nbformat.read(notebook, as_version=4).cells
    pieces = [piece for cell in cells for piece in _cell(cell)]
    return "\n\n".join([*pieces, f'<a href="../files/{notebook.name}" download>This page as a notebook</a>', ""])


def _cell(cell: Any) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield cell.source
    else:
        yield f"```python\n{cell.source}\n```"
        for output in cell.outputs:
            yield _output(output)


def _output(output: Any) -> str:
    """What a cell showed: a picture, a table, or words."""
    data = output.get("data", {})
    if "image/png" in data:
        return f'<img alt="what the cell shows" src="data:image/png;base64,{"".join(data["image/png"].split())}">'
    if "text/html" in data:
        return f'<div class="shown">{data["text/html"]}</div>'
    words = output.get("text", "") or data.get("text/plain", "")
    return f'<pre class="shown">{html.escape(words.rstrip())}</pre>'
