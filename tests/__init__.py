"""The tests of shardlog, and the tools that check it against XLA."""
