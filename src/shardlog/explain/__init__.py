"""Answers about a finished run: why not, what stops where, what would change, what hurts.

`Result` has `why`, `account`, `whynot`, `frontier` and `lint`. What runs a module anew is here:
`what_if`, `impact` and `conflicts` take the module as it came, and the options of `propagate`.
"""

from shardlog.explain.account import Account, Reshard
from shardlog.explain.conflicts import Conflict, Conflicts, conflicts
from shardlog.explain.frontier import Edge, Frontier
from shardlog.explain.impact import Impact, impact
from shardlog.explain.lint import Finding, Hurt, Lint
from shardlog.explain.meanings import Kind
from shardlog.explain.whatif import Changes, WhatIf, what_if
from shardlog.explain.whynot import Cause, WhyNot

__all__ = [
    "Account",
    "Cause",
    "Changes",
    "Conflict",
    "Conflicts",
    "Edge",
    "Finding",
    "Frontier",
    "Hurt",
    "Impact",
    "Kind",
    "Lint",
    "Reshard",
    "WhatIf",
    "WhyNot",
    "conflicts",
    "impact",
    "what_if",
]
