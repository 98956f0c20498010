"""Answers about a finished run: why not, what stops where, what would change, what hurts."""
