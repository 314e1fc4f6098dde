"""Readers of other programs' tables: one file each, into terms of `parts/aero_data.py` or rows of `parts/propeller_data.py`."""
