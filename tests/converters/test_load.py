"""Which reader a file goes to."""

import gzip
from pathlib import Path

import pytest

from shardlog.converters import load
from shardlog.ir.errors import InputError
from tests.converters.protos import computation, proto, row

TEXT = b"HloModule m\n\nENTRY %e (p: f32[2]) -> f32[2] {\n  ROOT %p = f32[2]{0} parameter(0)\n}\n"
PROTO = proto(computation(1, 1, row(1, "parameter"))).SerializeToString()


@pytest.mark.parametrize("data", [TEXT, b"\n// a comment\n" + TEXT, PROTO])
@pytest.mark.parametrize("zipped", [False, True])
def test_content_tells_the_format(data: bytes, zipped: bool, tmp_path: Path) -> None:
    file = tmp_path / "module"
    file.write_bytes(gzip.compress(data) if zipped else data)
    for source in (file, str(file), file.read_bytes()):
        assert load(source).name == "m"
    assert load(file).file == str(file)
    assert load(file.read_bytes()).file is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty file"),
        (b" \n\n", "empty file"),
        (gzip.compress(TEXT)[:20], "damaged gzip file"),
        (b"\x1f\x8b\x08 and so on", "damaged gzip file"),
        (b"module @m {\n}\n", "not HLO .*MLIR"),
        (b"ML\xefR\x01StableHLO", "not HLO .*MLIR"),
        (b"Once upon a time", "not HLO text"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "unreadable proto"),
        (b"\x7fELF\x02\x01\x01\x00", "unreadable proto"),
    ],
)
def test_other_files_are_refused(data: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "some.file"
    file.write_bytes(data)
    with pytest.raises(InputError, match=message) as caught:
        load(file)
    assert caught.value.file == str(file)


def test_a_missing_file_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")
