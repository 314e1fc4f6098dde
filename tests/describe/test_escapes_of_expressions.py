"""Known ways out of a Python sandbox, written as xacro expressions: none runs, none reads, each is refused in one sentence.

From the public literature on escapes from restricted `eval`. MARK stands for a file that an escape would make, SECRET for one
that it would read. A second table holds what would fill the memory or never end. All go through the evaluator; some of each
group also through `didymos check`, child process and all.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import xacro

from didymos.cli.main import main
from didymos.describe.formats.xacro_expander import Expander
from didymos.describe.formats.xacro_expression import Evaluator
from didymos.describe.formats.xacro_functions import Types

ESCAPES = {
    "dunder walks": [
        "().__class__",
        "().__class__.__base__.__subclasses__()",
        "().__class__.__bases__[0].__subclasses__()[104].load_module('os').system('touch MARK')",
        "().__class__.__mro__[1].__subclasses__()",
        "''.__class__.__mro__[-1]",
        "[].__class__.__base__",
        "(1).__class__",
        "1.0.__class__.__base__.__subclasses__()",
        "True.__class__.__base__.__base__.__subclasses__()",
        "None.__class__",
        "(lambda: 0).__globals__",
        "sin.__self__",
        "sin.__class__",
        "sin.__call__.__func__.__globals__",
        "len.__self__.open('SECRET').read()",
        "math.sin.__self__",
        "str.__class__.__call__(str, 1)",
        "str.__subclasses__()",
        "str.mro()",
        "type.mro(int)",
        "python.type.__subclasses__(python.type)",
        "python.__getattr__.__globals__",
        "xacro.__dict__",
        "xacro.load_yaml.__globals__['os'].system('touch MARK')",
        "xacro.__class__.__init__.__globals__",
        "math.__loader__",
        "math.__spec__.loader.load_module('os')",
        "settings.__class__",
        "settings.__init__.__globals__",
        "settings.__getattr__.__func__.__globals__",
        "names.__reduce_ex__(2)",
        "names.__iter__().__reduce__()",
        "text.__format__('')",
        "text.__mod__('x')",
        "text.__getattribute__('__class__')",
        "number.__add__(1)",
        "number._private",
        "settings._x",
        "[].__len__()",
        "{}.__contains__(1)",
        "range(3).__iter__()",
        "x.__class__ if (x := 1) else 0",
    ],
    "lambda and scopes": [
        "(lambda: 1)()",
        "(lambda x: x.__globals__)(lambda: 0)",
        "(lambda: 0).func_globals",
        "(lambda: 0).__code__.replace(co_consts=())",
        "(lambda: 0).__code__.co_consts",
        "(lambda f: f(f))(lambda f: f(f))",
        "list(map(lambda x: x, [1]))",
        "python.filter(lambda x: x, [1])",
        "sorted([1], key=lambda x: x)",
        "max([1], key=lambda x: x.__class__)",
        "[f for f in [lambda: 0]][0].__globals__",
        "(yield)",
        "[(yield x) for x in names]",
        "(await text)",
        "[x async for x in names]",
        "(x := 5)",
        "[y := 1, y**2]",
        "[x.__class__ for x in [1]]",
        "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen'][0](['touch', 'MARK'])",
        "[[x for x in y.__class__.__mro__] for y in [1]]",
        "[number for settings.x in names]",
        "[number for names[0] in names]",
        "[1 for __builtins__ in [1] if __builtins__.open]",
        "{k.__class__: 1 for k in names}",
        "{k.__hash__() for k in names}",
    ],
    "generators and frames": [
        "(x for x in [1]).gi_frame",
        "(x for x in [1]).gi_frame.f_back.f_back.f_globals['__builtins__']",
        "(x for x in [1]).gi_code",
        "(x for x in [1]).gi_yieldfrom",
        "(x for x in [1]).send(None)",
        "(x for x in [1]).throw(1)",
        "[g.gi_frame.f_back for g in [(x for x in names)]]",
        "(q.gi_frame.f_back.f_back.f_globals for q in names)",
        "names.gi_frame",
        "text.cr_frame",
        "text.ag_frame",
        "number.tb_frame",
        "settings.f_builtins",
        "text.f_locals",
        "sin.func_code",
    ],
    "builtins by name": [
        "__builtins__",
        "__builtins__['open']('SECRET').read()",
        "__import__('os').system('touch MARK')",
        "__import__('subprocess').run(['touch', 'MARK'])",
        "__name__",
        "__file__",
        "__loader__",
        "__spec__",
        "__debug__ + __doc__",
        "open('SECRET').read()",
        "open('MARK', 'w')",
        "eval('1+1')",
        "exec('import os')",
        "compile('1', '', 'eval')",
        "getattr(text, '__class__')",
        "getattr(text, '__cla' + 'ss__')",
        "setattr(text, 'a', 1)",
        "delattr(text, 'a')",
        "hasattr(text, '__class__')",
        "globals()",
        "locals()",
        "vars()",
        "python.vars(settings)",
        "python.vars(math)",
        "dir()",
        "dir(text)",
        "input()",
        "breakpoint()",
        "help()",
        "help('os')",
        "license()",
        "license._Printer__setup()",
        "license._Printer__filenames",
        "copyright.__init__.__globals__",
        "credits",
        "quit()",
        "exit(0)",
        "quit.__class__",
        "memoryview(text)",
        "bytearray(10)",
        "object()",
        "super()",
        "classmethod(sin)",
        "staticmethod(sin)",
        "property(sin)",
        "print('x')",
        "iter(names)",
        "next(names)",
        "id(names)",
        "chr(95) + chr(95)",
        "callable(sin)",
        "os.system('touch MARK')",
        "sys.modules",
        "python.open('SECRET').read()",
        "python.eval('1')",
        "python.getattr(text, '__class__')",
        "python.__import__('os')",
        "python['__import__']('os')",
        "xacro.filestack",
        "xacro.os.system('touch MARK')",
        "math['__loader__']",
        "xacro.eval_text('1')",
    ],
    "types as tools": [
        "python.type('X', (), dict(a=1))",
        "python.type('X', (python.dict,), dict(__getattr__=sin))",
        "python.type(python.type(1))",
        "python.type(sin)",
        "python.type(math)",
        "python.type(names)([1]).__class__",
        "python.type(text).mro()",
        "python.type(None)",
        "python.issubclass(bool, int)",
        "python.isinstance(1, sin)",
        "python.isinstance(1, 'int')",
        "str.format('{0.__class__}', 1)",
        "str.join",
        "str.maketrans('a', 'b')",
        "int.from_bytes(text, 'big')",
        "dict.fromkeys(names)",
        "dict.pop(settings, 'a')",
        "list.append(names, sin)",
        "list.sort(names)",
        "float.fromhex('0x1p3')",
        "sin",
        "math",
        "python",
        "[sin]",
        "[math]",
        "dict(a=sin)",
        "(sin, cos)",
        "'%s' % sin",
        "str(sin)",
        "python.repr(math)",
        "sin or 1",
        "not sin",
        "sin + 1",
        "-math",
        "sin if 1 else 0",
        "sin in [sin]",
        "1 in math",
        "python.hash(text)",
        "number()",
        "text('x')",
        "settings()",
    ],
    "formats": [
        "'{0.__class__}'.format(1)",
        "'{0.__class__.__mro__}'.format(text)",
        "'{a.__class__}'.format(a=1)",
        "'{0[__class__]}'.format(settings)",
        "'{0[a]}'.format(settings)",
        "'{.real}'.format(1)",
        "'{x.__init__.__globals__}'.format(x=settings)",
        "'{0:{1}}'.format(1, 1000000)",
        "'{:{w}}'.format(1, w=9)",
        "'{_x}'.format(_x=1)",
        "'{0!r:9999999999}'.format(1)",
        "'{:>1000000000}'.format(1)",
        "'{:.999999999f}'.format(1.0)",
        "'{0.a}'.format_map(settings)",
        "'%999999999d' % 1",
        "'%.999999999f' % 1.0",
        "'%*d' % (1000000000, 1)",
        "'%(a)999999999s' % settings",
        "f'{text}'",
        "f'{().__class__}'",
        "f'{open(\"SECRET\").read()}'",
        "f'{number:>1000000000}'",
        "rf'{text!r}'",
        "b'abc'",
        "b'abc'.decode()",
        "text.encode()",
        "text.translate(settings)",
    ],
    "mutation": [
        "names.append(1)",
        "names.extend(names)",
        "names.insert(0, 1)",
        "names.pop()",
        "names.clear()",
        "names.sort()",
        "names.reverse()",
        "names.remove(1)",
        "settings.update(a=1)",
        "settings.pop('a')",
        "settings.setdefault('b', 1)",
        "settings.clear()",
        "settings.popitem()",
        "math.update(sin=1)",
        "python.clear()",
        "xacro.update(arg=1)",
        "set([1]).add(2)",
    ],
    "other syntax": [
        "import os",
        "a = 1",
        "del names",
        "assert 0",
        "1; 2",
        "@sin",
        "names @ names",
        "...",
        "print 'x'",
        "exec 'x'",
        "`1`",
        "*names",
        "lambda",
        "",
        "1 if 1",
        "text.",
        "\x00",
        "1\x002",
        "names[",
        "def f(): pass",
        "class A: pass",
        "match 1",
        "nonlocal x",
        "raise ValueError",
        "with open('SECRET') as f: f",
        "\\u005f_import__('os')",
        "＿＿import＿＿('os')",
        "ｏpen('SECRET')",
        "text.__ｃlass__",
        "().__cl\u0430ss__",
    ],
    "files by functions": [
        "xacro.load_yaml('SECRET')",
        "load_yaml('SECRET')",
        "xacro.load_yaml('/etc/passwd')",
        "xacro.load_yaml('../../../../../../etc/passwd')",
        "xacro.load_yaml('file:///etc/passwd')",
        "xacro.load_yaml('package://etc/passwd')",
        "xacro.load_yaml('/dev/zero')",
        "xacro.load_yaml('/dev/stdin')",
        "xacro.load_yaml('/proc/self/environ')",
        "xacro.load_yaml('/proc/self/fd/0')",
        "xacro.load_yaml('a\\x00b')",
        "xacro.load_yaml('a' * 5000)",
        "xacro.load_yaml(1)",
        "xacro.load_yaml(None)",
        "xacro.load_yaml(settings)",
        "xacro.load_yaml('.')",
        "xacro.abs_filename(7)",
    ],
}  # fmt: skip
BOMBS = [
    "9**9**9",
    "2**100000",
    "(-3)**99999",
    "10**4000 * 10**4000",
    "1 << 1000000000",
    "'a' * 10**9",
    "'a' * 1000000 * 1000",
    "10**9 * [0]",
    "[0] * 1000000 * 1000000",
    "('a' * 1000000) + ('b' * 1000000)",
    "'a'.ljust(10**9)",
    "'a'.zfill(10**9)",
    "'a'.center(10**9, 'x')",
    "'\\t'.expandtabs(10**9)",
    "('\\t' * 100000).expandtabs(tabsize=100000)",
    "('a' * 100000).replace('a', 'b' * 100000)",
    "('a' * 100000).join(['b'] * 100000)",
    "('ab' * 1000).join(('cd' * 500000))",
    "list(range(10**9))",
    "range(10**9)",
    "python.sum(range(10**9))",
    "[x for x in range(10**6)]",
    "[1 for a in range(10000) for b in range(10000)]",
    "[1 for a in range(99999) for b in range(99999) if a > 99999]",
    "[[x] * 1000 for x in range(10000)]",
    "[[[[[[0] * 50] * 50] * 50] * 50] * 50]",
    "[names] * 100000 + [names] * 100000 + [[names] * 100000] * 100000",
    "math.factorial(10**6)",
    "factorial(100000)",
    "math.comb(10**6, 5 * 10**5)",
    "math.perm(10**5)",
    "math.prod([10**1000] * 10000)",
    "math.lcm(*[10**1000 + x for x in range(1000)])",
    "round(1, -10**9)",
    "round(5, 10**9)",
    "python.divmod(10**2000, 3)[0] ** 100000",
    "int('9' * 100000)",
    "str(10**1200) * 100000",
    "sorted([str(x) * 10000 for x in range(1000)])",
    "dict([(str(x) * 1000, x) for x in range(100000)])",
    "set([str(x) * 1000 for x in range(100000)])",
    "python.zip(*[range(1000)] * 100000)",
    "map(str, [range(100000)] * 1000000)",
    "map(list, [range(100000)] * 1000)",
    "python.enumerate(range(10**8))",
    "'%s' % ([names] * 100000,) * 1000",
    "(" * 300 + "1" + ")" * 300,
    "-" * 15000 + "1",
    "+".join(["1"] * 12000),
    "[" * 250 + "]" * 250,
    "not " * 4000 + "1",
    "1" * 30000,
    "'" + "a" * 30000 + "'",
    "1 if 0 else " * 1500 + "1",
    "names" + "[0]" * 5000,
    "0x" + "f" * 15000,
]
CASES = [(group, text) for group, texts in ESCAPES.items() for text in texts]


@pytest.fixture
def names(tmp_path: Path) -> dict[str, Any]:
    """What an expression meets in a file: xacro's names, and properties of every type."""
    file = tmp_path / "robot" / "x.urdf.xacro"
    file.parent.mkdir()
    file.write_text("<robot/>")
    xacro.init_stacks(str(file))
    data = {"number": 2, "text": "wheel", "names": [1, 2, 3], "settings": xacro.YamlDictWrapper({"a": {"b": 1}})}
    return Expander(file, {}, {}, [], set()).global_names() | data


def evaluate(text: str, names: dict[str, Any], steps: int = 1_000_000) -> Any:
    return Evaluator(Types(xacro.NameSpace, xacro.YamlDictWrapper), steps).evaluate(text, names)


def planted(text: str, folder: Path) -> tuple[str, Path]:
    """The expression with its marker and secret in a folder, and the marker."""
    (folder / "secret.yaml").write_text("canary: 4711")
    return text.replace("MARK", str(folder / "mark")).replace("SECRET", str(folder / "secret.yaml")), folder / "mark"


def test_there_are_enough_of_them() -> None:
    assert len(set(CASES)) == len(CASES)
    assert len(CASES) + len(set(BOMBS)) >= 300


@pytest.mark.parametrize("group", ESCAPES)
def test_no_escape_runs_or_reads_anything(group: str, names: dict[str, Any], tmp_path: Path) -> None:
    for case in ESCAPES[group]:
        text, mark = planted(case, tmp_path)
        with pytest.raises(BaseException) as caught:
            pytest.fail(f"{case!r} gave {evaluate(text, names)!r}", pytrace=False)
        assert not isinstance(caught.value, pytest.fail.Exception), caught.value
        assert not isinstance(caught.value, (SystemExit, KeyboardInterrupt, AssertionError, AttributeError)), case
        assert 0 < len(str(caught.value)) < 500
        assert "4711" not in str(caught.value)
        assert not mark.exists()


def test_no_bomb_takes_long_or_much(names: dict[str, Any]) -> None:
    for text in BOMBS:
        began = time.process_time()
        with pytest.raises(Exception) as caught:
            pytest.fail(f"{text[:60]!r} gave {str(evaluate(text, names, steps=100_000))[:60]}", pytrace=False)
        assert not isinstance(caught.value, (AssertionError, MemoryError, AttributeError)), text[:60]
        assert time.process_time() - began < 15  # [s] of this process, as much as the child has; the longest takes one


@pytest.mark.parametrize(
    "text",
    [
        "${(lambda: 0).__globals__}",
        "${().__class__.__base__.__subclasses__()}",
        "${[c for c in ().__class__.__base__.__subclasses__()]}",
        "${__import__('os').system('touch MARK')}",
        "${(x for x in [1]).gi_frame.f_back}",
        "$(eval ${'__imp' + 'ort__(\"os\").system(\"touch MARK\")'})",
        "$(eval '{0.a}')$(eval [].a)",
        "${xacro.load_yaml('SECRET')['canary']}",
        "${'a' * 10**9}",
        "$(find ../../..)",
        "$(env HOME)",
        "$(eval env)",
        "$(command id)",
        "$(shell id)",
        "${eval_text}",
    ],
)
def test_the_command_says_one_sentence(text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "robot"
    folder.mkdir()
    text, mark = planted(text, tmp_path)
    escaped = text.replace('"', "&quot;")
    file = folder / "x.urdf.xacro"
    file.write_text(f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="{escaped}"/></robot>')
    assert main(["check", str(file)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith(f"didymos: {file}: ")
    assert "4711" not in err
    assert not mark.exists()
