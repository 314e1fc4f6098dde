"""Scripts that lie side by side on a server, joined to one that a file holds: a page without a server cannot import.

Every module becomes a function that returns what it exports, called once, those first that others import. The forms of
import and export that our scripts use are known here; any other is refused, so that nothing is joined wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["joined"]

_NAME = r"[A-Za-z_$][\w$]*"
_IMPORT = re.compile(
    rf"^import\s+(?:(?P<whole>{_NAME})|\*\s+as\s+(?P<all>{_NAME})|\{{(?P<some>[^}}]*)\}})\s+from\s+[\"']\./(?P<file>[\w.]+)[\"'];",
    re.MULTILINE,
)
_DECLARED = re.compile(rf"^export\s+(?P<what>(?:async\s+)?function\*?|class|const|let)\s+(?P<name>{_NAME})", re.MULTILINE)
_DEFAULT = re.compile(rf"^export\s+default\s+(?P<name>{_NAME});[ \t]*$", re.MULTILINE)
_LISTED = re.compile(r"(?:^|(?<=[;}\n]))export\s*\{(?P<names>[^}]*)\};?\s*\Z")
_LEFT = re.compile(r"^\s*(?:import|export)\b(?!\s*\()|\bimport\s*\(|\bimport\.meta\b", re.MULTILINE)


def joined(entry: str, modules: Mapping[str, str]) -> str:
    """One script that does what the module `entry` does, of `modules` by file name."""
    order: list[str] = []
    _visit(entry, modules, order, ())
    parts = [f"/* {name} */\n$modules[{name!r}] = (() => {{\n{_body(name, modules[name])}}})();" for name in order]
    whole = "\n".join(('"use strict";', "const $modules = {};", *parts))
    assert "<!--" not in whole, "a script must not hold the beginning of a comment of HTML"
    return re.sub(r"</(?=script)", r"<\\/", whole, flags=re.IGNORECASE)


def _visit(name: str, modules: Mapping[str, str], order: list[str], above: tuple[str, ...]) -> None:
    """Put a module behind those that it imports."""
    if name in order:
        return
    if name in above:
        raise ValueError(f"scripts import each other: {' -> '.join((*above, name))}")
    if name not in modules:
        raise ValueError(f"there is no script {name!r}, which {above[-1] if above else 'the page'} imports")
    for found in _IMPORT.finditer(modules[name]):
        _visit(found["file"], modules, order, (*above, name))
    order.append(name)


def _body(name: str, text: str) -> str:
    """The text of a module as the body of a function that returns its exports."""
    exported: dict[str, str] = {}  # local names by those that others import

    def declared(found: re.Match[str]) -> str:
        exported[found["name"]] = found["name"]
        return f"{found['what']} {found['name']}"

    def default(found: re.Match[str]) -> str:
        exported["default"] = found["name"]
        return ""

    def listed(found: re.Match[str]) -> str:
        for item in filter(None, (item.strip() for item in found["names"].split(","))):
            local, _, other = item.partition(" as ")
            exported[other.strip() or local.strip()] = local.strip()
        return ""

    text = _IMPORT.sub(_imported, text)
    text = _LISTED.sub(listed, _DEFAULT.sub(default, _DECLARED.sub(declared, text)))
    left = _LEFT.search(text)
    if left is not None:
        raise ValueError(f"{name}: this form of import or export cannot be joined: {text[left.start():left.start() + 60]!r}")
    pairs = ", ".join(f"{other}: {local}" for other, local in exported.items())
    return f"{text}\nreturn {{ {pairs} }};\n"


def _imported(found: re.Match[str]) -> str:
    module = f"$modules[{found['file']!r}]"
    if found["whole"]:
        return f"const {found['whole']} = {module}.default;"
    if found["all"]:
        return f"const {found['all']} = {module};"
    names = [item.strip() for item in found["some"].split(",") if item.strip()]
    renamed = ", ".join(re.sub(r"\s+as\s+", ": ", name) for name in names)
    return f"const {{ {renamed} }} = {module};"
