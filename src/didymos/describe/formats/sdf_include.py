"""``<include>`` of SDF: another file's model takes its place, with the name and pose that are given for it.

With ``merge="true"`` what the model holds takes its place instead (see `sdf_merge`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.mesh_paths import candidates
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.sdf_merge import merged
from didymos.describe.formats.xml_file import Element, read_xml
from didymos.errors import InputError

__all__ = ["with_includes"]

_DEEPEST = 20  # levels of files
_MOST_FILES = 1000


def with_includes(root: Element, packages: Packages, report: ImportReport) -> Element:
    """The root element with every include replaced by the model that it means.

    A model that is included into another one must be there; one that a world includes beside the robot (the sun, the
    ground) is noted where it is not, unless nothing is left of that world.
    """
    includer = _Includer(packages, report)
    includer.replace_in(root, [root.file])
    if includer.left_out and not any(element.tag == "model" for element in root.walk()):
        raise includer.left_out[0]
    return root


class _Includer:
    def __init__(self, packages: Packages, report: ImportReport) -> None:
        self._packages, self._report, self._files = packages, report, 0
        self.left_out: list[InputError] = []

    def replace_in(self, parent: Element, stack: list[Path]) -> None:
        children = []
        for child in parent.children:
            if child.tag == "include" and parent.tag in ("model", "world"):
                children += self._included(child, parent, stack)
            else:
                if child.tag in ("model", "world"):
                    self.replace_in(child, stack)
                children.append(child)
        parent.children = children

    def _included(self, include: Element, parent: Element, stack: list[Path]) -> list[Element]:
        uri = include.needed("uri").text.strip()
        file = self._resolve(uri, include)
        if file is None:
            message = f"<include> of {uri!r} in {parent} means no file that exists"
            error = include.error(f"{message}; give its folder (`package` NAME=FOLDER, or GZ_SIM_RESOURCE_PATH)")
            if parent.tag == "world":
                self._report.add(include, f"{message}; it is left out")
                self.left_out.append(error)
                return []
            raise error
        self._files += 1
        if file in stack or len(stack) > _DEEPEST or self._files > _MOST_FILES:
            raise include.error(f"<include> of {uri!r} leads back to {str(file)!r}, or too deep")
        model = read_xml(file)
        if model.tag == "sdf":
            model = model.needed("model")
        if model.tag != "model":
            raise include.error(
                f"<include> of {uri!r} means {str(file)!r}, which begins with <{model.tag}>, expected an SDF model"
            )
        self.replace_in(model, [*stack, file])
        model = _adapted(model, include)
        if include.attributes.get("merge", "false").strip().lower() not in ("true", "1"):
            return [model]
        if parent.tag != "model":
            raise include.error(f"<include> of {uri!r} asks for a merge into a {parent.tag}, expected one into a model")
        return merged(model, self._packages, self._report)

    def _resolve(self, uri: str, include: Element) -> Path | None:
        if "://" in uri and uri.partition("://")[0] not in ("file", "model", "package"):
            return None
        try:
            for candidate in self._paths(uri, include):
                there = self._packages.allowed(candidate)
                file = self._packages.allowed(self._model_file(there)) if there.is_dir() else there
                if file.is_file():
                    return file
        except InputError as error:
            raise error if error.file is not None else include.error(f"<include> of {uri!r} means {error.message}") from None
        except (OSError, ValueError, RuntimeError):
            return None
        return None

    def _paths(self, uri: str, include: Element) -> Iterator[Path]:
        scheme, separator, rest = uri.partition("://")
        if separator and scheme != "file":
            name, _, inside = rest.partition("/")
            yield from (folder / inside for folder in self._packages.folders(name, include.file))
            return
        yield from candidates(uri, include, self._packages)
        if not separator and "/" not in uri:  # a bare name means a model
            yield from self._packages.folders(uri, include.file)

    def _model_file(self, folder: Path) -> Path:
        """The newest file that a model folder's model.config names; model.sdf where it has none."""
        config = self._packages.allowed(folder / "model.config")
        if config.is_file():
            try:
                named = [element.text.strip() for element in read_xml(config).all("sdf") if element.text.strip()]
            except InputError:
                named = []
            if named:
                return folder / named[-1]
        return folder / "model.sdf"


def _adapted(model: Element, include: Element) -> Element:
    """The included model, with the name, pose, placement frame and staticness that the include gives it."""
    name = include.at_most_one("name")
    if name is not None:
        model.attributes["name"] = name.text.strip()
    placement = include.attributes.get("placement_frame")
    for tag in ("pose", "static", "placement_frame"):
        given = include.at_most_one(tag)
        if given is not None and tag == "placement_frame":
            placement = given.text.strip()
        elif given is not None:
            model.children = [child for child in model.children if child.tag != tag] + [given]
    if placement:
        model.attributes["placement_frame"] = placement
    return model
