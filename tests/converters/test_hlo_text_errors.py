"""What the reader of HLO text says about text that it cannot read."""

import pytest

from shardlog.converters.hlo_text import decode_text, parse_hlo_text
from shardlog.ir.errors import InputError

HEADER = "HloModule m\n\n"


def entry(*lines: str) -> str:
    return HEADER + "ENTRY e {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


P = "p = f32[4] parameter(0)"

CASES = {
    "no HLO": (
        "Once upon a time\n",
        "f.txt:1: not HLO text (expected HloModule, found 'Once upon a time')",
    ),
    "nothing": ("", "f.txt:1: not HLO text (expected HloModule, found the end of the file)"),
    "no computation": (
        HEADER,
        "f.txt:3: module without computations (expected a computation: name { ... }, found the "
        "end of the file)",
    ),
    "no computation but text": (
        HEADER + "func @main() {\n",
        "f.txt:3: unreadable computation (expected a computation: name { ... }, found '@main() {')",
    ),
    "truncated in a line": (
        entry(P, 'ROOT q = f32[4] negate(p), metadata={op_name="x"').removesuffix("\n}\n"),
        "f.txt:5: q: unmatched '{' (expected its '}', found the end of the file)",
    ),
    "truncated in operands": (
        entry(P, "ROOT q = f32[4] add(p, ").removesuffix("\n}\n"),
        "f.txt:5: q: unmatched '(' (expected its ')', found the end of the file)",
    ),
    "truncated between lines": (
        entry(P, "q = f32[4] negate(p)").removesuffix("}\n"),
        "f.txt:6: unreadable instruction (expected an instruction: name = shape opcode(...), "
        "found the end of the file)",
    ),
    "truncated in a string": (
        entry(P, 'ROOT q = f32[4] custom-call(p), custom_call_target="Sh').removesuffix("\n}\n"),
        "f.txt:5: q: a quote without its end (found '\"Sh')",
    ),
    "truncated header": (
        "HloModule m, input_output_alias={ {0}: (0, {}",
        "f.txt:1: module m: unmatched '{' (expected its '}', found the end of the file)",
    ),
    "unknown operand": (
        entry(P, "ROOT q = f32[4] add(p, r)"),
        "f.txt:5: q: operand does not exist (expected an instruction above in the same "
        "computation, found r)",
    ),
    "operand defined later": (
        entry("q = f32[4] negate(f32[4] %p)", P),
        "f.txt:4: q: operand does not exist (expected an instruction above in the same "
        "computation, found %p)",
    ),
    "operand without a name": (
        entry(P, "ROOT q = f32[4] add(p, )"),
        "f.txt:5: q: operand does not exist (expected an instruction above in the same "
        "computation, found '')",
    ),
    "unknown computation": (
        entry(P, "ROOT q = f32[4] map(p), to_apply=%f"),
        "f.txt:5: q: called computation does not exist (expected a computation of this module, "
        "found f)",
    ),
    "a while without body": (
        entry(P, "ROOT q = f32[4] while(p), condition=e"),
        "f.txt:5: q: called computations (expected condition and body, found 1)",
    ),
    "recursion": (
        entry(P, "ROOT q = f32[4] call(p), to_apply=e"),
        "f.txt:5: q: recursive call",
    ),
    "a name twice": (
        entry(P, "q = f32[4] negate(p)", "ROOT q = f32[4] abs(p)"),
        "f.txt:6: a second instruction named q (found first on line 5)",
    ),
    "a computation twice": (
        HEADER + "a { p = f32[] parameter(0) }\na { p = f32[] parameter(0) }\n",
        "f.txt:4: a second computation named a",
    ),
    "two roots": (
        entry("ROOT p = f32[] parameter(0)", "ROOT q = f32[] negate(p)"),
        "f.txt:5: a second ROOT in e (found first on line 4)",
    ),
    "two entries": (
        entry(P) + "ENTRY g {\n  p = f32[] parameter(0)\n}\n",
        "f.txt:6: a second ENTRY computation (expected only one, found 'ENTRY g {')",
    ),
    "an unreadable shape": (
        entry(P, "ROOT q = f33[4] negate(p)"),
        "f.txt:5: q: unreadable shape 'f33[4]' (expected an element type such as f32 and "
        "dimensions in brackets, found 'f33[4]')",
    ),
    "an unreadable shape on an operand": (
        entry(P, "ROOT q = f32[4] negate(f32[x] p)"),
        "f.txt:5: q: unreadable shape 'f32[x]' (expected dimension sizes, found 'x]')",
    ),
    "no shape": (
        entry(P, "ROOT q = reshape(p)"),
        "f.txt:5: q: the shape of a reshape cannot be inferred "
        "(expected a shape such as f32[8,4] before the opcode)",
    ),
    "no opcode": (
        entry(P, "ROOT q = f32[4] (p)"),
        "f.txt:5: q: unreadable opcode (expected an opcode such as add, found '(p)')",
    ),
    "no equals sign": (
        entry(P, "ROOT q f32[4] negate(p)"),
        "f.txt:5: unreadable instruction q (expected '=', found 'f32[4] negate(p)')",
    ),
    "no attribute": (
        entry(P, "ROOT q = f32[4] negate(p), 17"),
        "f.txt:5: q: unreadable attribute (expected name=value, found '17')",
    ),
    "an empty computation": (
        HEADER + "ENTRY e {\n}\n",
        "f.txt:4: computation without instructions (expected an instruction, found '}')",
    ),
    "a sharding without devices": (
        entry("ROOT p = f32[4] parameter(0), sharding={devices=[2]}"),
        None,
    ),
    "a sharding of another rank": (
        entry("ROOT p = f32[4] parameter(0), sharding={devices=[2,1]<=[2]}"),
        "f.txt:4: p: sharding (expected 1 tiled dimensions for f32[4], found {devices=[2,1]<=[2]})",
    ),
    "too few elements": (
        entry("ROOT p = (f32[], f32[]) parameter(0), sharding={{replicated}}"),
        "f.txt:4: p: sharding of a tuple (expected 2 elements, found 1)",
    ),
    "a tuple's sharding on an array": (
        entry("ROOT p = f32[] parameter(0), sharding={{replicated}}"),
        "f.txt:4: p: sharding (expected one for f32[], found a tuple's)",
    ),
    "parameter numbers with a gap": (
        entry("p = f32[] parameter(0)", "ROOT q = f32[] parameter(2)"),
        "f.txt:5: q: parameter number (expected each of 0 to 1 once, found 2)",
    ),
    "a parameter number that is none": (
        entry("ROOT p = f32[] parameter(x)"),
        "f.txt:4: p: unreadable integer (expected digits, found 'x')",
    ),
}


@pytest.mark.parametrize(("text", "message"), CASES.values(), ids=CASES)
def test_messages(text: str, message: str | None) -> None:
    with pytest.raises(InputError) as caught:
        parse_hlo_text(text, "f.txt")
    if message is None:
        # the words are those of the reader of shardings
        assert str(caught.value).startswith("f.txt:4:")
        assert "p: " in str(caught.value)
    else:
        assert str(caught.value) == message
    assert caught.value.file == "f.txt"
    assert caught.value.line


def test_attributes_are_read_when_asked_for() -> None:
    module = parse_hlo_text(
        entry(P, "ROOT q = f32[2] slice(p), slice={[0:2}, dimensions={a}"), "f.txt"
    )
    with pytest.raises(InputError) as caught:
        _ = module.entry.root.dimensions
    assert str(caught.value) == "f.txt:5: q: unreadable attributes (found an unmatched '}')"
    good = parse_hlo_text(entry(P, "ROOT q = f32[4] reverse(p), dimensions={a}"), "f.txt")
    with pytest.raises(InputError) as caught:
        _ = good.entry.root.dimensions
    assert str(caught.value) == (
        "f.txt:5: q: unreadable list of integers (expected such as {0,1}, found '{a}')"
    )


def test_masks_are_read_when_asked_for() -> None:
    module = parse_hlo_text(
        entry(P).replace("m\n", "m, allow_spmd_sharding_propagation_to_output={yes}\n", 1), "f.txt"
    )
    with pytest.raises(InputError) as caught:
        _ = module.output_mask
    assert str(caught.value) == (
        "f.txt:1: unreadable allow_spmd_sharding_propagation_to_output "
        "(expected a list such as {true,false}, found {yes})"
    )


def test_damaged_gzip() -> None:
    with pytest.raises(InputError, match=r"f\.gz: damaged gzip file"):
        decode_text(b"\x1f\x8b\x08\x00 and so on", "f.gz")
