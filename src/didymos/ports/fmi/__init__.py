"""Co-simulation by FMI: a twin that is given away as an FMU (`package.py`), and FMUs of others that run in a twin.

The first way uses `pythonfmu` (FMI 2.0) and `pythonfmu3` (3.0): their library calls a class of ours in the Python that runs it
(`slave2.py`, `slave3.py`), behind which the same `TwinInstance` stands. The second way is the room `fmu/`.
"""
