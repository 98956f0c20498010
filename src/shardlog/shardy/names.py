"""What the values of a program are called, and finding them by what users call them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shardlog.converters.shardy.program_facts import RESULT, ProgramGraph
from shardlog.engine.errors import nearest
from shardlog.ir.errors import InputError
from shardlog.ir.shardy.edges import EDGE, holder_of
from shardlog.ir.shardy.program import Operation, Value

__all__ = ["Names", "Origin"]

MOST = 8
"""How many of several values of one name a message lists."""

NAMED = "sdy.named_computation"
_INFO = re.compile(r'jax\.result_info = "((?:[^"\\]|\\.)*)"')
_INDEX = re.compile(r"(argument|arg|result|output)[ :#]?\s*(\d+)")


@dataclass(frozen=True)
class Origin:
    """What tells a value apart: its op or what argument it is, its type, and where it comes from.

    `label` is what the user's program calls an argument or result, `op_name` what it calls the op.
    """

    name: str
    opcode: str
    type: str
    label: str = ""
    op_name: str = ""
    source: str = ""

    def __str__(self) -> str:
        parts = [f"{self.opcode} {self.type}"]
        parts += [f'"{text}"' for text in (self.label, self.op_name) if text]
        parts += [self.source] if self.source else []
        return "  ".join(parts)


class Names:
    """The names of the values of a propagated program.

    Values of main go by their names alone, others have their function's in front: `@f/%12`; where
    a function is called several times, or a constant was copied, `~2` names the second.
    """

    def __init__(self, graph: ProgramGraph) -> None:
        self.graph = graph
        self.main = graph.program.main
        self._by_name: dict[str, list[Value]] = {}
        self._names: dict[Value, str] = {}
        self._scopes: dict[Operation, str] = {}
        self._infos = _INFO.findall(self.main.properties.get("res_attrs", ""))
        self.results = {op.line: op.results[0] for op in graph.results}
        seen: dict[str, int] = {}
        for value in self._all():
            scope = self._scope(value)
            plain = scope + value.name
            seen[plain] = seen.get(plain, 0) + 1
            shown = plain if seen[plain] == 1 else f"{plain}~{seen[plain]}"
            self._names[value] = shown
            self._by_name.setdefault(shown, []).append(value)
            if shown != value.name:
                self._by_name.setdefault(value.name, []).append(value)
        for place, value in self.results.items():
            self._names[value] = f"result {place}"
        entities = graph.numbers
        self._entities: dict[Value, int | None] = {
            value: None if holder is None else entities.get(holder)
            for value in [*self._names]
            for holder in [value if value in entities else holder_of(value)]
        }
        self._shown: dict[int, Value] = {}
        for value, entity in self._entities.items():
            if entity is not None:
                # an edge is known by what it stands behind, a loop by its result
                self._shown.setdefault(entity, value)
                if value.op is not None and self._shown[entity].op is None:
                    self._shown[entity] = value

    def _all(self) -> Iterator[Value]:
        for op in self.graph.program.module.walk():
            if op.name in (EDGE, RESULT):
                continue
            for block in op.regions:
                yield from (one for one in block.arguments if one.name)
            yield from (one for one in op.results if one.name)

    def _scope(self, value: Value) -> str:
        """The function that a value stands in, with a slash; "" for main."""
        op = value.owner
        around = op if value.op is None and op.name in ("func.func", NAMED) else op.parent_op
        while around is not None and around.name not in ("func.func", NAMED):
            around = around.parent_op
        if around is None or around is self.main:
            return ""
        found = self._scopes.get(around)
        if found is None:
            name = around.symbol("name" if around.name == NAMED else "sym_name")
            found = self._scopes[around] = f"@{name}/"
        return found

    # ------------------------------------------------------------ from a value to its name

    def entity(self, value: Value) -> int | None:
        """The entity that has the sharding of a value, if it can have any."""
        return self._entities[value]

    def values(self) -> Iterator[tuple[Value, str, int]]:
        """Yield the values that can have shardings, with their names and entities."""
        for value, name in self._names.items():
            entity = self._entities[value]
            if entity is not None and value.type.shape is not None:
                yield value, name, entity

    def of(self, entity: int) -> str:
        """The name of an entity: that of its value, of an operation that of its first result."""
        count = len(self.graph.ops)
        if entity < count:
            return self.of_op(entity)
        value = self._shown.get(entity)
        if value is not None:
            return self._names[value]
        return self._behind(self.graph.holders[entity - count])

    def _behind(self, value: Value) -> str:
        """The name of a value that Shardy has put in, by what it reads."""
        op = value.op
        if op is not None and op.operands and not value.name:
            return self._names.get(op.operands[0]) or self._behind(op.operands[0])
        return value.name or "a value"

    def of_op(self, op: int) -> str:
        """What an operation is called: its op and what it defines or passes on."""
        its = self.graph.ops[op]
        if its.name == RESULT:
            return f"the return of result {its.line}"
        if its.name == EDGE:
            owner = its.operands[0]
            what = "into" if owner.op is None else "out of"
            code = owner.owner.name.partition(".")[2] or owner.owner.name
            return f"the edge {what} {code} at {self._names.get(owner, owner.name)}"
        code = its.name.removeprefix("stablehlo.")
        if code == "custom_call":
            code = f"custom_call @{its.symbol('call_target_name')}"
        if not its.results:
            return code
        first = self._names.get(its.results[0])
        if first is None:
            return f"{code} behind {self._behind(its.results[0])}"
        return f"{code} {first.partition('#')[0]}"

    def value(self, entity: int) -> Value:
        """The value that an entity is known by: of an edge what it stands behind."""
        found = self._shown.get(entity)
        return self.graph.holders[entity - len(self.graph.ops)] if found is None else found

    def origin(self, entity: int) -> Origin:
        """What tells the value of an entity apart."""
        value = self.value(entity)
        name, op = self.of(entity), value.owner
        code = op.name.removeprefix("stablehlo.")
        if op.name == RESULT:
            label = self._infos[op.line] if op.line < len(self._infos) else ""
            return Origin(name, "result of main", value.type.text, label)
        if op.name == "custom_call":
            code = f"custom_call @{op.symbol('call_target_name')}"
        if value.op is None:
            what = "argument" if op.name == "func.func" else f"argument of {code}"
            source = "" if op.name == "func.func" else op.source
            return Origin(name, what, value.type.text, value.label, source=source)
        return Origin(name, code, value.type.text, value.label, op.location, op.source)

    # ------------------------------------------------------------ from a name to a value

    def find(self, text: str) -> int:
        """Return the entity of a value by its name.

        A value may be called as the program calls it (`%12`, `12`, `%4#1`, `@f/%3`), by its place
        (`arg 0`, `result 1`), by what the user's program calls an argument or result, by the HLO
        instruction that it was in a dump of HLO (`dot.5`), or by its op's name
        (`jit(f)/dot_general`, or the end of it), if that is of one value only. Raises InputError.
        """
        found = list(dict.fromkeys(self._matching(text.strip())))
        told = [one for one in found if self._entities[one] is not None]
        entities = {self._entities[one] for one in told}
        if len(entities) == 1:
            (entity,) = entities
            assert entity is not None
            return entity
        if not found:
            known = [*self._names.values()]
            hint = nearest(text, known) or nearest(f"%{text}", known)
            raise InputError(
                f"no value is called {text!r}" + (f"; {hint}" if hint else ""),
                file=self.graph.program.file,
                expected="a name such as %12, arg 0, result 0 or jit(f)/dot_general",
            )
        if not told:
            raise InputError(
                f"{text} has no sharding of its own: it is within the region of an operation, or "
                "no tensor",
                file=self.graph.program.file,
            )
        names = [self._names[one] for one in told]
        more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
        raise InputError(
            f"{len(names)} values are called {text!r}: {', '.join(names[:MOST])}{more}",
            file=self.graph.program.file,
            expected="one of them",
        )

    def _matching(self, text: str) -> Sequence[Value]:
        plain = text.removeprefix("%")
        numbered = _INDEX.fullmatch(text)
        if numbered:
            place = int(numbered[2])
            if numbered[1].startswith("arg"):
                arguments = self.main.regions[0].arguments
                return arguments[place : place + 1]
            return [self.results[place]] if place in self.results else []
        for name in (text, f"%{text}", text.replace("@", "", 1).replace(" ", "/", 1)):
            exact = [one for one in self._by_name.get(name, ()) if self._names[one] == name]
            if exact:
                return exact
            if name in self._by_name:
                return self._by_name[name]
            first = self._by_name.get(f"{name}#0")
            if first:
                return [one for value in first for one in value.owner.results if one in self._names]
        labels = [value for value in self._names if value.label and value.label == plain]
        if labels:
            return labels
        infos = [
            self.results[n] for n, i in enumerate(self._infos) if i == text and n in self.results
        ]
        if infos:
            return infos
        ops = {value: value.op for value in self._names if value.op is not None}
        for fits in (_is, _ends, _is_op):
            located = [value for value, op in ops.items() if fits(op, text)]
            if located:
                return located
        return []

    def label(self, value: Value) -> str:
        """What the user's program calls a value, by its entity's name otherwise."""
        return value.label or self._names[value]


def _is(op: Operation, text: str) -> bool:
    return op.location == text


def _ends(op: Operation, text: str) -> bool:
    return op.location.endswith(f"/{text}")


def _is_op(op: Operation, text: str) -> bool:
    return text in (op.name, op.name.removeprefix("stablehlo."))
