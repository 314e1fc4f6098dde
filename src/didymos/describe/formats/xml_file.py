"""XML with line numbers, for files that nobody has checked: no entities, no external files, bounded size and depth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from didymos.describe.formats.file_head import not_xml
from didymos.errors import InputError

__all__ = ["Element", "parse_xml", "read_bytes", "read_xml"]

_LARGEST_FILE = 64 * 2**20  # [bytes]
_DEEPEST = 200  # levels of elements
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # its marks: zeros and line ends are halves of characters there


@dataclass(slots=True)
class Element:
    """One element of an XML file: its tag, attributes and children, its text, and where it stands.

    `line` is None where the text was generated (xacro), so that no line of the user's file can be named.
    """

    tag: str
    attributes: dict[str, str]
    file: Path
    line: int | None
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def first(self, tag: str) -> Element | None:
        """The first child of that tag, or None."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> list[Element]:
        """The children of that tag, in the order of the file."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Element]:
        """This element and everything below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()

    def error(self, message: str) -> InputError:
        """An `InputError` that names this element's file and line."""
        return InputError(message, file=self.file, line=self.line)

    def needed(self, tag: str) -> Element:
        """The only child of that tag; an `InputError` where there is none or more than one."""
        children = self.all(tag)
        if len(children) == 1:
            return children[0]
        if not children:
            raise self.error(f"{self} has no <{tag}>, which it needs")
        raise children[1].error(f"{self} has {len(children)} <{tag}>, expected one")

    def at_most_one(self, tag: str) -> Element | None:
        """The child of that tag if there is one; an `InputError` where there are more."""
        return self.needed(tag) if self.first(tag) is not None else None

    def __str__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f"<{self.tag}> {name!r}"


def read_bytes(path: Path) -> bytes:
    """The bytes of a file of at most 64 MiB; an `InputError` where it cannot be read."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise InputError("is not a file, expected a robot description", file=path)
        if size > _LARGEST_FILE:
            raise InputError(f"has {size} bytes, expected at most {_LARGEST_FILE}", file=path)
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}", file=path) from error


def read_xml(path: Path) -> Element:
    """The root element of an XML file."""
    return parse_xml(read_bytes(path), path)


def parse_xml(text: bytes, file: Path, *, lines: bool = True) -> Element:
    """The root element of XML text that came from `file`; `lines=False` where its lines are not the file's lines.

    Blank lines before the declaration and zeros behind the end, which many writers leave, are passed over.
    """
    if not text.strip():
        raise InputError("is empty, expected XML", file=file)
    begun = text.lstrip(b" \t\r\n")
    skipped = text[: len(text) - len(begun)].count(b"\n")
    why = not_xml(begun)
    if why:
        raise InputError(why, file=file, line=1 + skipped if lines and "well-formed" in why else None)
    text = begun if begun.startswith(_UTF_16) else begun.rstrip(b"\0 \t\r\n")
    builder = _Builder(file, lines, skipped)
    try:
        builder.parser.Parse(text, True)
    except expat.ExpatError as error:
        line = error.lineno + skipped if lines else None
        raise InputError(f"is not well-formed XML: {expat.ErrorString(error.code)}", file=file, line=line) from error
    except (ValueError, LookupError) as error:  # an encoding that Python does not have
        raise InputError(f"is not readable XML: {error}", file=file) from error
    return builder.root()


class _Builder:
    """Collects expat's events into a tree of `Element`."""

    def __init__(self, file: Path, lines: bool, skipped: int) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        # Entities are how a small file becomes a huge one, or another file; no robot description needs them.
        self.parser.EntityDeclHandler = self._refuse_entity
        self._file, self._lines, self._skipped = file, lines, skipped
        self._open: list[Element] = []
        self._root: Element | None = None

    def root(self) -> Element:
        if self._root is None:
            raise InputError("holds no XML element", file=self._file)
        return self._root

    def _line(self) -> int | None:
        return self.parser.CurrentLineNumber + self._skipped if self._lines else None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self._file, self._line())
        if len(self._open) >= _DEEPEST:
            raise element.error(f"<{tag}> stands more than {_DEEPEST} levels deep")
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, _tag: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        self._open[-1].text += text

    def _refuse_entity(self, name: str, *_rest: object) -> None:
        raise InputError(
            f"defines the entity {name!r}, expected XML without entities", file=self._file, line=self._line()
        )
