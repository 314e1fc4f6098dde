"""Collects what an importer did not use, and finds what it does not know.

A vocabulary says for each element which attributes and children are understood, and which are known but not used. All
that is in neither set is listed as unknown, with the nearest that is known there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from didymos.describe.description import Note
from didymos.describe.formats.xml_file import Element
from didymos.errors import InputError, nearest

__all__ = ["AllowedTags", "ImportReport", "Vocabulary", "allowed"]


@dataclass(frozen=True)
class AllowedTags:
    """What may stand in an element: attributes and children that are used, and those that are known but not used."""

    attributes: frozenset[str]
    used: frozenset[str]
    unused: frozenset[str]
    unused_attributes: frozenset[str]


# By tag, or by "parent/tag" where the tag alone means different things in different places.
Vocabulary = Mapping[str, AllowedTags]


def allowed(attributes: str = "", used: str = "", unused: str = "", unused_attributes: str = "") -> AllowedTags:
    """`AllowedTags` from lists separated by blanks."""
    return AllowedTags(*(frozenset(text.split()) for text in (attributes, used, unused, unused_attributes)))


class ImportReport:
    """The notes of one import, in the order in which they were taken."""

    def __init__(self) -> None:
        self._notes: list[Note] = []
        self._once: set[str] = set()
        self._missing: dict[str, InputError] = {}

    def add(self, element: Element, what: str) -> None:
        """Note something about an element."""
        self._notes.append(Note(str(element.file), element.line, what))

    def add_once(self, element: Element, what: str) -> None:
        """Note something that is true of the whole description, the first time that it comes up."""
        if what not in self._once:
            self._once.add(what)
            self.add(element, what)

    def add_missing(self, error: InputError) -> None:
        """Keep what says that a needed file is missing, so that all of them can be said at once."""
        self._missing.setdefault(error.message, error)

    def refuse_missing(self) -> None:
        """Raise what was kept: the first with the others beside it."""
        for first in list(self._missing.values())[:1]:
            first.others = tuple(self._missing.values())[1:]
            raise first

    def audit(self, element: Element, vocabulary: Vocabulary, parent: str = "") -> None:
        """Note every unknown and every unused tag and attribute in an element and below it."""
        known = vocabulary.get(f"{parent}/{element.tag}") or vocabulary.get(element.tag)
        if known is None:
            return
        for attribute in element.attributes:
            if attribute in known.unused_attributes:
                self.add(element, f"attribute {attribute!r} of {element} is not used")
            elif attribute not in known.attributes and not attribute.startswith(("xmlns", "xml:")):
                hint = _hint(attribute, known.attributes)
                self.add(element, f"attribute {attribute!r} of {element} is not known{hint}")
        for child in element.children:
            if child.tag in known.used:
                self.audit(child, vocabulary, element.tag)
            elif child.tag in known.unused:
                self.add(child, f"{child} of {element} is not used")
            else:
                self.add(child, f"{child} of {element} is not known{_hint(child.tag, known.used | known.unused)}")

    def notes(self) -> tuple[Note, ...]:
        """All notes so far."""
        return tuple(self._notes)


def _hint(name: str, known: Iterable[str]) -> str:
    return nearest(name, sorted(known))
