"""Mutated inputs by the hundred thousand: what `tools/fuzz` and a small share of the tests draw from.

A target makes a case from a seeded die and hands it to the reader that a user would hand it to. Whatever comes out has to be a
result, or one sentence (`InputError`, `RunError`): no other exception, no hang, no crash, no growing memory.
"""
