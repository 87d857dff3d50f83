"""Settings of a datapath are read as they are meant, or refused before anything is measured."""

import re

import pytest

from .plans import plan


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"datapath": '["swx"]'}, "program=map_lookup: swx does not run it"),
        (
            {"datapath": '["swx"]', "program": '["forward"]', "memory_accesses": "[0]"},
            "mode=serial: port ring has packets from beyond its own core; allowed: split",
        ),
        (
            {
                "datapath": '["swx"]',
                "program": '["forward"]',
                "memory_accesses": '[0]\npipeline = { port = ["net_null"] }',
            },
            "lab=veth: datapath swx does not run in it; allowed: dpdk or nic",
        ),
        ({"memory_accesses": "[0]\npipeline = { burst_packets = [1] }"}, "pipeline=a table"),
        *(
            (
                {
                    "mode": '"split"',
                    "datapath": '["swx"]',
                    "program": '["forward"]',
                    "memory_accesses": f"[0]\npipeline = {{ {settings} }}",
                },
                says,
            )
            for settings, says in (
                ('port = ["tap"]', r"pipeline: port\.0=tap: .*'pci'"),
                ('port = ["pci"]', "device='': port pci needs the PCI address of a card"),
                ('device = ["0000:3b:00.0"]', "device='0000:3b:00.0': port ring has no card"),
                ('port = ["pci", "ring"], device = ["0000:3b:00.0"]', "port ring has no card"),
            )
        ),
        (
            {
                "datapath": '["swx"]',
                "program": '["forward"]',
                "memory_accesses": "[0]\noperations = [{ multiply = 1 }]",
            },
            "operations=multiply: no such operation",
        ),
        (
            {"memory_accesses": "[100]\noperations = [{ hash_lookup = 4 }]"},
            "operations={'hash_lookup': 4}: program map_lookup: it executes none",
        ),
        ({"memory_accesses": "[0]\noperations = [{ sort = 4 }]"}, "operations=sort: no such op"),
        (
            {"memory_accesses": "[0]\noperations = [{ tail_call = 34 }]"},
            r"tail_call=34: .* allowed: 1\.\.33",
        ),
        ({"memory_accesses": "[0]\noperations = [{ tail_call = 0 }]"}, "tail_call=0"),
        ({"memory_accesses": "[0]\nworking_set_bytes = [-1]"}, "working_set_bytes.0=-1"),
        (
            {"memory_accesses": "[0]\nsocket = { batch_packets = [1] }"},
            "socket=a table: xdp_generic, xdp_native has no such settings; allowed: with af_xdp",
        ),
        ({"memory_accesses": '[0]\nfilter = { hook = ["input"] }'}, "filter=a table"),
        ({"memory_accesses": "[0]\nchain = { length = [1] }"}, "chain=a table"),
        ({"memory_accesses": '[0]\ngenerator = "moongen"'}, "generator=moongen"),
        ({"memory_accesses": '[0]\ngenerator = "ping"'}, "generator=ping: echo requests alone"),
        ({"memory_accesses": '[0]\npacket = { tcp_flags = "SR" }'}, "protocol=udp: flags"),
        (
            {"memory_accesses": '[0]\npacket = { protocol = "tcp", tcp_flags = "Q" }'},
            "tcp_flags=Q: a letter is not a TCP flag",
        ),
        (
            {"memory_accesses": '[0]\npacket = { protocol = "tcp", payload = "\\u00e4" }'},
            "payload=.* allowed: printable ASCII",
        ),
        ({"memory_accesses": "[0]\npacket = { sources = 0 }"}, "sources=0"),
        ({"datapath": '["af_xdp"]'}, "program=map_lookup: af_xdp does not run it"),
        (
            {"datapath": '["chain"]', "program": '["wire"]', "memory_accesses": "[0]"},
            "datapath=chain: its functions need cores",
        ),
        (
            {"datapath": '["iptables"]', "program": '["drop_all"]', "memory_accesses": "[0]"},
            "flavour='': iptables has no such flavour; allowed: 'nft', 'legacy'",
        ),
    ],
)
def test_impossible_settings_are_refused(refusal, changes, says):
    assert re.search(says, refusal(plan(**changes)))
