"""Where probes look."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

from linerate.measure.labs.namespace import Namespace
from linerate.measure.labs.veth import VethLab


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbePoint:
    """The device under test, as probes find it."""

    namespace: Namespace
    device: str
    """Its name, unique on this machine: tracepoints see those of every namespace."""
    cores: tuple[int, ...]
    """Cores that serve its queues."""
    generator_cores: tuple[int, ...] = ()
    """Cores that send."""
    polled: bool = False
    """Whether a process of the device may run while no packet comes."""

    @classmethod
    def of_lab(cls, lab: VethLab, *, polled: bool = False) -> ProbePoint:
        """Look at the device of a veth lab."""
        return cls(namespace=lab.dut, device=lab.dut_device, cores=lab.dut_cores,
                   generator_cores=lab.generator_cores, polled=polled)  # fmt: skip

    @property
    def idle_cores(self) -> tuple[int, ...]:
        """Cores of the lab that have nothing to do between trials: the device's own, or others."""
        if not self.polled:
            return self.cores
        return tuple(core for core in self.generator_cores if core not in self.cores)

    def spare_cores(self, cores: Collection[int]) -> tuple[int, ...]:
        """Of the machine's cores, those that no part of the lab runs on."""
        return tuple(sorted(set(cores) - {*self.cores, *self.generator_cores}))

    def received_packets(self) -> int:
        """Packets that the device received since it was made."""
        folder = self.namespace.sys_class_net(self.device)
        return int((folder / "statistics/rx_packets").read_text())

    def xdp_program(self) -> int | None:
        """Id of the XDP program on the device; None without one."""
        output = self.namespace.run(["ip", "-json", "link", "show", "dev", self.device])
        program: int | None = json.loads(output)[0].get("xdp", {}).get("prog", {}).get("id")
        return program
