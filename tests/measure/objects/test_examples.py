"""The programs of bpf/examples do what their first line says, with the maps and traffic beside."""

import json
import struct
import subprocess
from contextlib import contextmanager
from functools import partial

import pytest

from linerate.measure.objects.entry import choose_entry
from linerate.measure.objects.lab import attach_object, open_object_lab
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import UnderTest, time_programs
from linerate.measure.objects.traffic.frames import read_frames
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built

from ...frames import sum_of_segment, sum_of_words

pytestmark = pytest.mark.root

ENTRIES = {"stages": "parse"}
SHARES = {
    "balance_l4": {"tx": 1.0},
    "bloom": {"pass": 1.0},
    "classifier": {"tx": 1.0},
    "decapsulate": {"tx": 1.0},
    "count_sources": {"drop": 1.0},
    "dns_name": {"pass": 0.75, "drop": 0.25},
    "firewall": {"drop": 1.0},
    "flag_filter": {"pass": 0.75, "drop": 0.25},
    "icmp_echo": {"tx": 1.0},
    "nat": {"tx": 1.0},
    "nsh_push": {"tx": 1.0},
    "payload_match": {"pass": 0.75, "drop": 0.25},
    "prefix_filter": {"drop": 1.0},
    "route_lpm": {"tx": 1.0},
    "sampler": {"tx": 1.0},
    "stages": {"tx": 1.0},
    "syn_cookie": {"tx": 0.75, "drop": 0.25},
    "vlan": {"tx": 1.0},
}
"""Verdicts by their share of the traffic."""
SYN_ACK, ACK = 0x12, 0x10
TX, PASS = 3, 2
"""enum xdp_action of linux/bpf.h."""
ETHERNET_BYTES = 14


def example(name, folder):
    """Return a program with its maps and its traffic."""
    path = built.program_object(name)
    (source,) = folder.glob(f"*/{name}.bpf.c")
    listing, maps = list_object(path), source.with_name(f"{name}.toml")
    settings = read_settings(listing, maps if maps.is_file() else None)
    own = source.with_name(f"{name}.json")
    frames = read_frames(own) if own.is_file() else of_size(64)
    entry = choose_entry(listing, "xdp_native", ENTRIES.get(name))
    return UnderTest(path=path, entry=entry, settings=settings), frames


@pytest.fixture
def folder(repository):
    return repository / "bpf/examples"


@pytest.mark.parametrize("name", SHARES)
def test_packets_end_as_the_program_says(name, folder):
    tested, frames = example(name, folder)
    (times,) = time_programs((tested,), frames, lambda *_: None, loads=1)
    assert times.verdict_shares() == pytest.approx(SHARES[name])


@pytest.fixture
def loaded(folder, tmp_path):
    """Give a function that runs one packet through an example, and the example's packets."""

    @contextmanager
    def load(name):
        tested, frames = example(name, folder)
        with (
            open_object_lab("serial", 1, "xdp_native", tested.settings.environment) as lab,
            plan_file(tested.settings, frames) as plan,
            attach_object(lab, "xdp_native", tested.path, tested.entry, plan),
        ):
            known = json.loads(bpftool("prog", "list", "name", tested.entry))
            yield partial(run, known["id"]), frames.packets

    def run(program_id, packet):
        came_in, came_out = tmp_path / "in", tmp_path / "out"
        came_in.write_bytes(packet)
        output = bpftool("prog", "run", "id", program_id, "data_in", came_in, "data_out", came_out)
        return json.loads(output)["retval"], came_out.read_bytes()

    return load


def bpftool(*argv):
    words = ["bpftool", "-j", *map(str, argv)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def test_a_tunnel_ends_at_the_header_inside(loaded):
    with loaded("decapsulate") as (run, (packet,)):
        verdict, out = run(packet)
    assert verdict == TX
    assert out[ETHERNET_BYTES:] == packet[ETHERNET_BYTES + 20 :]
    assert out[:12] == packet[6:12] + packet[:6]


def test_the_service_header_says_path_and_what_is_inside(loaded):
    with loaded("nsh_push") as (run, (packet,)):
        verdict, out = run(packet)
    assert verdict == TX
    assert out[12:14] == b"\x89\x4f"
    first, md_type, inside, path = struct.unpack("!HBBI", out[14:22])
    assert (first >> 6 & 0x3F, first & 0x3F, md_type, inside) == (63, 2, 2, 3)
    assert (path >> 8, path & 0xFF) == (42, 255)
    assert out[22:] == packet


def test_a_connection_is_let_in_by_the_number_that_answered_it(loaded):
    with loaded("syn_cookie") as (run, (syn, _)):
        verdict, answer = run(syn)
        assert verdict == TX
        assert answer[47] == SYN_ACK
        assert answer[26:34] == syn[30:34] + syn[26:30]
        assert struct.unpack("!I", answer[42:46])[0] == struct.unpack("!I", syn[38:42])[0] + 1
        assert sum_of_words(answer[14:34]) == 0xFFFF
        assert sum_of_segment(answer[:54]) == 0xFFFF
        cookie = struct.unpack("!I", answer[38:42])[0]
        returned = bytearray(syn)
        returned[42:46] = struct.pack("!I", (cookie + 1) & 0xFFFFFFFF)
        returned[47] = ACK
        assert run(bytes(returned))[0] == PASS
        returned[45] ^= 1
        assert run(bytes(returned))[0] != PASS
