"""A program as Shardy sees it: operations with regions, and the values that they pass on.

The graph is mutable, since Shardy edits it before and after propagation. Uses of a value are kept
in the order of MLIR's lists of uses, on which the order of visits hangs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from shardlog.ir.errors import InputError
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["TERMINATORS", "Block", "Operation", "Program", "TensorType", "Use", "Value", "drop_all"]

TERMINATORS = frozenset({"func.return", "sdy.return", "stablehlo.return", "mhlo.return"})


class TensorType:
    """The type of a value: its text and, for a ranked tensor of fixed shape, its dimensions.

    `shape` is None for anything else, such as a token.
    """

    __slots__ = ("element", "shape", "text")

    def __init__(self, text: str, shape: tuple[int, ...] | None = None, element: str = "") -> None:
        self.text = text
        self.shape = shape
        self.element = element

    @property
    def rank(self) -> int:
        """The number of dimensions, 0 for what is no tensor."""
        return 0 if self.shape is None else len(self.shape)

    @property
    def is_scalar(self) -> bool:
        """Whether it is a tensor without dimensions."""
        return self.shape == ()

    def __repr__(self) -> str:
        return self.text


class Use:
    """One place where a value is an operand."""

    __slots__ = ("index", "op")

    def __init__(self, op: Operation, index: int) -> None:
        self.op = op
        self.index = index


class Value:
    """A result of an operation or an argument of a block, with the sharding that it has.

    `op` is the operation that defines it, None for an argument of `block`; `index` is its place
    among the results or arguments. `name` is what its program calls it, such as `%12#0`, and
    `label` what the user's program calls an argument, or HLO an instruction; both may be empty.
    """

    __slots__ = ("_uses", "block", "index", "label", "name", "op", "sharding", "type")

    def __init__(
        self, kind: TensorType, op: Operation | None, block: Block | None, index: int
    ) -> None:
        self.type = kind
        self.op = op
        self.block = block
        self.index = index
        self.sharding: TensorSharding | None = None
        self.name = ""
        self.label = ""
        self._uses: list[Use] = []

    @property
    def owner(self) -> Operation:
        """The operation that defines it, or in whose region it is an argument."""
        if self.op is not None:
            return self.op
        assert self.block is not None
        assert self.block.parent is not None
        return self.block.parent

    @property
    def uses(self) -> list[Use]:
        """The uses in MLIR's order: what came last is first."""
        return self._uses[::-1]

    @property
    def use_count(self) -> int:
        """How many operands it is."""
        return len(self._uses)

    def replace_uses(self, other: Value, keep: Operation | None = None) -> None:
        """Make all uses but those of `keep` uses of another value.

        Follows Value::replaceAllUsesExcept.
        """
        for use in self.uses:
            if use.op is not keep:
                use.op.set_operand(use.index, other)

    def __repr__(self) -> str:
        kind = "result" if self.op is not None else "argument"
        return f"<{kind} {self.index} of {self.owner.name}: {self.type}>"


class Block:
    """A list of operations with arguments; every region here has one block."""

    __slots__ = ("arguments", "ops", "parent")

    def __init__(self, parent: Operation | None = None) -> None:
        self.parent = parent
        self.arguments: list[Value] = []
        self.ops: list[Operation] = []

    def add_argument(self, kind: TensorType) -> Value:
        """Add an argument and return it."""
        value = Value(kind, None, self, len(self.arguments))
        self.arguments.append(value)
        return value

    def add(self, op: Operation, place: int | None = None) -> Operation:
        """Put an operation at a place, by default at the end, and return it."""
        op.parent = self
        op.at = len(self.ops) if place is None else place
        self.ops.insert(op.at, op)
        return op

    def place(self, op: Operation) -> int:
        """Return the position of an operation of the block."""
        ops, at = self.ops, op.at
        # edits before it have moved it by a little since
        width = 16
        while at - width > 0 or at + width < len(ops):
            try:
                op.at = ops.index(op, max(at - width, 0), at + width)
            except ValueError:
                width *= 8
            else:
                return op.at
        op.at = ops.index(op)
        return op.at

    @property
    def terminator(self) -> Operation:
        """The last operation."""
        return self.ops[-1]


class Operation:
    """An operation: operands, results, regions, and attributes as MLIR prints them.

    `properties` are the attributes that stand in `<{...}>`. The shardings of results and arguments
    are kept on the values, those of a function's results in `result_shardings`, not in attributes.
    `location` is the op's name in the user's program, such as `jit(f)/dot_general`, and `source`
    the place of its line; both may be empty.
    """

    __slots__ = (
        "at",
        "attributes",
        "line",
        "location",
        "name",
        "operands",
        "parent",
        "properties",
        "regions",
        "result_shardings",
        "results",
        "source",
    )

    def __init__(
        self,
        name: str,
        operands: Sequence[Value] = (),
        results: Sequence[TensorType] = (),
        properties: dict[str, str] | None = None,
        attributes: dict[str, str] | None = None,
        line: int = 0,
    ) -> None:
        self.name = name
        self.operands: list[Value] = []
        self.results = [Value(kind, self, None, n) for n, kind in enumerate(results)]
        self.properties = {} if properties is None else properties
        self.attributes = {} if attributes is None else attributes
        self.regions: list[Block] = []
        self.result_shardings: list[TensorSharding | None] = []
        self.parent: Block | None = None
        self.at = 0
        self.line = line
        self.location = ""
        self.source = ""
        for operand in operands:
            self.add_operand(operand)

    # ------------------------------------------------------------ operands

    def add_operand(self, value: Value) -> None:
        """Add an operand at the end."""
        value._uses.append(Use(self, len(self.operands)))
        self.operands.append(value)

    def set_operand(self, index: int, value: Value) -> None:
        """Replace an operand; the use becomes the first of its new value."""
        self._forget(index)
        self.operands[index] = value
        value._uses.append(Use(self, index))

    def _forget(self, index: int) -> None:
        uses = self.operands[index]._uses
        for place, use in enumerate(uses):
            if use.op is self and use.index == index:
                del uses[place]
                return

    # ------------------------------------------------------------ where it stands

    @property
    def is_terminator(self) -> bool:
        """Whether it ends its block."""
        return self.name in TERMINATORS

    @property
    def is_used(self) -> bool:
        """Whether any of its results is an operand."""
        for result in self.results:  # noqa: SIM110 - asked of every operation
            if result._uses:
                return True
        return False

    @property
    def shares_operands(self) -> bool:
        """Whether it or others read an operand besides, scalars aside."""
        for operand in self.operands:
            if len(operand._uses) != 1 and operand.type.shape != ():
                return True
        return False

    @property
    def parent_op(self) -> Operation | None:
        """The operation in whose region it stands."""
        return None if self.parent is None else self.parent.parent

    def ancestors(self) -> Iterator[Operation]:
        """Yield the operations around it, innermost first."""
        op = self.parent_op
        while op is not None:
            yield op
            op = op.parent_op

    def around(self, name: str) -> Operation | None:
        """Return the innermost operation of a name around it, or None."""
        return next((op for op in self.ancestors() if op.name == name), None)

    def add_region(self) -> Block:
        """Add a region and return its block."""
        block = Block(self)
        self.regions.append(block)
        return block

    def walk(self) -> list[Operation]:
        """Return it and all operations that are in its regions now, outer ones first."""
        found = [self]
        _gather(self, found)
        return found

    def walk_inner_first(self) -> list[Operation]:
        """Return all operations that are in its regions now and it, inner ones first."""
        found: list[Operation] = []
        _gather_inner_first(self, found)
        found.append(self)
        return found

    def erase(self) -> None:
        """Take it out of its block; raises ValueError if a result is still used."""
        self.forget_operands()
        if self.parent is not None:
            del self.parent.ops[self.parent.place(self)]
            self.parent = None

    def forget_operands(self) -> None:
        """Let it and all in its regions read nothing; raises ValueError if a result is used."""
        if self.is_used:
            raise ValueError(f"{self.name} is still used")
        for op in self.walk() if self.regions else (self,):
            for index in range(len(op.operands)):
                op._forget(index)

    def remove(self) -> None:
        """Take it out of its block without loosing its operands, to be put elsewhere."""
        assert self.parent is not None
        del self.parent.ops[self.parent.place(self)]
        self.parent = None

    def insert_after(self, value: Value) -> None:
        """Put it right behind what defines a value, or at the start of the argument's block."""
        if value.op is not None:
            block = value.op.parent
            assert block is not None
            block.add(self, block.place(value.op) + 1)
        else:
            assert value.block is not None
            value.block.add(self, 0)

    def clone(self, mapping: dict[Value, Value]) -> Operation:
        """Return a copy outside any block; operands are looked up in `mapping`, which it extends.

        Follows Operation::clone.
        """
        made = Operation(
            self.name,
            [mapping.get(operand, operand) for operand in self.operands],
            [result.type for result in self.results],
            dict(self.properties),
            dict(self.attributes),
            self.line,
        )
        made.result_shardings = list(self.result_shardings)
        made.location, made.source = self.location, self.source
        for old, new in zip(self.results, made.results, strict=True):
            new.sharding, new.name, new.label = old.sharding, old.name, old.label
            mapping[old] = new
        for block in self.regions:
            inner = made.add_region()
            for argument in block.arguments:
                new = inner.add_argument(argument.type)
                new.sharding = argument.sharding
                new.name, new.label = argument.name, argument.label
                mapping[argument] = new
            for op in block.ops:
                inner.add(op.clone(mapping))
        return made

    # ------------------------------------------------------------ attributes

    def attribute(self, name: str) -> str | None:
        """Return the text of an attribute, wherever it is kept, or None."""
        found = self.properties.get(name)
        return self.attributes.get(name) if found is None else found

    def symbol(self, name: str = "sym_name") -> str:
        """Return a name that an attribute gives, without quotes or `@`; empty without one."""
        return (self.attribute(name) or "").lstrip("@").strip('"')

    def __repr__(self) -> str:
        return f"<{self.name} line {self.line}>"


def _gather(around: Operation, found: list[Operation]) -> None:
    for block in around.regions:
        for op in block.ops:
            found.append(op)
            if op.regions:
                _gather(op, found)


def _gather_inner_first(around: Operation, found: list[Operation]) -> None:
    for block in around.regions:
        for op in block.ops:
            if op.regions:
                _gather_inner_first(op, found)
            found.append(op)


def drop_all(ops: Iterable[Operation]) -> None:
    """Take operations that have forgotten their operands out of their blocks."""
    gone: dict[Block, set[Operation]] = {}
    for op in ops:
        if op.parent is not None:
            gone.setdefault(op.parent, set()).add(op)
            op.parent = None
    for block, these in gone.items():
        block.ops = [op for op in block.ops if op not in these]


class Program:
    """A module: its operations in order, its functions and meshes by name."""

    def __init__(self, module: Operation, file: str | None = None) -> None:
        self.module = module
        self.file = file
        self.meshes: dict[str, Mesh] = {}
        self._named: dict[str, Operation] = {}

    @property
    def body(self) -> Block:
        """The block of the module."""
        return self.module.regions[0]

    @property
    def functions(self) -> dict[str, Operation]:
        """The functions by name, in order."""
        return {op.symbol(): op for op in self.body.ops if op.name == "func.func"}

    def function(self, name: str) -> Operation | None:
        """Return a function by its name, or None."""
        found = self._named.get(name)
        if found is None or found.parent is not self.body or found.symbol() != name:
            self._named = self.functions
            found = self._named.get(name)
        return found

    @property
    def main(self) -> Operation:
        """The function named main, or the only one; raises InputError without such."""
        functions = self.functions
        if "main" in functions:
            return functions["main"]
        if len(functions) == 1:
            return next(iter(functions.values()))
        raise InputError("no function is main", file=self.file, expected="@main")

    def mesh_of(self, sharding: TensorSharding) -> Mesh:
        """Return the mesh of a sharding; raises InputError for one that is not declared."""
        if isinstance(sharding.mesh, Mesh):
            return sharding.mesh
        if sharding.mesh not in self.meshes:
            raise InputError(f"mesh @{sharding.mesh} is not declared", file=self.file)
        return self.meshes[sharding.mesh]
