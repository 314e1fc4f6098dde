"""Formulas of pages as MathML, which browsers draw by themselves: no script, nothing fetched."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<latex>.*?)\\[)\]]</(?P=tag)>', re.DOTALL)


def on_page_content(content: str, page: Any, config: Any, files: Any) -> str:
    """Replace what `pymdownx.arithmatex` marked."""

    def drawn(found: re.Match[str]) -> str:
        block = found["tag"] == "div"
        formula = convert(html.unescape(found["latex"]), display="block" if block else "inline")
        return f'<div class="formula">{formula}</div>' if block else formula

    return _FORMULA.sub(drawn, content)
