"""Parameters and recordings of the real robot in, better parameters and a report out."""

# ruff: noqa: E402  what they need is asked for first
from didymos.extras import require

require("a fit needs", "scipy", "fit")

from didymos.fitting.design import design
from didymos.fitting.designed import Design
from didymos.fitting.fit import fit
from didymos.fitting.fitted import Fit, FittedParameter
from didymos.fitting.read_recording import columns_of, read_recording, read_recordings
from didymos.fitting.recording import Channel, Column, Recording
from didymos.fitting.validate import Validation, validate

__all__ = [
    "Channel", "Column", "Design", "Fit", "FittedParameter", "Recording", "Validation", "columns_of", "design", "fit",
    "read_recording", "read_recordings", "validate",
]  # fmt: skip
