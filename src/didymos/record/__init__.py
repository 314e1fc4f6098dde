"""Log, MCAP, CSV, compare and plots."""
