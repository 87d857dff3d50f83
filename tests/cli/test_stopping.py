"""Signals that ask a command to stop, sent to this very process."""

import signal

import pytest

from linerate.cli.stopping import STOPPED, exit_code_of, stopped_by_signals

ASKED = (signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(params=ASKED, ids=lambda number: number.name)
def asked(request):
    """Take a signal as a process does that nobody told anything of it."""
    before = signal.signal(request.param, signal.SIG_DFL)
    yield request.param
    signal.signal(request.param, before)


def test_a_signal_stops_a_command_as_ctrl_c_does_with_a_code_of_its_own(asked):
    with pytest.raises(KeyboardInterrupt) as stop, stopped_by_signals():
        signal.raise_signal(asked)
    assert exit_code_of(stop.value) == 128 + asked
    assert signal.getsignal(asked) == signal.SIG_DFL


def test_ctrl_c_has_the_code_of_shells():
    assert exit_code_of(KeyboardInterrupt()) == STOPPED == 128 + signal.SIGINT


def test_a_signal_that_is_ignored_stays_so(asked):
    signal.signal(asked, signal.SIG_IGN)
    with stopped_by_signals():
        signal.raise_signal(asked)
        assert signal.getsignal(asked) == signal.SIG_IGN
    assert signal.getsignal(asked) == signal.SIG_IGN
