"""Where many runs are worked off: this machine's threads, Ray, Dask."""
