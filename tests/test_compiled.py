"""Compiled functions and their cache."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from didymos.errors import InputError

LAW = """
from numba import types
from didymos.compiled import DOUBLES, c_function

@c_function(types.void(DOUBLES))
def law(value):
    value[0] = {factor} * value[0]
"""
CALL = """
import ctypes, runpy, sys
law = runpy.run_path(sys.argv[1])["law"]  # its module is gone by now
value = (ctypes.c_double * 1)(2.0)
ctypes.CFUNCTYPE(None, ctypes.c_void_p)(law.address)(ctypes.addressof(value))
print(value[0])
"""


def test_a_law_whose_module_is_gone_compiles_again_in_every_process(tmp_path: Path, run_python: Any) -> None:
    file = tmp_path / "law.py"
    file.write_text(LAW.format(factor=3.0))
    for _ in range(2):
        done = run_python(CALL, str(file))
        assert done.returncode == 0, done.stderr
        assert float(done.stdout) == 6.0


PRODUCT = """
import numpy as np
from didymos.compiled import kernel

@kernel
def product(a, b):
    return a @ b
"""
MULTIPLY = """
import sys
sys.path.insert(0, sys.argv[1])
from product import product
import numpy as np
a = np.array([[1.0, 2.0], [3.0, 4.0]])
before = "scipy.linalg" in sys.modules
print(*product(a, a).ravel(), before, sum(product.stats.cache_hits.values()))
"""


def test_scipy_is_imported_by_kernels_that_multiply_matrices_and_by_no_other(tmp_path: Path, run_python: Any) -> None:
    (tmp_path / "product.py").write_text(PRODUCT)
    for times_from_cache in ("0", "1"):
        done = run_python(MULTIPLY, str(tmp_path))
        assert done.stdout.split() == ["7.0", "10.0", "15.0", "22.0", "False", times_from_cache], done.stderr


def test_a_change_in_an_imported_file_is_seen(tmp_path: Path, run_python: Any) -> None:
    code = """
import sys
from pathlib import Path
from didymos import compiled
inner = Path(sys.argv[1]) / "inner.py"
outer = Path(sys.argv[1]) / "outer.py"
inner.write_text("x = 1")
outer.write_text("from didymos.inner import x")
compiled._ROOT = Path(sys.argv[1])
before = compiled._digest(outer)
for cached in (compiled._digest, compiled._content, compiled._imported):
    cached.cache_clear()
inner.write_text("x = 2")
print(before != compiled._digest(outer))
"""
    done = run_python(code, str(tmp_path))
    assert done.stdout.strip() == "True", done.stderr


PART = """from didymos.contract import output, parameter
from didymos.parts.part import Part, law


class Canopy(Part):
    area = parameter(1.0)
    drag = output()

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):
        output.drag = {value}
"""
WRONG = {
    "a number of no record": ("2.0 * part.aera", "none of its records has 'aera', did you mean 'area'?"),
    "an unknown name": ("undefined", "NameError: name 'undefined' is not defined"),
    "a text": ("'much'", "much"),
}


@pytest.mark.parametrize(("value", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_law_that_cannot_be_compiled_is_named_with_its_file_and_why(tmp_path: Path, value: str, said: str) -> None:
    file = tmp_path / "canopy.py"
    file.write_text(PART.format(value=value))
    spec = importlib.util.spec_from_file_location("canopy_of_a_test", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(InputError) as error:
        _ = module.Canopy.law.address
    assert "Canopy.act cannot be compiled: " in str(error.value)
    assert said in str(error.value)
    assert error.value.file == str(file)
    assert error.value.line in (9, 11)
    assert "\x1b" not in str(error.value)
