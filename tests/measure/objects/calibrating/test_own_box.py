"""When a calibration that was kept is used again, and when another is made."""

from dataclasses import replace

import pytest

from linerate.box import Cost, write_box
from linerate.measure.objects.calibrating import calibration
from linerate.measure.objects.calibrating import own_box as kept
from linerate.measure.system.describe import this_box
from linerate.programs.costs import hook_cost_names

COST = Cost(value_ns=1.0, lower_ns=1.0, upper_ns=1.0)


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Return the list of calibrations that were made: a real one takes minutes."""
    calls = []
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(calibration, "calibrate", lambda tell: calls.append(tell) or {"new": COST})
    return calls


def keep(names):
    box = replace(this_box("veth"), costs=dict.fromkeys(names, COST))
    path = kept.state_folder() / f"{box.name}.toml"
    path.parent.mkdir(parents=True)
    write_box(box, path)


def test_a_whole_calibration_is_used_again(made):
    keep(hook_cost_names())
    assert kept.own_box(print).box.costs.keys() == hook_cost_names()
    assert not made


@pytest.mark.parametrize(
    "lacking",
    ["tc.drop.64.1", "xdp_generic.tx.256.1", "xdp_native.redirect.1518.1", "behind.tc.local.64"],
)
def test_one_from_before_a_hook_was_calibrated_is_made_anew(made, lacking):
    keep(hook_cost_names() - {lacking})
    assert kept.own_box(print).box.costs.keys() == {"new"}
    assert len(made) == 1
