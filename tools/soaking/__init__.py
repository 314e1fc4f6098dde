"""Long runs, watched from outside: what `tools/soak` is made of."""
