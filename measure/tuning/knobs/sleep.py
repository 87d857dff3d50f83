"""How deep the cores sleep: states switched off one by one, and a limit that a process holds."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.knobs.knob import (
    Scope,
    one_each,
    refused,
    whole_number,
    why_unreadable,
)
from linerate.measure.tuning.knobs.machine import machine_files

_NONE = "none"
_S32_MAX = 2**31 - 1
_LATENCY = struct.Struct("=i")


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleStatesOff:
    """Sleep states that are switched off, core by core: their numbers, or none."""

    name: str = "idle_states_off"
    allowed: str = "none, or numbers of states such as 1,2, for all cores or one list for each"
    scope: Scope = "machine"
    files: str = "sys/devices/system/cpu/cpu[0-9]*/cpuidle/state[0-9]*/disable"
    """Path of the switch of each state of each core, below the root."""
    root: Path = Path("/")

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read which are off, core by core."""
        off = (
            [number for number, path in states.items() if path.read_text().strip() != "0"]
            for states in self._cores()
        )
        return " ".join(",".join(map(str, numbers)) or _NONE for numbers in off)

    def tune(self, interface: Interface, value: str) -> None:
        """Switch these off and all others on, on every core or core by core."""
        cores = self._cores()
        for states, word in zip(cores, one_each(self.name, value, len(cores)), strict=True):
            if not re.fullmatch(rf"{_NONE}|[0-9]{{1,3}}(,[0-9]{{1,3}})*", word):
                raise refused(self.name, word, "it is not a list of states", self.allowed)
            if missing := _numbers(word) - states.keys():
                raise refused(
                    self.name, word, f"a core has no state {min(missing)}",
                    f"{_NONE}, or some of {','.join(map(str, states))}",
                )  # fmt: skip
        self.reset(interface, value)

    def reset(self, interface: Interface, value: str) -> None:
        """Put back what it was."""
        cores = self._cores()
        for states, word in zip(cores, one_each(self.name, value, len(cores)), strict=True):
            off = _numbers(word)
            for number, path in states.items():
                path.write_text(str(int(number in off)))

    def _cores(self) -> list[dict[int, Path]]:
        """List the switches of each core by the number of their state."""
        paths = machine_files(self.root, self.files)
        paths.sort(key=lambda path: (_number_of(path.parents[2]), _number_of(path.parent)))
        return [
            {_number_of(path.parent): path for path in states}
            for _, states in groupby(paths, key=lambda path: path.parents[2])
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class DmaLatency:
    """Longest time that any core may take to wake up, as long as a process keeps a file open."""

    name: str = "dma_latency_us"
    allowed: str = f"0..{_S32_MAX}"
    scope: Scope = "machine"
    device: Path = Path("/dev/cpu_dma_latency")

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be held here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read the shortest that anybody holds; opening it asks for nothing."""
        return str(_LATENCY.unpack(self.device.read_bytes()[: _LATENCY.size])[0])

    @contextmanager
    def hold(self, value: str) -> Iterator[None]:
        """Hold cores to it while a block runs."""
        limit_us = whole_number(self.name, value, 0, _S32_MAX)
        request = os.open(self.device, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(request, _LATENCY.pack(limit_us))
            yield
        finally:
            os.close(request)


def _numbers(word: str) -> set[int]:
    return set() if word == _NONE else {int(number) for number in word.split(",")}


def _number_of(path: Path) -> int:
    """Read the number at the end of a folder's name: cpu12, state3."""
    return int(re.sub(r"\D", "", path.name))
