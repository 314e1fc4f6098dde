"""Scripts joined to one: each form of import and export that our scripts use, and a refusal of any other."""

from __future__ import annotations

import pytest

from didymos.web.export.joined_scripts import joined

MODULES = {
    "a.js": 'import { two as second, one } from "./b.js";\nimport * as all from "./b.js";\nimport Chart from "./c.js";\n',
    "b.js": 'export const one = 1;\nexport function two() {}\nexport class Three {}\nimport Chart from "./c.js";\n',
    "c.js": 'var x=1,y="</script>";export{x as default,y as name};\n',
}


def test_modules_follow_those_that_they_import() -> None:
    text = joined("a.js", MODULES)
    assert text.index("/* c.js */") < text.index("/* b.js */") < text.index("/* a.js */")
    assert text.count("/* c.js */") == 1
    assert "const { two: second, one } = $modules['b.js'];" in text
    assert "const all = $modules['b.js'];" in text
    assert "const Chart = $modules['c.js'].default;" in text
    assert "return { one: one, two: two, Three: Three };" in text
    assert "return { default: x, name: y };" in text


def test_no_script_ends_the_element_that_holds_it() -> None:
    assert "</script" not in joined("a.js", MODULES)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('import "./c.js";\n', "cannot be joined"),
        ('export * from "./c.js";\n', "cannot be joined"),
        ('const late = import("./c.js");\n', "cannot be joined"),
        ('import { x } from "./none.js";\n', "there is no script 'none.js'"),
        ('import { x } from "./b.js";\n', "import each other: a.js -> b.js -> a.js"),
    ],
)
def test_what_cannot_be_joined_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        joined("a.js", {"a.js": text, "b.js": 'import { y } from "./a.js";\n', "c.js": ""})
