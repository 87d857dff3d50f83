"""The veth lab: generator and device under test in two namespaces, joined by a veth pair.

*Serial*: NAPI is not threaded, one generator a core; generator, device and sink of queue k take
turns on core k. Nothing is lost, and one over the rate is the time of all three together.
*Split*: the device's NAPI is a thread on a core of its own. veth picks the peer's queue by the
sending core, and the sink's NAPI runs on the device's core, right behind it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from linerate.cells import Mode
from linerate.errors import bad_input
from linerate.measure.labs.namespace import Namespace
from linerate.measure.labs.napi import make_threaded, pin_napi_threads
from linerate.units import FRAME_BYTES_MAX

FRAME_BYTES_LARGEST = FRAME_BYTES_MAX
"""A live frame and its headroom share one page, so there are no jumbo frames."""
CORES_MAX = 64
"""The runner and the programs count by core, in arrays of this size."""
GENERATOR_DEVICE = "gen"
FAR_DEVICE = "far"
"""What the device's other interface leads to, in the generator's namespace."""
IN_INDEX, OUT_INDEX = 21, 22
"""Indices of the device's interfaces, known before there is a lab; the kernel's own lie below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VethLab:
    """A lab that is up."""

    mode: Mode
    queues: int
    generator: Namespace
    dut: Namespace
    dut_device: str
    out_device: str = ""
    """Another interface of the device's namespace; empty where packets go back alone."""
    forwards: bool = False
    """Whether the device's network stack forwards packets out of it."""

    @property
    def generator_cores(self) -> tuple[int, ...]:
        """Core of each generator, in the order of the device's queues."""
        return tuple(range(self.queues))

    @property
    def dut_cores(self) -> tuple[int, ...]:
        """Core that serves each queue of the device."""
        if self.mode == "serial":
            return self.generator_cores
        return tuple(range(self.queues, 2 * self.queues))

    @property
    def main_core(self) -> int:
        """Core of what a datapath does beside serving packets: a generator's."""
        return self.generator_cores[0]

    @property
    def is_shared(self) -> bool:
        """Whether others have interfaces and rules there; the namespace is ours alone."""
        return False

    @property
    def traffic_flags(self) -> tuple[str, ...]:
        """Where the runner of the traffic sends and counts."""
        second = ("--out-dev", self.out_device, "--far-dev", FAR_DEVICE) if self.out_device else ()
        renewed = ("--renew-headers",) if self.forwards else ()
        return ("--dev", GENERATOR_DEVICE, "--dut-dev", self.dut_device,
                "--dut-netns", self.dut.path, *second, *renewed)  # fmt: skip

    def start_dut_threads(self) -> tuple[int, ...]:
        """Make the device's NAPI threaded, one thread pinned to each of its cores.

        Needed after every attach, which makes the threads anew. Nothing to do in serial mode.

        Returns
        -------
        Process ids of the threads.
        """
        if self.mode == "serial":
            return ()
        make_threaded(self.dut.sys_class_net(self.dut_device))
        return pin_napi_threads(self.dut_device, self.dut_cores)


@contextmanager
def open_veth_lab(
    mode: Mode, queues: int, *, gro: bool, second_way: bool = False
) -> Iterator[VethLab]:
    """Build a lab and take it down again.

    Parameters
    ----------
    mode
        ``serial`` or ``split``.
    queues
        Queue pairs of the veth; split mode needs two cores for each.
    gro
        Whether the device's receive offload is on: generic XDP needs it, since veth takes
        redirected frames only by NAPI, which native XDP or this turns on.
    second_way
        Whether the device has another interface, by which packets reach the sink.

    Raises
    ------
    BadInputError
        More queues than this machine has cores for.
    LinerateError
        The kernel refused something.
    """
    check_cores(mode, queues)
    device = f"dut{os.getpid() % 100000}"  # its NAPI threads carry the name, seen machine-wide
    with ExitStack() as stack:
        generator = stack.enter_context(Namespace.create())
        dut = stack.enter_context(Namespace.create())
        _join(generator, dut, _Pair(far=GENERATOR_DEVICE, near=device, index=IN_INDEX), queues)
        if gro:
            dut.run(["ethtool", "-K", device, "gro", "on"])
        out = f"out{os.getpid() % 100000}" if second_way else ""
        if out:
            _join(generator, dut, _Pair(far=FAR_DEVICE, near=out, index=OUT_INDEX), queues)
        lab = VethLab(mode=mode, queues=queues, generator=generator, dut=dut, dut_device=device,
                      out_device=out)  # fmt: skip
        if out:
            send_by_core(dut, out, lab.dut_cores)
        yield lab


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A veth pair."""

    far: str
    near: str
    """Its end in the device's namespace."""
    index: int
    """Of both ends: the kernel takes that of one only with the other's."""


def _join(generator: Namespace, dut: Namespace, pair: _Pair, queues: int) -> None:
    width = f"numrxqueues {queues} numtxqueues {queues}"
    # No generated IPv6 address: router solicitations are not part of any load.
    generator.run(
        ["ip", "-batch", "-"],
        text_in=f"link add {pair.far} index {pair.index} {width} type veth peer name {pair.near} "
        f"index {pair.index} {width} netns {dut.pid}\n"
        f"link set {pair.far} addrgenmode none up\n",
    )
    dut.run(["ip", "link", "set", pair.near, "addrgenmode", "none", "up"])


def send_by_core(namespace: Namespace, device: str, cores: Sequence[int]) -> None:
    """Have each of some cores send by a queue of its own, as drivers of cards do (XPS).

    A socket, or what the stack forwards, is otherwise led to a queue by a hash of its flow, and two
    cores may meet at one.
    """
    if len(cores) == 1:
        return  # there is no choice, and no file to make one in
    queues = namespace.sys_class_net(device) / "queues"
    for queue, core in enumerate(cores):
        (queues / f"tx-{queue}" / "xps_cpus").write_text(_cpu_mask(core))


def _cpu_mask(core: int) -> str:
    """One core as the kernel writes sets of them: groups of 32, the last first.

    >>> _cpu_mask(3), _cpu_mask(33)
    ('8', '2,00000000')
    """
    return f"{1 << core % 32:x}" + ",00000000" * (core // 32)


def check_cores(mode: Mode, queues: int) -> None:
    """Refuse more queues than this machine has cores for, or than the runner tells apart."""
    cores = min(os.cpu_count() or 1, CORES_MAX)
    most = cores if mode == "serial" else cores // 2
    if not 1 <= queues <= most:
        raise bad_input(
            "queues", queues, why=f"{mode} mode needs {1 if mode == 'serial' else 2} core(s) for "
            f"each queue and the lab has {cores} here", allowed=f"1..{most}",
            do="lower it, or leave such cells out with --within-cores",
        )  # fmt: skip
