"""The `Controller` protocol, stimuli, mixers and the shipped programs."""
