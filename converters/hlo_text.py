"""Reading and writing HLO text, the form that XLA dumps and JAX prints."""

from __future__ import annotations

from os import PathLike, fspath

from shardlog.converters.hlo_text_builder import unknown_attributes
from shardlog.converters.hlo_text_module import TextModule
from shardlog.converters.hlo_text_reader import parse_hlo_text
from shardlog.converters.hlo_text_writer import write_hlo_text
from shardlog.ir.errors import InputError

__all__ = [
    "TextModule",
    "decode_text",
    "parse_hlo_text",
    "read_hlo_text",
    "unknown_attributes",
    "write_hlo_text",
]


def read_hlo_text(path: str | PathLike[str]) -> TextModule:
    """The module in a file of HLO text, gzipped or not.

    Raises InputError if it cannot be read, with the line, and OSError if there is no such file.
    """
    file = fspath(path)
    with open(file, "rb") as stream:
        return parse_hlo_text(decode_text(stream.read(), file), file)


def decode_text(data: bytes, file: str | None = None) -> str:
    """The text in bytes that are gzipped or not; bytes that are no UTF-8 survive a round trip.

    Raises InputError if the compressed data is damaged.
    """
    if data.startswith(b"\x1f\x8b"):
        data = unzipped(data, file)
    return data.decode("utf-8", "surrogateescape")


def unzipped(data: bytes, file: str | None = None) -> bytes:
    """Return what gzipped bytes hold. Raises InputError."""
    import gzip
    import zlib

    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            "damaged gzip file", file=file, found=str(error) or type(error).__name__
        ) from None
