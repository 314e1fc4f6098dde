"""What a file is that is not what it is called: pointers, web pages and archives come in the place of the file that was meant."""

from __future__ import annotations

__all__ = ["not_the_file", "not_xml"]

_LFS = b"version https://git-lfs.github.com"
_SHOWN = 40  # characters of a beginning


def not_the_file(data: bytes) -> str:
    """Why bytes cannot be the file that was meant, as the end of a sentence that begins with its name; empty where they can."""
    head = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(_LFS):
        return "is a pointer of git-lfs, not the file itself; `git lfs pull` in its repository brings it"
    if head[:14].lower().startswith((b"<!doctype html", b"<html")):
        return "is a web page, not the file itself; download the raw file"
    if head.startswith(b"\x1f\x8b"):
        return "is compressed (gzip); unpack it first"
    if head.startswith(b"PK\x03\x04"):
        return "is an archive (zip); unpack it first"
    return ""


def not_xml(data: bytes) -> str:
    """Why bytes are no XML, in the same form; empty where they may be: some text that begins with a tag."""
    other = not_the_file(data)
    if other or data.startswith((b"\xff\xfe", b"\xfe\xff")):  # the marks of UTF-16
        return other
    head = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"<"):
        return ""
    if b"\0" in head:
        return "is not XML and no text at all, expected a robot description: URDF, xacro, SDF or MJCF"
    if head.startswith((b"solid ", b"ply\n", b"v ", b"# Blender")):
        return "is a mesh, expected a robot description: URDF, xacro, SDF or MJCF"
    begins = head.partition(b"\n")[0].decode("utf-8", "replace")[:_SHOWN]
    return f"is not well-formed XML: it begins with {begins!r}, expected '<'"
