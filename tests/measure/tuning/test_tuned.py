"""Settings hold while they are needed, and no longer."""

import pytest

pytestmark = pytest.mark.root
VALUES = {
    "rx_queues": "2", "tx_queues": "2", "mtu_bytes": "1400", "gro": "on", "tso": "off",
    "gso": "off", "tx_checksum": "off", "rx_vlan": "off", "napi_defer_hard_irqs": "3",
    "gro_flush_timeout_ns": "20000", "napi_threaded": "1", "rps_cpus": "3", "xps_cpus": "1",
    "rp_filter": "2", "rp_filter_all": "2",
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_each_setting_takes_hold_and_goes_back(cable, name):
    if name == "napi_threaded":  # a veth has a NAPI to thread only while it receives by one
        cable.run("ethtool", "-K", "cable", "gro", "on")
    before = cable.settings()
    shown = cable.python(
        f"knob = find_knob({name!r})\n"
        f"with tuned(cable, {{{name!r}: {VALUES[name]!r}}}) as changed:\n"
        "    inside = knob.show(cable)\n"
        "print(json.dumps([changed[0].before, inside, knob.show(cable)]))"
    )
    assert set(shown[1].split()) == {VALUES[name]}
    assert shown[0] == shown[2] != shown[1]
    assert cable.settings() == before
    assert not (cable.journal / "tuning.jsonl").exists()


def test_all_settings_together_go_back_in_reverse(cable):
    before = cable.settings()
    names = cable.python(
        f"with tuned(cable, {VALUES}) as changed:\n"
        "    print(json.dumps([setting.knob for setting in changed]))"
    )
    assert set(names) == set(VALUES)
    assert cable.settings() == before


def test_settings_go_back_when_the_block_fails(cable):
    before = cable.settings()
    cable.python(
        f"try:\n    with tuned(cable, {VALUES}):\n        raise KeyError('work')\n"
        "except KeyError:\n    print(1)"
    )
    assert cable.settings() == before


def test_one_value_refused_leaves_none_changed(cable):
    before = cable.settings()
    output = cable.python(
        "try:\n    with tuned(cable, {'tso': 'off', 'mtu_bytes': '1400', 'rps_cpus': '1 2 3'}):\n"
        "        print(0)\nexcept ValueError as error:\n    print(json.dumps(str(error)))"
    )
    assert output.startswith("rps_cpus=1 2 3: 3 words for 4; allowed: 1 or 4 words")
    assert cable.settings() == before
    assert not (cable.journal / "tuning.jsonl").exists()


def test_what_could_not_be_set_needs_no_putting_back(cable):
    before = cable.settings()
    output = cable.python(
        "try:\n    with tuned(cable, {'tso': 'off', 'napi_threaded': '1'}):\n        print(0)\n"
        "except ValueError as error:\n    print(json.dumps(str(error)))"
    )
    assert "the kernel refused it (operation not supported)" in output
    assert cable.settings() == before
    assert not (cable.journal / "tuning.jsonl").exists()


def test_largest_of_a_number_is_the_drivers(cable):
    shown = cable.python(
        "with tuned(cable, {'rx_queues': '1'}), tuned(cable, {'rx_queues': 'max'}):\n"
        "    print(json.dumps(find_knob('rx_queues').show(cable)))"
    )
    assert shown == "4"


def test_an_offload_that_another_keeps_off_is_refused_and_comes_back_with_it(cable):
    before = cable.settings()
    shown = cable.python(
        "said = [find_knob('tso').show(cable)]\n"
        "with tuned(cable, {'scatter_gather': 'off'}):\n"
        "    said.append(find_knob('tso').show(cable))\n"
        "    try:\n        change(cable, {'tso': 'on'}, journal, None)\n"
        "    except ValueError as error:\n        said.append(str(error))\n"
        "print(json.dumps([*said, find_knob('tso').show(cable)]))"
    )
    assert [shown[0], shown[1], shown[3]] == ["on", "off, wanted on", "on"]
    assert "another offload keeps it off" in shown[2]
    assert cable.settings() == before


def test_addresses_for_benchmarks_are_held_and_every_other_stays(cable):
    cable.run("ip", "address", "add", "192.0.2.7/24", "dev", "cable")
    cable.run("ip", "address", "add", "198.18.0.9/24", "dev", "cable")
    before = cable.run("ip", "-4", "-oneline", "address", "show", "dev", "cable")
    held = cable.python(
        "import subprocess\n"
        "with tuned(cable, {'benchmark_addresses': '198.19.0.1/16'}):\n"
        "    print(json.dumps(subprocess.run(['ip', '-4', '-oneline', 'address', 'show', 'dev',"
        " 'cable'], capture_output=True, text=True).stdout))\n"
    )
    assert "198.19.0.1/16" in held
    assert "198.18.0.9" not in held
    assert "192.0.2.7/24" in held
    assert cable.run("ip", "-4", "-oneline", "address", "show", "dev", "cable") == before
