"""FMUs of others: what their model description says (`description.py`), and their library, through `fmpy` (`instance.py`)."""
