"""Runs XLA's own pass `sharding-propagation` from the jaxlib of this interpreter.

A script for `shardlog.xla`, which starts it in a process of its own: `python xla_pass.py SPEC`. It
imports nothing but the standard library and jaxlib, because that interpreter need not have
shardlog. SPEC is a JSON file, {"options": {...}, "jobs": [{...}, ...], "about": FILE}: what they
hold stands at `Options` and `Job`, and FILE tells afterwards which jaxlib it was. Each job runs in
a forked child, so that a CHECK failure in XLA costs only it.

The pass is no Python function of jaxlib, but its wheels keep their symbol table. So the module is
parsed with jaxlib's bindings, the pass's constructor and `Run` are looked up by name, and called on
that very C++ object (System V x86-64 calling convention): nothing is converted or compiled.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import importlib
import json
import mmap
import os
import re
import signal
import struct
import sys
import time
from typing import Any

LIBRARIES = ("libjax_common.so", "xla_extension.so")
TABLES = re.compile(r"^(?:FileNames|FunctionNames|FileLocations|StackFrames)\n(?:\d.*\n)*\n*", re.M)
STACK_FRAME = re.compile(
    r"\s*\b(?:stack_frame_id|source_end_line|source_column|source_end_column)=\d+"
)


@dataclasses.dataclass(frozen=True)
class Options:
    """How to run the pass: the arguments of its constructor, and the limits of a run."""

    is_spmd: bool = True
    propagate_metadata: bool = False
    cse_prevention_only: bool = False
    execution_thread: str = ""  # the only one that takes part; without it, all
    repeat: int = 0  # further runs on fresh copies, for times and for `outcomes`
    timeout: int = 300  # seconds for each job


@dataclasses.dataclass(frozen=True)
class Job:
    """One module: the file that holds it, where its results go, and its masks.

    `input` holds HLO text or a serialized HloModuleProto; `result` will be a JSON file, `after` the
    HLO text after the pass, `stderr` what XLA printed.
    """

    input: str
    is_text: bool
    result: str
    after: str
    stderr: str
    params: list[bool]
    output: list[bool]


def bindings() -> Any:
    """Return jaxlib's extension module for HLO; its name changed over time."""
    importlib.import_module("jaxlib")  # its absence is another error than that of one part
    for name in ("jaxlib._hlo", "jaxlib._jax", "jaxlib.xla_extension"):
        with contextlib.suppress(ImportError):
            module = importlib.import_module(name)
            if hasattr(module, "HloModule"):
                return module
    raise RuntimeError("this jaxlib has no bindings for HLO modules")


def register_partitioners() -> None:
    """Tell XLA which custom-calls of jaxlib are batched, as importing jax does.

    Without it the pass knows nothing of QR, SVD and other LAPACK calls and leaves them unset.
    """
    client = importlib.import_module("jaxlib.xla_client")
    register = getattr(client, "register_custom_call_as_batch_partitionable", None)
    if register is None:
        return
    for name in ("lapack", "gpu_linalg", "gpu_solver", "gpu_sparse"):
        with contextlib.suppress(ImportError):
            module = importlib.import_module(f"jaxlib.{name}")
            for target in getattr(module, "batch_partitionable_targets", list)():
                register(target)


def without_stack_frames(text: str) -> str:
    """Return HLO text without stack frames and columns, which older versions cannot read."""
    return STACK_FRAME.sub("", TABLES.sub("", text))


class Symbols:
    """The addresses of the C++ functions of jaxlib's library, by part of their mangled names."""

    def __init__(self) -> None:
        root = os.path.realpath(os.path.dirname(str(importlib.import_module("jaxlib").__file__)))
        path, self.base = self._loaded(root)
        with open(path, "rb") as file:
            self.elf = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        (table,) = struct.unpack_from("<Q", self.elf, 0x28)
        (count,) = struct.unpack_from("<H", self.elf, 0x3C)
        sections = [
            struct.unpack_from("<IIQQQQIIQQ", self.elf, table + 64 * i) for i in range(count)
        ]
        symtab = next((s for s in sections if s[1] == 2), None)  # SHT_SYMTAB
        if symtab is None:
            raise RuntimeError(f"{path} has no symbol table")
        strtab = sections[symtab[6]]
        self.symbols = symtab[4], symtab[4] + symtab[5]
        self.names = strtab[4], strtab[4] + strtab[5]

    @staticmethod
    def _loaded(root: str) -> tuple[str, int]:
        with open("/proc/self/maps") as maps:
            for line in maps:
                span, _, offset, _, _, *path = line.rstrip("\n").split(maxsplit=5)
                if (
                    int(offset, 16) == 0
                    and path
                    and path[0].startswith(root)
                    and os.path.basename(path[0]) in LIBRARIES
                ):
                    return path[0], int(span.split("-")[0], 16)
        raise RuntimeError(f"none of {', '.join(LIBRARIES)} is loaded from {root}")

    def find(self, *patterns: bytes) -> tuple[bytes, int]:
        """Return (mangled name, address) of the first function whose name holds a pattern.

        Names are separated by NUL, so a NUL in a pattern anchors it. Raises LookupError.
        """
        for pattern in patterns:
            at = self.elf.find(pattern, *self.names)
            while at >= 0:
                begin = self.elf.rfind(b"\0", self.names[0], at + 1) + 1
                name = self.elf[begin : self.elf.find(b"\0", begin)]
                key = struct.pack("<I", begin - self.names[0])
                symbol = self.elf.find(key, *self.symbols)
                while symbol >= 0 and (symbol - self.symbols[0]) % 24:  # sizeof(Elf64_Sym)
                    symbol = self.elf.find(key, symbol + 1, self.symbols[1])
                if symbol >= 0 and b"." not in name:  # no .cold or .isra part of a function
                    (value,) = struct.unpack_from("<Q", self.elf, symbol + 8)
                    return name, self.base + int(value)
                at = self.elf.find(pattern, at + 1, self.names[1])
        raise LookupError(f"no symbol like {patterns[0].decode()!r} in this jaxlib")


class Span(ctypes.Structure):
    """absl::Span<const bool>, which keeps its elements alive."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    def __init__(self, values: list[bool]) -> None:
        self.array = (ctypes.c_bool * len(values))(*values)
        super().__init__(ctypes.addressof(self.array), len(values))


class Pass:
    """xla::ShardingPropagation of the loaded library."""

    def __init__(self) -> None:
        self.hlo = bindings()  # loads the library
        register_partitioners()
        self.find = find = Symbols().find
        pointer, flag = ctypes.c_void_p, ctypes.c_bool
        # void* nb_inst_ptr(PyObject*): the C++ object inside a nanobind instance
        self.instance = ctypes.PYFUNCTYPE(pointer, ctypes.py_object)(
            find(b"\0_ZN8nanobind6detail11nb_inst_ptrEP7_object\0")[1]
        )
        # ShardingPropagation(bool is_spmd, bool propagate_metadata, Span output, Span parameters,
        #     bool cse_prevention_only, unique_ptr<Helper>)
        self.construct = ctypes.CFUNCTYPE(None, pointer, flag, flag, Span, Span, flag, pointer)(
            find(b"\0_ZN3xla19ShardingPropagationC2EbbN4absl")[1]
        )
        # StatusOr<bool> Run[Impl](HloModule*, const flat_hash_set<string_view>&)
        self.call = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer)(
            find(
                b"\0_ZN3xla19ShardingPropagation7RunImplEPNS_9HloModule",
                b"\0_ZN3xla19ShardingPropagation3RunEPNS_9HloModule",
            )[1]
        )
        self.vtable = find(b"\0_ZTVN3xla9HloModuleE\0")[1] + 16

    def parse(self, job: Job) -> Any:
        """Read the module of a job into a fresh HloModule of jaxlib."""
        with open(job.input, "rb") as file:
            data = file.read()
        if not job.is_text:
            return self.hlo.HloModule.from_serialized_hlo_module_proto(data)
        text = data.decode()
        try:
            return self.hlo.hlo_module_from_text(text)
        except Exception:
            plain = without_stack_frames(text)
            if plain == text:
                raise
            return self.hlo.hlo_module_from_text(plain)

    def print(self, module: Any) -> str:
        """Return the HLO text of a module, complete enough to be read again."""
        style = self.hlo.HloPrintOptions()
        style.print_large_constants = True
        style.print_operand_shape = False  # old versions have True as their default
        return str(module.to_string(style))

    def run(self, module: Any, job: Job, options: Options) -> tuple[bool, float]:
        """Run the pass on a module in place; return (changed, seconds).

        Raises RuntimeError with XLA's message if the pass returns an error.
        """
        address = self.instance(module)
        if ctypes.c_uint64.from_address(address).value != self.vtable:
            raise RuntimeError("HloModule not found in its Python object")
        buffer = ctypes.c_uint64 * 64  # more than any of the C++ objects below
        this, result, threads, helper = buffer(), buffer(), buffer(), buffer()
        at = ctypes.addressof  # all zero: an empty set, a null unique_ptr
        name = ctypes.create_string_buffer(options.execution_thread.encode())
        if options.execution_thread:
            for place, word in enumerate(self._set_of_one(name)):
                threads[place] = word
        self.construct(
            at(this),
            options.is_spmd,
            options.propagate_metadata,
            Span(job.output),
            Span(job.params),
            options.cse_prevention_only,
            at(helper),
        )
        start = time.perf_counter_ns()
        self.call(at(result), at(this), address, at(threads))
        seconds = (time.perf_counter_ns() - start) / 1e9
        if result[0] >> 2:  # absl::Status: OK is 0 or 1, an inlined code is shifted by 2
            raise RuntimeError(self._message(result))
        return bool(result[1] & 1), seconds

    def _set_of_one(self, name: ctypes.Array[ctypes.c_char]) -> tuple[int, int, int, int]:
        """Return an absl::flat_hash_set<string_view> with one element, as it lies in memory.

        Capacity, size (shifted by the bits that newer versions put below it), then the string_view
        in place. Raises RuntimeError if this jaxlib has another layout.
        """
        version = str(importlib.import_module("jaxlib").__version__)
        if not version.startswith("0.10."):
            raise RuntimeError(f"an execution thread can be given to jaxlib 0.10, not to {version}")
        return 1, 1 << 17, len(name.value), ctypes.addressof(name)

    def _message(self, status: ctypes.Array[ctypes.c_uint64]) -> str:
        """Return the text of an absl::Status."""
        # std::string ToStringSlow(mode) const; in later versions static (uintptr_t rep, mode)
        name, address = self.find(b"6Status12ToStringSlowB5cxx11E")
        text = (ctypes.c_uint64 * 4)()  # std::string: data, size, local buffer
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(address)(
            ctypes.addressof(text),
            ctypes.addressof(status) if name.startswith(b"_ZNK") else status[0],
            0,
        )
        return ctypes.string_at(text[0], text[1]).decode(errors="replace")

    def job(self, job: Job, options: Options) -> dict[str, Any]:
        """Run one job, write its text after the pass, return the fields of its result."""
        module = self.parse(job)
        changed, seconds = self.run(module, job, options)
        after = self.print(module)
        with open(job.after, "w") as file:
            file.write(after)
        times, outcomes = [seconds], [after]
        kept = [module]  # so that the next one lies elsewhere, which is what hash orders hang on
        for _ in range(options.repeat):
            module = self.parse(job)
            kept.append(module)
            times.append(self.run(module, job, options)[1])
            text = self.print(module)
            if text not in outcomes:
                outcomes.append(text)
        return {"changed": changed, "seconds": times, "outcomes": outcomes}


def child(engine: Pass, job: Job, options: Options) -> None:
    """Run one job in this forked process and end the process."""
    os.dup2(os.open(job.stderr, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    signal.alarm(options.timeout)
    try:
        result = {"status": "ok", **engine.job(job, options)}
    except Exception as error:
        result = {"status": "error", "message": f"{type(error).__name__}: {error}"}
    with open(job.result, "w") as file:
        json.dump(result, file)
    os._exit(0)


def crash_message(number: int, stderr: str) -> str:
    """Return the CHECK failure that XLA printed, or else its last line."""
    if number == signal.SIGALRM:
        return "timeout"
    lines = [line for line in stderr.splitlines() if line.strip()]
    checks = [line for line in lines if re.search(r"^F\d{4} |: F |Check fail", line)]
    return f"{signal.Signals(number).name}: {(checks or lines[-1:] or [''])[0]}"


def main(spec_path: str) -> None:
    """Run every job of a spec, each in a forked child."""
    with open(spec_path) as file:
        spec = json.load(file)
    options = Options(**spec["options"])
    engine = Pass()
    version = importlib.import_module("jaxlib").__version__
    with open(spec["about"], "w") as file:
        json.dump({"jaxlib": version}, file)
    for fields in spec["jobs"]:
        job = Job(**fields)
        pid = os.fork()
        if pid == 0:
            child(engine, job, options)
        status = os.waitpid(pid, 0)[1]
        if os.WIFSIGNALED(status):
            with open(job.stderr, errors="replace") as file:
                message = crash_message(os.WTERMSIG(status), file.read())
            with open(job.result, "w") as file:
                json.dump({"status": "crash", "message": message}, file)


if __name__ == "__main__":
    # The folder of this file comes first on the path of a script; nothing in it is meant for it.
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.realpath(path) != here]
    main(sys.argv[1])
