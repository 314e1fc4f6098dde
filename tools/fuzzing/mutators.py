"""Mutations: of plain data, of the text of YAML, of XML trees, of XML text, of bytes. The die decides everything."""

from __future__ import annotations

import copy
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from random import Random
from typing import Any

__all__ = ["as_yaml", "edit_bytes", "edit_data", "edit_frame", "edit_markup", "edit_tree", "edit_yaml"]

VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 0.5, 7, 1e-300, 1e-9, 1e9, 1e300, -1e300, 10**400, float("nan"), float("inf"), -float("inf"),
    "", "a", "body", "truth", "x.y", "é\n\x1b[1m", "a" * 3000, "../twin.yaml", "robot.urdf", "setpoints.", "inputs.",
    "\u202e\u2028", "\U0001f916", "file:///etc/hostname", "nobody.py:Nothing", "os:system", 2**53 + 1, -0.0, 1e-320, 1e32,
    [], [1, 2, 3], ["a"], {}, {"a": 1}, {"": {}}, [[[]]], {"kind": "rotor"}, [None] * 300, {str(i): i for i in range(300)},
]  # fmt: skip
WORDS = [
    "", " ", "0", "-1", "1", "nan", "inf", "-inf", "1e308", "1e-308", "1e-320", "99999999999999999999", "abc", "true", "0 0 0",
    "0 0 1", "1 2", "1,0", "1 2 3 4 5 6 7", "body", "disc", "axle", "world", "floating", "fixed", "ball", "free", "mesh",
    "nowhere.stl", "shape.stl", "shape.obj", "package://a/b.stl", "model://a", "é\n", "$(find a)", "${1/0}", "../robot.urdf",
    "/dev/zero", "file:///etc/passwd", "x" * 2000, "1e9 1e9 1e9",
]  # fmt: skip
BYTES = [
    b"", b"\0", b"\t", b"\n", b"\r", b" ", b":", b"- ", b"[", b"{", b"}", b"]", b"<", b">", b"/", b'"', b"'", b"&a ", b"*a", b"!",
    b"%", b"#", b"|", b"?", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"1", b".", b"e", b"-", b",", b";", b"9" * 50,
    b"<<: ", b"\xff" * 8, b"\0" * 64,
]  # fmt: skip
LINES = [
    "&a [*a, *a]", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]", "!!python/object/apply:os.system [touch pwned]",
    "!!python/name:os.system", "[" * 300, "{a: " * 200, "- " * 500, "%YAML 9.9", "---", "...", "? [1, 2]\n: 3", "<<: *nobody",
    "<<: [1, 2]", "<<: {a: 1}", "title: again", "x: " + "9" * 5000, "x: .inf", "x: .nan", "x: 0x1F", "x: 1_000", "x: 2001-01-01",
    "x: 1:30:00", "x: !!binary AAAA", "x: !!set {a}", "x: !!float abc", "x: !!int ''", "x: |\n  text", "x: >-\n\ttab", "\ufeff",
    "x: \"\\ud800\"", "\u2028x: 1", "x: 'open", "x: *rotor", "{}", "[]", "~", "yes: no", "1: 2", ": 3", "x: @", "x: `",
]  # fmt: skip


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key or index) of nested data."""
    for key, value in list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []:
        yield node, key
        yield from _places(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def edit_data(data: Any, dice: Random) -> Any:
    """Plain data with one to three places deleted, renamed, replaced, doubled or swapped; `data` itself stays."""
    data = copy.deepcopy(data)
    for _ in range(dice.choice((1, 1, 2, 3))):
        places = list(_places(data))
        if not places:
            break
        (node, key), (other, its) = dice.choice(places), dice.choice(places)
        value = copy.deepcopy(dice.choice(VALUES))
        how = dice.choice(("delete", "rename", "replace", "add", "swap", "wrap", *("number",) * 5))
        if how == "number":  # another number of the same kind: the file stays a good one, and what it says may not be
            numbers = [(node, key) for node, key in places if _is_number(node[key])]
            if numbers:
                node, key = dice.choice(numbers)
                node[key] = node[key] * dice.choice((0.5, 2.0, -1.0, 1e-6, 1e6)) + dice.choice((0.0, 0.0, 1.0))
                continue
        if how == "delete":
            del node[key]
        elif how == "rename" and isinstance(node, dict):
            node[value if isinstance(value, str) else f"{key}{its}"] = node.pop(key)
        elif how == "add" and isinstance(node, dict):
            node[str(its)] = copy.deepcopy(other[its])
        elif how == "swap":
            node[key] = copy.deepcopy(other[its])
        elif how == "wrap":
            for _ in range(dice.choice((1, 2, 60))):
                node[key] = {"a": node[key]} if dice.random() < 0.5 else [node[key]]
        else:
            node[key] = value
    return data


def as_yaml(data: Any) -> bytes:
    """JSON, which is YAML but for the numbers that are not finite."""
    return re.sub(r"-?\bInfinity\b", ".inf", re.sub(r"\bNaN\b", ".nan", json.dumps(data, indent=1))).encode()


def edit_yaml(text: bytes, dice: Random) -> bytes:
    """YAML with what only YAML has: anchors, aliases, tags, merges, documents, other numbers, in place of or between lines."""
    lines = text.decode().split("\n")
    for _ in range(dice.randint(1, 2)):
        at = dice.randrange(len(lines))
        indent = " " * (len(lines[at]) - len(lines[at].lstrip()))
        new = dice.choice(LINES)
        how = dice.choice(("before", "value", "anchor", "indent", "move"))
        if how == "before":
            lines.insert(at, indent + new)
        elif how == "value" and ":" in lines[at]:
            lines[at] = lines[at].partition(":")[0] + ": " + new.partition(": ")[2]
        elif how == "anchor" and ": " in lines[at]:
            head, _, tail = lines[at].partition(": ")
            lines[at] = f"{head}: {dice.choice(('&rotor ', '*rotor ', '!!str ', '!a ', '!!int ', '&a *a'))}{tail}"
        elif how == "indent":
            lines[at] = dice.choice((" ", "   ", "\t", "")) + lines[at].lstrip()
        else:
            lines.insert(dice.randrange(len(lines)), lines.pop(at))
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def edit_bytes(text: bytes, dice: Random) -> bytes:
    """Bytes with one to four cuts, insertions, replacements, doublings, flipped bits or splices."""
    for _ in range(dice.randint(1, 4)):
        start = dice.randrange(len(text) + 1)
        end = start + dice.randint(1, 40)
        new = dice.choice(BYTES)
        how = dice.choice(("delete", "insert", "replace", "double", "cut", "flip", "flip", "splice"))
        if how == "delete":
            text = text[:start] + text[end:]
        elif how == "insert":
            text = text[:start] + new + text[start:]
        elif how == "replace":
            text = text[:start] + new + text[end:]
        elif how == "double":
            text = text[:end] + text[start:]
        elif how == "cut" and dice.random() < 0.3:
            text = text[:start]
        elif how == "flip" and start < len(text):
            text = text[:start] + bytes([text[start] ^ 1 << dice.randrange(8)]) + text[start + 1 :]
        else:
            there = dice.randrange(len(text) + 1)
            text = text[:start] + text[there : there + 200] + text[start:]
    return text


def edit_tree(root: ET.Element, dice: Random) -> ET.Element:
    """A tree with one to three elements deleted, doubled, moved, renamed, or with other attributes and texts; changes `root`."""
    for _ in range(dice.randint(1, 3)):
        places = [(parent, child) for parent in root.iter() for child in parent]
        if not places:
            break
        (parent, child), (other, cousin) = dice.choice(places), dice.choice(places)
        names, word = list(child.attrib), dice.choice(WORDS)
        how = dice.choice(("delete", "double", "move", "tag", "attribute", "value", "value", "text", "deep", "many"))
        if how == "delete":
            parent.remove(child)
        elif how in ("double", "move"):
            if how == "move":
                parent.remove(child)
            (cousin if cousin is not child else other).append(copy.deepcopy(child))
        elif how == "tag":
            child.tag = cousin.tag
        elif how == "attribute":
            child.set(next(iter(cousin.attrib), "name"), child.attrib.pop(dice.choice(names)) if names else "a")
        elif how == "value" and names:
            child.set(dice.choice(names), word)
        elif how == "deep" and dice.random() < 0.1:
            for _ in range(300):
                child = ET.SubElement(child, child.tag, child.attrib)
        elif how == "many" and dice.random() < 0.1:
            parent.extend([copy.deepcopy(child) for _ in range(50)])
        else:
            child.text = word
    return root


def edit_markup(text: str, dice: Random) -> str:
    """The text of XML with numbers, attributes, tags or single characters doubled, swapped or replaced; entities, comments."""
    for _ in range(dice.randint(1, 3)):
        if dice.random() < 0.1:
            at = dice.randrange(len(text) + 1)
            extra = ("<!--", "]]>", "<![CDATA[", "&amp;", "&a;", "&#0;", "&#x110000;", "<?xml version='1.1'?>", "<a:b/>",
                     "<!DOCTYPE a [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;&a;'>]>", "<!DOCTYPE a SYSTEM 'file:///etc/passwd'>",
                     "<xacro:include filename='/etc/passwd'/>", "<include file='../robot.urdf'/>")  # fmt: skip
            text = text[:at] + dice.choice(extra) + text[at:]
            continue
        pattern = dice.choice([r"-?\d+\.?\d*", r'"[^"]*"', r"</?\w+", r"<\w+[^<>]*/>", r'\s\w+="[^"]*"', r"."])
        found = list(re.finditer(pattern, text, flags=re.DOTALL))
        if not found:
            continue
        here, there = dice.choice(found), dice.choice(found)
        new = dice.choice([there[0], here[0] * 2, "", dice.choice(WORDS)])
        text = text[: here.start()] + new + text[here.end() :]
    return text


def edit_frame(frame: bytes, dice: Random) -> bytes:
    """A message of a wire: bits flipped, lengths and numbers replaced by extreme ones, cut, lengthened, or nothing but chance."""
    if dice.random() < 0.05:
        return dice.randbytes(dice.choice((0, 1, 4, 20, 64, 300)))
    for _ in range(dice.randint(1, 3)):
        at, how = dice.randrange(len(frame) + 1), dice.randrange(6)
        if how == 0 and at < len(frame):
            frame = frame[:at] + bytes([frame[at] ^ 1 << dice.randrange(8)]) + frame[at + 1 :]
        elif how == 1:
            frame = frame[:at]
        elif how == 2:
            size = dice.choice((1, 2, 4, 8))
            number = dice.choice((0, 1, 2 ** (8 * size) - 1, 2 ** (8 * size - 1), dice.randrange(2 ** (8 * size))))
            at -= at % size  # where a length or a number stands, if one does
            frame = frame[:at] + number.to_bytes(size, "little") + frame[at + size :]
        elif how == 3:
            frame = frame[:at] + dice.randbytes(dice.randint(1, 8)) + frame[at:]
        elif how == 4:
            frame = frame[:at] + frame[dice.randrange(len(frame) + 1) :]
        else:
            frame += dice.randbytes(dice.choice((1, 8, 64)))
    return frame
