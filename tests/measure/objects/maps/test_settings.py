"""What a maps file makes of an object, and what is refused of it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.map_types import MAPS_BYTES_MAX
from linerate.measure.objects.maps.settings import empty_maps, read_settings

FORM = re.compile(r"(maps|set|path|map)?.*=.*: .+; allowed: .+; .+", re.DOTALL)


@pytest.fixture(scope="module")
def router(compiled):
    return list_object(compiled())


@pytest.fixture
def settings(router, tmp_path):
    def read(text="", *assigned):
        path = tmp_path / "maps.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_settings(router, path, assigned)

    return read


@pytest.fixture
def refusal(settings):
    def read(text="", *assigned):
        with pytest.raises(BadInputError, match=FORM) as refused:
            settings(text, *assigned)
        return str(refused.value)

    return read


def test_no_file_changes_nothing(router):
    nothing = read_settings(router)
    assert nothing.lines == ()
    assert nothing.filled == ()
    assert 200_000 * 8 <= nothing.maps_bytes <= 16 << 20


def test_variables_are_set_in_their_section(settings):
    text = """
    [set]
    limit = 100
    counts = [7, 8]
    fallback.ifindex = 3
    fallback.ends = [{}, {address = "10.0.0.1"}]
    """
    assert settings(text).lines == (
        "set .rodata 0 64000000",
        f"set .data 0 {'07' + '00' * 7 + '08' + '00' * 23}",
        "set .bss 0 03000000",
        "set .bss 32 0a000001",
    )


def test_a_command_line_sets_alike_and_last(settings):
    lines = settings("[set]\nlimit = 1\n", "limit=2", "fallback.mac=02:00:00:00:00:09").lines
    assert lines == ("set .rodata 0 01000000", "set .rodata 0 02000000",
                     "set .bss 4 020000000009")  # fmt: skip


def test_entries_of_every_kind_become_lines(router, settings):
    text = """
    [maps.routes]
    max_entries = 4096
    entries = [
        {key = "10.0.0.0/8", value = {ifindex = 2, mac = "02:00:00:00:00:02", priority = 3}},
        {key = {prefixlen = 32, address = [192, 0, 2, 1]}, value = {}},
    ]
    [maps.programs]
    entries = [{key = 0, program = "firewall"}]
    [maps.outer]
    entries = [{key = 1, map = "inner"}]
    [maps.ports]
    entries = [{key = 0, value = 4}]
    [maps.cpus]
    entries = [{key = 1, value = 2048}]
    [maps.plain]
    entries = [{key = "0x0a000001", value = "00 01 02 03 04 05 06 07 08 09 0a 0b"}]
    [maps.ids]
    entries = [{value = 5}]
    [maps.sources]
    entries = [{key = "2001:db8::1", value = 1}]
    """
    made = settings(text)
    hop = f"{'020000000200000000020018':0<{2 * router.map_named('routes').value_bytes}}"
    assert made.lines[:2] == ("max routes 4096", f"fill routes 080000000a000000 {hop}")
    assert made.lines[3:] == (
        "call programs 00000000 firewall",
        "nest outer 01000000 inner",
        "fill ports 00000000 0400000000000000",
        "fill cpus 01000000 00080000",
        "fill plain 0a000001 000102030405060708090a0b",
        "fill ids  05000000",
        "fill sources 20010db8000000000000000000000001 0100000000000000",
    )
    assert dict(made.filled)["routes"] == 2


@pytest.mark.deep
def test_a_ring_of_200_000_is_one_line_of_the_file(settings):
    made = settings('[maps.ring]\nfill = {count = 200000, value = "index"}\n')
    assert len(made.lines) == 200_000
    assert made.lines[258] == "fill ring 02010000 02010000"
    assert len(set(made.lines)) == 200_000


@pytest.mark.deep
def test_random_keys_differ_and_follow_their_seed(settings):
    fill = '[maps.plain]\nmax_entries = 30000\nfill = {{count = 30000, key = "random", ' \
           'value = "0x000000000000000000000000", seed = {}}}\n'  # fmt: skip
    first, again, other = (settings(fill.format(seed)).lines for seed in (1, 1, 2))
    assert first == again != other
    assert len(set(first)) == 30_001


def test_keys_of_many_flows_are_written_by_their_first_address(settings):
    text = '[maps.sources]\nfill = {count = 3, first = 255, key = "2001:db8::+index", value = 1}\n'
    keys = [line.split()[2] for line in settings(text).lines]
    assert [key[-4:] for key in keys] == ["00ff", "0100", "0101"]


def test_maps_in_which_nothing_is_found_are_named(router, settings):
    assert set(empty_maps(router, read_settings(router))) == {
        "plain", "sources", "programs", "routes", "ports", "cpus", "sockets", "outer", "ids",
    }  # fmt: skip
    filled = settings('[maps.plain]\nentries = [{key = 1, value = "0x' + "00" * 12 + '"}]\n')
    assert "plain" not in empty_maps(router, filled)
    assert "routes" in empty_maps(router, filled)


def test_tables_with_entries_in_the_source_are_not_called_empty(compiled):
    chain = list_object(compiled("chain"))
    assert empty_maps(chain, read_settings(chain)) == ()


ENTRY = "[maps.{}]\nentries = [{{{}}}]\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[set", "not TOML"),
        (b"\xff", "not UTF-8"),
        ("sets = 1\n", r"maps.toml=sets: there is no such key; allowed: set, maps"),
        ("set = 1\n", "not a table"),
        ("maps = []\n", "not a table"),
        ("[set]\nlimitt = 1\n", "set.limitt=limitt: there is no such variable; allowed: limit"),
        ('[set]\n"" = 1\n', "no such variable"),
        ("[set]\nlimit = 2147483648\n", "does not fit into 32 bits"),
        ("[set]\nlimit = 2020-01-01\n", "a date cannot be here"),
        ('[set]\nlimit = "index"\n', "a variable is one"),
        ("[set]\nfallback.class = 1\n", "a bit field cannot be set by itself"),
        ("[set]\nfallback.colour = 1\n", "no such member"),
        ("[maps.rout]\n", r"maps.rout=rout: the object has no such map; allowed: .*routes"),
        ('[maps.".rodata"]\n', "no such map"),
        ("[maps.ring]\nentry = 1\n", "no such key; allowed: max_entries, entries, fill"),
        ("[maps.ring]\nentries = 1\n", "not a list of entries"),
        ("[maps.ring]\nentries = [1]\n", r"entries\[0\]=1: it is not a table"),
        ("[maps.ring]\nmax_entries = 0\n", "allowed: a whole number 1..4294967295"),
        ("[maps.ring]\nmax_entries = true\n", "whole number"),
        (ENTRY.format("ring", "key = 1"), "it holds nothing; allowed: value, program or map"),
        (ENTRY.format("ring", "key = 1, value = 1, map = 'inner'"), "it holds value and map"),
        (ENTRY.format("ring", "key = 1, value = 1, program = 'x'"), "holds value or program"),
        (ENTRY.format("ring", "value = 1"), "a percpu_array has keys"),
        (ENTRY.format("ring", "key = 200000, value = 1"), "allowed: 0..199999"),
        (ENTRY.format("ring", "key = 1, value = 'random'"), "one entry, not many"),
        (ENTRY.format("ring", "key = 1, map = 'inner'"), "of type percpu_array; .*key and value"),
        (ENTRY.format("ring", "key = 1, value = '0x0102'"), "it has 2 bytes; allowed: 4 bytes"),
        (ENTRY.format("ring", "kay = 1, value = 1"), "no such key; allowed: key, value"),
        (ENTRY.format("routes", "key = '10.0.0.1/8', value = {}"), "host bits"),
        (ENTRY.format("routes", "key = 'fd00::/8', value = {}"), "8 bytes, not 4 and 16"),
        (ENTRY.format("routes", "key = '10.0.0.0/8', value = 1"), "several members"),
        (ENTRY.format("ids", "key = 1, value = 1"), "a queue has no keys"),
        (ENTRY.format("programs", "key = 0, program = 'none'"), "allowed: route, firewall"),
        (ENTRY.format("programs", "key = 0, program = 1"), "it is not a name"),
        (ENTRY.format("programs", "key = 0, value = 1"), "key and program"),
        (ENTRY.format("programs", "key = 4, program = 'route'"), r"allowed: 0..3"),
        (ENTRY.format("outer", "key = 0, map = 'outer'"), "the object has none of this name"),
        (ENTRY.format("sockets", "key = 0, value = 1"), "AF_XDP sockets; leave it empty"),
        (ENTRY.format("inner", "key = 1, value = 1}, {key = 1, value = 2"), "a second time"),
        ("[maps.plain]\nfill = {count = 9, value = '0x000000000000000000000000'}\n", "room for 8"),
        ("[maps.plain]\nfill = {count = 9}\n", "value is missing"),
        ("[maps.plain]\nfill = {value = 1}\n", "count is missing"),
        ("[maps.plain]\nfill = {count = 1048577, value = 1}\n", "1..1048576"),
        ("[maps.inner]\nfill = {count = 2, key = 1, value = 1}\n", "the same key"),
        ("[maps.programs]\nfill = {count = 2, value = 1}\n", "key and program"),
        (f"[maps.plain]\nmax_entries = {MAPS_BYTES_MAX // 80}\n", "map=plain: .* 1.1 GiB"),
        ("[maps.ring]\nmax_entries = 4294967295\n", "map=ring: .*allowed: 1 GiB in all"),
    ],
)  # fmt: skip
def test_what_cannot_be_set_or_filled_is_refused_with_its_place(refusal, text, words):
    output = refusal(text)
    assert re.search(words, output), output


@pytest.mark.parametrize("assigned", ["limit", "=5", "", "limit=", "limit=1\nb=2", "none=1"])
def test_an_assignment_that_is_none_is_refused(refusal, assigned):
    refusal("", assigned)


def test_a_device_is_no_maps_file(router):
    with pytest.raises(BadInputError, match="device"):
        read_settings(router, Path("/dev/zero"))


def test_a_map_whose_size_a_loader_sets_needs_it_here(router, tmp_path):
    maps = tuple(replace(one, entries_max=0) if one.name == "plain" else one for one in router.maps)
    unsized = replace(router, maps=maps)
    with pytest.raises(
        BadInputError, match=r"map=plain: .* 0 entries.* \[maps\.plain\] max_entries"
    ):
        read_settings(unsized)
    path = tmp_path / "maps.toml"
    path.write_text("[maps.plain]\nmax_entries = 8\n")
    assert "max plain 8" in read_settings(unsized, path).lines
