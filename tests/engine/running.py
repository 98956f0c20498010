"""Runs a rule set both ways, by the compiler and by the interpreter, and compares what they say."""

from __future__ import annotations

from typing import Any

from shardlog.engine import Facts, Library, Program, Record, Saturated, Saturation, load_program
from shardlog.engine.interpreter import Interpretation

Told = tuple[Any, ...]


def told(record: Record) -> Told:
    """A record with the order of its contributors left out."""
    return (*record[:5], frozenset(record.contributors), *record[6:])


def load(text: str, library: Library, facts: Facts, **options: Any) -> Program:
    """A program of one text over the relations that facts have."""
    base: dict[str, tuple[int, bool]] = {}
    for name in facts.names():
        signature = facts.signature(name)
        assert signature is not None
        base[name] = signature
    return load_program([("toy", text)], library, base, **options)


def values(saturated: Any, lattice: str) -> list[Any]:
    """The values of all entities."""
    return [saturated.value(lattice, n) for n in range(saturated.facts.entity_count)]


def agree(program: Program, facts: Facts) -> Saturated:
    """Runs a program in every way there is; fails unless all say the same.

    The runs are the plain one, which it returns, one without provenance, one that marks everything
    at the start of a round, and the interpreter's.
    """
    plain = Saturation(program, facts).run()
    oracle = Interpretation(program, facts).run()
    everything = Saturation(program, facts, everything=True).run()
    silent = Saturation(program, facts, record=False).run()
    assert silent.records == []
    for lattice in program.declared.lattices:
        wanted = values(oracle, lattice)
        for run in (plain, everything, silent):
            assert values(run, lattice) == wanted
    assert list(map(told, plain.records)) == list(map(told, oracle.records))
    assert everything.records == plain.records
    assert plain.iterations == everything.iterations == silent.iterations == oracle.iterations
    for relation in ("reaches", "fan", "near"):
        if program.by_relation.get(relation):
            assert set(plain.rows(relation)) == set(oracle.rows(relation))
    return plain


def answers(program: Program, facts: Facts, *relations: str) -> list[set[Told]]:
    """The rows of relations after a run, on which compiler and interpreter agree."""
    plain = agree(program, facts)
    oracle = Interpretation(program, facts).run()
    found = [set(plain.rows(relation)) for relation in relations]
    assert found == [set(oracle.rows(relation)) for relation in relations]
    return found
