"""The way of packets that a socket sends: into the device's queues, where live frames go too."""

from __future__ import annotations

from linerate.measure.labs.veth import GENERATOR_DEVICE, VethLab


def lead_to_device_queues(lab: VethLab) -> None:
    """Have what is sent on core k taken by the device's queue k, as live frames are.

    veth hands packets of a socket to the far end's NAPI only when the sender cannot segment for
    itself; else they pass its ring by, and are taken on the sender's own core.
    """
    lab.generator.run(["ethtool", "-K", GENERATOR_DEVICE, "tso", "off"])
    if lab.queues == 1:
        return  # there is no choice, and no file to make one in
    queues = lab.generator.sys_class_net(GENERATOR_DEVICE) / "queues"
    for queue, core in enumerate(lab.generator_cores):
        (queues / f"tx-{queue}" / "xps_cpus").write_text(_cpu_mask(core))


def _cpu_mask(core: int) -> str:
    """One core as the kernel writes sets of them: groups of 32, the last first.

    >>> _cpu_mask(3), _cpu_mask(33)
    ('8', '2,00000000')
    """
    return f"{1 << core % 32:x}" + ",00000000" * (core // 32)
