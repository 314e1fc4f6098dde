"""numba without scipy, until a kernel needs scipy.

When it loads its array functions, numba imports `scipy.linalg`, which takes as long as all of numba, to learn whether there
is a BLAS. No kernel of ours multiplies matrices by it. One of a user's asks for BLAS once more when it is compiled, and finds it
when it is called, where scipy is installed.
"""

from __future__ import annotations

from numba.np import linalg

__all__: list[str] = []

_ensure_blas = linalg.ensure_blas
linalg.ensure_blas = lambda: None
try:
    import numba.np.arraymath  # noqa: F401
finally:
    linalg.ensure_blas = _ensure_blas
