"""The commands, as a user types them."""

import json

import pytest

pytestmark = pytest.mark.root


def test_tune_show_reset_and_cleanup_together(cable):
    before, others = cable.settings(), cable.settings("far")
    tuned = cable.linerate(
        "tune", "cable", "--profile", "baseline", "--setting", "tso=off", "--json"
    )
    assert tuned.returncode == 0, tuned.stderr
    assert {"setting": "tso", "before": "on", "value": "off"} in json.loads(tuned.stdout)["changes"]
    assert "adaptive_rx: left as it is" in tuned.stderr
    shown = json.loads(cable.linerate("show", "cable", "--json").stdout)
    assert "tso" in shown["changed"]
    assert shown["refused"] is None
    values = {row["name"]: row["value"] for row in shown["settings"]}
    assert (values["tso"], values["rx_queues"], values["rx_ring_packets"]) == ("off", "4", None)
    assert cable.settings("far") == others
    reset = cable.linerate("reset", "cable")
    assert reset.stdout == "cable tso: restored on\n"
    assert cable.settings() == before
    assert cable.linerate("cleanup").stdout == "nothing to put back\n"


def test_a_dry_run_changes_nothing(cable):
    before = cable.settings()
    done = cable.linerate(
        "tune", "cable", "--setting", "tso=off", "--setting", "mtu_bytes=1400", "--dry-run"
    )
    assert done.stdout == "mtu_bytes: 1500 -> 1400\ntso: on -> off\n"
    assert cable.settings() == before
    assert not cable.journal.exists()


@pytest.mark.parametrize(
    ("words", "code", "output"),
    [
        (["nope", "--setting", "tso=off"], 2, "interface=nope: there is none of that name"),
        (["cable"], 2, "settings=none: there is nothing to change"),
        (["cable", "--setting", "speed=9"], 2, "setting=speed: there is none of that name"),
        (["cable", "--setting", "tso"], 2, "--setting=tso: it is not a NAME=VALUE"),
        (["cable", "--setting", "tso=maybe"], 2, "tso=maybe: it is a switch; allowed: on, off"),
        (
            ["cable", "--setting", "rx_queues=5"],
            2,
            "rx_queues=5: it is not a whole number within bounds",
        ),
        (["cable", "--setting", "lro=on"], 4, "lro of cable: fixed off by the driver"),
        (
            ["cable", "--setting", "rx_ring_packets=9"],
            4,
            "rx_ring_packets of cable: not on this driver",
        ),
        (["lo", "--setting", "tso=off"], 2, "it is the loopback interface"),
    ],
)
def test_refusals_change_nothing_and_say_what_to_do(cable, words, code, output):
    before = cable.settings()
    done = cable.linerate("tune", *words)
    assert done.returncode == code
    assert done.stderr.startswith("linerate: ")
    assert output in done.stderr
    assert cable.settings() == before
