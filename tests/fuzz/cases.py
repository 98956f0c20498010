"""Generated cases: a module and the options that it is run with."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.fuzz import modes
from tests.fuzz.builder import EMITTERS, Builder, Emitter, Module, load_emitters
from tests.fuzz.meshes import draw_mesh
from tests.fuzz.modes import Modes
from tests.fuzz.shapes import Value

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
    module = Module(rng, draw_mesh(rng), able)
    modes.draw_module(module)
    entry = Builder(module)
    modes.draw_parameters(entry)
    for _ in range(rng.randint(2, size)):
        entry.step()
    root = modes.draw_root(entry)
    words = ["HloModule fuzz", *module.header, *modes.draw_header(entry, root)]
    main = entry_text(entry, root)
    text = "\n".join([", ".join(words), "", *module.shared.values(), *module.computations, main])
    return Case(name, text, options)


def entry_text(entry: Builder, root: Value) -> str:
    """The text of the entry computation."""
    entry.finish(root, "main")
    return "ENTRY " + entry.module.computations.pop()
