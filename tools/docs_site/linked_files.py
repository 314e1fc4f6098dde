"""Pages for files outside docs/: a link to `../examples/01_hover.py` leads to that file, on the site as in the repository.

Whatever a page links to, or the navigation names under `source/`, becomes a page `source/PATH.md` that shows the file: Markdown
as it is, a folder as a list, all else as code. Links are rewritten when a page is read, so the files themselves keep the links
that hold in the repository.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

SHOWN = "source"  # where pages of such files stand on the site
NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n"  # pages that explain shall be found, not the code they speak of
LARGEST = 60_000  # [byte] of a file that is shown
LANGUAGES = {
    ".py": "python", ".yaml": "yaml", ".yml": "yaml", ".c": "c", ".h": "c", ".urdf": "xml", ".sdf": "xml", ".xml": "xml",
    ".xacro": "xml", ".csv": "text", ".txt": "text", ".cff": "yaml", ".toml": "toml", "": "text",
}  # fmt: skip

_LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?(?P<after>\))")


def on_files(files: Files, config: Any) -> Files:
    """Add a page for every file outside docs/ that is linked to, and for those that such pages link to."""
    root = Path(config.config_file_path).parent
    waiting = list(files.documentation_pages())
    named = [uri for uri in _texts(config.nav) if uri.startswith(f"{SHOWN}/")]
    for uri in named:
        waiting += _add(files, config, root, root / uri.removeprefix(f"{SHOWN}/"))
    while waiting:
        file = waiting.pop()
        for target in outside(root, origin(file), file.content_string):
            waiting += _add(files, config, root, target)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links of a page, as they hold in the repository, turned into those of the site."""
    root = Path(config.config_file_path).parent
    place = origin(page.file)

    def rewritten(found: re.Match[str]) -> str:
        target = _target(root, place, found["target"])
        uri = None if target is None else _uri(root, target)
        if uri is None or files.get_file_from_path(uri) is None:
            return found[0]
        relative = posixpath.relpath(uri, posixpath.dirname(page.file.src_uri) or ".")
        return f"{found['before']}{relative}{found['anchor'] or ''}{found['after']}"

    return _LINK.sub(rewritten, markdown)


def origin(file: File) -> str:
    """The path in the repository, from its root, of what a page shows."""
    if file.src_uri.startswith(f"{SHOWN}/"):
        shown = file.src_uri.removeprefix(f"{SHOWN}/")
        return shown if Path(shown).suffix == ".md" and Path(shown).stem.isupper() else shown.removesuffix(".md")
    return f"docs/{file.src_uri}"


def outside(root: Path, place: str, text: str) -> Iterator[Path]:
    """Files and folders outside docs/ that the text of a page at a place of the repository links to."""
    for found in _LINK.finditer(text):
        target = _target(root, place, found["target"])
        if target is not None and not target.is_relative_to(root / "docs"):
            yield target


def _target(root: Path, place: str, link: str) -> Path | None:
    if "://" in link or link.startswith("mailto:"):
        return None
    target = Path(posixpath.normpath((root / place).parent / link))
    return target if target.exists() and target.is_relative_to(root) else None


def _uri(root: Path, target: Path) -> str:
    """Where the page of a file or folder stands on the site."""
    path = target.relative_to(root).as_posix()
    if target.is_relative_to(root / "docs"):
        return path.removeprefix("docs/") + ("/README.md" if target.is_dir() else "")
    if target.is_dir():
        return f"{SHOWN}/{path}/README.md"
    return f"{SHOWN}/{path}" + ("" if target.suffix == ".md" else ".md")


def _add(files: Files, config: Any, root: Path, target: Path) -> list[File]:
    """The pages that a target needs and that are not there yet: its own, and those of what a folder holds."""
    uri = _uri(root, target)
    if files.get_file_from_path(uri) is not None or (target.name == "README.md" and target.parent != root):
        return [] if target.is_dir() or files.get_file_from_path(uri) else _add(files, config, root, target.parent)
    page = File.generated(config, uri, content=_folder(target) if target.is_dir() else _text(root, target))
    page.inclusion = InclusionLevel.NOT_IN_NAV  # also of a folder whose name begins with a dot
    files.append(page)
    added = [page]
    for child in shown_children(target) if target.is_dir() else ():
        added += _add(files, config, root, child)
    return added


def shown_children(folder: Path) -> list[Path]:
    """What a page of a folder lists: folders, and files of text that are not too long."""
    return [
        child
        for child in sorted(folder.iterdir())
        if not child.name.startswith((".", "__")) and child.name != "README.md" and (child.is_dir() or _is_shown(child))
    ]


def _is_shown(file: Path) -> bool:
    return file.suffix in {*LANGUAGES, ".md"} and file.stat().st_size <= LARGEST


def _folder(folder: Path) -> str:
    about = folder / "README.md"
    text = about.read_text(encoding="utf-8") if about.exists() else f"# {folder.name}\n"
    lines = [f"- [{child.name}]({child.name}{'/' if child.is_dir() else ''})" for child in shown_children(folder)]
    return text + "\n## Files\n\n" + "\n".join(lines) + "\n"


def _text(root: Path, file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        return text
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", text) or [""]))
    title, language = file.relative_to(root).as_posix(), LANGUAGES.get(file.suffix, "text")
    return f"{NOT_SEARCHED}# {title}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def _texts(nav: Any) -> Iterator[str]:
    """Every page that a navigation names."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict | list):
        for item in nav.values() if isinstance(nav, dict) else nav:
            yield from _texts(item)
