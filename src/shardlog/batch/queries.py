"""Questions to a batch that are asked often, by name."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["QUERIES", "Query"]


@dataclass(frozen=True)
class Query:
    """A question by its name."""

    says: str
    sql: str


QUERIES = {
    "replicated": Query(
        "the largest values that every device holds whole, over all modules",
        """\
SELECT i.module, i.name, i.opcode, i.shape, i.bytes, i.after, i.op_name, i.source
FROM instructions i JOIN modules m USING (module)
WHERE i.kind IN ('none', 'replicated') AND m.partitions > 1
  AND i.opcode NOT IN ('constant', 'iota', 'tuple', 'get-tuple-element', 'after-all',
                       'partition-id')
ORDER BY i.bytes DESC, i.module, i.position
LIMIT 50""",
    ),
    "rules": Query(
        "how often each rule set or refined a sharding, and in how many modules",
        """\
SELECT rule, sum(accepted)::BIGINT AS accepted, count(DISTINCT module) AS modules
FROM rules
GROUP BY rule
ORDER BY accepted DESC, rule""",
    ),
    "unruled": Query(
        "ops that no rule tiles, where tiles came up to them",
        """\
SELECT opcode, target, count(*) AS instructions, count(DISTINCT module) AS modules,
       sum(bytes)::BIGINT AS bytes
FROM instructions
WHERE unruled
GROUP BY opcode, target
ORDER BY bytes DESC, opcode, target""",
    ),
    "failures": Query(
        "modules that failed, and why",
        """\
SELECT module, status, line, error
FROM modules
WHERE status != 'ok'
ORDER BY module""",
    ),
    "findings": Query(
        "the findings that cost most, over all modules",
        """\
SELECT module, severity, kind, instruction, bytes, cause
FROM findings
ORDER BY bytes DESC, module, position
LIMIT 50""",
    ),
    "kinds": Query(
        "how many findings of each kind there are, and what they cost",
        """\
SELECT kind, severity, count(*) AS findings, count(DISTINCT module) AS modules,
       sum(bytes)::BIGINT AS bytes
FROM findings
GROUP BY kind, severity
ORDER BY bytes DESC, kind, severity""",
    ),
    "opcodes": Query(
        "how much of each opcode is tiled",
        """\
SELECT opcode, count(*) AS instructions, count(*) FILTER (tiles > 1) AS tiled,
       sum(bytes_on_device)::BIGINT AS bytes_on_device
FROM instructions
GROUP BY opcode
ORDER BY bytes_on_device DESC, opcode""",
    ),
    "modules": Query(
        "what each module comes to",
        """\
SELECT module, status, partitions, instructions, sharded_before, sharded_after,
       bytes_on_device, findings, worst
FROM modules
ORDER BY module""",
    ),
}
