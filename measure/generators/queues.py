"""The way of packets that a socket sends: into the device's queues, where live frames go too."""

from __future__ import annotations

from linerate.measure.labs.veth import GENERATOR_DEVICE, VethLab, send_by_core


def lead_to_device_queues(lab: VethLab) -> None:
    """Have what is sent on core k taken by the device's queue k, as live frames are.

    veth hands packets of a socket to the far end's NAPI only when the sender cannot segment for
    itself; else they pass its ring by, and are taken on the sender's own core.
    """
    lab.generator.run(["ethtool", "-K", GENERATOR_DEVICE, "tso", "off"])
    send_by_core(lab.generator, GENERATOR_DEVICE, lab.generator_cores)
