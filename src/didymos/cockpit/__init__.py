"""The browser: see a run, fly it, tune it, compare logs. Reads the run, writes parameters, pilot input and pushes."""
