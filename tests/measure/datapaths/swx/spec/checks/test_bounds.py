"""What DPDK would follow out of its memory is refused, or guarded where packets decide."""

import pytest

from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.compiled import PipelineText, compile_program
from linerate.measure.datapaths.swx.runner import run_pipeline
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.datapaths.swx.spec.checks.guard import guarded
from linerate.measure.datapaths.swx.spec.checks.padding import padded
from linerate.measure.datapaths.swx.spec.checks.ports import last_port
from linerate.measure.datapaths.swx.spec.entries import read_entries
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.printed import print_spec

from ......needs import two_cores

HEAD = """
struct ethernet_t {
	bit<48> dst_addr
	bit<48> src_addr
	bit<16> ethertype
}
struct options_t {
	bit<8> length
	varbit<64> options
}
header ethernet instanceof ethernet_t
header options instanceof options_t
struct metadata_t {
	bit<32> port
	bit<32> value
}
metadata instanceof metadata_t
"""


def pipeline(*body, declared="", head=HEAD):
    lines = "\n".join(["apply {", "rx m.port", "extract h.ethernet", *body, "}"])
    return f"{head}{declared}{lines}\n"


def repeated(count, *lines):
    return [line.format(n) for n in range(count) for line in lines]


BIG = HEAD + "struct big_t {\nbit<65528> bytes\n}\nheader big instanceof big_t\n"
WIDE = (
    HEAD
    + "struct wide_t {\nbit<2040> bytes\n}\n"
    + "".join(repeated(5, "header wide{0} instanceof wide_t\n"))
)
ACTION = "struct args_t {{\nbit<32> value\n}}\naction act args instanceof args_t {{\n{}\n}}\n"
TABLE = "table t {{\nkey {{\nh.ethernet.ethertype exact\n}}\nactions {{\n{}\n}}\n{}\nsize 16\n}}\n"
NOTHING = "action none args none {\nreturn\n}\n"

REFUSED = {
    "200 emits of one header": (
        pipeline(*repeated(200, "emit h.ethernet"), "tx m.port"), "emits 2 headers of 28 bytes"
    ),
    "emits of a header of 8191 bytes": (
        pipeline("validate h.big", "emit h.big", "tx m.port", head=BIG), "8191 bytes"
    ),
    "more gained than there is room before a packet": (
        pipeline("validate h.wide0", "emit h.ethernet", "emit h.wide0", "tx m.port", head=WIDE),
        "gained 255 bytes",
    ),
    "headers beyond the buffer": (
        pipeline(*repeated(5, "extract h.wide{0}"), "drop", "tx m.port", head=WIDE),
        "reaches to byte 1034",
    ),
    "a look beyond the buffer": (
        pipeline(*repeated(3, "extract h.wide{0}"), "lookahead h.wide3",
                 "drop", "tx m.port", head=WIDE), "reaches to byte 1034",
    ),
    "a packet shorter than nothing": (
        pipeline("extract h.wide0", "tx m.port", head=WIDE), "lost 269 bytes"
    ),
    "a little more in each pass": (
        pipeline("validate h.options", "emit h.ethernet", "emit h.options", "recirculate",
                 "tx m.port"), "gained 1[23][0-9] bytes",
    ),
    "a little less in each pass": (pipeline("recirculate", "tx m.port"), "lost 70 bytes"),
    "a packet dropped that is to come again": (
        pipeline("recirculate", "drop", "tx m.port"), "would use it again"
    ),
    "a loop": (pipeline("A : add m.value 1", "jmplt A m.value 3", "tx m.port"), "never gets out"),
    "a loop of jumps": (pipeline("A : jmp B", "B : jmp A", "tx m.port"), "never gets out"),
    "an action without an end": (
        pipeline("tx m.port", declared="action a args none {\njmpv A h.ethernet\nreturn\n"
                 "A : mov m.value 1\n}\n"), "no instruction follows",
    ),
    "registers beyond 32 bits": (
        pipeline("tx m.port", declared="regarray r size 0x100000000 initval 0\n"), "32 bits"
    ),
    "registers that round to none": (
        pipeline("tx m.port", declared="regarray r size 0xFFFFFFFF initval 0\n"), "no room"
    ),
    "no registers": (
        pipeline("tx m.port", declared="regarray r size 0 initval 0\n"), r"allowed: 1\.\."
    ),
    "meters without end": (
        pipeline("tx m.port", declared="metarray r size 0xFFFFFFF\n"), "no room"
    ),
    "a field that DPDK takes for another": (
        pipeline("mov m.late 1", "tx m.port", head=HEAD.replace(
            "bit<32> value", "bit<2048> much\nbit<32> late")), "begins at byte 260",
    ),
    "a hash from back to front": (
        pipeline("hash crc32 m.value h.ethernet.src_addr h.ethernet.dst_addr", "tx m.port"),
        "stands before",
    ),
    "a default action that the table has not": (
        pipeline("table t", "tx m.port", declared=NOTHING + ACTION.format("return") + TABLE.format(
            "none", "default_action act args none")), "beyond the table's own actions",
    ),
    "a default argument that does not fit": (
        pipeline("table t", "tx m.port", declared=ACTION.format("return") + TABLE.format(
            "act", "default_action act args value 0x100000000")), "other arguments",
    ),
    "learning where nothing learns": (
        pipeline("table t", "tx m.port", declared="action f args none {\nforget\nreturn\n}\n"
                 + TABLE.format("f", "default_action f args none")), "learns nothing",
    ),
    "too many headers": (
        pipeline("tx m.port", head=HEAD + "".join(
            repeated(62, "header more{0} instanceof ethernet_t\n"))), "64 headers",
    ),
    "too many arrays": (
        pipeline("tx m.port", declared="".join(
            repeated(257, "regarray r{0} size 1 initval 0\n"))), "257",
    ),
    "a field of varying size that is not the last": (
        pipeline("tx m.port", head=HEAD.replace("bit<8> length", "varbit<8> length")), "not a field"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_leaves_its_memory_is_refused(name):
    text, word = REFUSED[name]
    with pytest.raises(BadInputError, match=word) as refused:
        parse_spec(text)
    assert "; allowed: " in str(refused.value)


def test_emits_are_bounded_on_every_path():
    jump = "jmpeq A h.ethernet.ethertype 0x800"
    once = pipeline("emit h.ethernet", jump, "tx m.port", "A : tx m.port")
    twice = ["emit h.ethernet", "emit h.ethernet", "emit h.ethernet"]
    assert parse_spec(once)
    with pytest.raises(BadInputError, match="emits 2 headers"):
        parse_spec(pipeline(jump, "emit h.ethernet", "tx m.port", f"A : {twice[0]}", *twice[1:],
                            "tx m.port"))  # fmt: skip


def test_emits_in_actions_count_too():
    action = ACTION.format("\n".join(["emit h.ethernet"] * 3 + ["return"]))
    table = TABLE.format("act", "default_action act args none")
    with pytest.raises(BadInputError, match="emits 2 headers"):
        parse_spec(pipeline("table t", "tx m.port", declared=action + table))


def test_headers_that_are_not_valid_are_not_emitted():
    parse_spec(pipeline(*["emit h.options"] * 200, "emit h.ethernet", "tx m.port"))


def ports(*body, declared=""):
    read = parse_spec(pipeline(*body, "tx m.port", declared=declared))
    spec = guarded(read, last_port(read))
    return [each.name for each in spec.apply[2:]], spec


@pytest.mark.parametrize("body", [(), ("mov m.port 1",), ("mov m.value 0", "mov m.port m.value"),
                                  ("xor m.port 1",), ("and m.port 7",)])  # fmt: skip
def test_ports_that_the_pipeline_decides_need_no_guard(body):
    names, _ = ports(*body)
    assert "jmplt" not in names


@pytest.mark.parametrize("body", [("mov m.port 64",), ("add m.port 1",), ("xor m.port 64",),
                                  ("mov m.port h.ethernet.ethertype",),
                                  ("mov m.value h.ethernet.ethertype", "mov m.port m.value"),
                                  ("hash crc32 m.port m.value m.value",)])  # fmt: skip
def test_ports_that_packets_decide_are_guarded(body):
    names, spec = ports(*body)
    assert names[-3:] == ["jmplt", "mov", "tx"]
    assert parse_spec(print_spec(spec)) == spec


ROUTE = ACTION.format("mov m.port t.value\nreturn")


def test_ports_of_entries_are_checked_when_they_are_read(tmp_path):
    declared = ROUTE + TABLE.format("act", "default_action act args value 0")
    spec = parse_spec(pipeline("table t", "tx m.port", declared=declared))
    assert guarded(spec, 1).apply == spec.apply
    (tmp_path / "e.txt").write_text("match 1 action act value 1\nmatch 2 action act value 64\n")
    with pytest.raises(BadInputError, match=r"e.txt:2=.*no port 64"):
        read_entries(spec, "t", tmp_path / "e.txt")


def test_ports_of_default_entries_are_guarded():
    declared = ROUTE + TABLE.format("act", "default_action act args value 64")
    assert "jmplt" in ports("table t", declared=declared)[0]


def test_a_size_that_packets_decide_is_guarded():
    body = ("mov m.value h.ethernet.ethertype", "extract h.options m.value", "emit h.ethernet",
            "emit h.options")  # fmt: skip
    names, _ = ports(*body)
    assert names[:4] == ["mov", "jmplt", "mov", "extract"]
    masked = (body[0], "and m.value 7", *body[1:])
    assert "jmplt" not in ports(*masked)[0]


def test_nothing_that_is_used_moves_by_padding():
    spec = parse_spec(pipeline("emit h.ethernet", "tx m.port"))
    more = padded(padded(spec))
    assert parse_spec(print_spec(more)) == more
    assert all(
        more.offset_bits(field) == spec.offset_bits(field) for field in ("m.port", "m.value")
    )
    assert list(more.headers)[: len(spec.headers)] == list(spec.headers)


@pytest.mark.dpdk
@two_cores
def test_packets_for_no_port_are_dropped_and_wrong_sizes_are_none():
    ethernet, settings = "0200000000020200000000010800", PipelineSettings(port="ring")
    wrong_port = PipelineText(
        spec=pipeline("mov m.port h.ethernet.ethertype", "emit h.ethernet", "tx m.port")
    )
    with run_pipeline(wrong_port, settings, 1) as runner:
        assert runner.ask(f"packet {ethernet}") == {"packets": [], "dropped": 1}
        assert runner.ask(f"packet {ethernet[:-4]}0000")["packets"] == [f"{ethernet[:-4]}0000"]
    wrong_size = PipelineText(
        spec=pipeline("mov m.value h.ethernet.ethertype", "extract h.options m.value",
                      "emit h.ethernet", "tx m.port")
    )  # fmt: skip
    with run_pipeline(wrong_size, settings, 1) as runner:
        assert runner.ask(f"packet {ethernet}0102030405")["packets"] == [f"{ethernet}02030405"]
        short = f"{ethernet[:-4]}0002"
        assert runner.ask(f"packet {short}0102030405")["packets"] == [f"{short}0405"]


@pytest.mark.dpdk
def test_what_is_guarded_and_padded_is_compiled():
    body = ("extract h.options m.value", "emit h.ethernet", "emit h.options", "add m.port 1")
    assert compile_program(PipelineText(spec=pipeline(*body, "tx m.port"))).is_file()
