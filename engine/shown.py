"""The Python that a rule is compiled to, for people to read."""

from __future__ import annotations

from collections.abc import Hashable

from shardlog.engine.alternatives import Alternative, Goal
from shardlog.engine.compiler import Compiler
from shardlog.engine.leaves import Leaf, SolveLeaf, StepLeaf
from shardlog.engine.program import Program
from shardlog.engine.relations import Facts
from shardlog.engine.syntax import Rule, Term, Variable
from shardlog.engine.tables import UNIT

__all__ = ["compiled_source"]


def compiled_source(program: Program, facts: Facts, rule: Rule, value: Hashable) -> str:
    """The functions that a rule is compiled to, for one value of the dispatch relation.

    `facts` need no entities, only the relations and constants of a run. It is empty where the rule
    cannot hold for the value. A rule that proposes becomes a function that plans a step for an
    entity, and the kernel of the step; any other rule a function from what it is asked with to the
    rows that it gives.
    """
    compiler = _Recorder(program, facts)
    channel = program.declared.channels.get(rule.relation)
    if channel is not None:
        name = program.declared.visits[channel.visit].variable
        alternative = compiler.with_context(rule)
        leaf: Leaf = StepLeaf(compiler, [(channel, rule)], name)
        compiler.function([name], [alternative], leaf, {name: value})
    else:
        compiler.solve(rule, value)
    return "\n\n".join(compiler.sources)


class _Recorder(Compiler):
    """A compiler that keeps the functions that it writes."""

    def __init__(self, program: Program, facts: Facts) -> None:
        self.sources: list[str] = []
        state = {name: [None] * facts.entity_count + [UNIT] for name in program.declared.lattices}
        super().__init__(program, facts, state, program.declared.lattices[:-1])

    def load(self, source: str) -> None:
        """Keeps what is written, a kernel behind the plan that uses it."""
        self.sources.insert(0, source)
        super().load(source)

    def with_context(self, rule: Rule) -> Alternative:
        """The way through a rule that proposes."""
        channel = self.declared.channels[rule.relation]
        return self._contextual(channel, rule)._replace(path=(((), 0),))

    def solve(self, rule: Rule, value: Hashable) -> None:
        """Writes a function from the terms that a relation is asked with to a rule's rows."""
        inputs = len(self.declared.modes.get(rule.relation, ()))
        given = inputs or len(rule.terms) - (rule.functional or rule.aggregate is not None)
        terms = [
            term
            if isinstance(term, Variable) and term not in rule.terms[:place]
            else Variable(f"P{place}")
            for place, term in enumerate(rule.terms)
        ]
        bodies = self.settler.bodies
        head: tuple[Term, ...] = tuple(terms[given:]) or tuple(terms)
        made: tuple[tuple[Goal, ...], tuple[Term, ...], int] | None = None
        if rule.aggregate is not None:
            made = bodies.aggregate_body(rule, rule.aggregate, terms[:-1], 0)
        elif (body := bodies.body(rule, terms, 0)) is not None:
            made = body[0], head, body[1]
        if made is None:
            return
        goals, head, fresh = made
        alternative = Alternative(goals, head, mask=self.settler.full_mask, fresh=fresh)
        parameters = [term.name for term in terms[:given]]
        known = {n: value for n in parameters if self.settler.asks_dispatch(alternative, n)}
        leaf = SolveLeaf(self, [rule], "rows", live=True)
        first = dict(list(known.items())[-1:])
        self.function(parameters, [alternative], leaf, first)
