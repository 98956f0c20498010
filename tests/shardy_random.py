"""Random programs with Shardy's annotations, as MLIR in generic form."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from random import Random

Shape = tuple[int, ...]

MESHES = (
    {"a": 2, "b": 4},
    {"a": 2, "b": 2, "c": 3},
    {"x": 8},
    {"a": 4, "one": 1, "b": 2},
)
OTHER = {"p": 2, "q": 2}
"""The axes of the second mesh of programs with extras."""

SIZES = (1, 2, 3, 4, 6, 8, 12, 16)
UNARY = ("tanh", "negate", "exponential", "abs", "sine")
BINARY = ("add", "multiply", "subtract", "maximum")


@dataclass
class Node:
    """A value: its name and shape."""

    name: str
    shape: Shape

    @property
    def type(self) -> str:
        """Its type."""
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}f32>"


@dataclass
class Draft:
    """A program that is being drawn, line by line."""

    random: Random
    mesh: dict[str, int]
    with_priorities: bool
    lines: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    count: int = 0
    groups: dict[Shape, int] = field(default_factory=dict)
    extras: Random | None = None
    """Draws unreduced axes and shardings on another mesh, if they may occur."""

    def fresh(self) -> str:
        """A new name."""
        self.count += 1
        return f"%v{self.count}"

    # ------------------------------------------------------------ shardings

    def pieces(self) -> list[str]:
        """References to axes and parts of axes, none of which overlap, in some order."""
        found = []
        for name, size in self.mesh.items():
            cut = next((n for n in (2, 3) if size % n == 0 and size > n), None)
            if cut is not None and self.random.random() < 0.35:
                found += [f'"{name}":(1){cut}', f'"{name}":({cut}){size // cut}']
            else:
                found.append(f'"{name}"')
        self.random.shuffle(found)
        return found

    def sharding(self, shape: Shape) -> str:
        """A sharding, with all that may be in one."""
        if self.extras is not None and self.extras.random() < 0.08:
            return self.on_another_mesh(shape)
        pieces = self.pieces()
        dims = []
        for _ in shape:
            axes: list[str] = []
            while pieces and self.random.random() < 0.4 and len(axes) < 2:
                piece = pieces[-1]
                # parts that follow each other would have to be merged
                if axes and axes[-1].split(":")[0] == piece.split(":")[0]:
                    break
                axes.append(pieces.pop())
            is_open = self.random.random() < 0.5
            priority = ""
            may = self.with_priorities and (axes or is_open)
            if may and self.random.random() < 0.3:
                priority = f"p{self.random.randint(0, 3)}"
            dims.append("{" + ", ".join([*axes, *(["?"] if is_open else [])]) + "}" + priority)
        text = f"<@mesh, [{', '.join(dims)}]"
        whole = [piece for piece in pieces if ":" not in piece]
        if whole and self.random.random() < 0.1:
            text += f", replicated={{{whole.pop(0)}}}"
        if whole and self.extras is not None and self.extras.random() < 0.25:
            text += f", unreduced={{{whole[0]}}}"
        return text + ">"

    def on_another_mesh(self, shape: Shape) -> str:
        """A sharding on the second mesh, or on the one that is a single device."""
        assert self.extras is not None
        if self.extras.random() < 0.2:
            return "<@one_device, []>"
        dims = []
        axes = [*OTHER]
        for _ in shape:
            own = [f'"{axes.pop()}"'] if axes and self.extras.random() < 0.4 else []
            open_end = ["?"] if self.extras.random() < 0.5 else []
            dims.append("{" + ", ".join([*own, *open_end]) + "}")
        return f"<@other, [{', '.join(dims)}]>"

    # ------------------------------------------------------------ operations

    def op(
        self,
        name: str,
        operands: list[Node],
        shape: Shape,
        properties: str = "",
        attributes: str = "",
        region: str = "",
    ) -> Node:
        """Add an operation with one result."""
        node = Node(self.fresh(), shape)
        if not attributes and name.startswith("stablehlo") and self.random.random() < 0.06:
            sharding = self.sharding(shape)
            attributes = f" {{sdy.sharding = #sdy.sharding_per_value<[{sharding}]>}}"
        inputs = ", ".join(one.type for one in operands)
        names = ", ".join(one.name for one in operands)
        self.lines.append(
            f'{node.name} = "{name}"({names}){f" <{{{properties}}}>" if properties else ""}'
            f"{region}{attributes} : ({inputs}) -> {node.type}"
        )
        return node

    def constant(self, shape: Shape) -> Node:
        """A constant, or a broadcast of a scalar one."""
        if self.random.random() < 0.5:
            return self.op(
                "stablehlo.constant", [], shape, f"value = dense<1.0> : {Node('', shape).type}"
            )
        scalar = self.op("stablehlo.constant", [], (), "value = dense<1.0> : tensor<f32>")
        return self.op(
            "stablehlo.broadcast_in_dim", [scalar], shape, "broadcast_dimensions = array<i64>"
        )

    def index(self) -> Node:
        """An index of type i32, by name only."""
        name = self.fresh()
        self.lines.append(
            f'{name} = "stablehlo.constant"() <{{value = dense<0> : tensor<i32>}}> : () -> '
            "tensor<i32>"
        )
        return Node(name, ())


def _array(values: list[int] | Shape) -> str:
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


def _reduced(draft: Draft, node: Node) -> Node:
    dim = draft.random.randrange(len(node.shape))
    zero = draft.op("stablehlo.constant", [], (), "value = dense<0.0> : tensor<f32>")
    region = (
        ' ({\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n%s = "stablehlo.add"(%p, %q) : '
        "(tensor<f32>, tensor<f32>) -> tensor<f32>\n"
        '"stablehlo.return"(%s) : (tensor<f32>) -> ()\n})'
    )
    shape = node.shape[:dim] + node.shape[dim + 1 :]
    return draft.op(
        "stablehlo.reduce", [node, zero], shape, f"dimensions = {_array([dim])}", "", region
    )


def _reshaped(draft: Draft, node: Node) -> Node:
    total = math.prod(node.shape)
    shape: list[int] = []
    while total > 1 and len(shape) < 3:
        divisors = [n for n in (2, 3, 4, 6, 8) if total % n == 0]
        size = draft.random.choice([*divisors, total]) if divisors else total
        shape.append(size)
        total //= size
    if total > 1:
        shape[-1] *= total
    if draft.random.random() < 0.2:
        shape.insert(draft.random.randint(0, len(shape)), 1)
    return draft.op("stablehlo.reshape", [node], tuple(shape or [1]))


def _sliced(draft: Draft, node: Node) -> Node:
    dim = draft.random.randrange(len(node.shape))
    limit = list(node.shape)
    limit[dim] = max(1, limit[dim] // 2)
    properties = (
        f"start_indices = {_array([0] * len(limit))}, limit_indices = {_array(limit)}, "
        f"strides = {_array([1] * len(limit))}"
    )
    return draft.op("stablehlo.slice", [node], tuple(limit), properties)


def _multiplied(draft: Draft, node: Node) -> Node:
    dim = draft.random.randrange(len(node.shape))
    free = draft.random.choice(SIZES)
    other = draft.constant((node.shape[dim], free))
    if draft.random.random() < 0.5:
        other = draft.op("stablehlo.tanh", [other], other.shape)
    shape = (*node.shape[:dim], *node.shape[dim + 1 :], free)
    properties = (
        f"dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [{dim}], "
        "rhs_contracting_dimensions = [0]>"
    )
    return draft.op("stablehlo.dot_general", [node, other], shape, properties)


def _transposed(draft: Draft, node: Node) -> Node:
    order = list(range(len(node.shape)))
    draft.random.shuffle(order)
    shape = tuple(node.shape[dim] for dim in order)
    return draft.op("stablehlo.transpose", [node], shape, f"permutation = {_array(order)}")


def _broadcast(draft: Draft, node: Node) -> Node:
    shape, dims = [], []
    for size in node.shape:
        if draft.random.random() < 0.3 and len(shape) < 3:
            shape.append(draft.random.choice(SIZES))
        dims.append(len(shape))
        grown = draft.random.choice(SIZES) if size == 1 else size
        shape.append(grown)
    properties = f"broadcast_dimensions = {_array(dims)}"
    return draft.op("stablehlo.broadcast_in_dim", [node], tuple(shape), properties)


def _dynamic(draft: Draft, node: Node) -> Node:
    dim = draft.random.randrange(len(node.shape))
    sizes = list(node.shape)
    sizes[dim] = max(1, sizes[dim] // 2)
    indices = [draft.index() for _ in sizes]
    part = Node(draft.fresh(), tuple(sizes))
    types = ", ".join([node.type, *["tensor<i32>"] * len(indices)])
    names = ", ".join([node.name, *(one.name for one in indices)])
    draft.lines.append(
        f'{part.name} = "stablehlo.dynamic_slice"({names}) <{{slice_sizes = {_array(sizes)}}}> : '
        f"({types}) -> {part.type}"
    )
    if draft.random.random() < 0.5:
        return part
    whole = Node(draft.fresh(), node.shape)
    types = ", ".join([node.type, part.type, *["tensor<i32>"] * len(indices)])
    names = ", ".join([node.name, part.name, *(one.name for one in indices)])
    draft.lines.append(
        f'{whole.name} = "stablehlo.dynamic_update_slice"({names}) : ({types}) -> {whole.type}'
    )
    return whole


def _joined(draft: Draft, node: Node) -> Node:
    dim = draft.random.randrange(len(node.shape))
    shape = list(node.shape)
    shape[dim] *= 2
    other = draft.op("stablehlo.tanh", [node], node.shape) if draft.random.random() < 0.5 else node
    properties = f"dimension = {dim} : i64"
    return draft.op("stablehlo.concatenate", [node, other], tuple(shape), properties)


def _reversed(draft: Draft, node: Node) -> Node:
    dim = draft.random.randrange(len(node.shape))
    return draft.op("stablehlo.reverse", [node], node.shape, f"dimensions = {_array([dim])}")


def _constrained(draft: Draft, node: Node) -> Node:
    sharding = draft.sharding(node.shape)
    return draft.op(
        "sdy.sharding_constraint", [node], node.shape, f"sharding = #sdy.sharding{sharding}"
    )


def _barrier(draft: Draft, node: Node) -> Node:
    direction = draft.random.randint(0, 2)
    return draft.op(
        "sdy.propagation_barrier", [node], node.shape, f"allowed_direction = {direction} : i32"
    )


def _held_together(draft: Draft, node: Node) -> Node:
    number = draft.groups.setdefault(node.shape, len(draft.groups))
    draft.lines.append(
        f'"sdy.sharding_group"({node.name}) <{{group_id = {number} : i64}}> : ({node.type}) -> ()'
    )
    return node


def _called(draft: Draft, node: Node) -> Node:
    name = f"f{len(draft.functions)}"
    inner = Draft(draft.random, draft.mesh, draft.with_priorities)
    argument = Node("%arg", node.shape)
    body = inner.op("stablehlo.tanh", [argument], node.shape)
    body = inner.op("stablehlo.add", [body, inner.constant(node.shape)], node.shape)
    if draft.random.random() < 0.3:
        body = _constrained(inner, body)
    lines = "\n".join(inner.lines)
    draft.functions.append(
        f'"func.func"() <{{function_type = ({node.type}) -> {node.type}, sym_name = "{name}", '
        f'sym_visibility = "private"}}> ({{\n^bb0(%arg: {node.type}):\n{lines}\n'
        f'"func.return"({body.name}) : ({body.type}) -> ()\n}}) : () -> ()'
    )
    result = node
    for _ in range(draft.random.randint(1, 2)):
        result = draft.op("func.call", [result], node.shape, f"callee = @{name}")
    return result


def _looped(draft: Draft, node: Node) -> Node:
    start = draft.index()
    inner = Draft(draft.random, draft.mesh, draft.with_priorities, count=draft.count + 100)
    carried = Node(f"%c{draft.count}", node.shape)
    body = inner.op(f"stablehlo.{draft.random.choice(UNARY)}", [carried], node.shape)
    body = inner.op("stablehlo.add", [body, node], node.shape)
    if draft.random.random() < 0.4:
        body = _constrained(inner, body)
    lines = "\n".join(inner.lines)
    draft.count = inner.count
    result, counter = draft.fresh(), f"%i{draft.count}"
    args = f"{counter}: tensor<i32>, {carried.name}: {node.type}"
    draft.lines.append(
        f'{result}:2 = "stablehlo.while"({start.name}, {node.name}) ({{\n^bb0({args}):\n'
        f'%t = "stablehlo.compare"({counter}, {counter}) <{{comparison_direction = '
        "#stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        f'"stablehlo.return"(%t) : (tensor<i1>) -> ()\n}}, {{\n^bb0({args}):\n{lines}\n'
        f'"stablehlo.return"({counter}, {body.name}) : (tensor<i32>, {node.type}) -> ()\n}}) : '
        f"(tensor<i32>, {node.type}) -> (tensor<i32>, {node.type})"
    )
    return Node(f"{result}#1", node.shape)


def _manual(draft: Draft, node: Node) -> Node:
    axis = draft.random.choice([name for name, size in draft.mesh.items() if size > 1])
    size = draft.mesh[axis]
    dims = [dim for dim, one in enumerate(node.shape) if one % size == 0]
    split = draft.random.choice([None, *dims])
    local = list(node.shape)
    if split is not None:
        local[split] //= size
    inner = Draft(draft.random, draft.mesh, False, count=draft.count + 100)
    argument = Node(f"%m{draft.count}", tuple(local))
    body = inner.op("stablehlo.tanh", [argument], argument.shape, "", " {x = 1 : i64}")
    body = inner.op("stablehlo.add", [body, argument], argument.shape, "", " {x = 1 : i64}")
    lines = "\n".join(inner.lines)
    draft.count = inner.count

    def outer() -> str:
        shown = []
        for dim in range(len(local)):
            is_open = draft.random.random() < 0.6
            axes = [f'"{axis}"'] if dim == split else []
            shown.append("{" + ", ".join([*axes, *(["?"] if is_open else [])]) + "}")
        return f"<@mesh, [{', '.join(shown)}]>"

    properties = (
        f"in_shardings = #sdy.sharding_per_value<[{outer()}]>, "
        f'manual_axes = #sdy<manual_axes{{"{axis}"}}>, '
        f"out_shardings = #sdy.sharding_per_value<[{outer()}]>"
    )
    region = (
        f" ({{\n^bb0({argument.name}: {argument.type}):\n{lines}\n"
        f'"sdy.return"({body.name}) : ({body.type}) -> ()\n}})'
    )
    return draft.op("sdy.manual_computation", [node], node.shape, properties, "", region)


SHAPED = (
    _reduced,
    _reshaped,
    _reshaped,
    _sliced,
    _multiplied,
    _multiplied,
    _transposed,
    _broadcast,
    _dynamic,
    _joined,
    _reversed,
)
SAME = (_constrained, _constrained, _barrier, _held_together, _called, _looped, _manual)


def random_program(seed: int, extras: bool = False) -> str:
    """Return the program of a seed: some twenty operations on a mesh of two or three axes.

    With `extras` there may be unreduced axes and several meshes.
    """
    random = Random(seed)
    draft = Draft(random, random.choice(MESHES), random.random() < 0.5)
    if extras:
        draft.extras = Random(-1 - seed)
    arguments = []
    for number in range(random.randint(2, 4)):
        shape = tuple(random.choice(SIZES) for _ in range(random.randint(1, 3)))
        arguments.append(Node(f"%arg{number}", shape))
    nodes = list(arguments)
    for _ in range(random.randint(8, 24)):
        node = random.choice(nodes[-6:])
        if not node.shape or math.prod(node.shape) > 100_000:
            continue
        chance = random.random()
        if chance < 0.2:
            nodes.append(draft.op(f"stablehlo.{random.choice(UNARY)}", [node], node.shape))
        elif chance < 0.45:
            like = [one for one in nodes if one.shape == node.shape]
            other = draft.constant(node.shape) if random.random() < 0.2 else random.choice(like)
            nodes.append(draft.op(f"stablehlo.{random.choice(BINARY)}", [node, other], node.shape))
        elif chance < 0.75:
            nodes.append(random.choice(SHAPED)(draft, node))
        else:
            nodes.append(random.choice(SAME)(draft, node))
    used = "\n".join(draft.lines)
    results = [one for one in nodes if used.count(f"{one.name},") + used.count(f"{one.name})") == 0]
    results = [one for one in results if one not in arguments][:6] or [nodes[-1]]
    return _module(draft, arguments, results)


def _module(draft: Draft, arguments: list[Node], results: list[Node]) -> str:
    axes = ", ".join(f'"{name}"={size}' for name, size in draft.mesh.items())

    def attributes(nodes: list[Node], chance: float) -> str:
        shown = []
        for node in nodes:
            if draft.random.random() < chance:
                shown.append(f"{{sdy.sharding = #sdy.sharding{draft.sharding(node.shape)}}}")
            else:
                shown.append("{}")
        return f"[{', '.join(shown)}]"

    inputs = ", ".join(one.type for one in arguments)
    outputs = ", ".join(one.type for one in results)
    header = ", ".join(f"{one.name}: {one.type}" for one in arguments)
    names = ", ".join(one.name for one in results)
    lines = "\n".join(draft.lines)
    functions = "\n".join(draft.functions)
    more = {"other": "[" + ", ".join(f'"{n}"={size}' for n, size in OTHER.items()) + "]"}
    more["one_device"] = "[], device_ids=[1]"
    meshes = "".join(
        f'"sdy.mesh"() <{{mesh = #sdy.mesh<{mesh}>, sym_name = "{name}"}}> : () -> ()\n'
        for name, mesh in more.items()
        if draft.extras is not None
    )
    return (
        f'"builtin.module"() <{{sym_name = "random"}}> ({{\n'
        f'"sdy.mesh"() <{{mesh = #sdy.mesh<[{axes}]>, sym_name = "mesh"}}> : () -> ()\n'
        f"{meshes}"
        f'"func.func"() <{{arg_attrs = {attributes(arguments, 0.6)}, '
        f"function_type = ({inputs}) -> ({outputs}), res_attrs = {attributes(results, 0.3)}, "
        f'sym_name = "main", sym_visibility = "public"}}> ({{\n^bb0({header}):\n{lines}\n'
        f'"func.return"({names}) : ({outputs}) -> ()\n}}) : () -> ()\n{functions}\n'
        "}) : () -> ()\n"
    )
