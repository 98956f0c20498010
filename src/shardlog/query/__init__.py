"""Datalog questions to a run: over its facts, its shardings and how they came about.

A question is read and checked before anything runs, and is answered by pyDatalog on the relations
that it reaches, whose rows are looked up in the run's own columns.
"""

from shardlog.query.answer import Answer
from shardlog.query.bounds import TooCostly
from shardlog.query.session import Session

__all__ = ["Answer", "Session", "TooCostly"]
