"""A second engine: the same description and inputs in pinocchio and Drake, and where the twin differs from them."""
