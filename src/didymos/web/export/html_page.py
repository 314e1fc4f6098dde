"""The file itself: HTML with style, script, what there is to tell (JSON) and the numbers (base64), and no address of anything.

The page's own policy forbids it to load from anywhere, and to run any script but the one that was joined for it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from typing import Any

from didymos.web.export.joined_scripts import joined
from didymos.web.scripts import scripts

__all__ = ["html_page"]

_ENTRY, _STYLES = "page.js", ("uplot.css", "page.css")


def html_page(title: str, about: dict[str, Any], numbers: str) -> str:
    """The text of the page; `about` is plain data, `numbers` those of its blocks in base64."""
    files = scripts()
    script = joined(_ENTRY, {name: text.decode("utf-8") for name, text in files.items() if name.endswith(".js")})
    style = "\n".join(files[name].decode("utf-8") for name in _STYLES)
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:"
    told = json.dumps(about, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}\n</style>\n</head>\n<body>\n"
        "<noscript>This page draws its robot with JavaScript, which is switched off.</noscript>\n"
        f'<script type="application/json" id="didymos-about">{told}</script>\n'
        f'<script type="text/plain" id="didymos-numbers">{numbers}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )
