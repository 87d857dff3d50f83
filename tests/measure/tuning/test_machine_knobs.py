"""Settings of a machine that this one may not be, on files that look like its own."""

import re

import pytest

from linerate.measure.tuning import HELD, KNOBS, Interface
from linerate.measure.tuning.knobs import interrupts
from linerate.measure.tuning.knobs.interrupts import InterruptCores, interrupts_of, queue_of
from linerate.measure.tuning.knobs.machine import MachineFiles
from linerate.measure.tuning.profiles import PROFILES

ANY = Interface(name="any", index=9, mac="", namespace=1)


@pytest.fixture
def governor(tmp_path):
    for core in (0, 1, 10):
        folder = tmp_path / f"cpu{core}/cpufreq"
        folder.mkdir(parents=True)
        (folder / "scaling_governor").write_text("schedutil\n")
    return MachineFiles(
        name="governor", files="cpu[0-9]*/cpufreq/scaling_governor", root=tmp_path,
        words=("performance", "schedutil"),
    )  # fmt: skip


def test_one_word_sets_every_core(governor):
    before = governor.show(ANY)
    governor.tune(ANY, "performance")
    assert governor.show(ANY) == "performance performance performance"
    governor.reset(ANY, before)
    assert governor.show(ANY) == before == "schedutil schedutil schedutil"


def test_cores_are_in_the_order_of_their_numbers(governor):
    governor.tune(ANY, "performance schedutil performance")
    assert (governor.root / "cpu1/cpufreq/scaling_governor").read_text() == "schedutil"


@pytest.mark.parametrize("value", ["fast", "", "performance performance", "performance; reboot"])
def test_another_word_changes_nothing(governor, value):
    before = governor.show(ANY)
    with pytest.raises(ValueError, match=r"^governor="):
        governor.tune(ANY, value)
    assert governor.show(ANY) == before


def test_a_machine_without_the_files_says_which(tmp_path):
    knob = MachineFiles(name="boost", files="cpufreq/boost", words=("0", "1"), root=tmp_path)
    assert knob.available(ANY) == "not on this driver or machine (no /cpufreq/boost)"


@pytest.fixture
def card(tmp_path, monkeypatch):
    """Three interrupts, the last of them no queue's."""
    names = {30: "card-TxRx-0", 31: "card-TxRx-1", 32: "card-events"}
    for irq, name in names.items():
        for path, text in (
            (f"proc/irq/{irq}/smp_affinity_list", "0-1\n"),
            (f"sys/kernel/irq/{irq}/actions", f"{name}\n"),
        ):
            (tmp_path / path).parent.mkdir(parents=True)
            (tmp_path / path).write_text(text)
    monkeypatch.setattr(InterruptCores, "_irqs", lambda *_: sorted(names))
    monkeypatch.setattr(interrupts, "usable_cores", lambda: [4, 5])
    return InterruptCores(root=tmp_path)


def test_queues_are_spread_over_the_cores_and_other_interrupts_stay(card):
    before = card.show(ANY)
    card.tune(ANY, "spread")
    assert card.show(ANY) == "4 5 0-1"
    card.reset(ANY, before)
    assert card.show(ANY) == before == "0-1 0-1 0-1"


def test_queues_are_spread_over_cores_that_are_named(card):
    card.tune(ANY, "spread 5 4")
    assert card.show(ANY) == "5 4 0-1"
    with pytest.raises(ValueError, match="this process has no such core"):
        card.tune(ANY, "spread 63")
    assert card.show(ANY) == "5 4 0-1"


def test_a_balancer_that_would_undo_it_is_named(card):
    (card.root / "proc/77").mkdir()
    (card.root / "proc/77/comm").write_text("irqbalance\n")
    assert "irqbalance (process 77) would move them back" in card.available(ANY)


@pytest.mark.parametrize("value", ["fast", "4 5", "0-1 0-1 x"])
def test_what_is_no_list_of_cores_changes_nothing(card, value):
    with pytest.raises(ValueError, match=r"^interrupt_cores="):
        card.tune(ANY, value)
    assert card.show(ANY) == "0-1 0-1 0-1"


@pytest.mark.parametrize("above", ["", "virtio2"], ids=["a card's own", "its PCI function's"])
def test_interrupts_are_those_of_the_device_or_what_it_sits_on(tmp_path, above):
    (tmp_path / above).mkdir(exist_ok=True)
    for irq in ("40", "7"):
        (tmp_path / "msi_irqs" / irq).mkdir(parents=True)
    assert interrupts_of(tmp_path / above) == [7, 40]
    assert interrupts_of(tmp_path / "none") == []


@pytest.mark.parametrize(
    ("action", "queue"),
    [
        ("i40e-enp1s0f0-TxRx-11", 11), ("mlx5_comp7@pci:0000:3b:00.0", 7), ("virtio0-input.2", 2),
        ("eth0-rx-3", 3), ("eth0-tx-3", 3), ("mlx5_async0@pci:0000:3b:00.0", None),
        ("virtio0-config", None), ("i40e-0000:01:00.0:misc", None), ("", None),
    ],
)  # fmt: skip
def test_drivers_names_of_interrupts_tell_the_queue(action, queue):
    assert queue_of(action) == queue


def test_names_are_unique_and_profiles_use_them():
    names = [knob.name for knob in KNOBS]
    assert len(set(names)) == len(names)
    for profile in PROFILES.values():
        assert set(profile) <= set(names)


def test_every_setting_is_explained(repository):
    text = (repository / "docs/tuning.md").read_text()
    explained = re.findall(r"`([a-z0-9_]+)`", text)
    assert {knob.name for knob in (*KNOBS, *HELD)} <= set(explained)
