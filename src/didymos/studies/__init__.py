"""Many runs of a twin: sweeps and what they find."""
