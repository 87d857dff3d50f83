"""What an object is said to hold, and which of its programs packets come to."""

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects import listing as listing_module
from linerate.measure.objects.entry import candidates, choose_entry, hook_for
from linerate.measure.objects.listing import Member, list_object


@pytest.fixture(scope="module")
def router(compiled):
    return list_object(compiled())


def test_programs_are_those_of_the_source(router):
    assert [(each.name, each.section, each.type) for each in router.programs] == [
        ("route", "xdp", "xdp"), ("firewall", "xdp_fw", "unspec"), ("shaper", "tc", "sched_cls"),
    ]  # fmt: skip
    assert all(program.instructions >= 2 for program in router.programs)


def test_maps_are_those_of_the_source(router):
    routes = router.map_named("routes")
    assert (routes.type, routes.key_bytes, routes.entries_max, routes.flags) == (
        "lpm_trie", 8, 100, 1,
    )  # fmt: skip
    assert routes.key == (
        Member(name="prefixlen", offset_bits=0, bits=32, count=1, signed=False),
        Member(name="address", offset_bits=32, bits=8, count=4, signed=False),
    )
    assert router.map_named("nothing") is None


def test_members_lie_where_the_compiler_put_them(router):
    members = {member.name: member for member in router.map_named("routes").value}
    assert (members["class"].offset_bits, members["class"].bits) == (88, 3)
    assert (members["priority"].offset_bits, members["priority"].bits) == (91, 5)
    assert members["offset"].signed
    assert members["ends[1].address"].offset_bits == 256


def test_variables_are_listed_by_name(router):
    (limit,) = router.map_named(".rodata").value
    assert (limit.name, limit.bits, limit.signed) == ("limit", 32, True)
    assert [one.name for one in router.maps if one.is_variables] == [".rodata", ".data", ".bss"]


def test_a_map_that_the_source_pins_is_said_to_be_so(router):
    assert [one.name for one in router.maps if one.pinned] == ["plain"]


def test_entries_in_the_source_are_seen(compiled, router):
    assert list_object(compiled("chain")).has_initial_entries
    assert not router.has_initial_entries


def test_what_libbpf_cannot_read_is_refused_in_its_words(compiled, tmp_path):
    data = bytearray(compiled().read_bytes())
    at = data.index(bytes.fromhex("9feb0100"))  # magic number of BTF
    data[at : at + 2] = b"\0\0"
    path = tmp_path / "broken.bpf.o"
    path.write_bytes(data)
    with pytest.raises(BadInputError, match=r"libbpf.*allowed: .*clang"):
        list_object(path)


def test_a_runner_without_end_is_stopped(compiled, monkeypatch, tmp_path):
    endless = tmp_path / "native/bpf_object"
    endless.parent.mkdir()
    endless.write_text("#!/bin/sh\nexec sleep 60\n")
    endless.chmod(0o755)
    monkeypatch.setenv("LINERATE_BUILD", str(tmp_path))
    monkeypatch.setattr(listing_module, "SECONDS_MAX", 1)
    with pytest.raises(BadInputError, match="without an end"):
        list_object(compiled("one"))


def test_a_runner_that_crashes_is_named_by_its_signal(compiled, monkeypatch, tmp_path):
    crashing = tmp_path / "native/bpf_object"
    crashing.parent.mkdir()
    crashing.write_text("#!/bin/sh\nkill -SEGV $$\n")
    crashing.chmod(0o755)
    monkeypatch.setenv("LINERATE_BUILD", str(tmp_path))
    with pytest.raises(BadInputError, match="SIGSEGV"):
        list_object(compiled("one"))


def test_a_section_that_libbpf_does_not_know_goes_to_any_hook(router):
    assert candidates(router, "xdp_native") == ("route", "firewall")
    assert candidates(router, "xdp_generic") == ("route", "firewall")
    assert candidates(router, "tc") == ("firewall", "shaper")


def test_the_only_program_need_not_be_named(compiled):
    assert choose_entry(list_object(compiled("one")), "xdp_native") == "only"


def test_one_of_several_must_be_named(router):
    assert choose_entry(router, "xdp_native", "firewall") == "firewall"
    with pytest.raises(BadInputError, match="several programs; allowed: route, firewall; name"):
        choose_entry(router, "xdp_native")
    with pytest.raises(BadInputError, match=r"entry=shaper: .*allowed: route, firewall"):
        choose_entry(router, "xdp_native", "shaper")


def test_an_object_for_another_hook_is_refused_with_what_it_has(compiled):
    with pytest.raises(BadInputError, match=r"no program for tc.*parse \(xdp\)"):
        choose_entry(list_object(compiled("chain")), "tc")


def test_a_datapath_without_objects_is_refused(router):
    with pytest.raises(BadInputError, match="datapath=swx"):
        candidates(router, "swx")


def test_nobody_need_name_the_datapath_of_a_program(compiled, router):
    assert hook_for(list_object(compiled("one"))) == "xdp_native"
    assert hook_for(router) == "xdp_native"
    assert hook_for(router, "shaper") == "tc"
    assert hook_for(router, "no such") == "xdp_native"
