"""The graphs that are timed: a stated list from a corpus, if there is one, and made-up ones."""

from __future__ import annotations

import argparse
import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from benchmarks.models import Mesh, transformer, wide_loop

__all__ = ["CORPUS_VARIABLE", "Graph", "find_corpus", "graphs", "write"]

CORPUS_VARIABLE = "SHARDLOG_CORPUS"
CORPUS_GRAPHS = {
    "r0012_6": 100,
    "f12_while_tuple_many": 103,
    "f01_mlp_dp8_adam_out": 272,
    "f03_llama_train_scan_512": 1549,
    "f03_llama_train_scan_4d_64": 2126,
    "f04_gpt_train_unroll_l4_fsdp8": 2934,
    "f21_linen_lm_scan_2x4": 3396,
    "f06_resnet50_fsdp_4x4": 7942,
    "f04_gpt_train_unroll_l24_fsdp_none": 18947,
    "f04_gpt_train_unroll_l24_3d": 19287,
    "f04_llama_train_unroll_l80_512": 73619,
}
"""Programs of the corpus, and how many instructions each has."""

DEVICES = (8, 512, 65_536, 1_048_576)
DEVICES_LAYERS = 62
LAYERS = {"100": 1, "1k": 6, "10k": 62, "19k": 117, "74k": 454, "500k": 3080}


@dataclass(frozen=True)
class Graph:
    """A graph to time: its name, about how many instructions it has, and how to write it.

    Exactly one of `source`, a file of HLO text that may be gzipped, and `model` is given.
    """

    name: str
    instructions: int
    source: Path | None = None
    model: Callable[[TextIO], int] | None = None


def find_corpus(named: str | None) -> Path | None:
    """The corpus: the folder named, that of SHARDLOG_CORPUS, or one beside the project.

    Raises FileNotFoundError if the one named is not there.
    """
    beside = Path(__file__).resolve().parents[2] / "shared" / "corpus"
    for folder in (named, os.environ.get(CORPUS_VARIABLE), beside):
        if folder and Path(folder).is_dir():
            return Path(folder)
        if folder and folder is named:
            raise FileNotFoundError(f"no such corpus: {folder}")
    return None


def graphs(corpus: Path | None) -> list[Graph]:
    """All graphs, the smallest first within each kind."""
    found: list[Graph] = []
    for name, count in CORPUS_GRAPHS.items():
        source = None if corpus is None else _source(corpus, name)
        if source is not None:
            found.append(Graph(name, count, source))
    for size, layers in LAYERS.items():
        found.append(Graph(f"transformer_{size}", 163 * layers + 6, model=_transformer(layers)))
    found.append(Graph("loop_1000", 4007, model=lambda out: wide_loop(out, 1000, Mesh(64))))
    for devices in DEVICES:
        mesh = Mesh(devices)
        model = _transformer(DEVICES_LAYERS, mesh)
        found.append(Graph(f"devices_{devices}", 163 * DEVICES_LAYERS + 6, model=model))
    model = _transformer(DEVICES_LAYERS, Mesh(4096, explicit=True))
    found.append(Graph("explicit_4096", 163 * DEVICES_LAYERS + 6, model=model))
    return found


def _transformer(layers: int, mesh: Mesh | None = None) -> Callable[[TextIO], int]:
    return lambda out: transformer(out, layers, mesh or Mesh(512))


def _source(corpus: Path, name: str) -> Path | None:
    for folder in (corpus / "pairs", corpus):
        for ending in (".before.txt", ".before.txt.gz"):
            path = folder / f"{name}{ending}"
            if path.exists():
                return path
    return None


def write(graph: Graph, target: Path) -> None:
    """Write a graph as plain HLO text."""
    if graph.source is not None:
        data = graph.source.read_bytes()
        target.write_bytes(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)
        return
    assert graph.model is not None
    with target.open("w") as out:
        graph.model(out)


def main() -> None:
    """Write one graph, in a process of its own so that the timing process stays small."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("name")
    parser.add_argument("target", type=Path)
    parser.add_argument("--corpus")
    given = parser.parse_args()
    (graph,) = (g for g in graphs(find_corpus(given.corpus)) if g.name == given.name)
    write(graph, given.target)


if __name__ == "__main__":
    main()
