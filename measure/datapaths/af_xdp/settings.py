"""How an AF_XDP socket is fed and read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from linerate.cells import Cell
from linerate.messages import message
from linerate.settings import Label, Setting, setting, settings_from

BATCH_PACKETS_MAX = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketSettings:
    """How an AF_XDP socket is fed and read."""

    table: ClassVar[str] = "socket"
    hook: Literal["native", "generic"] = setting(
        "native",
        Setting(
            column="socket_hook",
            meaning="af_xdp: hook that feeds the socket, native or generic",
            label=Label(one=message("{n} hook")),
        ),
    )
    zero_copy: bool = setting(
        False,
        Setting(
            column="zero_copy",
            meaning="af_xdp: the driver shares the socket's memory",
            label=Label(words={True: message("zero copy"), False: message("copy")}),
        ),
    )
    """Not every driver can."""
    need_wakeup: bool = setting(
        True,
        Setting(
            column="need_wakeup",
            meaning="af_xdp: the kernel says when it wants a system call",
            label=Label(words={True: message("need_wakeup"), False: message("no need_wakeup")}),
        ),
    )
    """Then the socket is spared the others."""
    busy_poll: bool = setting(
        False,
        Setting(
            column="busy_poll",
            meaning="af_xdp: the socket's thread runs the driver's poll",
            label=Label(words={True: message("busy poll"), False: message("no busy poll")}),
        ),
    )
    batch_packets: int = setting(
        64,
        Setting(
            column="socket_batch_packets",
            unit="packets",
            meaning="af_xdp: most taken from a ring at once",
            label=Label(one=message("batches of {n}")),
            within=(1, BATCH_PACKETS_MAX),
        ),
    )
    """Fewer are never waited for."""
    sockets: Literal["per_queue", "queue_0"] = setting(
        "per_queue",
        Setting(
            column="sockets",
            meaning="af_xdp: per_queue, or the single queue_0",
            label=Label(
                words={
                    "per_queue": message("a socket for each queue"),
                    "queue_0": message("one socket"),
                }
            ),
        ),
    )
    """One for each queue, or the single one of Capeletti (2022)."""


def settings_of(cell: Cell) -> SocketSettings:
    """Read a cell's socket settings."""
    return settings_from(SocketSettings, cell.settings)
