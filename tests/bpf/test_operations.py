"""Each kind of operation is executed exactly as often as asked, and leaves what it should."""

import itertools
import json
import re
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from linerate.errors import BadInputError, DeviceFailedError
from linerate.measure.datapaths.xdp.attach import OPERATIONS_MAX, attach_xdp
from linerate.measure.labs.veth import open_veth_lab
from linerate.measure.processes import built

from .test_programs import ABORTED, PACKETS, TX, Attached, bpftool

pytestmark = pytest.mark.root

TABLES = {
    "array_lookup": "array",
    "percpu_array_lookup": "percpu_array",
    "hash_lookup": "hash",
    "lru_hash_lookup": "lru_hash",
    "lpm_lookup": "lpm",
    "shared_hash_add": "shared_hash",
}
"""Kinds that look a table up, and its name."""
AROUND_A_STRIDE = (1, 63, 64, 65, 200)
REPEAT = 7
PACKET = PACKETS["largest frame"]
HEADER = slice(14, 34)


class Operating(Attached):
    """The program of operations on a hook, and what it counted."""

    def _maps(self):
        ids = bpftool("prog", "show", "id", self.program_id)["map_ids"]
        return {shown["name"]: shown for shown in (bpftool("map", "show", "id", i) for i in ids)}

    def shown_map(self, name):
        """What the kernel says of a map."""
        return self._maps()[name]

    def shown(self, kind):
        """What the kernel says of a kind's table."""
        return self.shown_map(TABLES[kind])

    def entries(self, kind):
        """Lookups of each entry of a kind's table, all CPUs together, in the order of the dump."""
        dumped = [
            entry["formatted"] for entry in bpftool("map", "dump", "id", self.shown(kind)["id"])
        ]
        if kind == "percpu_array_lookup":
            return [sum(each["value"]["lookups"] for each in entry["values"]) for entry in dumped]
        return [entry["value"]["lookups"] for entry in dumped]

    def walk(self):
        """State of receive queue 0."""
        (dumped,) = bpftool("map", "dump", "id", self.shown_map("operatio.bss")["id"])
        return dumped["formatted"]["value"][".bss"][0]["walks"][0]

    def done(self):
        """How often each kind that counts was executed so far."""
        looked_up = {kind: sum(self.entries(kind)) for kind in TABLES}
        return looked_up | {"tail_call": self.walk()["calls"]}

    def done_by(self, packet, repeat):
        """Counts of so many runs on a packet."""
        before = self.done()  # the time of a pass was taken already
        assert self.run(packet, repeat)[0] == TX
        return {kind: count - before[kind] for kind, count in self.done().items()}


@pytest.fixture
def operating(tmp_path, cell_of):
    @contextmanager
    def attach(datapath="xdp_native", working_set_bytes=0, **operations):
        cell = cell_of(
            datapath=datapath, program="operations", operations=tuple(operations.items()),
            working_set_bytes=working_set_bytes,
        )  # fmt: skip
        with (
            open_veth_lab("serial", 1, gro=datapath == "xdp_generic") as lab,
            attach_xdp(lab, cell),
        ):
            shown = json.loads(lab.dut.run(["ip", "-j", "link", "show", "dev", lab.dut_device]))
            yield Operating(shown[0]["xdp"]["prog"]["id"], tmp_path)

    return attach


def draws(state, entries):
    """Keys that the program draws from a state on."""
    while True:
        state = (state * 1664525 + 1013904223) % 2**32
        yield state * entries >> 32


def ones_complement_sum(header):
    words = sum(int.from_bytes(header[i : i + 2], "little") for i in range(0, len(header), 2))
    return words % 0xFFFF


def around_a_stride():
    """Every kind of table at the most lookups; at the other counts one of them, the rest deep."""
    for count, kind in itertools.product(AROUND_A_STRIDE, TABLES):
        shown = count == AROUND_A_STRIDE[-1] or kind == next(iter(TABLES))
        yield pytest.param(count, kind, marks=[] if shown else pytest.mark.deep)


@pytest.mark.parametrize(("count", "kind"), [*around_a_stride()])
def test_exactly_so_many_lookups_are_made_and_in_its_own_table(operating, kind, count):
    with operating(**{kind: count}) as loaded:
        assert loaded.done_by(PACKET, REPEAT) == {
            **dict.fromkeys([*TABLES, "tail_call"], 0), kind: REPEAT * count,
        }  # fmt: skip


@pytest.mark.parametrize("kind", TABLES)
def test_lookups_reach_every_entry_of_a_working_set(operating, kind):
    with operating(**{kind: 64}, working_set_bytes=65536) as loaded:
        loaded.run(PACKET, 1000)
        reached = loaded.entries(kind)
        # Evenly: of some hundred draws for each, none has less than half of another.
        assert min(reached) > max(reached) / 2 > 0


@pytest.mark.parametrize(
    ("kind", "entry_bytes"),
    [("array_lookup", 64), ("percpu_array_lookup", 64), ("lpm_lookup", 256)],
)
def test_working_set_is_shared_out_to_entries(operating, kind, entry_bytes):
    with operating(**{kind: 1}, working_set_bytes=65536) as loaded:
        assert len(loaded.entries(kind)) == 65536 / entry_bytes


def test_hash_and_its_buckets_together_take_the_working_set(operating):
    with operating(hash_lookup=1, working_set_bytes=1 << 20) as loaded:
        assert loaded.shown("hash_lookup")["bytes_memlock"] == pytest.approx(1 << 20, rel=0.01)


def test_lru_table_keeps_as_many_entries_as_the_plain_one(operating):
    with operating(hash_lookup=1, lru_hash_lookup=1, working_set_bytes=1 << 18) as loaded:
        assert len(loaded.entries("lru_hash_lookup")) == len(loaded.entries("hash_lookup")) > 1000


@pytest.mark.sampled
@pytest.mark.parametrize("count", AROUND_A_STRIDE)
def test_keys_alone_are_those_that_lookups_use(operating, count):
    with operating(key_only=count, working_set_bytes=4096) as loaded:
        before = loaded.walk()
        loaded.run(PACKET)
        drawn = itertools.islice(draws(before["draw"], 4096 // 64), count)
        assert loaded.walk()["sum"] - before["sum"] == sum(drawn)


@pytest.mark.sampled
@pytest.mark.parametrize("count", AROUND_A_STRIDE)
def test_packet_is_read_at_eight_places_within_its_first_60_bytes(operating, count):
    places = [(i % 64) * 4 & 52 for i in range(count)]
    assert set(places) <= {0, 4, 16, 20, 32, 36, 48, 52}
    with operating(packet_read=count) as loaded:
        before = loaded.walk()["sum"]
        assert loaded.run(PACKET) == (TX, PACKET)
        read = sum(int.from_bytes(PACKET[at : at + 8], "little") for at in places)
        assert (loaded.walk()["sum"] - before - read) % 2**64 == 0


@pytest.mark.sampled
@pytest.mark.parametrize("count", AROUND_A_STRIDE)
def test_checksum_is_the_headers_so_many_times_over(operating, count):
    with operating(checksum=count) as loaded:
        assert loaded.run(PACKET) == (TX, PACKET)
        expected = count * ones_complement_sum(PACKET[HEADER])
        assert loaded.walk()["checksum"] % 0xFFFF == expected % 0xFFFF


@pytest.mark.sampled
@pytest.mark.parametrize("count", AROUND_A_STRIDE)
def test_only_the_header_is_written_and_each_write_carries_its_ordinal(operating, count):
    expected = bytearray(PACKET)
    for i in range(count):
        at = HEADER.start + (i % 64 * 4 & 12)
        expected[at : at + 8] = (i + 1).to_bytes(8, "little")
    with operating(packet_write=count) as loaded:
        assert loaded.run(PACKET) == (TX, bytes(expected))


@pytest.mark.sampled
@pytest.mark.parametrize("count", AROUND_A_STRIDE)
def test_pushed_headers_are_popped_again(operating, count):
    with operating(header_push_pop=count) as loaded:
        for what, packet in PACKETS.items():
            assert loaded.run(packet) == (TX, packet), what


@pytest.mark.parametrize("count", [1, 2, OPERATIONS_MAX["tail_call"]])
def test_exactly_so_many_tail_calls_are_made(operating, count):
    with operating(tail_call=count) as loaded:
        assert loaded.done_by(PACKET, REPEAT)["tail_call"] == REPEAT * count


def test_chain_of_calls_is_gone_with_its_runner(operating):
    # Its last program is in a table that it calls by itself: a circle of references.
    with operating(tail_call=2) as loaded:
        chain = loaded.shown_map("calls")["id"]
    for _ in range(50):
        left = subprocess.run(
            ["bpftool", "map", "show", "id", str(chain)], capture_output=True, check=False
        )
        if left.returncode:
            return
        time.sleep(0.1)
    raise AssertionError("the table of programs is still there")


@pytest.mark.parametrize("datapath", ["xdp_native", "xdp_generic"])
def test_all_kinds_go_together(operating, datapath):
    mix = {kind: 3 + place for place, kind in enumerate(OPERATIONS_MAX)}
    with operating(datapath, working_set_bytes=4096, **mix) as loaded:
        counted = loaded.done_by(PACKET, REPEAT)
        assert counted == {kind: REPEAT * mix[kind] for kind in [*TABLES, "tail_call"]}


@pytest.mark.parametrize("kind", OPERATIONS_MAX)
def test_most_of_each_kind_passes_the_verifier(operating, kind):
    with operating(**{kind: OPERATIONS_MAX[kind]}) as loaded:
        assert loaded.run(PACKET)[0] == TX


def test_no_operation_leaves_the_packet_alone(operating):
    with operating() as loaded:
        assert loaded.run(PACKET) == (TX, PACKET)
        assert set(loaded.done().values()) == {0}


@pytest.mark.parametrize(
    ("kind", "needed_bytes"),
    [("packet_read", 60), ("checksum", 34), ("packet_write", 34)],
)
def test_packet_too_short_for_its_operation_is_given_up(operating, kind, needed_bytes):
    with operating(**{kind: 1}) as loaded:
        assert loaded.run(PACKET[:needed_bytes])[0] == TX
        assert loaded.run(PACKET[: needed_bytes - 1])[0] == ABORTED


@pytest.mark.parametrize(
    ("operations", "words"),
    [
        ({"hash": 1}, r"operations=hash 1: no packet can ask for it; allowed: array_lookup 1\.\."),
        ({"hash_lookup": 0}, "operations=hash_lookup 0: "),
        ({"tail_call": 34}, r"operations=tail_call 34: .*tail_call 1\.\.33"),
    ],
)
def test_impossible_operations_are_refused(operating, operations, words):
    with pytest.raises(BadInputError, match=words), operating(**operations):
        pass


def test_tables_that_memory_does_not_hold_are_refused(operating):
    (kib,) = re.findall(r"MemAvailable: +(\d+)", Path("/proc/meminfo").read_text())
    too_much = int(kib) * 1024
    with (
        pytest.raises(DeviceFailedError, match=r"working_set_bytes=\d+: .* allowed: \d+, half"),
        operating(array_lookup=1, hash_lookup=1, working_set_bytes=too_much),
    ):
        pass


@pytest.mark.parametrize(
    "operation",
    ["hash_lookup", "hash_lookup=", "hash=1", "hash_lookup=1.5", "hash_lookup=-1"]
    + [f"{kind}={most + 1}" for kind, most in OPERATIONS_MAX.items()],
)
def test_runner_refuses_what_it_does_not_know(operation):
    done = subprocess.run(
        [
            built.runner("xdp_dut"), "--object", built.program_object("operations"),
            "--dev", "lo", "--hook", "generic", "--operation", operation,
        ],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 2
    assert f"operation={operation}: " in done.stderr


def test_operations_of_a_program_that_has_none_are_refused(cell_of):
    cell = cell_of(program="map_lookup", operations=(("checksum", 1),))
    with (
        open_veth_lab("serial", 1, gro=False) as lab,
        pytest.raises(DeviceFailedError, match="allowed: --operation with the program operations"),
        attach_xdp(lab, cell),
    ):
        pass
