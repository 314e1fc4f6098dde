"""Log, MCAP, CSV, compare and plots."""

from __future__ import annotations

from didymos.record.compare import Comparison, SignalError, compare
from didymos.record.log import Log, Signal
from didymos.record.mcap_file import McapRecorder
from didymos.record.plot import plot
from didymos.record.rotation import RotatedFile
from didymos.record.stream import Kind, StreamLayout

__all__ = ["Comparison", "Kind", "Log", "McapRecorder", "RotatedFile", "Signal", "SignalError", "StreamLayout", "compare", "plot"]
