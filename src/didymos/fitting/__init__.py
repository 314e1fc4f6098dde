"""Parameters and recordings of the real robot in, better parameters and a report out."""

from didymos.fitting.fit import Fit, FittedParameter, fit
from didymos.fitting.recording import Column, Recording, read_recording

__all__ = ["Column", "Fit", "FittedParameter", "Recording", "fit", "read_recording"]
