"""A second engine: the same description and inputs in pinocchio and Drake, and where the twin differs from them."""

from didymos.extras import require

require("a second engine needs", "scipy", "crosscheck")
