"""The nic lab: the device is a named interface of this host, the generator is on another one.

Each program load finds the interface set anew for its cell and leaves it as it was before. Frames
leave the generator's card, pass the device and come back by the same cable; the generator counts
and times them at its end, the kernel counts the device's at this one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from linerate.cells import Mode
from linerate.errors import bad_input
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.labs.card import check_card, is_card
from linerate.measure.labs.device import run_command
from linerate.measure.labs.device_times import DeviceTimes
from linerate.measure.labs.napi import pin_napi_threads
from linerate.measure.labs.port import Port, hold_promiscuous
from linerate.measure.remote import protocol
from linerate.measure.remote.generator import RemoteGenerator, connect
from linerate.measure.tuning import Interface, refuse_unsafe, tuned
from linerate.measure.tuning.knobs.interrupts import SPREAD


@dataclass(frozen=True, slots=True, kw_only=True)
class NicSite:
    """The two hosts, joined for as long as a campaign is measured."""

    table: NicTable
    generator: RemoteGenerator

    def open_generator(self) -> None:
        """Make the other end ready, once this one has a link."""
        self.generator.open(
            protocol.Open(
                interface=self.table.generator_interface,
                generator=self.table.generator,
                cores=tuple(self.table.generator_cores),
                program=self.table.program,
            )
        )


class ThisHost:
    """The namespace that this process is in."""

    def argv(self, command: Sequence[str | Path], *, pins: bool = False) -> list[str]:
        """Argument list that runs a command here."""
        return [*map(str, command)]

    def run(self, command: Sequence[str | Path], *, text_in: str = "", pins: bool = False) -> str:
        """Run a short command here and return what it printed."""
        return run_command(self.argv(command), str(command[0]), text_in)


@dataclass(frozen=True, slots=True, kw_only=True)
class NicLab:
    """A lab that is up."""

    interface: Interface
    dut_cores: tuple[int, ...]
    """Core that serves each queue of the device."""
    site: NicSite
    addressed: bool = False
    """Whether the generator's frames carry the device's address."""

    @property
    def mode(self) -> Mode:
        """The device has cores of its own."""
        return "split"

    @property
    def queues(self) -> int:
        """Receive queues of the device."""
        return len(self.dut_cores)

    @property
    def main_core(self) -> int:
        """Core of what a datapath does beside serving packets: one that serves none, if any."""
        return spare_core(self.dut_cores)

    @property
    def is_shared(self) -> bool:
        """The host has other interfaces and rules."""
        return True

    @property
    def dut(self) -> ThisHost:
        """Where the device is."""
        return ThisHost()

    @property
    def port(self) -> Port:
        """The device, as /sys shows it."""
        return Port(self.interface.name)

    @property
    def dut_device(self) -> str:
        """Name of the device."""
        return self.interface.name

    def start_dut_threads(self) -> tuple[int, ...]:
        """Wait for the link, which a card's driver takes down to attach a program; pin threads.

        A generator that drives its own card brings the link only when it sends.

        Returns
        -------
        Process ids of the device's NAPI threads; none where interrupts serve it.
        """
        self.interface.check()
        if not self.site.table.brings_link:
            self.port.await_carrier()
        return pin_napi_threads(self.dut_device, self.dut_cores) if self.port.is_virtual else ()

    def look(self, threads: tuple[int, ...]) -> DeviceTimes:
        """Read every counter of the device now, and make sure that it is still the one named."""
        self.interface.check()
        if not self.site.table.brings_link:
            self.port.require()
        return DeviceTimes.now(self.port, self.dut_cores, threads)


@contextmanager
def open_site(table: NicTable | None) -> Iterator[NicSite | None]:
    """Log in to the generator host, where a campaign has one."""
    if table is None:
        yield None
        return
    with connect(table.target()) as generator:
        yield NicSite(table=table, generator=generator)


@contextmanager
def open_nic_lab(
    site: NicSite, queues: int, settings: Mapping[str, str] | None = None
) -> Iterator[NicLab]:
    """Set the interface for a cell, and put it back as it was.

    Parameters
    ----------
    site
        Which interface, and who sends to it.
    queues
        Receive queues, each served by a core.
    settings
        What else the cell's datapath needs set.

    Raises
    ------
    BadInputError
        More queues than cores were named, or an interface that something else lives on.
    CannotHereError
        The interface is not there, has no link, or cannot be set so.
    LinerateError
        The kernel refused something.
    """
    table = site.table
    check_nic_cores(table, queues)
    interface, port = Interface.named(table.interface), Port(table.interface)
    port.require()
    wanted = _settings(table, port, queues) | dict(settings or {}) | table.tune
    with tuned(interface, wanted), hold_promiscuous(port):
        yield NicLab(interface=interface, dut_cores=tuple(table.cores[:queues]), site=site)


def check_site(table: NicTable) -> None:
    """Refuse, before anything is written or touched, what the two hosts cannot do.

    Raises
    ------
    BadInputError
        An interface that something else lives on.
    CannotHereError, LinerateError
        It is not there, or the other host cannot be reached.
    """
    if is_card(table.interface):
        check_card(table.interface)
    else:
        refuse_unsafe(Interface.named(table.interface))
    with connect(table.target()):
        pass


def _settings(table: NicTable, port: Port, queues: int) -> dict[str, str]:
    """Name the settings of a cell: on a veth, NAPI in threads, as in the veth lab's split mode."""
    addressed = {"benchmark_addresses": table.address, "rp_filter": "0"} if table.address else {}
    if not port.is_virtual:
        served = " ".join(map(str, table.cores[:queues]))
        spread = {"interrupt_cores": f"{SPREAD} {served}"} if port.has_interrupts else {}
        return {"queues": str(queues)} | spread | addressed
    # Without GRO a veth has no NAPI that could be threaded until a program is attached.
    own = {"rx_queues": str(queues), "tx_queues": str(queues), "gro": "on", "napi_threaded": "1"}
    return own | addressed


def spare_core(cores: Sequence[int]) -> int:
    """Name a core of this host that is none of these; the first of them where there is no other."""
    return min(os.sched_getaffinity(0) - set(cores), default=cores[0])


def check_nic_cores(table: NicTable, queues: int) -> None:
    """Refuse more queues than the campaign names cores for, and cores that are not there."""
    if queues > len(table.cores):
        raise bad_input(
            "queues", queues, why=f"[nic] names {len(table.cores)} core(s) for them",
            allowed=f"1..{len(table.cores)}", do="name more cores, or lower it",
        )  # fmt: skip
    here = os.sched_getaffinity(0)
    for core in table.cores:
        if core not in here:
            raise bad_input(
                "cores", core, why="this host has no such core",
                allowed=", ".join(map(str, sorted(here))), do="correct it",
            )  # fmt: skip
