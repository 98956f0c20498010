"""The text of shardings; tests/vectors.py compares it with what XLA makes of the same text."""

from __future__ import annotations

import pickle

import pytest

from shardlog.ir.errors import InputError
from shardlog.ir.sharding_text import parse_sharding


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{devices=[2,2]<=[8]}",
            "1:2: a grid of [2, 2] has 4 places, but reshape dimensions [8] give 8 devices",
        ),
        ("{devices=[2,2]0,1,2}", "1:2: a grid of [2, 2] cannot hold 3 devices"),
        ("{devices=[4]0,1,2,1}", "1:2: a device is listed twice"),
        ("{{manual},\n {replicated device=3}}", "2:3: replicated goes without devices"),
        (
            "{devices=[2,2]<=[4] last_tile_dims={manul}}",
            "1:37: unknown subgroup type (expected manual, replicated or unreduced, found 'manul')",
        ),
        (
            "{devices=[4]0,1,2,}",
            "1:19: unreadable sharding (expected an integer, found '}')",
        ),
    ],
)
def test_messages(text, message):
    with pytest.raises(InputError) as caught:
        parse_sharding(text)
    assert str(caught.value) == message


def test_an_error_can_be_moved_to_its_file_and_sent_to_another_process():
    with pytest.raises(InputError) as caught:
        parse_sharding("{devices=[4]0,1,2,}")
    located = caught.value.located(file="a.hlo", line=7)
    assert str(located) == "a.hlo:7:19: unreadable sharding (expected an integer, found '}')"
    assert str(pickle.loads(pickle.dumps(located))) == str(located)


def test_comments_and_blanks_are_skipped():
    text = "{ /* a grid */ devices=[ 2,\n2 ]<=[4] // the end\n}"
    assert parse_sharding(text) is parse_sharding("{devices=[2,2]<=[4]}")


def test_metadata_is_printed_as_xla_prints_it():
    text = (
        '{replicated metadata={stack_frame_id=7 op_name="a\\"b\\303\\244\\x41" source_line=-3, '
        'profile_type={2,1} scheduling_name="s\\"" op_type=""}}'
    )
    sharding = parse_sharding(text)
    assert sharding.to_text() == (
        '{replicated metadata={op_name="a\\"b\\303\\244A" source_line=-3 profile_type={2,1} '
        'scheduling_name="s"" stack_frame_id=7}}'
    )
    assert sharding.metadata[0].op_name == 'a"bäA'
    assert sharding.metadata[0].source_line == -3


def test_several_metadata_stand_in_two_pairs_of_braces():
    text = '{devices=[2]<=[2] shard_like 3 metadata={{op_name="a"}, {op_name="b"}}}'
    assert parse_sharding(text).to_text() == text
    assert parse_sharding('{manual metadata={{op_name="a"}}}').to_text() == (
        '{manual metadata={op_name="a"}}'
    )


def test_a_long_device_list_is_read():
    devices = list(range(20_000, 0, -1))
    text = f"{{devices=[200,100]{','.join(map(str, devices))}}}"
    sharding = parse_sharding(text)
    assert sharding.tile.array.reshape(-1).tolist() == devices
    assert str(sharding) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (
            "{devices=[1,9,2,2]<=[2,1,2,2]T(3,1,0,2) last_tile_dim_replicate}",
            "{devices=[1,9,2,2]<=[4,2]T(1,0) last_tile_dim_replicate}",
        ),
        (
            "{devices=[2,9,2,1]<=[2,2]T(1,0) last_tile_dims={unreduced}}",
            "{devices=[2,9,2]<=[2,2]T(1,0)}",
        ),
    ],
)
def test_a_grid_with_wrong_counts_keeps_its_subgroups_if_lenient(text, canonical):
    with pytest.raises(InputError):
        parse_sharding(text)
    assert str(parse_sharding(text, lenient=True)) == canonical


MANY = "1000000,1000000"
LONG = ",".join(["4611686018427387904"] * 100_000)


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{devices=[1000000000000]0,1}", "devices"),
        (f"{{devices=[{LONG}]<=[4]}}", "a grid of 100000 dimensions"),
        (f"{{devices=[4]<=[{LONG}]T(0)}}", "entries in T"),
        ("{" * 10_000 + "}" * 10_000, "1:3: unreadable sharding"),
        ("{devices=[" + "1," * 99 + "2]1,0}", "a grid of 100 dimensions"),
        (
            "{devices=[200000000000,6]<=[2,2,300000000000]T(2,1,0) last_tile_dim_replicate}",
            "a list of 1200000000000 devices is too long to make",
        ),
    ],
)
def test_hostile_texts_are_refused(text, message, lenient):
    with pytest.raises(InputError) as caught:
        parse_sharding(text, lenient)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_million_million_devices_stay_symbolic():
    text = f"{{devices=[{MANY}]<=[{MANY}]T(1,0)}}"
    sharding = parse_sharding(text)
    assert str(sharding) == text
    assert sharding.num_devices == 10**12
    assert sharding.tile.device_at((1, 2)) == 2_000_001
