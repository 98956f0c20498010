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
    from shardlog.converters.partition_spec import (
        PartitionSpec,
        sharding_of_spec,
        spec_of_sharding,
    )
    from shardlog.engine import EvaluationError, OscillationError, RuleError
    from shardlog.ir.errors import InputError, ShardlogError
    from shardlog.ir.module import HloModule
    from shardlog.ir.sharding import HloSharding
    from shardlog.ir.sharding_text import parse_sharding
    from shardlog.ir.shardy.mesh import Mesh
    from shardlog.notes import partitioner_notes
    from shardlog.query import Answer, TooCostly
    from shardlog.stablehlo import JaxUnavailable, from_jax
    from shardlog.why import Reason
    from shardlog.xla import XlaUnavailable

__all__ = [
    "Answer",
    "Comparison",
    "EvaluationError",
    "HloModule",
    "HloSharding",
    "InputError",
    "JaxUnavailable",
    "Mesh",
    "OscillationError",
    "PartitionSpec",
    "Reason",
    "Result",
    "RuleError",
    "ShardlogError",
    "Summary",
    "TooCostly",
    "XlaUnavailable",
    "__version__",
    "compare_modules",
    "from_jax",
    "load",
    "parse_sharding",
    "partitioner_notes",
    "propagate",
    "sharding_of_spec",
    "spec_of_sharding",
]

_HOMES = {
    "Answer": "shardlog.query",
    "Comparison": "shardlog.compare",
    "EvaluationError": "shardlog.engine",
    "HloModule": "shardlog.ir.module",
    "HloSharding": "shardlog.ir.sharding",
    "InputError": "shardlog.ir.errors",
    "JaxUnavailable": "shardlog.stablehlo",
    "Mesh": "shardlog.ir.shardy.mesh",
    "OscillationError": "shardlog.engine",
    "PartitionSpec": "shardlog.converters.partition_spec",
    "Reason": "shardlog.why",
    "Result": "shardlog.api",
    "RuleError": "shardlog.engine",
    "ShardlogError": "shardlog.ir.errors",
    "Summary": "shardlog.api",
    "TooCostly": "shardlog.query",
    "XlaUnavailable": "shardlog.xla",
    "compare_modules": "shardlog.compare",
    "from_jax": "shardlog.stablehlo",
    "load": "shardlog.api",
    "parse_sharding": "shardlog.ir.sharding_text",
    "partitioner_notes": "shardlog.notes",
    "propagate": "shardlog.api",
    "sharding_of_spec": "shardlog.converters.partition_spec",
    "spec_of_sharding": "shardlog.converters.partition_spec",
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
