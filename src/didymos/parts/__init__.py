"""Force laws: a spec and a compiled kernel each."""
