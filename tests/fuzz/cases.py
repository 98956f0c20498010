"""Generated cases: a module and the options that it is run with."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.fuzz import modes
from tests.fuzz.builder import EMITTERS, Builder, Emitter, Module, load_emitters
from tests.fuzz.modes import Modes
from tests.fuzz.shapes import Array, Tuple, Value

_OPCODE = re.compile(r"^  (?:ROOT )?%\S+ = (?:\(.*?\) |\S+ )([a-z][\w-]*)\(", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """One module as HLO text, and how it is run. The same name always gives the same case."""

    name: str
    text: str
    modes: Modes = field(default_factory=Modes)

    @property
    def opcodes(self) -> Counter[str]:
        """How many instructions of each opcode the module has."""
        return Counter(_OPCODE.findall(self.text))


def emitters(pattern: str = "") -> list[Emitter]:
    """The registered emitters whose names match a pattern, all by default, in a fixed order."""
    load_emitters()
    wanted = re.compile(pattern)
    return [EMITTERS[name] for name in sorted(EMITTERS) if wanted.search(name)]


def make(seed: int, number: int, able: Sequence[Emitter], size: int = 14) -> Case:
    """Case `number` of a seed, of up to `size` draws of emitters."""
    name = f"{seed}-{number}"
    rng = random.Random(name)
    options = modes.draw_modes(rng)
    module = Module(rng, modes.draw_module_mesh(rng), able)
    module.annotated = rng.choice((0.02, 0.1, 0.15, 0.3))
    entry = Builder(module)
    for _ in range(rng.randint(1, 4)):
        entry.parameter(entry.shape(1, 4), 0.65)
    for _ in range(rng.randint(2, size)):
        entry.step()
    root = _root(entry)
    words = ["HloModule fuzz", *module.header, *modes.draw_header(entry, root)]
    main = entry_text(entry, root)
    text = "\n".join([", ".join(words), "", *module.shared.values(), *module.computations, main])
    return Case(name, text, options)


def _root(entry: Builder) -> Value:
    arrays = [v for v in entry.values if isinstance(v.shape, Array)]
    if entry.chance(0.15):
        return arrays[-1]
    outputs = arrays[-entry.rng.randint(1, 6) :]
    shape = Tuple(tuple(v.shape for v in outputs))
    return entry.emit(shape, f"tuple({', '.join(map(str, outputs))})", annotated=0.1)


def entry_text(entry: Builder, root: Value) -> str:
    """The text of the entry computation."""
    entry.finish(root, "main")
    return "ENTRY " + entry.module.computations.pop()
