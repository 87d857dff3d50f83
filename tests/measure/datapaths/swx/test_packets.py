"""Generated pipelines do to real packets what their operations say: one scenario after another."""

import pytest

from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.runner import run_pipeline
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.datapaths.swx.spec.generated.cell_program import text_of
from linerate.measure.datapaths.swx.spec.generated.entries_text import copied_value
from linerate.measure.datapaths.swx.spec.generated.program import REGISTER_INITIAL, SwxProgram
from linerate.measure.datapaths.swx.spec.kinds import MATCHES, REGISTER_BITS

from ....conftest import ROOT
from ....frames import sum_of_words
from ....needs import two_cores
from .swx_packets import DEVICE, PORT, STATION, crc32c, jhash, of_flow, read, tuple_bytes

pytestmark = [pytest.mark.dpdk, two_cores]
P4C_OUTPUT = ROOT.parent / "shared/data/p4c"
ADDRESS_MASK = (1 << 48) - 1
NEXT_HOP, OWN_STATION = 0x020000000003, 0x020000000004


def running(operations=None, **plan):
    program = SwxProgram(operations=tuple((operations or {}).items()), **plan)
    return run_pipeline(text_of(program), PipelineSettings(port="ring"), 1)


def through(runner, headers):
    """Send one packet, and read what comes out."""
    (packet,) = runner.ask(f"packet {headers.packet().hex()}")["packets"]
    return read(bytes.fromhex(packet))


def test_forward_changes_nothing():
    with running() as runner:
        assert through(runner, of_flow(3)) == of_flow(3)


@pytest.mark.parametrize("bits", REGISTER_BITS)
def test_register_is_read_as_wide_as_asked(bits):
    with running({f"register_read_{bits}": 3}) as runner:
        shown = through(runner, of_flow(0)).by
    assert shown == REGISTER_INITIAL & ((1 << bits) - 1) & ADDRESS_MASK


@pytest.mark.parametrize("bits", REGISTER_BITS)
def test_write_reaches_the_register_of_the_flow_and_no_other(bits):
    written = STATION & ((1 << bits) - 1)
    with running({f"register_write_{bits}": 2}) as runner:
        assert through(runner, of_flow(7)) == of_flow(7)
        ((before, hit, after),) = runner.ask(f"register values {(PORT + 7) % 1024 - 1} 3")["values"]
    assert (before, hit, after) == (REGISTER_INITIAL, written, REGISTER_INITIAL)


def test_reads_and_writes_take_turns():
    operations = {"register_read_32": 1, "register_write_32": 1}
    with running(operations) as runner:
        seen = [through(runner, of_flow(flow)).by for flow in (1, 1, 2)]
    initial = REGISTER_INITIAL & 0xFFFFFFFF
    assert seen == [initial, STATION & 0xFFFFFFFF, initial]
    with running(dict.fromkeys(operations, 2)) as runner:
        assert through(runner, of_flow(1)).by == STATION & 0xFFFFFFFF


@pytest.mark.parametrize("times", [1, 5, 50])
def test_packet_passes_as_often_as_asked(times):
    with running({"recirculate": times}) as runner:
        packets = [through(runner, of_flow(flow)) for flow in (0, 1)]
    assert [packet.diffserv for packet in packets] == [times, times]


def test_operations_are_done_in_the_last_pass_only():
    with running({"recirculate": 5, "add": 2}) as runner:
        assert through(runner, of_flow(0)).ttl == 64 + 2 * 3


@pytest.mark.sampled
@pytest.mark.parametrize("tables", [1, 3])
@pytest.mark.parametrize(
    ("match", "flow", "entry"), [("exact", 5, 5), ("lpm", 130, 2), ("wildcard", 1029, 5)]
)
def test_last_table_of_a_row_copies_the_entry_of_the_flow(match, tables, flow, entry):
    with running({f"table_{match}": tables}) as runner:
        assert through(runner, of_flow(flow)).to == copied_value(tables - 1, entry)
        for number in range(tables):
            (seen,) = runner.ask(f"table table_{match}_{number}")["instances"]
            assert seen == {"hits": 1, "misses": 0, "actions": {"copy": 1}}


@pytest.mark.parametrize("entries", [1, 2048])
@pytest.mark.parametrize("match", MATCHES)
def test_table_holds_as_many_entries_as_asked(match, entries):
    with running({f"table_{match}": 1}, table_entries=entries) as runner:
        for flow in (0, entries - 1, 60000):
            copied = through(runner, of_flow(flow)).to
        (seen,) = runner.ask(f"table table_{match}_0")["instances"]
    assert seen["hits"] == (2 if match == "exact" else 3)
    assert (copied == 0) == (match == "exact"), "what misses copies 0"


@pytest.mark.parametrize(("kind", "hashed"), [("hash_crc32", crc32c), ("hash_jhash", jhash)])
def test_hash_is_that_of_the_tuple(kind, hashed):
    with running({kind: 2}) as runner:
        for flow in (0, 77):
            sent = of_flow(flow)
            assert through(runner, sent).source == hashed(tuple_bytes(sent))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("suffix", "field", "bits"), [("", "ttl", 8), ("_16", "identification", 16)]
)
@pytest.mark.parametrize(
    ("kind", "once"),
    [
        ("add", lambda value: value + 3), ("subtract", lambda value: value - 3),
        ("and", lambda value: value & 0x7F), ("or", lambda value: value | 1),
        ("xor", lambda value: value ^ 0x55), ("shift_left", lambda value: value << 1),
        ("shift_right", lambda value: value >> 1),
    ],
)  # fmt: skip
def test_arithmetic_is_done_as_often_as_asked(kind, once, suffix, field, bits):
    value = (1 << bits) - 55
    with running({kind + suffix: 3}) as runner:
        got = through(runner, of_flow(0, **{field: value}))
    for _ in range(3):
        value = once(value) % (1 << bits)
    assert getattr(got, field) == value


def test_registers_beyond_the_flows_lie_evenly_apart():
    with running({"register_write_32": 1}, registers=1 << 19) as runner:
        through(runner, of_flow(7))
        first = (PORT + 7) * 8
        ((before, hit, after),) = runner.ask(f"register values {first - 1} 3")["values"]
    assert (before, hit, after) == (REGISTER_INITIAL, STATION & 0xFFFFFFFF, REGISTER_INITIAL)


@pytest.mark.parametrize("checksum", [0xFEFF, 0xFF00, 0xFFFE])
def test_route_leaves_a_right_checksum(checksum):
    """Where the upper byte is full, taking 1 from the TTL carries."""
    blank = of_flow(9, identification=0)
    sent = of_flow(9, identification=(blank.checksum - checksum) % 0xFFFF)
    assert sent.checksum == checksum
    with running(base="l2l3") as runner:
        got = through(runner, sent)
    assert (got.to, got.by, got.ttl) == (NEXT_HOP, OWN_STATION, sent.ttl - 1)
    assert sum_of_words(got.packet()[14:34]) == 0xFFFF


@pytest.mark.parametrize(("checksum", "right"), [(0x7EFF, True), (0x7F00, False), (0xFF00, False)])
def test_what_the_real_compiler_makes_of_the_route_carries_where_there_is_no_carry(checksum, right):
    """p4c 1.2.3.7 takes the carry of twice the sum: so its output is not what is shipped."""
    written = P4C_OUTPUT / "l2l3.spec"
    if not written.is_file():
        pytest.skip("needs what p4c wrote of p4/l2l3.p4 at ../shared/data/p4c")
    blank = of_flow(9, identification=0)
    sent = of_flow(9, identification=(blank.checksum - checksum) % 0xFFFF)
    tables = text_of(SwxProgram(base="l2l3")).tables
    text = PipelineText(spec=written.read_text(), tables=tables)
    with run_pipeline(text, PipelineSettings(port="ring"), 1) as runner:
        got = through(runner, sent)
    assert (got.to, got.by, got.ttl) == (NEXT_HOP, OWN_STATION, sent.ttl - 1)
    assert (sum_of_words(got.packet()[14:34]) == 0xFFFF) == right


def test_other_protocols_are_bridged_and_what_nobody_knows_is_dropped():
    arp = bytes.fromhex(f"{DEVICE:012x}{STATION:012x}0806") + bytes(46)
    stranger = bytes([2, 0, 0, 0, 0, 9]) + arp[6:]
    nowhere = of_flow(0, destination=0x08080808)
    with running(base="l2l3") as runner:
        assert runner.ask(f"packet {arp.hex()}")["packets"] == [arp.hex()]
        for lost in (stranger, nowhere.packet()):
            assert runner.ask(f"packet {lost.hex()}") == {"packets": [], "dropped": 1}


def test_mix_does_all_of_it():
    mix = {
        "register_read_16": 2, "table_exact": 1, "table_lpm": 2, "hash_jhash": 3, "xor": 5,
        "recirculate": 2,
    }  # fmt: skip
    sent = of_flow(4)
    with running(mix, base="l2l3") as runner:
        got = through(runner, sent)
    assert got.diffserv == 2
    assert got.source == jhash(tuple_bytes(sent))
    assert got.ttl == (64 ^ 0x55) - 1
    assert got.to == NEXT_HOP
