"""What a module says to the rules."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import pytest

from shardlog.converters.facts import base_facts
from shardlog.converters.hlo_text import parse_hlo_text
from shardlog.converters.pass_graph import PassGraph, PassOptions
from shardlog.ir.attributes import (
    DotDimensions,
    GatherDimensions,
    ScatterDimensions,
    Window,
)
from shardlog.ir.errors import InputError
from shardlog.ir.sharding import HloSharding


class Sink:
    """Facts as plain dictionaries: arguments to value, or to True."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.rows: dict[str, dict[Any, Any]] = {}

    def functional(self, name: str, values: Sequence[Any]) -> None:
        assert len(values) == self.count
        self.rows[name] = {i: value for i, value in enumerate(values) if value is not None}

    def refer(self, name: str, *places: int, foreign: Sequence[int] = ()) -> None:
        """Say which arguments name entities, which makes no difference here."""

    def lazy(self, name: str, function: Callable[[int], Any]) -> None:
        self.functional(name, [function(i) for i in range(self.count)])

    def indexed(self, name: str, rows: Sequence[Sequence[Any]]) -> None:
        assert len(rows) == self.count
        self.rows[name] = {
            (i, k): value for i, row in enumerate(rows) for k, value in enumerate(row)
        }

    def table(
        self, name: str, rows: Iterable[tuple[Hashable, ...]], arity: int, functional: bool = False
    ) -> None:
        self.rows[name] = {}
        for row in rows:
            assert len(row) == arity
            arguments = row[:-1] if functional else row
            key = arguments[0] if len(arguments) == 1 else arguments
            self.rows[name][key] = row[-1] if functional else True

    def members(self, name: str, entities: Sequence[int]) -> None:
        assert len(set(entities)) == len(entities)
        self.rows[name] = dict.fromkeys(entities, True)

    def constant(self, name: str, key: Hashable, value: Hashable) -> None:
        self.rows.setdefault(name, {})[key] = value


class Facts:
    """The facts of a text, with instructions and computations by name."""

    def __init__(self, text: str, options: PassOptions | None = None) -> None:
        self.graph: PassGraph
        self.graph, sink = base_facts(parse_hlo_text(text), Sink, options)
        self.rows: dict[str, dict[Any, Any]] = sink.rows
        self.names = [x.name or "(root copy)" for x in self.graph.entities]

    def of(self, relation: str) -> dict[Any, Any]:
        """A relation whose first argument is an instruction, by its name."""
        rows = self.rows[relation].items()
        return {
            (self.names[key[0]], *key[1:]) if isinstance(key, tuple) else self.names[key]: value
            for key, value in rows
        }

    def lists(self, relation: str) -> dict[str, list[str]]:
        """operand or user: by name, in order."""
        found: dict[str, list[str]] = {name: [] for name in self.names}
        for (i, _), value in sorted(self.rows[relation].items()):
            found[self.names[i]].append(self.names[value])
        return found

    def value(self, relation: str, key: Hashable) -> Any:
        """The value of a functional relation, as a name if it is an instruction."""
        return self.names[self.rows[relation][key]]


def entry(*lines: str, header: str = "num_partitions=4") -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"HloModule m, {header}\n\nENTRY e {{\n{body}}}\n"


LOOP = """\
HloModule m, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

cond {
  q = (f32[4], s32[]) parameter(0)
  ROOT lt = pred[] constant(false)
}

body {
  ROOT r = (f32[4], s32[]) parameter(0)
}

ENTRY e {
  i = s32[] parameter(1)
  p = f32[4] parameter(0)
  t = (f32[4], s32[]) tuple(p, i)
  w = (f32[4], s32[]) while(t), condition=cond, body=body
  x = f32[4] get-tuple-element(w), index=0
  zero = f32[] constant(0)
  ROOT y = f32[] reduce(x, zero), dimensions={0}, to_apply=add
}
"""


def test_structure() -> None:
    facts = Facts(LOOP)
    # operands first, in their order
    assert facts.names == [*"abs", "q", "lt", "r", "p", "i", "t", "w", "x", "zero", "y"]
    assert facts.of("inside") == dict(
        zip(facts.names, [0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3], strict=True)
    )
    assert facts.rows["entry"] == {3: True}
    assert [facts.value("root", c) for c in range(4)] == ["s", "lt", "r", "y"]
    assert facts.value("parameter", (3, 0)) == "p"
    assert facts.value("parameter", (3, 1)) == "i"
    assert facts.of("calls") == {("w", 0): 1, ("w", 1): 2, ("y", 0): 0}
    assert facts.of("opcode")["x"] == "get-tuple-element"
    assert facts.of("tuple_index") == {"x": 0}
    assert facts.lists("operand")["y"] == ["x", "zero"]
    assert facts.of("operand_count")["y"] == 2
    assert facts.of("input_count")["y"] == 1
    assert facts.lists("user")["w"] == ["x"]
    assert facts.of("inner_uses")["x"] == 0
    assert facts.of("inner_uses")["w"] == 1
    assert len(facts.rows["inst"]) == 13
    order = sorted(facts.of("scan_order").items(), key=lambda item: item[1])
    assert [name for name, _ in order][6:8] == ["i", "p"]


def test_shapes() -> None:
    facts = Facts(LOOP)
    assert str(facts.of("shape")["w"]) == "(f32[4], s32[])"
    assert [str(shape) for shape in facts.of("shapes")["y"]] == ["f32[4]", "f32[]", "f32[]"]
    assert (facts.of("rank")["x"], facts.of("rank")["w"]) == (1, 0)
    assert (facts.of("byte_size")["x"], facts.of("bit_width")["lt"]) == (16, 1)
    assert set(facts.of("tuple_shaped")) == {*"qrtw"}
    assert "w" not in facts.of("array_shaped")
    assert set(facts.of("is_s32")) == {"i"}


def test_attributes() -> None:
    facts = Facts(
        entry(
            "p = f32[4,6] parameter(0)",
            "q = s32[4,1] parameter(1)",
            "u = f32[4,3] parameter(2)",
            "i = s32[4,6] iota(), iota_dimension=1",
            "d = f32[4,4] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
            "g = f32[4,1,6] gather(p, q), offset_dims={1,2}, collapsed_slice_dims={}, "
            "start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}",
            "c = f32[4,9] concatenate(p, u), dimensions={1}",
            "r = f32[4,6] reverse(p), dimensions={0,1}",
            "s = f32[4,6] sort(p), dimensions={1}, to_apply=e2",
            "b = f32[4,6,2] broadcast(p), dimensions={0,1}",
            'x = f32[4,6] custom-call(p), custom_call_target="x", custom_call_has_side_effect=true',
            "w = f32[4,6] reduce-window(p, z), window={size=1x2 pad=0_0x1_0 rhs_dilate=1x2}",
            "ROOT t = (f32[4,6]) tuple(x)",
        )
        .replace(
            "ENTRY",
            "e2 {\n  a = f32[] parameter(0)\n  b2 = f32[] parameter(1)\n"
            "  ROOT lt = pred[] compare(a, b2), direction=LT\n}\n\nENTRY",
        )
        .replace("  w = ", "  z = f32[] constant(0)\n  w = ")
    )
    assert facts.of("iota_attr") == {"i": 1}
    assert facts.of("dot_attr") == {"d": DotDimensions(lhs_contracting=(1,), rhs_contracting=(1,))}
    assert facts.of("gather_attr") == {"g": GatherDimensions((1, 2), (), (0,), 1, (), (), (1, 6))}
    assert facts.of("index_vector_dim") == {"g": 1}
    assert facts.of("concat_dim") == {"c": 1}
    assert facts.of("concat_offset") == {("c", 0): 0, ("c", 1): 6}
    assert facts.of("sort_dim") == {"s": 1}
    dims = facts.of("dims")
    assert (dims["r"], dims["b"], dims["c"]) == ((0, 1), (0, 1), (1,))
    assert facts.of("target") == {"x": "x"}
    assert facts.of("side_effect") == {"x": True}
    assert facts.of("window") == {
        "w": Window((1, 2), (1, 1), (0, 1), (0, 0), (1, 1), (1, 2), (False, False))
    }
    assert facts.of("dilated") == {"w": True}
    assert facts.of("base_dilated") == {}
    assert facts.of("input_count")["w"] == 1


def test_scatter_and_convolution() -> None:
    facts = Facts(
        "HloModule m\n\nf {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n\n"
        "ENTRY e {\n"
        "  p = f32[8,4] parameter(0)\n  i = s32[2,1] parameter(1)\n  u = f32[2,4] parameter(2)\n"
        "  s = f32[8,4] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f\n"
        "  x = f32[1,4,4,2] parameter(3)\n  k = f32[3,3,1,2] parameter(4)\n"
        "  c = f32[1,4,4,2] convolution(x, k), window={size=3x3 pad=1_1x1_1}, "
        "dim_labels=b01f_01io->b01f, feature_group_count=2\n"
        "  ROOT t = (f32[8,4], f32[1,4,4,2]) tuple(s, c)\n}\n"
    )
    assert facts.of("gather_attr") == {"s": ScatterDimensions((1,), (0,), (0,), 1)}
    assert facts.of("input_count")["s"] == 1
    assert facts.of("conv_attr")["c"].kernel_spatial == (0, 1)
    assert facts.of("ungrouped") == {}


@pytest.mark.parametrize(
    ("constant", "dimension"),
    [
        ("s32[4] constant({0,1,2,3})", 0),
        ("s32[4] constant({1,2,3,4})", None),
        ("s32[2,3] constant({ { 0, 1, 2 }, { 0, 1, 2 } })", 1),
        ("s32[2,3] constant({ { 0, 0, 0 }, { 1, 1, 1 } })", 0),
        ("s32[1,1] constant({ { 0 } })", None),
        ("s32[4] constant({...})", None),
        ("s64[4] constant({0,1,2,3})", None),
        ("s32[] constant(0)", None),
    ],
)
def test_constants_that_count_up(constant: str, dimension: int | None) -> None:
    assert Facts(entry(f"ROOT c = {constant}")).of("literal_iota") == (
        {} if dimension is None else {"c": dimension}
    )


def test_a_constant_has_as_many_elements_as_its_shape() -> None:
    with pytest.raises(InputError) as caught:
        Facts(entry("ROOT c = s32[4] constant({0,1,2})"))
    assert str(caught.value) == "4: c: constant (expected 4 elements, found 3)"


CALL = 'custom-call({}), custom_call_target="Sharding", sharding={{{}}}'


def test_a_sharding_call_is_a_copy_that_names_its_operand() -> None:
    facts = Facts(
        entry(
            "p = f32[4] parameter(0)",
            "n = f32[4] negate(p)",
            f"c = f32[4] {CALL.format('n', 'devices=[4]<=[4]')}",
            f"d = f32[4] {CALL.format('n', 'replicated')}",
            "ROOT s = f32[4] subtract(c, d)",
        )
    )
    opcodes = facts.of("opcode")
    assert (opcodes["c"], opcodes["d"]) == ("copy", "copy")
    assert facts.of("target") == {"c": "Sharding", "d": "Sharding"}
    # the last call in post-order speaks first
    assert facts.value("named_by", facts.names.index("n")) == "d"
    assert [x.name for x in facts.graph.copies] == ["d", "c"]
    assert {k: str(v) for k, v in facts.of("annotation").items()} == {
        "c": "{devices=[4]<=[4]}",
        "d": "{replicated}",
    }
    assert facts.lists("user")["n"] == ["c", "d"]


def test_what_has_a_sharding_is_not_named() -> None:
    facts = Facts(
        entry(
            "p = f32[4] parameter(0), sharding={manual}",
            f"c = f32[4] {CALL.format('p', 'replicated')}",
            f'd = f32[4] {CALL.format("c", "replicated")}, backend_config="unspecified_dims=[0]"',
            "n = f32[4] negate(d)",
            f"ROOT o = f32[4] {CALL.format('n', 'replicated')}, "
            'backend_config="unspecified_dims=[1,0]"',
        )
    )
    assert facts.of("named_by") == {}
    assert facts.of("unspecified") == {"d": (0,), "o": (0, 1)}


def test_open_dimensions_of_a_conversion_stay_in_their_order() -> None:
    text = entry(
        "p = f32[4] parameter(0)",
        'ROOT c = f32[2] custom-call(p), custom_call_target="SPMDFullToShardShape", '
        'sharding={manual}, backend_config="unspecified_dims=[1,0]"',
    )
    assert Facts(text).of("open_dims") == {"c": (1, 0)}
    with pytest.raises(InputError) as caught:
        Facts(text.replace("[1,0]", "[1"))
    assert str(caught.value) == (
        "5: c: SPMDFullToShardShape call (expected unspecified_dims=[...], found "
        "'unspecified_dims=[1')"
    )


def test_a_sharding_call_needs_a_sharding() -> None:
    text = entry(
        "p = f32[4] parameter(0)", 'ROOT c = f32[4] custom-call(p), custom_call_target="Sharding"'
    )
    with pytest.raises(InputError) as caught:
        Facts(text)
    assert str(caught.value) == "5: c: Sharding call (expected a sharding and one operand)"


def test_a_call_that_only_names_a_group_is_taken_out() -> None:
    facts = Facts(
        entry(
            "p = f32[4] parameter(0)",
            "n = f32[4] negate(p)",
            f"g = f32[4] {CALL.format('n', 'unknown shard_as 7')}",
            "a = f32[4] abs(n)",
            "b = f32[4] floor(g)",
            f"h = f32[4] {CALL.format('p', 'unknown shard_as 7')}",
            "l = f32[4] ceil(a), sharding={replicated shard_like 2}",
            "ROOT t = (f32[4], f32[4], f32[4], f32[4]) tuple(g, b, h, l)",
        )
    )
    # a group on a parameter is a call with a sharding, unknown as it is
    assert [x.name for x in facts.graph.removed] == ["g"]
    assert facts.of("opcode")["h"] == "copy"
    assert facts.of("shard_group") == {"n": 7, "h": 7, "l": 2}
    assert facts.rows["group_kind"] == {7: "as", 2: "like"}
    # XLA goes through a computation from its end
    assert [facts.value("member", (7, k)) for k in range(2)] == ["h", "n"]
    assert facts.value("named_by", facts.names.index("n")) == "g"
    assert str(facts.of("annotation")["l"]) == "{replicated}"
    # users of the call move to the end of the operand's list, and the last fills its place
    assert facts.lists("user")["n"] == ["t", "a", "b"]
    assert facts.lists("user")["g"] == []
    # nothing visits it any more
    assert facts.lists("operand")["g"] == []
    assert facts.lists("operand")["t"] == ["n", "b", "h", "l"]
    assert facts.lists("operand")["b"] == ["n"]


def test_copies_without_users_come_last() -> None:
    facts = Facts(
        entry(
            "p = f32[4] parameter(0)",
            f"c = f32[4] {CALL.format('p', 'replicated')}",
            "q = f32[4] parameter(1)",
            "ROOT n = f32[4] negate(q)",
        )
    )
    assert facts.names == ["q", "n", "p", "c"]
    assert facts.of("scan_order") == {"p": 0, "q": 1, "n": 2, "c": 3}


def test_metadata_leaves_annotations_unless_it_is_propagated() -> None:
    text = entry(
        'p = f32[4] parameter(0), sharding={replicated metadata={op_name="a"}}, '
        'metadata={op_name="b"}',
        'ROOT n = f32[4] negate(p), sharding={manual}, metadata={op_name="c"}',
    )
    plain = Facts(text)
    assert plain.of("annotation")["p"] is HloSharding.replicated()
    assert plain.of("original")["p"].to_text() == '{replicated metadata={op_name="a"}}'
    kept = Facts(text, PassOptions(propagate_metadata=True)).of("annotation")
    assert kept["p"].to_text() == '{replicated metadata={op_name="a"}}'
    assert kept["n"].to_text() == '{manual metadata={op_name="c"}}'


def test_what_kept_equal_expressions_apart_is_taken_off() -> None:
    mark = '{replicated metadata={op_name="_sharding_propagation_cse_prevention"}}'
    text = entry(f"ROOT p = f32[] parameter(0), sharding={mark}")
    assert Facts(text).of("annotation") == {}
    assert Facts(text, PassOptions(cse_prevention_only=True)).of("annotation")


def test_calls_stay_calls_where_only_equal_expressions_matter() -> None:
    text = entry("p = f32[4] parameter(0)", f"ROOT c = f32[4] {CALL.format('p', 'replicated')}")
    facts = Facts(text, PassOptions(cse_prevention_only=True))
    assert facts.of("opcode")["c"] == "custom-call"
    assert facts.of("named_by") == {"p": facts.names.index("c")}
    assert facts.rows["option"]["cse_only"] is True


def test_a_while_at_the_root_has_a_copy() -> None:
    text = LOOP.replace("  w = ", "  ROOT w = ").split("  x = ")[0] + "}\n"
    facts = Facts(text)
    assert facts.names[-2:] == ["w", "(root copy)"]
    assert facts.value("root", 3) == "(root copy)"
    assert facts.of("opcode")["(root copy)"] == "copy"
    assert facts.lists("operand")["(root copy)"] == ["w"]
    assert facts.lists("user")["w"] == ["(root copy)"]
    assert facts.rows["root_copy"] == {(len(facts.names) - 1, len(facts.names) - 2): True}
    assert facts.of("inner_uses")["w"] == 0
    assert "(root copy)" not in Facts(text, PassOptions(output_mask=(True,))).names


def test_options() -> None:
    facts = Facts(LOOP, PassOptions(is_spmd=False, parameter_mask=(False, True)))
    assert facts.rows["option"] == {
        "spmd": False,
        "cse_only": False,
        "propagate_metadata": False,
        "any_parameter": True,
        "any_output": False,
    }


TUPLES = entry(
    "p = (f32[4], (f32[4], f32[4])) parameter(0)",
    "ROOT r = (f32[4], (f32[4], f32[4])) opt-barrier(p), "
    "sharding={{manual}, {replicated}, {replicated}}",
)
ARRAYS = entry("p = f32[4] parameter(0)", "q = f32[4] parameter(1)", "ROOT r = f32[4] add(p, q)")


@pytest.mark.parametrize(
    ("text", "parameters", "output", "closed", "held", "freed"),
    [
        (ARRAYS, (False,), (False,), [], {}, {}),
        (ARRAYS, (False, True), (False,), ["p"], {}, {"q": "whole"}),
        (ARRAYS, (True,), (True,), [], {}, {"r": "whole"}),
        # as many elements as masks: of the result leaves are held and elements are freed
        (TUPLES, (False,), (False, True, False), [], {"r": (0, 2)}, {}),
        (TUPLES, (False,), (False, True), [], {}, {"r": (1,)}),
        (TUPLES, (True,), (False,), [], {}, {"p": "whole"}),
        (TUPLES, (True, False), (False,), [], {"p": (1,)}, {"p": (0,)}),
    ],
)
def test_masks(
    text: str,
    parameters: tuple[bool, ...],
    output: tuple[bool, ...],
    closed: list[str],
    held: dict[str, Any],
    freed: dict[str, Any],
) -> None:
    facts = Facts(text, PassOptions(parameter_mask=parameters, output_mask=output))
    assert list(facts.of("mask_closed")) == closed
    assert facts.of("held_parameter") | facts.of("held_output") == held
    assert facts.of("freed_parameter") | facts.of("freed_output") == freed


def test_masks_come_from_the_header() -> None:
    header = (
        "allow_spmd_sharding_propagation_to_parameters={true,false}, "
        "allow_spmd_sharding_propagation_to_output={true}"
    )
    facts = Facts(ARRAYS.replace("num_partitions=4", header))
    assert facts.of("mask_closed") == {"q": True}
    assert facts.rows["option"]["any_output"] is True


CHANNEL_IN_LOOP = LOOP.replace(
    "  ROOT r = (f32[4], s32[]) parameter(0)\n",
    "  r = (f32[4], s32[]) parameter(0)\n"
    "  e0 = f32[4] get-tuple-element(r), index=0\n"
    "  e1 = s32[] get-tuple-element(r), index=1\n"
    "  ar = f32[4] all-reduce(e0), channel_id=1, to_apply=add, sharding={maximal device=2}\n"
    "  ROOT rt = (f32[4], s32[]) tuple(ar, e1)\n",
)


def test_devices_of_a_loop() -> None:
    text = CHANNEL_IN_LOOP
    facts = Facts(text)
    assert facts.of("unique_device") == {"ar": 2}
    assert facts.rows["channel_device"] == {2: 2}
    without = Facts(text.replace("channel_id=1, ", ""))
    assert without.rows["channel_device"] == {}


def test_a_channel_elsewhere_is_refused_in_the_words_of_xla() -> None:
    text = CHANNEL_IN_LOOP.replace(
        "s32[] get-tuple-element(r), index=1\n",
        "s32[] get-tuple-element(r), index=1, sharding={maximal device=1}\n",
        1,
    )
    line = text[: text.index("maximal device=1")].count("\n") + 1
    with pytest.raises(InputError) as caught:
        Facts(text)
    assert str(caught.value) == (
        f"{line}: Instruction: e1 is on device: 1, which conflicts with device: 2 of channel "
        "instruction: ar"
    )


def test_effects_of_what_is_called() -> None:
    text = LOOP.replace("  ROOT s = f32[] add", "  o = token[] infeed()\n  ROOT s = f32[] add")
    assert set(Facts(text).of("side_effect")) == {"o", "y"}
