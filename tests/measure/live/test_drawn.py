"""Where views are drawn: a block on a terminal, plain lines elsewhere, or nothing."""

import io
import os
import pty
import time

import pytest
from rich.console import Console

from linerate.measure.live import drawn
from linerate.measure.live.drawn import showing
from linerate.measure.live.progress import Progress

from .planted import CAMPAIGN, trials


def shown_on(page, monkeypatch, entries):
    monkeypatch.setattr(drawn, "console", lambda: page)
    progress = Progress(campaign=CAMPAIGN)
    with showing(shown=True) as hear:
        hear(progress, ())
        for one in entries:
            hear(progress, progress.take(one))
    return page.file.getvalue()


def test_elsewhere_than_on_a_terminal_lines_are_plain_and_few(monkeypatch):
    page = Console(file=io.StringIO(), force_terminal=False)
    text = shown_on(page, monkeypatch, trials())
    assert "\x1b" not in text
    first, last = text.splitlines()
    assert first.startswith("planted: 0 of 11 runs finished, 4 of 4 cells left")
    assert last.startswith("planted: 11 of 11 runs finished, 0 of 4 cells left; 0 suspect")


def test_a_terminal_s_block_is_drawn_in_place_and_stays(monkeypatch):
    page = Console(file=io.StringIO(), force_terminal=True, width=60,
                   _environ={"TERM": "xterm"})  # fmt: skip
    monkeypatch.setattr(drawn, "BLOCK_EVERY_S", 0.0)
    text = shown_on(page, monkeypatch, trials())
    assert text.count("\x1b[1A") >= 4 * len(trials()), "it was not drawn where it stood"
    last = text.rpartition("planted: ")[2]
    assert last.startswith("ended")
    assert all(len(each) <= 80 for each in last.splitlines()), "a long line would wrap"


def test_a_block_is_drawn_a_few_times_a_second_at_most(monkeypatch):
    page = Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": "xterm"})
    text = shown_on(page, monkeypatch, trials())
    assert text.count("planted: ") <= 3, "more than the first and the last, which stays"


def test_a_terminal_that_cannot_move_its_cursor_gets_plain_lines(monkeypatch):
    page = Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": "dumb"})
    assert "\x1b" not in shown_on(page, monkeypatch, trials())


def test_nothing_is_shown_unasked(capfd):
    progress = Progress(campaign=CAMPAIGN)
    with showing(shown=False) as hear:
        hear(progress, progress.take(trials(1)[0]))
    assert capfd.readouterr() == ("", "")


def test_a_real_terminal_is_recognised(monkeypatch):
    main, end = pty.openpty()
    monkeypatch.setenv("TERM", "xterm")
    with os.fdopen(end, "w") as file:
        page = Console(file=file)
        monkeypatch.setattr(drawn, "console", lambda: page)
        with showing(shown=True) as hear:
            hear(Progress(campaign=CAMPAIGN), ())
        time.sleep(0.01)
        output = os.read(main, 65536).decode()
    os.close(main)
    assert "\x1b[?25l" in output, "the cursor is hidden while the block is there"
    assert "0 of 11 runs" in output


@pytest.mark.parametrize("count", [1, 5])
def test_a_trial_costs_the_owner_little(count, monkeypatch):
    progress = Progress(campaign=CAMPAIGN)
    page = Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": "xterm"})
    monkeypatch.setattr(drawn, "console", lambda: page)
    entries = trials(count)
    with showing(shown=True) as hear:
        begin = time.thread_time()
        for one in entries:
            hear(progress, progress.take(one))
        assert time.thread_time() - begin < 0.1 * count
