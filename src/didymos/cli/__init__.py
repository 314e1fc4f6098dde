"""One small module per verb of the command line."""
