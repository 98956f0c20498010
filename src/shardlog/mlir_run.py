"""Converts between StableHLO and HLO protos with the jaxlib of this interpreter.

A script for `shardlog.stablehlo`, which starts it in a process of its own: `python mlir_run.py
SPEC`. It imports nothing but the standard library and jaxlib, because that interpreter need not
have shardlog. SPEC is a JSON file,
{"to": FORM, "input": FILE, "output": FILE, "result": FILE} with the form "hlo", "tagged" (HLO, see
`mlir_tags`), "stablehlo", "sdy", "proto", "generic" or "pretty"; the result will hold
{"jaxlib": VERSION} and, beside it, "error" or what `Lowered` holds, or of a generic form for which
"names" are asked what `names_in` returns.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

BYTECODE = b"ML\xefR"
EXTENSIONS = ("_jax_mlir_ext", "register_jax_dialects")
"""What registers the dialects of func and the like, in new jaxlibs and in those before 0.7."""
COPY = re.compile(r"(%\S+ = )mhlo\.copy (%\S+)( \{.*\})? : (.*?)(?= loc\(|$)", re.M)
MLIR_TEXT = re.compile(rb'(?:\s|//[^\n]*\n)*(?:#|module\b|"builtin\.module"|ml_program)')
TOP_K = re.compile(r"(= )mhlo\.topk\s*\((%[^,)]+), ([^)]*)\)( \{.*\})? : (\S+) -> ")
PLAIN_COPY = re.compile(r"(= )mhlo\.copy (%\S+)( \{.*\})? : (\S+)")
"""Ops that XLA dumps in a form which only the dialect could read, and jaxlib does not have it."""
RESULTS = re.compile(r"\s*(%[\w$.-]+)(?::(\d+))?\s*=")
ARGUMENT = re.compile(r"%[\w$.-]+")
INSTRUCTION = re.compile(r"\s*(?:ROOT )?%?([\w.-]+) = ")
BEHIND = " ||| "
"""What stands between an HLO instruction's name and the op's."""
NAMED = re.compile(r'loc\((?:fused(?:<.*?>)?\[)?"((?:[^"\\]|\\.)*)"(?!:\d)')
PLACE = re.compile(r'"([^"]*)":(\d+)')
WITHIN = re.compile(r'loc\("-":(\d+):(\d+)')
"""What locations look like: a name, places of sources, a place in the text that is read."""
DIALECTS = ("stablehlo", "chlo", "mhlo", "sdy")


@dataclasses.dataclass(frozen=True)
class Lowered:
    """What StableHLO says of a program and an HLO proto does not.

    For each argument and result of the main function, whether it has a sharding; and the number of
    partitions, 0 if it is not told.
    """

    arguments: list[bool]
    results: list[bool]
    num_partitions: int


def bytecode_of(data: bytes) -> bytes:
    """Return the StableHLO in a jax.export artifact; other data as it is.

    The artifact is a flatbuffer, of whose root table one field is the program's bytecode.
    """
    if data.startswith(BYTECODE) or b"\0" not in data[:64]:
        return data

    def number(at: int, size: int = 4, signed: bool = False) -> int:
        if not 0 <= at <= len(data) - size:
            raise ValueError("a damaged jax.export artifact")
        return int.from_bytes(data[at : at + size], "little", signed=signed)

    root = number(0)
    table = root - number(root, signed=True)
    for field in range(4, number(table, 2), 2):
        offset = number(table + field, 2)
        if not offset:
            continue
        at = root + offset
        start = at + number(at)
        if data[start + 4 : start + 8] == BYTECODE:
            return data[start + 4 : start + 4 + number(start)]
    raise ValueError("no StableHLO in it")


def is_artifact(data: bytes) -> bool:
    """Tell whether data looks like a jax.export artifact: a flatbuffer that holds bytecode."""
    try:
        return not data.startswith(BYTECODE) and bytecode_of(data).startswith(BYTECODE)
    except ValueError:
        return False


def to_hlo(data: bytes) -> tuple[bytes, Lowered]:
    """Return the HloModuleProto of StableHLO, MHLO or a jax.export artifact, and what it lacks."""
    data = bytecode_of(data)
    with _context() as context:
        module = _module(data, context)
        found = lowered(module)
        computation = _mlir().mlir_module_to_xla_computation(
            data, use_tuple_args=False, return_tuple=False
        )
    return computation.as_serialized_hlo_module_proto(), found


def to_tagged(data: bytes) -> tuple[bytes, Lowered]:
    """Return the same as `to_hlo`, calls inlined, each instruction with its operation's number.

    Data may also be HLO with Shardy's attributes.
    """
    data = bytecode_of(data)
    if not is_mlir(data):
        data = to_sdy(data)
    # a script finds the module in its own folder
    tags = importlib.import_module("mlir_tags")
    with _context(mhlo=True) as context:
        module = _module(data, context)
        with context, _unknown():
            tags.tag(module)
            tags.inline_calls(module)
        found = lowered(module)
        # ops of MHLO cannot be read back in their own form
        text = module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)
        computation = _mlir().mlir_module_to_xla_computation(
            text, use_tuple_args=False, return_tuple=False
        )
    return computation.as_serialized_hlo_module_proto(), found


def _unknown() -> Any:
    from jaxlib.mlir import ir

    return ir.Location.unknown()


def lowered(module: Any) -> Lowered:
    """Return what the MLIR module says of its main function."""
    main = next(
        operation
        for operation in module.body.operations
        if "sym_name" in operation.attributes
        and _text(operation.attributes["sym_name"]) == "main"
        and operation.operation.name == "func.func"
    )
    inputs, outputs = len(main.type.inputs), len(main.type.results)
    attributes = module.operation.attributes
    partitions = "mhlo.num_partitions"
    return Lowered(
        arguments=_sharded(main, "arg_attrs", inputs),
        results=_sharded(main, "res_attrs", outputs),
        num_partitions=int(attributes[partitions]) if partitions in attributes else 0,
    )


def _sharded(main: Any, name: str, count: int) -> list[bool]:
    if name not in main.attributes:
        return [False] * count
    return [
        "mhlo.sharding" in each or "sdy.sharding" in each for each in list(main.attributes[name])
    ]


def _text(attribute: Any) -> str:
    return str(attribute).strip('"')


def to_proto(data: bytes) -> bytes:
    """Return the HloModuleProto of HLO text; a proto as it is."""
    if b"\0" in data or not data.lstrip().startswith((b"HloModule", b"//", b"ENTRY", b"%")):
        return data
    from jaxlib import xla_client

    bindings = xla_client._xla
    if not hasattr(bindings, "hlo_module_from_text"):
        bindings = importlib.import_module("jaxlib._hlo")
    made: bytes = bindings.hlo_module_from_text(data.decode()).as_serialized_hlo_module_proto()
    return made


def to_stablehlo(data: bytes) -> bytes:
    """Return the text of the StableHLO of HLO text or a proto, shardings as mhlo.sharding.

    StableHLO has no copy: one with a sharding becomes the constraint that it was made of, any other
    its operand. Loops have none: what jaxlib makes of a loop has fewer values where some are
    constants, and then it refuses the loop's sharding.
    """
    from jaxlib import xla_client

    computation = xla_client.XlaComputation(to_proto(data))
    text = _mlir().xla_computation_to_mlir_module(computation)
    text = text.decode() if isinstance(text, bytes) else text
    with _context():
        module = _parsed(COPY.sub(r"\1stablehlo.custom_call @Sharding(\2)\3 : (\4) -> \4", text))
        plain: list[Any] = []
        _prepare(module.operation, plain)
        for copy in plain:
            copy.results[0].replace_all_uses_with(copy.operands[0])
            copy.erase()
        return str(module).encode()


def _prepare(operation: Any, plain: list[Any]) -> None:
    """Take the shardings off the loops in an operation, and collect constraints without one."""
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                name, attributes = inner.operation.name, inner.attributes
                sharded = "mhlo.sharding" in attributes
                if name == "stablehlo.while" and sharded:
                    del attributes["mhlo.sharding"]
                if (
                    name == "stablehlo.custom_call"
                    and _text(attributes["call_target_name"]) == "Sharding"
                    and not sharded
                ):
                    plain.append(inner.operation)
                _prepare(inner.operation, plain)


def to_sdy(data: bytes, locations: bool = False) -> bytes:
    """Return the text of the StableHLO of HLO text or a proto with Shardy's attributes in it.

    With `locations` it has them, too. Raises ValueError if the outcome is not as Shardy has it.
    """
    made = _mlir().hlo_to_stablehlo(to_proto(data))
    # a script finds the module in its own folder
    shardy = importlib.import_module("mlir_sdy")
    with _context(mhlo=True) as context:
        module = _module(made, context)
        with context:
            shardy.move_shardy(module)
        if not module.operation.verify():
            raise ValueError("Shardy refuses it")
        return str(module.operation.get_asm(enable_debug_info=locations)).encode()


def to_generic(data: bytes) -> bytes:
    """Return MLIR in any form, or HLO with Shardy's attributes, as MLIR text in generic form."""
    data = bytecode_of(data)
    if not is_mlir(data):
        data = to_sdy(data)
    if not data.startswith(BYTECODE):
        data = _readable(data.decode(errors="replace")).encode()
    with _context() as context:
        module = _module(data, context)
        text = module.operation.get_asm(
            print_generic_op_form=True, large_elements_limit=16, assume_verified=True
        )
    return str(text).encode()


def _readable(text: str) -> str:
    """MLIR text with the ops that only their dialect could read in generic form."""
    if "mhlo." not in text:
        return text
    text = TOP_K.sub(r'\1"mhlo.topk"(\2) <{\3}>\4 : (\5) -> ', text)
    return PLAIN_COPY.sub(r'\1"mhlo.copy"(\2)\3 : (\4) -> \4', text)


def names_in(data: bytes) -> dict[str, Any]:
    """Return what values and operations of a program are called, in the order of its text.

    `operations` has for each operation the names of its results, its name in the user's program,
    the place of its source and the HLO instruction that it comes from; `arguments` for each
    argument of a block its name and what the user's program calls it. Names are those of a text,
    else those that MLIR prints.
    """
    data = bytecode_of(data)
    if not is_mlir(data):
        data = to_sdy(_named_instructions(data), locations=True)
    text = "" if data.startswith(BYTECODE) else data.decode(errors="replace")
    if text:
        text = _readable(text)
    names = _Names(text.split("\n"))
    with _context() as context:
        module = _module(text.encode() if text else data, context)
        names.walk(module.operation)
    return {"operations": names.operations, "arguments": names.arguments}


def _named_instructions(data: bytes) -> bytes:
    """HLO as text, each instruction's name in front of the op's name in its metadata."""
    if b"\0" in data or not data.lstrip().startswith((b"HloModule", b"//", b"ENTRY", b"%")):
        from jaxlib import xla_client

        kinds = xla_client._xla
        if not hasattr(kinds, "HloPrintOptions"):
            kinds = importlib.import_module("jaxlib._hlo")
        options = kinds.HloPrintOptions()
        options.print_metadata = True
        data = xla_client.XlaComputation(data).get_hlo_module().to_string(options).encode()
    lines = data.decode(errors="replace").split("\n")
    for place, line in enumerate(lines):
        found = INSTRUCTION.match(line)
        if found:
            name = f'op_name="{found[1]}{BEHIND}'
            lines[place] = line.replace('op_name="', name.replace("\\", ""), 1)
    return "\n".join(lines).encode()


class _Names:
    """Collects names."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.operations: list[tuple[list[str], str, str, str]] = []
        self.arguments: list[tuple[str, str]] = []

    def walk(self, operation: Any, state: Any = None) -> None:
        from jaxlib.mlir import ir

        state = state or ir.AsmState(operation)
        results = [value.get_name(state) for value in operation.results]
        label, source, place = told(operation.location)
        if place and results:
            found = RESULTS.match(self.lines[place[0] - 1]) if place[0] <= len(self.lines) else None
            if found and int(found[2] or 1) == len(results):
                name = found[1]
                many = len(results) > 1
                results = [f"{name}#{n}" if many else name for n in range(len(results))]
        instruction, behind, op_name = label.partition(BEHIND)
        if behind:
            label = op_name
        self.operations.append((results, label, source, instruction if behind else ""))
        for region in operation.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    self.arguments.append(self.argument(argument, state))
                for inner in block.operations:
                    self.walk(inner.operation, state)

    def argument(self, argument: Any, state: Any) -> tuple[str, str]:
        name = argument.get_name(state)
        label, _, place = told(argument.location)
        label = label.rpartition(BEHIND)[2]
        if place and place[0] <= len(self.lines):
            line, column = place
            found = ARGUMENT.match(self.lines[line - 1], column - 1)
            name = found[0] if found else name
        return name, label


def told(location: Any) -> tuple[str, str, tuple[int, int] | None]:
    """Return the name that a location has, the source's place and the place in MLIR text."""
    text = str(location)
    found = NAMED.match(text)
    label = found[1] if found and not text.startswith('loc("-"') else ""
    places = [one for one in PLACE.findall(text) if one[0] != "-"]
    source = f"{Path(places[0][0]).name}:{places[0][1]}" if places else ""
    within = WITHIN.match(text)
    return label, source, (int(within[1]), int(within[2])) if within else None


def to_pretty(data: bytes) -> bytes:
    """Return MLIR text in generic form as MLIR prints it by default."""
    with _context() as context:
        return str(_module(data, context)).encode()


def is_mlir(data: bytes) -> bool:
    """Tell whether data is MLIR, as bytecode or as text that begins with a module or aliases."""
    if data.startswith(BYTECODE):
        return True
    return MLIR_TEXT.match(data) is not None


def _context(mhlo: bool = False) -> Any:
    """A context with the dialects of programs; MHLO's ops are plain text in it unless asked for."""
    from jaxlib.mlir import ir

    context = ir.Context()
    registry = ir.DialectRegistry()
    for name in EXTENSIONS:
        with contextlib.suppress(ImportError):
            extension = importlib.import_module(f"jaxlib.mlir._mlir_libs.{name}")
            extension.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for name in DIALECTS:
        # a jaxlib may lack one or have it registered
        with contextlib.suppress(ImportError, AttributeError), context:
            importlib.import_module(f"jaxlib.mlir.dialects.{name}").register_dialect(context)
    if mhlo:
        with contextlib.suppress(ImportError, AttributeError):
            dialect = importlib.import_module("jaxlib.mlir.dialects.mhlo")
            dialect.register_mhlo_dialect(context)
    context.allow_unregistered_dialects = True
    return context


def _parsed(text: str | bytes) -> Any:
    from jaxlib.mlir import ir

    return ir.Module.parse(text)


def _module(data: bytes, context: Any) -> Any:
    if not data.startswith(BYTECODE):
        return _parsed(data)
    try:
        # a portable artifact is in a versioned dialect, which has to be taken back
        return _mlir().deserialize_portable_artifact(data, context)
    except Exception:
        return _parsed(data)


def _mlir() -> Any:
    from jaxlib import xla_client

    return xla_client._xla.mlir


def main(spec: str) -> None:
    """Run what the file `spec` asks for."""
    import jaxlib.version

    job = json.loads(Path(spec).read_text())
    result: dict[str, Any] = {"jaxlib": jaxlib.version.__version__}
    data = Path(job["input"]).read_bytes()
    try:
        if job["to"] in ("hlo", "tagged"):
            made, found = (to_hlo if job["to"] == "hlo" else to_tagged)(data)
            result.update(dataclasses.asdict(found))
        else:
            convert = {
                "stablehlo": to_stablehlo,
                "sdy": to_sdy,
                "proto": to_proto,
                "generic": to_generic,
                "pretty": to_pretty,
            }[job["to"]]
            made = convert(data)
            if job["to"] == "generic" and job.get("names"):
                result["names"] = names_in(data)
        Path(job["output"]).write_bytes(made)
    except Exception as error:
        result["error"] = str(error) or type(error).__name__
    Path(job["result"]).write_text(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1])
