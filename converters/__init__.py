"""From files to modules and back: HLO text and HLO protos, each plain or gzipped."""

import re
from collections.abc import Callable
from os import PathLike, fspath

from shardlog.converters.hlo_text import TextModule, decode_text, parse_hlo_text, unzipped
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule
from shardlog.ir.sharding import HloSharding

__all__ = [
    "is_mlir",
    "is_module",
    "load",
    "load_bytes",
    "parse_hlo_text",
    "plain_bytes",
    "text_with_shardings",
]

_TEXT = re.compile(rb"(?:\s+|//[^\n]*|/\*.*?\*/)*+(?:HloModule|ENTRY|%[\w.\-]+)\b", re.S)
_MLIR = re.compile(
    rb"ML\xefR|(?:\s+|//[^\n]*)*+"
    rb"(?:#[\w-]+ ?=|\"?(?:builtin\.)?module\b|func\.func\b|sdy\.mesh\b)",
    re.S,
)
_BEGINNING = 1 << 16
_UNPRINTABLE = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def load(source: bytes | str | PathLike[str], *, lenient: bool = False) -> HloModule:
    """Read an HLO module from a file or from the bytes of one; the content tells the format.

    It may be HLO text, an HloModuleProto, HloProto or HloSnapshot, plain or gzipped. `lenient`
    reads broken shardings as XLA does. Raises an InputError if it is none of these or not
    well-formed, and OSError if there is no such file.
    """
    if isinstance(source, bytes):
        return load_bytes(source, lenient=lenient)
    with open(source, "rb") as file:
        data = file.read()
    return load_bytes(data, fspath(source), lenient=lenient)


def load_bytes(data: bytes, file: str | None = None, *, lenient: bool = False) -> HloModule:
    """Read an HLO module from the bytes of a file; `file` is only named in messages.

    `lenient` reads broken shardings as XLA does. Raises InputError.
    """
    data = plain_bytes(data, file)
    if not data.strip():
        raise InputError("empty file", file=file, expected="HLO text or an HLO proto")
    if _TEXT.match(data):
        return parse_hlo_text(decode_text(data, file), file, lenient)
    if is_mlir(data):
        raise InputError(
            "not HLO",
            file=file,
            expected="HLO text or an HLO proto",
            found="MLIR, such as StableHLO",
        )
    if _UNPRINTABLE.search(data):
        # protobuf takes a while to load, and most dumps are text
        from shardlog.converters.hlo_proto import parse_hlo_proto

        return parse_hlo_proto(data, file, lenient)
    return parse_hlo_text(decode_text(data, file), file, lenient)


def is_mlir(data: bytes) -> bool:
    """Tell whether bytes look like MLIR, as text or bytecode."""
    return bool(_MLIR.match(data))


def plain_bytes(data: bytes, file: str | None = None) -> bytes:
    """Return the bytes of a file, unpacked if they are gzipped. Raises InputError."""
    return unzipped(data, file) if data.startswith(b"\x1f\x8b") else data


def is_module(data: bytes) -> bool:
    """Tell whether bytes look like a module: gzipped, HLO text or a proto, not plain other text."""
    return bool(
        data.startswith(b"\x1f\x8b") or _TEXT.match(data) or _UNPRINTABLE.search(data[:_BEGINNING])
    )


def text_with_shardings(module: HloModule, show: Callable[[HloSharding], str]) -> str:
    """Return the text of a module with every sharding written by `show`.

    Raises InputError if the module has no text, and what `show` raises, naming the sharding.
    """
    from shardlog.converters.hlo_text_writer import write_hlo_text

    text = module if isinstance(module, TextModule) else parse_hlo_text(module.to_text())
    return write_hlo_text(text, show)
