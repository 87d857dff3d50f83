"""Instructions that wait for a write before them are counted, and named."""

import numpy as np
import pytest

from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.following.paths import shared_paths

from .pipelines import ROUTER, operations

RNG = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("body", "stalled"),
    [
        (["mov m.port h.ipv4.src_addr", "mov m.hop h.ipv4.src_addr"], 1),
        (["mov m.hop h.ipv4.src_addr", "mov m.hop h.ipv4.dst_addr"], 0),
        (["mov m.port 1", "mov m.hop 2"], 0),
        (["mov m.port 0", "mov m.hop h.ipv4.src_addr"], 1),
        (["mov m.port h.ipv4.src_addr", "mov m.hop h.ipv4.src_addr", "xor m.port m.hop"], 2),
        (["mov m.port h.ipv4.src_addr", "mov h.ethernet.src_addr m.port"], 0),
        (["mov h.ipv4.src_addr m.hop", "mov h.ipv4.dst_addr m.hop"], 1),
        (["mov h.ipv4.src_addr m.hop", "mov m.hop h.ipv4.dst_addr"], 1),
        (["mov m.port h.ipv4.src_addr", *["add h.ethernet.ethertype 1"] * 12,
          "mov m.hop h.ipv4.src_addr"], 0),
    ],
    ids=["adjoining", "same", "numbers", "zero", "both ways", "no more than it has", "header",
         "read", "long ago"],
)  # fmt: skip
def test_reads_of_what_was_partly_written_before_wait(body, stalled):
    assert operations(*body, "emit h.ethernet", "emit h.ipv4").get("stalled", 0) == stalled


def test_who_waits_is_named_with_the_write_that_it_waits_for():
    head, _, _ = ROUTER.partition("apply {")
    body = ("rx m.port", "extract h.ethernet", "extract h.ipv4", "mov m.port h.ipv4.src_addr",
            "mov m.hop h.ipv4.src_addr", "mov m.hop h.ipv4.dst_addr", "tx m.port")  # fmt: skip
    (path,) = shared_paths(parse_spec("\n".join((f"{head}apply {{", *body, "}\n"))), RNG)
    first = head.count("\n") + 5
    ((wait, times),) = path.waits
    assert times == dict(path.operations)["stalled"] == 1
    assert (wait.line, wait.code) == (first + 1, "mov m.hop h.ipv4.src_addr")
    assert (wait.write_line, wait.write_code) == (first, "mov m.port h.ipv4.src_addr")


def test_no_write_is_waited_for_in_the_next_pass():
    """Receiving gives the core to other packets: what a pass wrote last has left by the next."""
    spec = parse_spec(
        "struct m_t {\n\tbit<32> port\n\tbit<32> number\n\tbit<32> next\n}\n"
        "metadata instanceof m_t\napply {\n\trx m.port\n\trecircid m.number\n"
        "\tjmpgt SEND m.number 2\n\tmov m.next m.port\n\trecirculate\n\tSEND : tx m.port\n}\n"
    )
    (path,) = shared_paths(spec, RNG)
    counted = dict(path.operations)
    assert counted["recirculate"] == counted["move"] == counted["stalled"] == 3
