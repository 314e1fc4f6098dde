"""Loaded by the processes of a local Dask cluster: an interrupt from the terminal, which reaches all processes, is the head's."""

from __future__ import annotations

import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
