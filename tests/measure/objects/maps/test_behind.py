"""What the network stack does with packets that pass, by the environment of maps.toml."""

import os

import pytest

from linerate.measure.objects.calibrating import behind
from linerate.measure.objects.calibrating.behind import STACKS, measure_behind
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.behind import behind_pass
from linerate.measure.objects.maps.environment import Environment
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.programs.costs import FORWARD, LOCAL, TAKING, TO_CPU, UNROUTED, behind_name

ADDRESS = 'interfaces.in = {addresses = ["198.18.0.254/24"]}\n'
OWN = 'interfaces.in = {addresses = ["198.19.0.1/32"]}\n'
ROUTE = 'routes = [{to = "198.19.0.0/16", role = "out"}]\n'
IPV6 = bytes.fromhex("02000000000202000000000186dd60000000000a11402001" + "00" * 13 + "01"
                     "20010db8000000000000000000000001") + bytes(20)  # fmt: skip


@pytest.fixture
def environment(compiled, tmp_path):
    def read(text):
        path = tmp_path / "maps.toml"
        path.write_text(f"[environment]\n{text}")
        return read_settings(list_object(compiled("ways")), path).environment

    return read


def test_our_own_stacks_do_what_they_are_named_for():
    for kind, stack in STACKS.items():
        assert behind_pass(stack, of_size(64)) == ((kind, 1.0),)


@pytest.mark.parametrize(
    ("text", "way"),
    [("", ()), (ADDRESS, ((UNROUTED, 1.0),)), (OWN, ((LOCAL, 1.0),)),
     ("forwarding = true\n" + ADDRESS, ((UNROUTED, 1.0),)),
     (ADDRESS + ROUTE, ((UNROUTED, 1.0),)),
     ("forwarding = true\n" + ADDRESS + ROUTE, ((FORWARD, 1.0),)),
     ("forwarding = true\n" + OWN + ROUTE, ((LOCAL, 1.0),))],
)  # fmt: skip
def test_addresses_come_before_routes_and_routes_count_where_it_forwards(environment, text, way):
    assert behind_pass(environment(text), of_size(64)) == way


def test_without_an_environment_nothing_is_looked_for():
    assert behind_pass(None, of_size(64)) == ()
    assert behind_pass(Environment(), of_size(64)) == ()


def test_shares_are_those_of_the_traffic_and_what_is_no_ip_has_no_route(environment):
    arp = of_size(64).packets[0][:12] + b"\x08\x06" + bytes(46)
    frames = Frames(packets=(of_size(64).packets[0], arp, IPV6), order=(0, 0, 1, 2),
                    packets_total=4)  # fmt: skip
    six = 'forwarding = true\nroutes = [{to = "2001:db8::/32", role = "out"}]\n'
    assert behind_pass(environment(six + OWN), frames) == (
        (UNROUTED, 0.25), (LOCAL, 0.5), (FORWARD, 0.25),
    )  # fmt: skip


@pytest.mark.root
@pytest.mark.sampled
def test_looking_for_a_way_takes_time_and_delivery_more_than_finding_none(monkeypatch):
    """Of single runs, which other work may slow: what is asked lies a factor of two apart."""
    monkeypatch.setattr(behind, "HOOKS", ("xdp_native",))
    monkeypatch.setattr(behind, "BEHIND_BYTES", (64,))
    found = measure_behind(100.0, lambda *_: None)
    local, unrouted, forward = (
        found[behind_name("xdp_native", kind, 64)].value_ns for kind in (LOCAL, UNROUTED, FORWARD)
    )
    assert local > 2 * unrouted
    assert local > 0
    assert forward > 0
    handed = {behind_name("xdp_native", kind, 64) for kind in (TO_CPU, TAKING)}
    assert handed <= found.keys() or os.cpu_count() == 1
    assert all(found[name].value_ns < local for name in handed & found.keys())
