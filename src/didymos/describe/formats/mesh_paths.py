"""Which file a URI of a description means, and whether it may be read.

A path is relative to the file that names it; ``file://`` leads to a path; ``package://NAME/rest`` and ``model://NAME/rest`` go by
the name of a package (see `packages`), or, where no package has it, to a path beside the file, as Bullet reads them. A path that
means no file there may also stand in a folder of Gazebo's resource path.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from didymos.describe.formats.packages import Packages, environment_folders
from didymos.describe.formats.xml_file import Element
from didymos.errors import InputError

__all__ = ["MissingFileError", "candidates", "resolve_uri"]


class MissingFileError(InputError):
    """A file that a description names and that is not there, or whose package is not."""


def resolve_uri(uri: str, element: Element, packages: Packages) -> Path:
    """The existing file that a URI means, inside the boundary; an `InputError` that names the path otherwise."""
    uri = uri.strip()
    try:
        paths = list(candidates(uri, element, packages))
        # A folder that merely has the right name may stand nearer than the package; the first that holds the file is meant.
        file = next((path for path in paths if path.exists()), paths[0])
        there = packages.allowed(file)
        if there.is_file():
            return there
    except InputError as error:
        raise error if error.file is not None else element.error(f"{uri!r} means the file {error.message}") from None
    except (OSError, ValueError, RuntimeError) as error:  # a NUL, an endless name, a link to itself
        raise element.error(f"{uri!r} is not the name of a file") from error
    plain = os.path.normpath(file)
    if there.exists():
        raise element.error(f"{uri!r} means the file {plain!r}, which is not a file")
    raise MissingFileError(f"{uri!r} means the file {plain!r}, which does not exist", file=element.file, line=element.line)


def candidates(uri: str, element: Element, packages: Packages) -> Iterator[Path]:
    """The paths that a URI may mean, the likeliest first, at least one."""
    scheme, separator, rest = uri.partition("://")
    if not separator or scheme == "file":
        path = unquote(rest) if separator else uri
        yield element.file.parent / path
        if not Path(path).is_absolute() and ".." not in Path(path).parts:
            name, _, inside = path.partition("/")
            for folder in environment_folders():
                if (folder / name).is_dir():
                    yield from (found / inside for found in packages.folders(name, element.file))
                    break
    elif scheme in ("package", "model"):
        name, _, inside = rest.lstrip("/").partition("/")
        folders = list(packages.folders(name, element.file))
        beside = element.file.parent / rest.lstrip("/")
        if folders:
            yield from (folder / inside for folder in folders)
        elif beside.is_file():
            yield beside
        else:
            raise MissingFileError(f"{uri!r} {packages.unknown(name)}", file=element.file, line=element.line)
    else:
        raise element.error(f"{uri!r} has the scheme {scheme!r}, expected package, model, file or a path")
