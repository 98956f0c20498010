"""XLA's sharding propagation (GSPMD) as a logic program.

    import shardlog

    module = shardlog.load("module.before_sharding-propagation.txt")
    result = shardlog.propagate(module)
    result.sharding("dot.3")
    print(result.why("dot.3"))
    result.module.to_text()

Names are imported when they are first used, so that `shardlog --help` does not pay for the engine.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from shardlog.api import Result, Summary, load, propagate
    from shardlog.compare import Comparison, compare_modules
    from shardlog.engine import EvaluationError, OscillationError, RuleError
    from shardlog.ir.errors import InputError, ShardlogError
    from shardlog.ir.module import HloModule
    from shardlog.ir.sharding import HloSharding
    from shardlog.notes import partitioner_notes
    from shardlog.why import Reason
    from shardlog.xla import XlaUnavailable

__all__ = [
    "Comparison",
    "EvaluationError",
    "HloModule",
    "HloSharding",
    "InputError",
    "OscillationError",
    "Reason",
    "Result",
    "RuleError",
    "ShardlogError",
    "Summary",
    "XlaUnavailable",
    "__version__",
    "compare_modules",
    "load",
    "partitioner_notes",
    "propagate",
]

_HOMES = {
    "Comparison": "shardlog.compare",
    "EvaluationError": "shardlog.engine",
    "HloModule": "shardlog.ir.module",
    "HloSharding": "shardlog.ir.sharding",
    "InputError": "shardlog.ir.errors",
    "OscillationError": "shardlog.engine",
    "Reason": "shardlog.why",
    "Result": "shardlog.api",
    "RuleError": "shardlog.engine",
    "ShardlogError": "shardlog.ir.errors",
    "Summary": "shardlog.api",
    "XlaUnavailable": "shardlog.xla",
    "compare_modules": "shardlog.compare",
    "load": "shardlog.api",
    "partitioner_notes": "shardlog.notes",
    "propagate": "shardlog.api",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'shardlog' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
