"""How deep the cores sleep: states switched off, and a limit that ends with its process."""

import signal
import sys

import pytest

from linerate.measure.tuning import HELD, Interface, find_held, find_knob
from linerate.measure.tuning.knobs.sleep import DmaLatency, IdleStatesOff

ANY = Interface(name="any", index=9, mac="", namespace=1)


@pytest.fixture
def states(tmp_path):
    """Eleven cores, of which the last sleeps in one way only."""
    for core in range(11):
        for state in range(1 if core == 10 else 3):
            folder = tmp_path / f"cpu{core}/cpuidle/state{state}"
            folder.mkdir(parents=True)
            (folder / "disable").write_text("0\n")
    return IdleStatesOff(files="cpu[0-9]*/cpuidle/state[0-9]*/disable", root=tmp_path)


def switch(states, core, state):
    return (states.root / f"cpu{core}/cpuidle/state{state}/disable").read_text().strip()


def test_states_are_switched_core_by_core_and_go_back(states):
    before = states.show(ANY)
    assert before == " ".join(["none"] * 11)
    states.tune(ANY, " ".join(["none", "1,2", *["none"] * 8, "0"]))
    assert [switch(states, 1, state) for state in range(3)] == ["0", "1", "1"]
    assert [switch(states, core, 0) for core in (2, 9, 10)] == ["0", "0", "1"]
    assert states.show(ANY).split()[1:3] == ["1,2", "none"]
    states.tune(ANY, " ".join(["none", "2", *["none"] * 9]))
    assert states.show(ANY).split()[1] == "2", "one not named is on again"
    states.reset(ANY, before)
    assert states.show(ANY) == before


@pytest.mark.parametrize("value", ["2", "1,x", "", "-1", "none none", "1;2", "3" * 99])
def test_what_is_no_state_of_every_core_changes_nothing(states, value):
    before = states.show(ANY)
    with pytest.raises(ValueError, match=r"^idle_states_off="):
        states.tune(ANY, value)
    assert states.show(ANY) == before


def test_a_machine_without_sleep_states_says_so(tmp_path):
    why = IdleStatesOff(root=tmp_path).available(ANY)
    assert why is not None
    assert "cpuidle" in why


def test_a_limit_is_one_number_of_the_kernels_width(tmp_path):
    device = tmp_path / "cpu_dma_latency"
    device.write_bytes((2_000_000_000).to_bytes(4, sys.byteorder))
    knob = DmaLatency(device=device)
    assert knob.show(ANY) == "2000000000"
    with knob.hold("50"):
        assert knob.show(ANY) == "50"
    for value in ("", "-1", "n/a", str(2**31)):
        with pytest.raises(ValueError, match=r"^dma_latency_us="), knob.hold(value):
            pass


def test_what_ends_with_its_process_is_no_setting_that_stays():
    for held in HELD:
        assert find_held(held.name) is held
        with pytest.raises(ValueError, match="it holds only while a process keeps it open"):
            find_knob(held.name)


HOLDING = """
show = HELD[0].show
before = show(cable)
with tuned(cable, {'dma_latency_us': '50', 'tso': 'off'}) as changed:
    said = [before, show(cable), [setting.knob for setting in changed]]
print(json.dumps([*said, show(cable)]))
"""


@pytest.mark.exclusive
@pytest.mark.root
def test_a_limit_holds_as_long_as_the_block(cable):
    before, inside, changed, after = cable.python(HOLDING)
    assert before == after != inside
    assert inside == "50"
    assert changed == ["tso"], "what ends by itself needs no journal"


@pytest.mark.exclusive
@pytest.mark.root
def test_a_limit_ends_with_a_process_that_is_killed(cable):
    show = "print(json.dumps(HELD[0].show(cable)))"
    before = cable.python(show)
    script = (
        "import time\nfrom linerate.measure.tuning import *\n"
        "with tuned(Interface.named('cable'), {'dma_latency_us': '50'}):\n"
        "    print('held', flush=True)\n    time.sleep(60)"
    )
    holder = cable.start(script)
    assert holder.readline() == "held"
    assert cable.python(show) == "50"
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert cable.python(show) == before
    assert not (cable.journal / "tuning.jsonl").exists()


REFUSED = """
try:
    with tuned(cable, {'tso': 'off', 'dma_latency_us': 'soon'}):
        print(0)
except ValueError as error:
    print(json.dumps([str(error), find_knob('tso').show(cable)]))
"""


@pytest.mark.exclusive
@pytest.mark.root
def test_a_limit_refused_leaves_nothing_changed(cable):
    words, tso = cable.python(REFUSED)
    assert words.startswith("dma_latency_us=soon: it is not a whole number within bounds")
    assert tso == "on"
    assert not (cable.journal / "tuning.jsonl").exists()
