"""Many runs of a twin: sweeps and what they find."""

from didymos.extras import require

require("many runs and what they tell need", "scipy", "fit")
