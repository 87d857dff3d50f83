"""What a .spec file may say is read as DPDK reads it; anything else is refused with its line."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.compiled import PipelineText, compile_program
from linerate.measure.datapaths.swx.spec.entries import check_entries
from linerate.measure.datapaths.swx.spec.file import SPEC_BYTES_MAX, parse_spec, read_spec
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.generated.text import spec_text
from linerate.measure.datapaths.swx.spec.spec import Registers
from linerate.measure.processes import built

PROGRAM = SwxProgram(
    base="l2l3", operations=(("register_read_32", 1), ("hash_crc32", 1), ("table_exact", 1))
)
TEXT = spec_text(PROGRAM)
SPEC = parse_spec(TEXT)

WRONG = {
    "unknown instruction": ("rx m.port_in", "rx m.port_in\n\tfrobnicate m.index", "frobnicate"),
    "half a byte": ("bit<8> ttl", "bit<4> ttl", "whole bytes"),
    "no width": ("bit<8> ttl", "bit<0> ttl", "whole bytes"),
    "too wide": ("bit<32> read_32", "bit<128> read_32", "at most 64 bits"),
    "unknown field": ("sub h.ipv4.ttl 1", "sub h.ipv4.tll 1", "h.ipv4.tll cannot stand there"),
    "unknown header": ("extract h.udp", "extract h.tcp", "a header, h.NAME"),
    "unknown table": ("table routes\n", "table roads\n", "table, selector or learner"),
    "unknown action": ("default_action unknown", "default_action nobody", "nobody"),
    "unknown registers": ("regrd m.read_32 values", "regrd m.read_32 counts", "a regarray"),
    "unknown label": ("jmp SEND", "jmp NOWHERE", "a label"),
    "unknown hash": ("hash crc32", "hash md5", "crc32 or jhash"),
    "unknown struct": ("header udp instanceof udp_h", "header udp instanceof tcp_h", "nothing"),
    "argument outside": ("mov m.index h.udp.src_port", "mov m.index t.value", "t.value"),
    "write to an argument": ("mov m.copied t.value", "mov t.value 1", "t.value"),
    "missing operand": ("extract h.ipv4\n", "extract\n", "0 operands"),
    "number out of range": ("initval 0x1122334455667788", "initval 0x11223344556677889", "64 bits"),
    "no octal": ("sub h.ipv4.ttl 1", "sub h.ipv4.ttl 08", "08 cannot stand there"),
    "same name": ("header udp inst", "header ipv4 inst", "already"),
    "same label": ("extract h.ipv4\n", "L2 : extract h.ipv4\n", "another's"),
    "action in apply": ("jmp SEND", "return", "within an action"),
    "extract in action": ("mov m.copied t.value", "extract h.udp", "within apply"),
    "no rx": ("rx m.port_in\n\t", "", "rx first"),
    "no end": ("\ttx m.port_out\n", "", "no instruction follows"),
    "not closed": ("tx m.port_out\n}", "tx m.port_out\n", "never closed"),
    "externs": ("apply {", "extobj e instanceof t\napply {", "no externs"),
    "call of C": ("table routes\n", 'table routes\n\tsystem("id")\n', "without meaning"),
    "name of C": ("action unknown", "action a:b", "not a name"),
    "long word": ("action unknown", f"action {'a' * 64}", "DPDK cuts it"),
    "hash far back": ("bit<32> hash\n", "bit<2048> far\n\tbit<32> hash\n", "elsewhere"),
    "hash over two structs": (
        "m.src_addr m.dst_port", "h.ipv4.src_addr h.udp.dst_port", "one struct"
    ),
}  # fmt: skip
OURS_ALONE = {
    "too wide", "hash far back", "long word", "number out of range", "name of C",
}  # fmt: skip
"""What DPDK takes for something else, cuts, or hands on to the C compiler."""


@pytest.mark.parametrize("name", WRONG)
def test_wrong_specs_are_refused_by_their_line(name):
    right, wrong, word = WRONG[name]
    assert right in TEXT
    with pytest.raises(BadInputError, match=word) as refused:
        parse_spec(TEXT.replace(right, wrong, 1), "a.spec")
    assert "a.spec" in str(refused.value)
    assert "; allowed: " in str(refused.value)


@pytest.mark.dpdk
@pytest.mark.parametrize("name", sorted(WRONG.keys() - OURS_ALONE))
def test_what_is_refused_is_refused_by_dpdk_too(name, tmp_path):
    right, wrong, _ = WRONG[name]
    (tmp_path / "a.spec").write_text(TEXT.replace(right, wrong, 1))
    done = subprocess.run(
        [built.runner("swx_build"), "--spec", tmp_path / "a.spec", "--library",
         tmp_path / "a.so", "--include", built.build_folder() / "dpdk/include"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode, "DPDK takes it: then it is no reason to refuse"
    assert not (tmp_path / "a.so").exists()


def test_comments_and_spaces_say_nothing():
    noisy = TEXT.replace("\n", " // a comment { with 'marks'\n; another\n\n", 3)
    assert [each.name for each in parse_spec(noisy).apply] == [each.name for each in SPEC.apply]


def test_missing_and_oversized_files_are_refused(tmp_path):
    with pytest.raises(BadInputError, match="No such file"):
        read_spec(tmp_path / "none.spec")
    (tmp_path / "big.spec").write_bytes(b"\n" * (SPEC_BYTES_MAX + 1))
    with pytest.raises(BadInputError, match="allowed: up to"):
        read_spec(tmp_path / "big.spec")


@settings(deadline=None)
@given(
    st.text(
        alphabet=st.sampled_from("{}\n \t:;/#<>bitmhx019.@ apply rx struct table"), max_size=300
    )
)
def test_any_text_is_read_or_refused(text):
    with pytest.raises(BadInputError):
        parse_spec(text)


@settings(deadline=None)
@given(st.integers(0, len(TEXT)), st.integers(1, 400))
def test_a_spec_with_a_hole_is_read_or_refused(place, length):
    try:
        parse_spec(TEXT[:place] + TEXT[place + length :])
    except BadInputError as refused:
        assert "; allowed: " in str(refused)


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        (("h.ipv4.src_addr exact", "h.ipv4.dst_addr exact"), "exact"),
        (("h.ipv4.protocol exact", "h.ipv4.dst_addr exact"), "wildcard"),
        (("h.ipv4.src_addr exact", "h.ipv4.dst_addr lpm"), "lpm"),
        (("h.ipv4.dst_addr wildcard",), "wildcard"),
        ((), "keyless"),
    ],
)
def test_match_kind_is_the_one_that_runs(keys, kind):
    """Exact keys with a gap between them are wildcards to DPDK, and cost what these cost."""
    text = TEXT.replace("h.ethernet.dst_addr exact", "\n\t\t".join(keys), 1)
    assert parse_spec(text).match_of("stations") == kind


def entry(tmp_path, line):
    path = tmp_path / "entries.txt"
    path.write_text(line + "\n")
    return path


ROUTE = "action route dst_addr 0x1 src_addr 0x2 port_out 0"


def test_entries_are_counted(tmp_path):
    lines = f"// two\nmatch 0x0a000000/0xff000000 {ROUTE}\nmatch 1 priority 3 {ROUTE}"
    assert check_entries(SPEC, "routes", entry(tmp_path, lines)) == 2


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (f"match 0x1ffffffff {ROUTE}", "32 bits"),
        (f"match 1/0xff00ff00 {ROUTE}", "not a prefix"),
        (f"mtach 1 {ROUTE}", "not an entry"),
        ("match 1", "no action"),
        ("match 1 action copy value 1", "no action of the table"),
        ("match 1 action route dst_addr 0x1 src_addr 0x2", "other arguments"),
        ("match 1 action route src_addr 0x1 dst_addr 0x2 port_out 0", "arguments in order"),
        (f"{ROUTE}", "not an entry"),
        (f"match one {ROUTE}", "one does not fit"),
    ],
)
def test_wrong_entries_are_refused_by_their_line(tmp_path, line, word):
    with pytest.raises(BadInputError, match=word) as refused:
        check_entries(SPEC, "routes", entry(tmp_path, line))
    assert "entries.txt:1=" in str(refused.value)


def test_missing_entries_and_tables_are_refused(tmp_path):
    with pytest.raises(BadInputError, match="No such file"):
        check_entries(SPEC, "routes", tmp_path / "none.txt")
    with pytest.raises(BadInputError, match="table=roads"):
        check_entries(SPEC, "roads", entry(tmp_path, ""))
    with pytest.raises(BadInputError, match="without a mask"):
        check_entries(SPEC, "table_exact_0", entry(tmp_path, "match 1/1 action copy value 1"))


DIALECT = """
struct ethernet_t {
	bit<48> dst_addr
	bit<48> src_addr
	bit<16> ether_type
}

struct send_arg_t {
	bit<32> port
}

header ethernet instanceof ethernet_t

struct local_t {
	bit<32> psa_ingress_input_metadata_ingress_port
	bit<8> psa_ingress_output_metadata_drop
	bit<32> psa_ingress_output_metadata_egress_port
}
metadata instanceof local_t

regarray seen_0 size 0x400 initval 0x0

metarray meter_0 size 0x400

action NoAction args none {
	return
}

action send args instanceof send_arg_t {
	mov m.psa_ingress_output_metadata_egress_port t.port
	regadd seen_0 t.port 0x1
	return
}

table stations {
	key {
		h.ethernet.dst_addr exact
	}
	actions {
		send
		NoAction @defaultonly
	}
	default_action NoAction args none const
	size 0x400
}


apply {
	rx m.psa_ingress_input_metadata_ingress_port
	mov m.psa_ingress_output_metadata_drop 0x0
	extract h.ethernet
	jmpeq PARSER_ACCEPT h.ethernet.ether_type 0x800
	mov m.psa_ingress_output_metadata_drop 0x1
	PARSER_ACCEPT :	table stations
	jmpneq LABEL_DROP m.psa_ingress_output_metadata_drop 0x0
	emit h.ethernet
	tx m.psa_ingress_output_metadata_egress_port
	LABEL_DROP :	drop
}


"""
"""In the words that p4c's DPDK backend uses: hexadecimal sizes, marks of actions, labels that
stand before their instruction, a drop at the end."""


def test_what_a_p4_compiler_writes_is_read():
    spec = parse_spec(DIALECT)
    assert spec.tables["stations"].entry_actions == ("send",)
    assert spec.registers == {"seen_0": Registers(size=1024, initial=0)}


@pytest.mark.dpdk
def test_what_a_p4_compiler_writes_is_compiled():
    assert compile_program(PipelineText(spec=DIALECT)).is_file()
