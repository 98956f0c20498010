"""The tables of a batch: their columns, types and meanings. Other files follow this one.

A change that readers would notice (a column gone, renamed, or with another meaning) raises
SCHEMA_VERSION; a new column at the end of a table does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["OPTIONAL", "SCHEMA_VERSION", "TABLES", "Column", "arrow_schema"]

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Column:
    """A column of a table; `kind` is text, int, bool or texts (a list)."""

    name: str
    kind: str
    says: str


def _columns(*rows: tuple[str, str, str]) -> tuple[Column, ...]:
    return tuple(Column(*row) for row in rows)


MODULES = _columns(
    ("module", "text", "its name in this batch: the path below the folder or URL given; unique"),
    ("path", "text", "where it was read from"),
    ("status", "text", "`ok`, `error`, `timeout`, `memory` or `crash`"),
    ("error", "text", "what was wrong, with line and column as far as known; null if ok"),
    ("line", "int", "the line of the file that is wrong, if known"),
    ("size", "int", "bytes of the file; null if it could not be read"),
    ("sha256", "text", "digest of the file"),
    ("format", "text", "`text`, `pb` or `stablehlo`"),
    ("name", "text", "the module's own name"),
    ("partitions", "int", "how many devices it is partitioned for"),
    ("computations", "int", "how many computations it has"),
    ("instructions", "int", "how many instructions, after the pass"),
    ("sharded_before", "int", "how many had a sharding"),
    ("sharded_after", "int", "how many have one"),
    ("replaced", "int", "how many came with a sharding and left with another"),
    ("changed", "bool", "whether XLA's pass would say that it changed the module"),
    ("iterations", "int", "how often it would go through it"),
    ("bytes", "int", "bytes of all values; lifetimes are not known"),
    ("bytes_on_device", "int", "what one device holds of them, padding included"),
    ("findings", "int", "how many findings there are; the table has the first of them"),
    ("worst", "text", "the highest severity of a finding; null without findings"),
    ("notes", "texts", "what is to be said of the module, such as that it was made for Shardy"),
    ("warnings", "texts", "what the reader did not know"),
    ("result", "text", "digest of all results of the module, to tell equal ones quickly"),
    ("output", "text", "the annotated module, below OUT; null without"),
    ("output_sha256", "text", "its digest"),
)

INSTRUCTIONS = _columns(
    ("module", "text", "as in modules"),
    ("position", "int", "place in the module, from 0, computation by computation"),
    ("computation", "text", "the computation it is in"),
    ("name", "text", "its name after the pass"),
    ("name_before", "text", "the name it came with; null if the pass added it"),
    ("opcode", "text", "as XLA writes it"),
    ("target", "text", "target of a custom call"),
    ("shape", "text", "as XLA writes it, without layout"),
    ("bytes", "int", "bytes of the whole value"),
    ("bytes_on_device", "int", "bytes that one device holds, padding included"),
    ("before", "text", "the sharding it came with, as HloSharding text"),
    ("after", "text", "the sharding it leaves with"),
    ("kind", "text", "`none`, `replicated`, `tiled`, `maximal`, `manual`, `unknown` or `tuple`"),
    ("tiles", "int", "into how many parts it is split; 1 if into none; of a tuple the most"),
    ("changed", "bool", "whether before and after differ"),
    ("rule", "text", "the rule that set the sharding last"),
    ("operand_tiled", "bool", "whether any operand is tiled"),
    ("unruled", "bool", "not tiled beside a tiled operand, since no rule tiles such an op"),
    ("op_name", "text", "the op in the user's program"),
    ("source", "text", "FILE:LINE of the user's program"),
)

FINDINGS = _columns(
    ("module", "text", "as in modules"),
    ("position", "int", "place among the module's findings, most bytes first"),
    ("kind", "text", "`replicated`, `reshard`, `axis_lost`, ... as `shardlog lint` names them"),
    ("severity", "text", "`error`, `warning` or `info`"),
    ("instruction", "text", "the instruction that is explained"),
    ("alike", "texts", "all instructions of the finding, alike in all but their numbers"),
    ("what", "text", "what was found"),
    ("source", "text", "opcode, shape, op name and line of the user's program"),
    ("bytes", "int", "what it costs on each device"),
    ("cause", "text", "why it is so"),
    ("command", "text", "the command that explains it"),
)

RULES = _columns(
    ("module", "text", "as in modules"),
    ("rule", "text", "the rule"),
    ("tier", "int", "the tier; null outside the four tiers"),
    ("direction", "text", "the visit: `forward`, `backward`, `annotate`, ..."),
    ("accepted", "int", "how many shardings it set or refined"),
)

PROVENANCE = _columns(
    ("module", "text", "as in modules"),
    ("position", "int", "place in the run, from 0"),
    ("instruction", "text", "the name it came with, else the pass's own"),
    ("old", "text", "the sharding before; null if none"),
    ("new", "text", "the sharding after"),
    ("rule", "text", "the rule"),
    ("tier", "int", "the tier; null outside the four tiers"),
    ("iteration", "int", "as XLA's log counts them"),
    ("direction", "text", "the visit"),
    ("because", "texts", "the instructions whose shardings it read"),
)

TABLES: dict[str, tuple[Column, ...]] = {
    "modules": MODULES,
    "instructions": INSTRUCTIONS,
    "findings": FINDINGS,
    "rules": RULES,
    "provenance": PROVENANCE,
}
"""All tables, by name; rows are sorted by module and then position, or rule, tier and direction."""

OPTIONAL = frozenset(("provenance",))
"""Tables that are only written when asked for."""


def arrow_schema(table: str) -> pa.Schema:
    """Return the schema of a table for pyarrow, which must be installed."""
    import pyarrow as pa

    kinds: dict[str, Any] = {
        "text": pa.string(),
        "int": pa.int64(),
        "bool": pa.bool_(),
        "texts": pa.list_(pa.string()),
    }
    return pa.schema(
        [(column.name, kinds[column.kind]) for column in TABLES[table]],
        metadata={"shardlog.table": table, "shardlog.schema": str(SCHEMA_VERSION)},
    )
