"""A Datalog engine with lattices: rules in pyDatalog's syntax, compiled and saturated.

It knows relations, lattices, channels and schedules, and nothing about what they describe.
"""

from shardlog.engine.counting import Count, Counter
from shardlog.engine.errors import (
    EvaluationError,
    OscillationError,
    Problem,
    RuleError,
    Span,
)
from shardlog.engine.program import Library, Program, load_program
from shardlog.engine.records import Record
from shardlog.engine.relations import Facts
from shardlog.engine.results import Saturated
from shardlog.engine.saturate import Saturation
from shardlog.engine.syntax import Rule

__all__ = [
    "Count",
    "Counter",
    "EvaluationError",
    "Facts",
    "Library",
    "OscillationError",
    "Problem",
    "Program",
    "Record",
    "Rule",
    "RuleError",
    "Saturated",
    "Saturation",
    "Span",
    "load_program",
]
