"""The nic lab: the device is a named interface of this host, the generator is on another one.

Each program load finds the interface set anew for its cell and leaves it as it was before. Frames
leave the generator's card, pass the device and come back by the same cable; the generator counts
and times them at its end, the kernel counts the device's at this one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import bad_input
from linerate.measure.labs.cpu_times import idle_ns, thread_times_ns
from linerate.measure.labs.napi import pin_napi_threads
from linerate.measure.labs.port import Port, PortCounts, hold_promiscuous
from linerate.measure.nic_table import NicTable
from linerate.measure.remote import protocol
from linerate.measure.remote.generator import RemoteGenerator, connect
from linerate.measure.tuning import Interface, refuse_unsafe, tuned


@dataclass(frozen=True, slots=True, kw_only=True)
class NicSite:
    """The two hosts, joined for as long as a campaign is measured."""

    table: NicTable
    generator: RemoteGenerator


class ThisHost:
    """The namespace that this process is in."""

    def argv(self, command: Sequence[str | Path], *, pins: bool = False) -> list[str]:
        """Argument list that runs a command here."""
        return [*map(str, command)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceTimes:
    """What the device's host counted at one moment, or between two."""

    counts: PortCounts
    used_ns: tuple[int, ...]
    """Run time of each of the device's threads; where it has none, idle time of each core."""
    wait_ns: tuple[int, ...]
    """Time that each thread was ready while another held its core."""

    def __sub__(self, earlier: DeviceTimes) -> DeviceTimes:
        """Count what came between two looks."""
        return DeviceTimes(
            counts=self.counts - earlier.counts,
            used_ns=_differences(self.used_ns, earlier.used_ns),
            wait_ns=_differences(self.wait_ns, earlier.wait_ns),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NicLab:
    """A lab that is up."""

    interface: Interface
    cores: tuple[int, ...]
    """Core that serves each queue of the device."""
    site: NicSite

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
        if not self.site.table.kind.brings_link:
            self.port.await_carrier()
        return pin_napi_threads(self.dut_device, self.cores) if self.port.is_virtual else ()

    def open_generator(self) -> None:
        """Make the other end ready, once this one has a link."""
        table = self.site.table
        self.site.generator.open(
            protocol.Open(
                interface=table.generator_interface,
                generator=table.generator,
                cores=tuple(table.generator_cores),
                program=table.program,
            )
        )

    def look(self, threads: tuple[int, ...]) -> DeviceTimes:
        """Read every counter of the device now, and make sure that it is still the one named."""
        self.interface.check()
        if not self.site.table.kind.brings_link:
            self.port.require()
        times = [thread_times_ns(thread) for thread in threads]
        idle = tuple(idle_ns(core) for core in self.cores)
        return DeviceTimes(
            counts=self.port.counts(),
            used_ns=tuple(run for run, _ in times) if threads else idle,
            wait_ns=tuple(wait for _, wait in times),
        )


def _differences(now: tuple[int, ...], before: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(late - early for late, early in zip(now, before, strict=True))


@contextmanager
def open_site(table: NicTable | None) -> Iterator[NicSite | None]:
    """Log in to the generator host, where a campaign has one."""
    if table is None:
        yield None
        return
    with connect(table.target()) as generator:
        yield NicSite(table=table, generator=generator)


@contextmanager
def open_nic_lab(site: NicSite, queues: int) -> Iterator[NicLab]:
    """Set the interface for a cell, and put it back as it was.

    Parameters
    ----------
    site
        Which interface, and who sends to it.
    queues
        Receive queues, each served by a core.

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
    with tuned(interface, _settings(table, port, queues)), hold_promiscuous(port):
        yield NicLab(interface=interface, cores=tuple(table.cores[:queues]), site=site)


def check_site(table: NicTable) -> None:
    """Refuse, before anything is written or touched, what the two hosts cannot do.

    Raises
    ------
    BadInputError
        An interface that something else lives on.
    CannotHereError, LinerateError
        It is not there, or the other host cannot be reached.
    """
    refuse_unsafe(Interface.named(table.interface))
    with connect(table.target()):
        pass


def _settings(table: NicTable, port: Port, queues: int) -> dict[str, str]:
    """Name the settings of a cell: on a veth, NAPI in threads, as in the veth lab's split mode."""
    if not port.is_virtual:
        return {"queues": str(queues), **table.tune}
    # Without GRO a veth has no NAPI that could be threaded until a program is attached.
    own = {"rx_queues": str(queues), "tx_queues": str(queues), "gro": "on", "napi_threaded": "1"}
    return own | table.tune


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
