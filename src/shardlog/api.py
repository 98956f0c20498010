"""The Python interface: read a module, propagate its shardings, ask for the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from shardlog import converters
from shardlog.answers import note_bytes
from shardlog.engine import Record
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule, Instruction
from shardlog.ir.sharding import HloSharding
from shardlog.leaves import alike, leaf_at, sharding_of_leaf, split_name
from shardlog.light import dataclass
from shardlog.markup import Displayed
from shardlog.markup import summary as summary_of_run
from shardlog.notes import partitioner_notes
from shardlog.propagation import Outcome
from shardlog.propagation import propagate as run_propagation

if TYPE_CHECKING:
    from pathlib import Path

    from shardlog.explain.account import Account
    from shardlog.explain.frontier import Frontier
    from shardlog.explain.lint import Lint
    from shardlog.explain.refusals import Refusal
    from shardlog.explain.rerun import Reruns
    from shardlog.explain.run import Place, Run
    from shardlog.explain.whynot import WhyNot
    from shardlog.ir.shardy.mesh import Mesh
    from shardlog.query import Answer, Session
    from shardlog.why import Reason

__all__ = [
    "Result",
    "Summary",
    "format_of",
    "load",
    "output",
    "output_pieces",
    "propagate",
    "render",
    "report",
]

LARGE = 20_000
"""From how many instructions on a module counts as large, and is not propagated often."""

Format = Literal["text", "pb", "stablehlo"]


@dataclass(frozen=True)
class Summary:
    """How many instructions had a sharding before and after, and which visits did it.

    `replaced` counts those that came with a sharding and left with another. `changed` and
    `iterations` are those of `Result`. `steps` counts accepted joins by (tier, visit); tier is None
    outside the four tiers; empty without provenance.
    """

    instructions: int
    computations: int
    sharded_before: int
    sharded_after: int
    replaced: int
    changed: bool
    iterations: int
    steps: dict[tuple[int | None, str], int]


class Result(Displayed):
    """A module after propagation, with the record of how each sharding came about.

    Instructions go by their names after the pass or before it, where the pass renames them (a
    `Sharding` custom-call becomes a copy); NAME{1} is an element of a tuple.
    """

    def __init__(
        self, outcome: Outcome, notes: Sequence[str], options: Mapping[str, Any] | None = None
    ) -> None:
        self._outcome = outcome
        self.notes = tuple(notes)
        self._options = options

    @property
    def module(self) -> HloModule:
        """The module with its shardings and the pass's own graph edits in place."""
        return self._outcome.module

    @property
    def records(self) -> Sequence[Record]:
        """Every accepted join, in order, as the engine records it; empty without provenance."""
        return self._outcome.records

    @property
    def changed(self) -> bool:
        """Whether the pass counts anything as a change, which is what XLA's pass returns.

        Its first edits and what it propagates count; what it does at its end, and annotations whose
        open dimensions it refines, do not. Follows ShardingPropagation::RunImpl.
        """
        return self._outcome.changed

    @property
    def iterations(self) -> int:
        """How often the pass goes through the module, as XLA's pass counts it."""
        return self._outcome.iterations

    @property
    def seconds(self) -> dict[str, float]:
        """The time that each phase took: rules, facts, planning, saturation, result."""
        return dict(self._outcome.phases)

    def sharding(self, name: str) -> HloSharding | None:
        """Return the sharding of an instruction or of an element, or None if it has none.

        Raises InputError if there is no such instruction or element.
        """
        entity, leaf = self._find(name)
        return sharding_of_leaf(self._outcome.entities[entity].sharding, leaf)

    def given(self, name: str) -> HloSharding | None:
        """Return the sharding that an instruction or element came with, or None if it had none.

        Raises InputError if there is no such instruction or element.
        """
        entity, leaf = self._find(name)
        return sharding_of_leaf(self._outcome.given[entity], leaf)

    def why(
        self, name: str, *, depth: int | None = None, dim: int | None = None, whole: bool = False
    ) -> Reason:
        """Return the proof of the sharding of an instruction or element, back to the annotations.

        The proof is the smallest; `whole` has the history of each sharding in it. `dim` asks why
        one dimension is split, `depth` limits the steps. Raises InputError if there is no such
        instruction, element or split dimension.
        """
        from shardlog.explain.account import prove

        return prove(self.run, self._place(name), dim=dim, depth=depth, whole=whole)

    def account(
        self, name: str, *, depth: int | None = None, dim: int | None = None, whole: bool = False
    ) -> Account:
        """Return the proof as `why` does, the cause in one sentence, and what stands beside it.

        Raises InputError as `why` does.
        """
        from shardlog.explain.account import account

        return account(self.run, self._place(name), dim=dim, depth=depth, whole=whole)

    def whynot(
        self,
        name: str,
        wanted: HloSharding | str | None = None,
        *,
        dim: int | None = None,
        every: bool = False,
        mesh: Mesh | None = None,
    ) -> WhyNot:
        """Return why an instruction or element is not sharded as wanted, or along a dimension.

        Without either: why it has no tiles at all. Of a tuple, the first element that has not what
        was wanted counts. With `every`, rules for other instructions are told of, too, with the
        first literal that fails. `wanted` may be the text of a PartitionSpec on `mesh`. Raises
        InputError if there is no such instruction, element or dimension, or for a sharding that
        does not fit.
        """
        from shardlog.explain.wanted import Wanted
        from shardlog.explain.whynot import why_not
        from shardlog.shown import read_on

        run, place = self.run, self._place(name)
        places = [place] if place.leaf is not None else run.leaves(place.entity)
        if not places:
            raise InputError(f"{name} holds no arrays", file=self.module.file)
        found = []
        for at in places:
            one = read_on(mesh, wanted, run.shape(at).rank) if isinstance(wanted, str) else wanted
            found.append((at, Wanted.of(one, dim, run.shape(at))))
        at, want = next((pair for pair in found if not pair[1].met(run.final(pair[0]))), found[0])
        return why_not(run, at, want, every)

    def refusals(self) -> list[Refusal]:
        """Return the ops that refuse what their tiled operands have, in program order.

        XLA's pass so refuses a reduce-window or select-and-scatter with dilation.
        """
        from shardlog.explain.refusals import refusals

        return refusals(self.run)

    def frontier(self, name: str, *, dim: int | None = None, limit: int | None = 20) -> Frontier:
        """Return where the tiles of an instruction, element or dimension go and where they stop.

        At most `limit` edges are explained. Raises InputError if there are no such tiles.
        """
        from shardlog.explain.frontier import frontier

        run, place = self.run, self._place(name)
        if place.leaf is None and run.entities[place.entity].shape.is_tuple:
            place = next((p for p in run.leaves(place.entity) if run.is_split_at(p)), place)
        return frontier(run, place, dim, limit)

    def lint(
        self,
        file: str | None = None,
        *,
        least: int = 1 << 20,
        limit: int | None = 20,
        kinds: Collection[str] | None = None,
        options: str = "",
    ) -> Lint:
        """Return what is likely to hurt, of at least `least` bytes on a device, most bytes first.

        `file` is what the commands that it names call the module, `options` what they are given
        besides; `kinds` are those of `Hurt`, all by default. At most `limit` findings are
        explained. Annotations without effect are found by propagating the module again without
        them, some 20 times at most, and 4 for a large one.
        """
        from shardlog.explain.lint import Hurt, lint

        wanted = frozenset(Hurt) if kinds is None else frozenset(map(Hurt, kinds))
        name = file or self.module.file or "MODULE"
        return lint(
            self.run,
            name,
            options,
            least=least,
            limit=limit,
            kinds=wanted,
            reruns=self._reruns,
        )

    def _reruns(self) -> Reruns | None:
        """Runs of the module as it came, None if that is gone."""
        from shardlog.explain.rerun import Reruns

        module = self.module
        if self._options is None or not (module.source or module.file):
            return None
        try:
            if module.source:
                source = module.source.encode("utf-8", "surrogateescape")
                before = converters.load(source, lenient=True)
            else:
                before = load(module.file or "", lenient=True)
        except InputError:
            # the file is not there any more, or another
            return None
        most = 20 if len(self._outcome.entities) < LARGE else 4
        return Reruns(before, self._options, most)

    def query(
        self,
        question: str,
        *,
        define: Sequence[str | Path] = (),
        mesh: Mesh | None = None,
        limit: int | None = None,
        seconds: float | None = None,
    ) -> Answer:
        """Return the answer to a Datalog question, such as "replicated(I) & because(I, R, O)".

        `define` are files of relations of one's own; `mesh` is for relations about mesh axes. All
        rows are counted, at most `limit` kept. Raises RuleError for what is wrong with the
        question, TooCostly if it takes longer than `seconds`, and EvaluationError. docs/query.md.
        """
        session = self.session(mesh)
        if define:
            session = session.copy()
            for file in define:
                session.load(file)
        return session.ask(question, limit=limit, seconds=seconds)

    def session(self, mesh: Mesh | None = None) -> Session:
        """Return what answers questions, the same each time; rules may be added to it."""
        from shardlog.query import Session

        if mesh not in self._sessions:
            self._sessions[mesh] = Session(self.run, lambda name: self._find(name)[0], mesh)
        return self._sessions[mesh]

    @cached_property
    def _sessions(self) -> dict[Mesh | None, Session]:
        return {}

    @cached_property
    def run(self) -> Run:
        """The run as explanations see it."""
        from shardlog.explain.run import Run

        return Run(self._outcome)

    def _place(self, name: str) -> Place:
        from shardlog.explain.run import Place

        return Place(*self._find(name))

    def summary(self) -> Summary:
        """Return the counts of this run."""
        outcome = self._outcome
        after = [x.sharding for c in self.module.computations for x in c.instructions]
        pairs = zip(outcome.entities, outcome.given, strict=True)
        return Summary(
            instructions=len(after),
            computations=len(self.module.computations),
            sharded_before=len(outcome.given) - outcome.given.count(None),
            sharded_after=len(after) - after.count(None),
            replaced=sum(
                [given is not x.sharding for x, given in pairs if given is not None],
            ),
            changed=outcome.changed,
            iterations=outcome.iterations,
            steps=dict(Counter(map(attrgetter("value", "visit"), self.records))),
        )

    def _repr_html_(self) -> str:
        return summary_of_run(self.module.name, self.notes, self.summary())

    def __repr__(self) -> str:
        sharded = sum(one.sharding is not None for one in self.module.instructions)
        return f"<Result of {self.module.name}: {sharded} instructions have a sharding>"

    def rows(self) -> Iterator[tuple[Instruction, str, HloSharding | None, str | None]]:
        """Yield each instruction of the module with its name and sharding before the pass.

        The name is empty for an instruction that the pass adds. The last member is the rule that
        set the sharding last, None if none did.
        """
        outcome = self._outcome
        kept = {x for computation in self.module.computations for x in computation.instructions}
        rules = {record.entity: record.rule.name for record in self.records}
        before = zip(outcome.entities, outcome.names, outcome.given, strict=True)
        for number, (instruction, name, given) in enumerate(before):
            if instruction in kept:
                yield instruction, name, given, rules.get(number)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Entities by name: names after the pass go before those that it changed."""
        outcome = self._outcome
        after = {x.name: number for number, x in enumerate(outcome.entities)}
        entry = {x.name for x in self.module.entry.instructions}
        numbers = {name: number for number, name in enumerate(outcome.names)} | after
        for number, x in enumerate(outcome.entities):
            if x.computation.is_entry and x.name in entry:
                numbers[x.name] = number
        return numbers

    def number(self, name: str) -> int:
        """Return the number of an instruction, or of the one that an element belongs to.

        Raises InputError if there is no such instruction or element.
        """
        return self._find(name)[0]

    def _find(self, name: str) -> tuple[int, int | None]:
        """The number of an instruction, and the leaf if NAME{1} asks for one."""
        wanted, path = split_name(name)
        wanted = wanted.removeprefix("%")
        number = self._numbers.get(wanted)
        if number is None:
            raise InputError(
                f"no instruction is called {wanted!r}{alike(wanted, self._numbers)}",
                file=self.module.file,
            )
        if path is None:
            return number, None
        try:
            return number, leaf_at(self._outcome.entities[number], path)
        except InputError as error:
            raise error.located(file=self.module.file) from None


def load(source: str | Path | bytes | bytearray, *, lenient: bool = False) -> HloModule:
    """Read an HLO module: text, HloModuleProto, HloProto or HloSnapshot, plain or gzipped.

    Also a program in StableHLO and a jax.export artifact, if a jaxlib is installed
    (shardlog.stablehlo). `source` is a path or the bytes themselves; the content tells the format.
    Broken shardings are errors, unless `lenient` reads them as XLA does. Raises InputError, and
    JaxUnavailable for StableHLO without jaxlib.
    """
    if isinstance(source, bytearray):
        # what jax.export gives for an artifact
        source = bytes(source)
    file = None if isinstance(source, bytes) else str(source)
    try:
        if isinstance(source, bytes):
            data = source
        else:
            with open(source, "rb") as opened:
                data = opened.read()
    except OSError as error:
        raise InputError(error.strerror or str(error), file=file) from error
    data = converters.plain_bytes(data, file)
    if converters.is_mlir(data) or _is_artifact(data):
        from shardlog.stablehlo import load_stablehlo

        return load_stablehlo(data, file, lenient=lenient)
    module = converters.load_bytes(data, file, lenient=lenient)
    note_bytes(module, data)
    return module


def propagate(
    module: HloModule | str | Path | bytes | bytearray,
    *,
    rules: Sequence[str | Path | tuple[str, str]] = (),
    is_spmd: bool = True,
    propagate_metadata: bool = False,
    cse_prevention_only: bool = False,
    params: Sequence[bool] | None = None,
    output: Sequence[bool] | None = None,
    execution_threads: Sequence[str] = (),
    provenance: bool = True,
    as_read: bool = False,
) -> Result:
    """Propagate the shardings of a module as XLA's GSPMD pass `sharding-propagation` does.

    `rules` are files whose rules and facts join the shipped ones, `pack:NAME` for those of an
    installed package, or (name, text) pairs. `params` and `output` replace the module's masks
    `allow_spmd_sharding_propagation_to_parameters` and `..._to_output`: one value for all, or one
    for each parameter or result leaf. With `cse_prevention_only` only broadcasts of
    scalars get shardings, marked so that a later run without it takes them off. Computations of the
    `execution_threads` alone take part; without any, all. Without `provenance` there is no `why`.
    A module that is `as_read`, with nothing changed since, may be answered from what an earlier
    process has kept, or is kept for later ones (docs/cli.md).
    The given module is changed in place. Raises InputError for a bad module or rule file.
    Follows ShardingPropagation::RunImpl.
    """
    if not isinstance(module, HloModule):
        module = load(module)
    notes = partitioner_notes(module)
    options: dict[str, Any] = {
        "is_spmd": is_spmd,
        "propagate_metadata": propagate_metadata,
        "cse_prevention_only": cse_prevention_only,
        "rules": [each if isinstance(each, tuple) else _path(each) for each in rules],
        "params": params,
        "output": output,
        "execution_threads": execution_threads,
    }
    return Result(
        run_propagation(module, provenance=provenance, as_read=as_read, **options), notes, options
    )


def format_of(module: HloModule) -> Format:
    """Return the form that a module was read from."""
    if module.origin == "stablehlo":
        return "stablehlo"
    return "text" if module.source else "pb"


def render(module: HloModule, form: Format) -> bytes:
    """Return a module as HLO text, as the bytes of a proto or as StableHLO text.

    The last, and a proto of what was read as text, need a jaxlib: raises JaxUnavailable without.
    """
    if form == "pb" and not module.source:
        return module.to_proto_bytes()
    if form != "text":
        # few need what runs a jaxlib
        from shardlog.stablehlo import proto_of, stablehlo_of

        return proto_of(module) if form == "pb" else stablehlo_of(module).encode()
    # bytes that are no UTF-8 were read as lone surrogates, and leave as they came
    return module.to_text().encode("utf-8", "surrogateescape")


def output(result: Result, form: str | None = None) -> bytes:
    """Return a propagated module as "text", "pb", "stablehlo" or "json".

    None means the form of its source. Raises JaxUnavailable as `render` does.
    """
    if form == "json":
        import json

        return (json.dumps(report(result), indent=1) + "\n").encode()
    forms: dict[str, Format] = {"text": "text", "pb": "pb", "stablehlo": "stablehlo"}
    return render(result.module, forms[form or format_of(result.module)])


def output_pieces(result: Result, form: str | None = None) -> Iterator[bytes]:
    """Yield what `output` returns: text, which may be large, in pieces."""
    if (form or format_of(result.module)) != "text":
        yield output(result, form)
        return
    for stretch in result.module.text_stretches():
        yield stretch.encode("utf-8", "surrogateescape")


def report(result: Result) -> dict[str, Any]:
    """Return the result ready for JSON: every instruction before and after, counts and notes."""
    counts = result.summary()
    return {
        "module": result.module.name,
        "changed": counts.changed,
        "iterations": counts.iterations,
        "notes": list(result.notes),
        "warnings": list(result.module.warnings),
        "instructions": [
            {
                "computation": instruction.computation.name,
                "name": instruction.name,
                "name_before": name or None,
                "opcode": instruction.opcode,
                "shape": str(instruction.shape),
                "before": _text(before),
                "after": _text(instruction.sharding),
                "changed": before is not instruction.sharding,
                "rule": rule,
            }
            for instruction, name, before, rule in result.rows()
        ],
        "refusals": [refusal.to_dict() for refusal in result.refusals()],
        "sharded_before": counts.sharded_before,
        "sharded_after": counts.sharded_after,
        "steps": [
            {"tier": tier, "direction": direction, "count": count}
            for (tier, direction), count in counts.steps.items()
        ],
        "seconds": result.seconds,
    }


def _text(sharding: HloSharding | None) -> str | None:
    return None if sharding is None else str(sharding)


def _path(named: str | Path) -> Path:
    from pathlib import Path

    return Path(named)


def _is_artifact(data: bytes) -> bool:
    """Whether data may be what jax.export writes, which text never is."""
    if b"\0" not in data[:64]:
        return False
    from shardlog.mlir_run import is_artifact

    return is_artifact(data)
