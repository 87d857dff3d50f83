"""Settings of this machine and of a namespace, changed for a moment and put back."""

import pytest

from linerate.measure.tuning import Interface, Journal, find_knob, restore

pytestmark = pytest.mark.root

TUNED = """
knob = find_knob({name!r})
if why := knob.available(cable):
    print(json.dumps(why))
else:
    before = knob.show(cable)
    with tuned(cable, {{{name!r}: {value}}}):
        inside = knob.show(cable)
    print(json.dumps([before, inside, knob.show(cable)]))
"""


def held_and_put_back(cable, name, value):
    """What a setting was, was inside a block, and was after it; the machine may not have it."""
    output = cable.python(TUNED.format(name=name, value=value))
    if isinstance(output, str):
        pytest.skip(f"{name}: {output}")
    assert not (cable.journal / "tuning.jsonl").exists()
    return output


@pytest.mark.exclusive
def test_huge_pages_are_taken_and_given_back(cable):
    before, inside, after = held_and_put_back(cable, "huge_pages", "str(int(before) + 2)")
    assert int(inside) == int(before) + 2
    assert after == before


@pytest.mark.exclusive
def test_a_sleep_state_is_switched_off_and_on(cable):
    before, inside, after = held_and_put_back(cable, "idle_states_off", "'0'")
    assert set(inside.split()) == {"0"}
    assert after == before


@pytest.mark.exclusive
def test_wake_latency_of_each_core_is_set_and_put_back(cable):
    before, inside, after = held_and_put_back(cable, "wake_latency_us", "'77'")
    assert set(inside.split()) == {"77"}
    assert after == before


@pytest.mark.exclusive
def test_the_compilers_symbols_are_switched_and_put_back():
    """Of its settings the one that no neighbour feels; the namespace of a test has none."""
    lo, knob = Interface.named("lo"), find_knob("bpf_jit_kallsyms")
    if why := knob.available(lo):
        pytest.skip(f"bpf_jit_kallsyms: {why}")
    before = knob.show(lo)
    other = "0" if before == "1" else "1"
    try:
        knob.tune(lo, other)
        assert knob.show(lo) == other
    finally:
        knob.reset(lo, before)
    assert knob.show(lo) == before


def test_the_compiler_is_the_first_namespaces_alone(cable):
    output = cable.python("print(json.dumps(find_knob('bpf_jit_limit_bytes').available(cable)))")
    assert "bpf_jit_limit" in output
    assert find_knob("bpf_jit_limit_bytes").available(Interface.named("lo")) is None


def test_a_setting_of_the_namespace_goes_back_without_its_interface(cable):
    outside = Interface.named("lo")
    filters = find_knob("rp_filter_all")
    untouched = filters.show(outside)
    file = ("cat", "/proc/sys/net/ipv4/conf/all/rp_filter")
    before = cable.run(*file)
    assert cable.linerate("tune", "cable", "--setting", "rp_filter_all=2").returncode == 0
    assert cable.run(*file) == "2\n" != before
    assert filters.show(outside) == untouched, "it is the namespace's own"
    cable.run("ip", "link", "delete", "cable")
    done = cable.linerate("cleanup")
    assert done.returncode == 0, done.stderr
    assert cable.run(*file) == before


def test_a_setting_of_another_namespace_waits_for_it(cable):
    assert cable.linerate("tune", "cable", "--setting", "rp_filter_all=2").returncode == 0
    journal = Journal(cable.journal)
    (outcome,) = restore(journal)
    assert (outcome.state, outcome.words.split(", ")[0]) == (
        "elsewhere", "it is in another network namespace: run it there"
    )  # fmt: skip
    cable.namespace.close()
    assert [outcome.state for outcome in restore(journal)] == ["gone"]
