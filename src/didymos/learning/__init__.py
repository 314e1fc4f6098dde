"""Learning environments, and the training of policies."""
