"""Programs of tc that are followed with their packet, beside what the kernel makes of it."""

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size

WAYS = {
    "by_bytes": "pass", "by_length": "drop", "by_protocol": "redirect", "copied": "drop",
    "tagged": "drop", "longer": "drop", "shorter": "drop", "before": "drop", "roomy": "drop",
    "tunnelled": "drop", "unroomy": "drop", "marked": "drop", "classic": "drop",
    "relative": "drop", "summed": "pass",
}  # fmt: skip
"""What packets end in: each drops, passes or sends on only by what it finds in the packet."""


def count(path, entry):
    listing = list_object(path)
    settings = read_settings(listing, None)
    return count_program(path, entry, listing, settings, [of_size(64)], "tc")[0]


@pytest.mark.parametrize(("entry", "verdict"), WAYS.items())
def test_a_packet_is_followed_to_its_verdict(compiled, entry, verdict):
    counted = count(compiled("tc_ways"), entry)
    assert [path.verdict for path in counted.paths] == [verdict]
    assert counted.followed == pytest.approx(1.0)


@pytest.mark.root
@pytest.mark.parametrize(("entry", "verdict"), sorted(WAYS.items() - {("before", "drop")}))
def test_the_kernel_gives_the_same_verdict(compiled, entry, verdict):
    tested = UnderTest(path=compiled("tc_ways"), entry=entry, settings=NOTHING, datapath="tc")
    (times,) = time_programs([tested], of_size(64), lambda *_: None, loads=1)
    assert times.verdict_shares() == {verdict: 1.0}


def test_calls_of_tc_have_their_names(compiled):
    helpers = {call.helper for call in count(compiled("tc_ways"), "copied").calls}
    assert helpers == {"skb_load_bytes", "skb_store_bytes"}


@pytest.mark.root
def test_packets_with_another_head_cannot_be_put_back_at_tc(compiled):
    tested = UnderTest(path=compiled("tc_ways"), entry="before", settings=NOTHING, datapath="tc")
    with pytest.raises(BadInputError, match=r"cannot be put back as they came.*linerate measure"):
        time_programs([tested], of_size(64), lambda *_: None, loads=1)
