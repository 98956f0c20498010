"""Times shardlog beside XLA's own pass: `python -m benchmarks --help`."""
