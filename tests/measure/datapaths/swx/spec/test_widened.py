"""Fields of 64 bits do not wait for each other; tables find the same by longer keys."""

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.following.filled import filled
from linerate.measure.datapaths.swx.spec.following.paths import shared_paths
from linerate.measure.datapaths.swx.spec.following.searches import steps_of
from linerate.measure.datapaths.swx.spec.widened import longer, waiting_fields, widened

from .pipelines import ROUTER, frame

METADATA = "\tbit<32> port\n\tbit<32> hop\n"
COPIED = ROUTER.replace(METADATA, f"{METADATA}\tbit<32> source\n\tbit<32> to\n").replace(
    "\ttable routes\n",
    "\tmov m.source h.ipv4.src_addr\n\tmov m.to h.ipv4.dst_addr\n\ttable routes\n",
).replace("h.ipv4.dst_addr lpm", "m.to lpm")  # fmt: skip
ENTRIES = "match 0xc6130000/0xffff0000 action route hop 0x1\n"


@pytest.fixture(scope="module")
def spec():
    return parse_spec(COPIED)


@pytest.fixture(scope="module")
def entries(spec):
    return {"routes": filled(spec, "routes", ENTRIES)}


def path_of(spec, entries, to=0xC6130001):
    (path,) = shared_paths(spec, np.random.default_rng(1), entries, frame(to))
    return path


def test_fields_that_wait_are_found_and_then_do_not(spec, entries):
    path = path_of(spec, entries)
    assert dict(path.operations)["stalled"] == 1
    fields = waiting_fields(spec, (wait for wait, _ in path.waits))
    assert fields == ("source", "to")
    assert not path_of(widened(spec, fields), entries).waits


def test_ports_and_what_is_long_already_are_left_alone(spec, entries):
    waits = [wait._replace(code="mov m.port m.to") for wait, _ in path_of(spec, entries).waits]
    assert waiting_fields(widened(spec, ("to",)), waits) == ("source",)


@pytest.mark.parametrize("to", [0xC6130001, 0xC6140001], ids=["found", "missed"])
def test_a_longer_prefix_finds_the_same_in_more_steps(spec, entries, to):
    long = widened(spec, ("source", "to"))
    text = longer(spec, long, {"routes": ENTRIES})["routes"]
    assert text == "match 0xc6130000/0xffffffffffff0000 action route hop 0x1\n"
    there = {"routes": filled(long, "routes", text)}
    assert path_of(long, there, to).choices == path_of(spec, entries, to).choices
    steps = [steps_of(spec, "routes", entries["routes"]), steps_of(long, "routes", there["routes"])]
    assert steps == [1, 2]


def test_what_dpdk_would_not_take_is_refused():
    """DPDK 22.11 keeps the place of a hash in 8 bits."""
    fields = "".join(f"\tbit<32> field_{number}\n" for number in range(6))
    text = ROUTER.replace(METADATA, f"{METADATA}{fields}\tbit<32> hash\n").replace(
        "\ttable routes\n", "\thash crc32 m.hash m.field_0 m.field_5\n\ttable routes\n"
    )
    names = [f"field_{number}" for number in range(6)]
    with pytest.raises(BadInputError, match="begins by bit 255"):
        widened(parse_spec(text), names)
