"""Make an FMU of a twin: its script, its folder, what it says of itself, and the library of `pythonfmu` that loads Python.

`pythonfmu` and `pythonfmu3` build the archive as they are. What they leave behind in this process (a module, an entry of
`sys.path`) is taken away again, and the archive is written once more with fixed dates, so the same twin gives the same FMU.

The FMU holds the twin's folder, but for logs, hidden files and caches; of a bundled twin it holds the name. The builder makes a
run of it from there before it is given away: a file that was left outside is found missing here, not by whoever gets it.
"""

from __future__ import annotations

import hashlib
import keyword
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from didymos.errors import DidymosError, InputError
from didymos.ports.fmi.documentation import documentation
from didymos.ports.fmi.script import INSTALL, Chosen, script

__all__ = ["Package", "export_fmu"]

_DATE = (1980, 1, 1, 0, 0, 0)  # the first that an archive can hold
_LARGEST = 500_000_000  # [bytes] of a twin's folder
_LEFT_OUT = {".mcap", ".bag", ".db3", ".ulg", ".pyc"}


@dataclass(frozen=True)
class Package:
    """An FMU that was made: where, of which FMI, how many variables of each causality, its step [s], its size [bytes]."""

    file: Path
    fmi: int
    inputs: int
    parameters: int
    outputs: int
    step: float
    size: int


def export_fmu(fmi: int, chosen: Chosen, folder: Path, file: Path, named_code: tuple[str, ...] = ()) -> Package:
    """Write an FMU of FMI 2 or 3 to a file.

    `folder` is the twin's own, of which a copy goes into the FMU unless `chosen.twin` names a bundled one; `named_code` is the
    code of its own that it names, for the documentation.
    """
    build = _builder(fmi)
    with tempfile.TemporaryDirectory(prefix="didymos-fmu-") as made:
        source, documents, out = (Path(made) / name for name in ("source", "documentation", "out"))
        for place in (source, documents, out):
            place.mkdir()
        further = []
        if not chosen.twin:
            _copy(folder, source / "twin", file)
            further.append(source / "twin")
        written = _write_script(fmi, chosen, source)
        for page, text in documentation(fmi, chosen, named_code).items():
            (documents / page).write_text(text, encoding="utf-8")
        with _left_as_it_was(written.stem):
            try:
                archive = build(written, dest=out, project_files=further, documentation_folder=documents)
            except DidymosError as error:
                raise InputError(f"does not run from what an FMU would hold of it: {error}", file=folder) from None
        _write_again(Path(archive), file)
    return _package(file, fmi)


def _builder(fmi: int) -> Any:
    library = "pythonfmu" if fmi == 2 else "pythonfmu3"
    try:
        if fmi == 2:
            from pythonfmu.builder import FmuBuilder
        else:
            from pythonfmu3.builder import FmuBuilder
    except ImportError:
        raise InputError(f"an FMU of FMI {fmi} needs {library}; this installs it: {INSTALL}") from None
    return FmuBuilder.build_FMU


def _copy(folder: Path, target: Path, but: Path) -> None:
    """Copy a twin's folder, without logs, hidden files, caches and the FMU that is being made."""
    total = 0

    def left_out(where: str, names: list[str]) -> list[str]:
        nonlocal total
        kept = [name for name in names if not _is_left_out(Path(where) / name, but)]
        total += sum((Path(where) / name).stat().st_size for name in kept if (Path(where) / name).is_file())
        if total > _LARGEST:
            raise InputError(f"holds more than {_LARGEST // 1_000_000} MB, too much for an FMU", file=folder)
        return [name for name in names if name not in kept]

    shutil.copytree(folder, target, ignore=left_out)


def _is_left_out(path: Path, but: Path) -> bool:
    hidden = path.name.startswith(".") or path.name == "__pycache__"
    return hidden or path.suffix.lower() in _LEFT_OUT or path.resolve() == but.resolve() or not (path.is_file() or path.is_dir())


def _write_script(fmi: int, chosen: Chosen, source: Path) -> Path:
    """The script, in a file whose name no other FMU has: several in one process share Python's modules."""
    import didymos

    words = re.sub(r"\W", "_", chosen.name, flags=re.ASCII)
    identifier = words if words.isidentifier() and not keyword.iskeyword(words) else f"twin_{words}"
    text = script(fmi, chosen, identifier=identifier, version=didymos.__version__)
    digest = hashlib.sha256(text.encode())
    for path in sorted(source.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(source).as_posix().encode() + path.read_bytes())
    written = source / f"didymos_fmu_{digest.hexdigest()[:16]}.py"
    written.write_text(text, encoding="utf-8")
    return written


@contextmanager
def _left_as_it_was(module: str) -> Iterator[None]:
    """Take away what the builders leave in this process."""
    paths = list(sys.path)
    try:
        yield
    finally:
        sys.path[:] = paths
        sys.modules.pop(module, None)
        sys.path_importer_cache.clear()


def _write_again(archive: Path, file: Path) -> None:
    """The same archive with fixed dates and compressed, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    made = file.with_name(f".{file.name}.part")
    try:
        with zipfile.ZipFile(archive) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
            for name in sorted(old.namelist()):
                about = zipfile.ZipInfo(name, _DATE)
                about.external_attr = 0o644 << 16
                new.writestr(about, old.read(name), zipfile.ZIP_DEFLATED)
        made.replace(file)
    finally:
        made.unlink(missing_ok=True)


def _package(file: Path, fmi: int) -> Package:
    with zipfile.ZipFile(file) as archive:
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    causalities = [item.get("causality") for item in root.iterfind("ModelVariables/*")]
    inputs, parameters, outputs = (causalities.count(word) for word in ("input", "parameter", "output"))
    step = float(root.find("DefaultExperiment").attrib["stepSize"])  # type: ignore[union-attr]
    return Package(file, fmi, inputs, parameters, outputs, step, file.stat().st_size)
