"""Where probes look."""

from __future__ import annotations

import json
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

    @classmethod
    def of_lab(cls, lab: VethLab) -> ProbePoint:
        """Look at the device of a veth lab."""
        return cls(namespace=lab.dut, device=lab.dut_device, cores=lab.dut_cores)

    def received_packets(self) -> int:
        """Packets that the device received since it was made."""
        folder = self.namespace.sys_class_net(self.device)
        return int((folder / "statistics/rx_packets").read_text())

    def xdp_program(self) -> int | None:
        """Id of the XDP program on the device; None without one."""
        output = self.namespace.run(["ip", "-json", "link", "show", "dev", self.device])
        program: int | None = json.loads(output)[0].get("xdp", {}).get("prog", {}).get("id")
        return program
