"""Writes descriptors.py from the .proto files: `python -m shardlog.converters.proto.generate`."""

import base64
import sys
import tempfile
import zlib
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = ("xla_data.proto", "hlo.proto")


def compile_protos() -> bytes:
    """The serialized FileDescriptorSet of the .proto files; needs the package grpcio-tools."""
    from grpc_tools import protoc  # type: ignore[import-not-found,import-untyped,unused-ignore]

    with tempfile.TemporaryDirectory() as work:
        target = Path(work) / "descriptors.binpb"
        arguments = ["protoc", f"-I{HERE}", f"--descriptor_set_out={target}", *SOURCES]
        if protoc.main(arguments) != 0:
            raise SystemExit("protoc failed")
        return target.read_bytes()


def module_text(descriptor_set: bytes) -> str:
    """The text of descriptors.py for a serialized FileDescriptorSet."""
    encoded = base64.b64encode(zlib.compress(descriptor_set, 9)).decode()
    lines = "\n".join(f'    "{encoded[i : i + 92]}"' for i in range(0, len(encoded), 92))
    return (
        '"""The FileDescriptorSet of the .proto files, made by generate.py."""\n\n'
        "import base64\nimport zlib\n\n"
        f"DESCRIPTOR_SET = zlib.decompress(\n    base64.b64decode(\n{lines}\n    )\n)\n"
    ).replace('\n    "', '\n        "')


def main() -> None:
    """Writes descriptors.py beside this file."""
    (HERE / "descriptors.py").write_text(module_text(compile_protos()))
    sys.stdout.write("wrote descriptors.py\n")


if __name__ == "__main__":
    main()
