"""What Shardy leaves in HLO: `xla.sdy.*` frontend attributes and custom-calls."""

from __future__ import annotations

from shardlog.ir.attribute_text import split_attributes
from shardlog.ir.attributes import parse_frontend
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule, Instruction
from shardlog.ir.shardy import (
    ManualAxes,
    Mesh,
    TensorSharding,
    parse_manual_axes,
    parse_meshes,
    parse_sharding_per_value,
    parse_tensor_sharding,
)

__all__ = [
    "BARRIER",
    "BODY",
    "FULL_TO_LOCAL",
    "FULL_TO_SHARD",
    "GROUP",
    "LOCAL_TO_FULL",
    "RESULT",
    "SHARDY",
    "SHARD_TO_FULL",
    "group_id",
    "manual_axes",
    "only_operand",
    "other_frontend_attributes",
    "shardings",
    "shardy_meshes",
]

SHARDY = "xla.sdy."
RESULT = "xla.sdy.FuncResultSharding"
FULL_TO_LOCAL = "xla.sdy.GlobalToLocalShape"
LOCAL_TO_FULL = "xla.sdy.LocalToGlobalShape"
BODY = "xla.sdy.manual_computation_body"
FULL_TO_SHARD = "SPMDFullToShardShape"
SHARD_TO_FULL = "SPMDShardToFullShape"
GROUP = "xla.sdy.ShardingGroup"
BARRIER = "xla.sdy.PropagationBarrier"


def shardy_meshes(module: HloModule) -> dict[str, Mesh]:
    """Return the meshes by name that a module's header holds; empty if it holds none.

    Raises InputError.
    """
    raw = module.attributes.get("frontend_attributes")
    text = None if raw is None else parse_frontend(raw).get("xla.sdy.meshes")
    if text is None:
        return {}
    try:
        return parse_meshes(_plain(text))
    except InputError as error:
        error.message = f"xla.sdy.meshes: {error.message}"
        raise error.located(file=module.file, line=1) from None


def shardings(
    instruction: Instruction,
    meshes: dict[str, Mesh],
    around: tuple[str, ...] = (),
    name: str = "xla.sdy.sharding",
) -> tuple[TensorSharding, ...] | None:
    """Return Shardy's shardings of an instruction's values, or None if it has none.

    `around` are the manual axes around it. Raises InputError with the instruction's place.
    """
    text = instruction.frontend_attribute(name)
    if text is None:
        return None
    text = _plain(text)
    try:
        if text.startswith("#sdy.sharding_per_value"):
            return parse_sharding_per_value(text, meshes, manual_axes=around).shardings
        return (parse_tensor_sharding(text, meshes, manual_axes=around),)
    except InputError as error:
        raise _placed(instruction, name, error) from None


def manual_axes(instruction: Instruction) -> ManualAxes:
    """Return the axes that are manual behind a `GlobalToLocalShape`. Raises InputError."""
    name = "xla.sdy.manual_axes"
    text = instruction.frontend_attribute(name)
    if text is None:
        raise instruction.located(InputError(f"no {name}"))
    try:
        return parse_manual_axes(_plain(text))
    except InputError as error:
        raise _placed(instruction, name, error) from None


def group_id(instruction: Instruction) -> int:
    """Return the number of a `ShardingGroup`, given as `3 : i64`. Raises InputError."""
    text = instruction.frontend_attribute("xla.sdy.sharding_group_id") or ""
    number = text.partition(":")[0].strip()
    if not number.isdecimal() or len(number) > 18:
        raise instruction.located(
            InputError("unreadable sharding group", expected="a number", found=text or "none")
        )
    return int(number)


def only_operand(instruction: Instruction) -> Instruction:
    """Return the one operand of a mark; raises InputError if it has none or several."""
    if len(instruction.operands) != 1:
        found = str(len(instruction.operands))
        raise instruction.located(InputError("a mark of one value", expected="1", found=found))
    return instruction.operands[0]


def other_frontend_attributes(instruction: Instruction, also: str = SHARDY) -> str | None:
    """Return the text of the frontend attributes that are not Shardy's, or None without any.

    Those that begin with `also` are left out, too.
    """
    raw = instruction.attribute("frontend_attributes")
    if raw is None:
        return None
    items = split_attributes(raw.strip()[1:-1])
    kept = [
        f"{name}={value}" for name, value in items.items() if not name.startswith((SHARDY, also))
    ]
    return f"{{{','.join(kept)}}}" if kept else None


def _plain(text: str) -> str:
    # XLA escapes quotes before it stores an attribute, and some releases again when they print it
    return text.replace('\\"', '"') if text.startswith(("#", "{")) and '\\"' in text else text


def _placed(instruction: Instruction, name: str, error: InputError) -> InputError:
    """The error with the instruction's place instead of that in the attribute."""
    column = "" if error.column is None else f", character {error.column}"
    return instruction.located(
        InputError(f"{name}{column}: {error.message}", expected=error.expected, found=error.found)
    )
