"""What emits the instructions of generated modules, by topic."""
