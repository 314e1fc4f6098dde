"""Files that somebody dropped on the home page: kept in a folder for a while, bounded, never outside of it; none is run.

    page      {"name": "meshes/arm.stl", "size": 1234}, then its bytes in pieces; ... at last {"done": true}
    cockpit   {"error": "..."} where something is wrong: the first sentence ends it; {"taken": true} when all is there

A zip is unpacked where it is. Bounds count what is really written, not what an archive says of itself.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from didymos.cockpit.catalogue import Entry, Kind, is_model
from didymos.describe.headline import headline_of
from didymos.errors import InputError
from didymos.record.formats import LOG_ENDINGS

__all__ = ["MOST_BYTES", "Drop"]

MOST_BYTES = 2**29  # of all files, unpacked ones as well
MOST_FILES = 5000
DEEPEST, LONGEST = 16, 120  # folders in one another; characters of a name
MOST_CHOICES = 30
_REFERENCE = re.compile(rb"""(?:filename|file)\s*=\s*["']([^"'<>]{1,300})["']|<uri>([^<]{1,400})</uri>""")
_ENTRY, _MOST_MARKS = b"PK\x01\x02", 20 * MOST_FILES  # before each file that an archive lists; archives in it have some as well
_MOST_READ = 2**22  # bytes of a description in which the names of its meshes are looked for


def safe_name(name: str) -> PurePosixPath:
    """A path inside of a folder; an `InputError` where a name leads out of it, or is none."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    wrong = not parts or name.startswith(("/", "\\")) or ".." in parts or len(parts) > DEEPEST
    if wrong or any(len(part) > LONGEST or not part.isprintable() or ":" in part for part in parts):
        raise InputError(f"the name {name[:80]!r} cannot be taken")
    return PurePosixPath(*parts)


class Drop:
    """What was dropped at once. `close` removes it."""

    def __init__(self) -> None:
        self._kept = tempfile.TemporaryDirectory(prefix="didymos-drop-")
        self.folder = Path(self._kept.name).resolve()
        self._bytes = self._files = 0

    def _new(self, name: str) -> Path:
        file = self.folder / safe_name(name)
        self._files += 1
        if self._files > MOST_FILES:
            raise InputError(f"more than {MOST_FILES} files are too many at once")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(mode=0o600, exist_ok=False)
        except OSError as error:
            raise InputError(f"{name[:80]!r} cannot be kept: {error.strerror}") from None
        return file

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > MOST_BYTES:
            raise InputError(f"more than {MOST_BYTES // 2**20} MB are too much at once")

    def begin(self, name: str, size: int) -> Path:
        """A new file of a size [bytes], empty still."""
        if not 0 <= size <= MOST_BYTES - self._bytes:
            raise InputError(f"{name[:80]!r} is too large: {MOST_BYTES // 2**20} MB in all")
        return self._new(name)

    def write(self, file: Path, piece: bytes) -> None:
        """The next bytes of a file."""
        self._count(len(piece))
        try:
            with file.open("ab") as stream:
                stream.write(piece)
        except OSError as error:
            raise InputError(f"{file.name!r} cannot be kept: {error.strerror}") from None

    def finish(self) -> None:
        """Unpack archives, once all files are there."""
        for file in sorted(self.folder.rglob("*")):
            if file.suffix.lower() == ".zip" and file.is_file():
                self._unpack(file)
                file.unlink()

    def _unpack(self, archive: Path) -> None:
        into = archive.parent.relative_to(self.folder)
        if _marks(archive) > _MOST_MARKS:
            raise InputError(f"{archive.name} lists too many files")
        try:
            with zipfile.ZipFile(archive) as packed:
                for item in packed.infolist():
                    if stat.S_ISLNK(item.external_attr >> 16):
                        raise InputError(f"{archive.name} holds a link, {item.filename[:80]!r}")
                    if item.flag_bits & 1:
                        raise InputError(f"{archive.name} is encrypted")
                    if item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                        raise InputError(f"{archive.name} is packed in an uncommon way; deflate is read here")
                    if item.is_dir() or item.filename.startswith("__MACOSX/"):
                        continue
                    safe_name(item.filename)
                    file = self._new(str(into / item.filename))
                    with packed.open(item) as source, file.open("wb") as target:
                        while piece := source.read(2**20):
                            self._count(len(piece))
                            target.write(piece)
        except InputError:
            raise
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, struct.error,
                OverflowError) as error:  # fmt: skip
            raise InputError(f"{archive.name} is no zip that can be read: {error}") from None

    def choices(self) -> list[Entry]:
        """What of it may be meant: twins and worlds before descriptions before logs, the outermost ones only."""
        files = sorted(item for item in self.folder.rglob("*") if item.is_file() and not item.is_symlink())
        groups: list[list[tuple[Kind, Path]]] = [
            [("world" if file.stem == "world" else "twin", file) for file in files if file.name in ("twin.yaml", "world.yaml")],
            [("description", file) for file in files if is_model(file)],
            [("log", file) for file in files if file.suffix.lower() in LOG_ENDINGS],
        ]
        found = next((group for group in groups if group), [])
        if not found:
            raise InputError("there is no twin, URDF, xacro, SDF, MJCF or log in what was dropped")
        depth = min(len(file.parts) for _, file in found)
        return [self._entry(kind, file) for kind, file in found if len(file.parts) == depth][:MOST_CHOICES]

    def _entry(self, kind: Kind, file: Path) -> Entry:
        inside = file.relative_to(self.folder)
        whole = kind in ("twin", "world")
        name = (inside.parent.name if whole else file.name) or "robot"
        headline = headline_of(file) if whole else None
        return Entry(
            f"dropped:{self.folder.name}/{inside}", kind, name, file, headline.title[:200] if headline else "",
            headline.variants if headline else (), "dropped",
        )  # fmt: skip

    def gather(self, description: Path) -> dict[str, Path]:
        """Put meshes that were dropped beside a description where it looks for them; the packages that it names, by name."""
        with description.open("rb") as stream:
            text = stream.read(_MOST_READ)
        flat = {file.name: file for file in description.parent.iterdir() if file.is_file()}
        packages: dict[str, Path] = {}
        for match in _REFERENCE.finditer(text):
            named = (match[1] or match[2]).decode("utf-8", "replace").strip()
            scheme, mark, rest = named.partition("://")
            if mark and scheme in ("package", "model"):
                packages.setdefault(rest.partition("/")[0], description.parent)
                named = rest.partition("/")[2]
            try:
                wanted = description.parent / safe_name(named)
            except InputError:
                continue  # the reader says what is wrong with it
            brought = flat.get(wanted.name)
            if brought is not None and not wanted.exists() and wanted.resolve().is_relative_to(self.folder):
                self._lend(brought, self._new(str(wanted.relative_to(self.folder))))
        packages.pop("", None)
        return {} if any(self.folder.rglob("package.xml")) else packages

    def _lend(self, brought: Path, file: Path) -> None:
        """Let a file that was dropped stand in another place as well, without another copy of its bytes."""
        file.unlink()
        try:
            os.link(brought, file)
        except OSError:  # a file system without links
            self._count(brought.stat().st_size)
            shutil.copyfile(brought, file)

    def close(self) -> None:
        """Remove all of it."""
        self._kept.cleanup()


def _marks(archive: Path) -> int:
    """How many files an archive can list at most: the list is read whole before anything of it is known."""
    found, rest = 0, b""
    with archive.open("rb") as stream:
        while piece := stream.read(2**20):
            found += (rest + piece).count(_ENTRY)
            rest = piece[-len(_ENTRY) + 1 :]
    return found
