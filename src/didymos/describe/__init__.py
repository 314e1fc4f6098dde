"""Files become a typed, checked `Twin` and then the engine's model."""
