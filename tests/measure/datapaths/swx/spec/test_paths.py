"""Each way through a pipeline is one path, and every instruction on it is counted."""

import shutil

import pytest

from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.spec.compare import differences
from linerate.measure.datapaths.swx.spec.file import parse_spec, read_spec
from linerate.measure.datapaths.swx.spec.following.paths import (
    STEPS_MAX,
    costliest,
    longest_path,
    paths,
)
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.generated.text import spec_text
from linerate.measure.datapaths.swx.spec.kinds import P4_OPERATORS
from linerate.measure.datapaths.swx.spec.p4_source import (
    COMPILER,
    P4_PROGRAMS,
    compile_p4,
    p4_source,
)

from .....conftest import ROOT

P4C_OUTPUT = ROOT.parent / "shared/data/p4c"

HEAD = """
struct ethernet_h {
	bit<48> dst_addr
	bit<48> src_addr
	bit<16> ethertype
}
header ethernet instanceof ethernet_h
struct metadata_t {
	bit<32> port
	bit<32> value
}
metadata instanceof metadata_t
action mark args none {
	mov m.value 1
	return
}
action lose args none {
	drop
}
table kinds {
	key {
		h.ethernet.ethertype exact
	}
	actions {
		mark
		lose
	}
	default_action mark args none
	size 16
}
regarray kept size 4 initval 0
apply {
	rx m.port
"""


def pipeline(*body):
    return parse_spec(HEAD + "\n".join(body) + "\n}\n")


def counts(path):
    return dict(path.operations)


def test_conditions_on_packets_part_the_path():
    spec = pipeline(
        "extract h.ethernet", "jmpeq A h.ethernet.ethertype 0x0800", "add m.value 1",
        "A : emit h.ethernet", "tx m.port",
    )  # fmt: skip
    found = paths(spec)
    assert sorted(counts(path).get("add", 0) for path in found) == [0, 1]
    assert counts(longest_path(spec))["add"] == 1


@pytest.mark.parametrize(
    ("condition", "jumps"),
    [
        ("jmpv A h.ethernet", False), ("jmpnv A h.ethernet", True), ("jmpeq A m.value 7", True),
        ("jmpneq A m.value 7", False), ("jmplt A m.value 8", True), ("jmpgt A m.value 7", False),
    ],
)  # fmt: skip
def test_conditions_that_the_pipeline_decides_are_decided(condition, jumps):
    spec = pipeline("mov m.value 7", condition, "xor m.port 1", "A : tx m.port")
    (path,) = paths(spec)
    assert counts(path).get("xor", 0) == (not jumps)


def test_what_was_written_over_is_no_longer_known():
    spec = pipeline("mov m.value 7", "add m.value 1", "jmpeq A m.value 7", "xor m.port 1",
                    "A : tx m.port")  # fmt: skip
    assert len(paths(spec)) == 2


def test_a_constant_is_no_wider_than_its_field():
    spec = pipeline("mov m.value 0x100000007", "jmpeq A m.value 7", "xor m.port 1",
                    "A : tx m.port")  # fmt: skip
    assert [counts(path).get("xor", 0) for path in paths(spec)] == [0]


def test_tables_part_the_path_by_action_and_misses():
    spec = pipeline("extract h.ethernet", "table kinds", "jmpnh A", "add m.value 1",
                    "A : tx m.port")  # fmt: skip
    found = {path.choices: path for path in paths(spec)}
    assert set(found) == {("kinds:mark",), ("kinds:lose",), ("kinds:miss",)}
    assert counts(found["kinds:mark",])["add"] == 1
    assert "add" not in counts(found["kinds:miss",])
    assert not found["kinds:lose",].sends
    assert {path.choices for path in paths(spec, misses=False)} == {
        ("kinds:mark",),
        ("kinds:lose",),
    }


def test_actions_are_known_to_later_jumps():
    spec = pipeline("extract h.ethernet", "table kinds", "jmpa A mark", "add m.value 1",
                    "A : tx m.port")  # fmt: skip
    assert all("add" not in counts(path) for path in paths(spec))


@pytest.mark.parametrize("passes", [0, 1, 7])
def test_all_passes_of_a_packet_are_one_path(passes):
    spec = pipeline("recircid m.value", f"jmplt A m.value {passes}", "tx m.port",
                    "A : recirculate", "tx m.port")  # fmt: skip
    (path,) = paths(spec)
    assert counts(path) == {
        "receive": passes + 1, "pass_number": passes + 1, "jump": passes + 1,
        "transmit": passes + 1,
    } | ({"recirculate": passes} if passes else {})  # fmt: skip


def test_endless_pipelines_are_refused():
    for body in (("A : add m.value 1", "jmp A"), ("recirculate", "tx m.port")):
        with pytest.raises(BadInputError, match="never gets out"):
            paths(pipeline(*body))
    assert STEPS_MAX < 10**6


def test_too_many_paths_are_refused():
    jumps = [f"jmpeq A{n} h.ethernet.ethertype {n}\nA{n} : add m.value 1" for n in range(13)]
    with pytest.raises(BadInputError, match="more than 4096 paths"):
        paths(pipeline("extract h.ethernet", *jumps, "tx m.port"))


def test_the_most_expensive_of_more_paths_than_can_be_listed_is_found():
    jumps = [f"jmpeq A{n} h.ethernet.ethertype {n}\nadd m.port 0\nA{n} : xor m.port 0"
             for n in range(200)]  # fmt: skip
    path = longest_path(pipeline("extract h.ethernet", *jumps, "tx m.port"))
    assert counts(path) == {"add": 200, "xor": 200, "jump": 200, "extract": 1, "receive": 1,
                            "transmit": 1}  # fmt: skip
    assert len(path.choices) == 200


def test_packets_that_meet_keep_what_later_jumps_ask():
    """The dear way in is not the way to the dear end."""
    spec = pipeline(
        "extract h.ethernet", "mov m.value 1", "jmpeq A h.ethernet.ethertype 1", "add m.port 0",
        "mov m.value 2", "A : xor m.port 0", "jmpeq B m.value 2", *["regadd kept 0 1"] * 3,
        "B : tx m.port",
    )  # fmt: skip
    assert counts(longest_path(spec)).get("register_add_64") == 3
    assert "add" not in counts(longest_path(spec))


def test_more_values_than_are_followed_are_forgotten():
    """Each of 2**13 ways leaves another number behind: the last jump goes both ways."""
    bits = [f"jmpeq A{n} h.ethernet.ethertype {n}\nmov m.value{n} 1\nA{n} : xor m.port 0"
            for n in range(13)]  # fmt: skip
    tests = [f"jmpeq B{n} m.value{n} 1\nadd m.port 0\nB{n} : xor m.port 0" for n in range(13)]
    fields = "".join(f"\tbit<8> value{n}\n" for n in range(13))
    head = HEAD.replace("\tbit<32> value\n", "\tbit<32> value\n" + fields)
    body = "\n".join(["extract h.ethernet", *bits, *tests, "tx m.port"])
    path = longest_path(parse_spec(f"{head}{body}\n}}\n"))
    assert counts(path)["add"] == 13


def test_a_way_that_sends_counts_before_a_dearer_one_that_drops():
    spec = pipeline("extract h.ethernet", "jmpeq SEND h.ethernet.ethertype 1", "regadd kept 0 1",
                    "drop", "SEND : tx m.port")  # fmt: skip
    sent, dropped = sorted(paths(spec), key=lambda way: way.rough_ns)
    assert (sent.sends, dropped.sends) == (True, False)
    assert costliest([dropped, sent]) == sent
    assert costliest([dropped]) == dropped


def test_longest_path_of_a_pipeline_that_only_drops_ends_there():
    path = longest_path(pipeline("add m.value 1", "drop", "tx m.port"))
    assert (path.operations, path.sends) == ((("add", 1), ("drop", 1), ("receive", 1)), False)


def test_differences_tell_glue_from_work():
    left = pipeline("mov m.value 1", "add m.value 1", "tx m.port")
    right = pipeline("add m.value 1", "add m.value 1", "tx m.port")
    found = {each.kind: (each.left, each.right, each.is_glue) for each in differences(left, right)}
    assert found == {"add": (1, 2, False), "move": (1, 0, True), "stalled": (1, 0, True)}
    assert differences(left, left) == ()


@pytest.mark.parametrize("name", P4_PROGRAMS)
def test_p4_programs_do_the_work_of_their_pipelines(name, tmp_path):
    if not shutil.which(COMPILER):
        pytest.skip(f"needs {COMPILER}, built from p4lang/p4c: Debian 12 has no package")
    found = differences(
        read_spec(compile_p4(p4_source(name), tmp_path)), parse_spec(spec_text(P4_PROGRAMS[name]))
    )
    assert [each for each in found if not each.is_glue] == []


COMPILED = {
    "arithmetic": P4_PROGRAMS["arithmetic"],
    "tables": P4_PROGRAMS["tables"],
    "hash-once": SwxProgram(operations=(("hash_crc32", 1),)),
}
"""What p4c 1.2.3.7 made of sources that have not changed since, and what does the same."""


@pytest.mark.parametrize("name", COMPILED)
def test_what_the_real_compiler_wrote_does_the_work_of_its_pipeline(name):
    written = P4C_OUTPUT / f"{name}.spec"
    if not written.is_file():
        pytest.skip(f"needs what p4c wrote at {written}")
    found = differences(read_spec(written), parse_spec(spec_text(COMPILED[name])))
    assert [each for each in found if not each.is_glue] == []


def test_the_most_expensive_path_is_taken_and_not_the_one_with_most_jumps():
    spec = pipeline("extract h.ethernet", "jmpeq DEEP h.ethernet.ethertype 1", "jmp A", "A : jmp B",
                    "B : jmp SEND", "DEEP : add m.value 1", "regrd m.value kept 0",
                    "SEND : tx m.port")  # fmt: skip
    assert counts(longest_path(spec))["add"] == 1


@pytest.mark.parametrize("name", P4_PROGRAMS)
def test_p4_programs_have_their_sources(name):
    text = p4_source(name).read_text()
    assert "control MyIngress(" in text
    tables = parse_spec(spec_text(P4_PROGRAMS[name])).tables
    assert all(f"table {table} {{" in text for table in tables)


def test_operators_of_p4_are_kinds_that_pipelines_have():
    for kind in P4_OPERATORS.values():
        SwxProgram(operations=((kind, 1),))
