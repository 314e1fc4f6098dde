"""The live twin: beside the running robot, in step with it, first to know when something is wrong."""

from didymos.extras import require

require("the live twin needs", "scipy", "fit")
