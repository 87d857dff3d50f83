"""Filters on the interface that the user named, and on no other of its host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from ipaddress import IPv4Interface

from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.datapaths.filters.bench import check_filter_means, put_filter
from linerate.measure.datapaths.filters.filter import Filter
from linerate.measure.datapaths.filters.lab import DUT
from linerate.measure.datapaths.filters.rates import INTERVAL_S, Looks
from linerate.measure.datapaths.filters.settings import settings_of
from linerate.measure.datapaths.filters.trial import all_dropped
from linerate.measure.datapaths.nic.trial import NicDut, send_far
from linerate.measure.labs.nic import NicLab
from linerate.measure.trials.bench import Timing
from linerate.records import Trial

HOOKED = ("netfilter", "nftables", "iptables")
"""Datapaths whose filters sit on a hook of netfilter, which sees what is for this host."""


@contextmanager
def put_nic_filter(lab: NicLab, cell: Cell) -> Iterator[NicDut]:
    """Put one of the five filters anew where its cell says."""
    with put_filter(lab, cell) as under_test:
        threads = lab.start_dut_threads()

        def run(cell: Cell, timing: Timing) -> Trial:
            return _run_trial(lab, cell, (under_test, threads), timing)

        yield NicDut(
            program_hash=under_test.program_hash, run_trial=run, processes=under_test.processes
        )


def _run_trial(
    lab: NicLab, cell: Cell, dut: tuple[Filter, tuple[int, ...]], timing: Timing
) -> Trial:
    under_test, threads = dut
    looks = Looks(count=under_test.count, busy_cores=lab.dut_cores)
    far = send_far(replace(lab, addressed=True), cell, timing, threads, _looking(looks))
    return replace(
        all_dropped(far.trial(), looks.packets()),
        program_ns=under_test.program_ns,
        memory_bytes=under_test.memory_bytes,
        rates=looks.packets_by_interval(far.duration_ns),
        rate_interval_s=INTERVAL_S,
    )


@contextmanager
def _looking(looks: Looks) -> Iterator[None]:
    with looks, looks.during_load():
        yield


def check_nic_filter(cell: Cell, table: NicTable) -> None:
    """Refuse a filter that would reach other interfaces, or that no packet of the load reaches.

    Raises
    ------
    BadInputError
        The module, which has one filter for the whole host; a hook behind routing without the
        address that the generator sends to; a generator that sends to no address of the card.
    CannotHereError
        A runner, object or tool is missing.
    """
    settings = settings_of(cell)
    if settings.flavour == "module":
        raise bad_input(
            "flavour", "module", why="it would filter every interface of this host",
            allowed='"", a BPF program on the same hook, in the nic lab', do="leave it out",
        )  # fmt: skip
    if cell.datapath in HOOKED and settings.hook != "ingress":
        _check_reached(settings.hook, table)
    check_filter_means(cell)


def _check_reached(hook: str, table: NicTable) -> None:
    if table.generator != "linerate":
        raise bad_input(
            "generator", table.generator, why="its frames do not carry the device's address, so "
            f"that none gets to the hook {hook}", allowed="linerate, or tc, XDP and ingress",
            do="correct one of the two",
        )  # fmt: skip
    wanted = IPv4Interface(DUT.address)
    if hook == "input" and (not table.address or IPv4Interface(table.address).ip != wanted.ip):
        raise bad_input(
            "address", repr(table.address), why="the generator sends to another one, and the hook "
            "input gets what is for this host", allowed=f'address = "{DUT.address}" in [nic]',
            do="add it",
        )  # fmt: skip
