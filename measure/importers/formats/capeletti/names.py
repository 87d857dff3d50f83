"""The layout of Capeletti's (2022) folders: what a path says about its run.

``resultadosR/`` holds XDP, ``resultados_af_xdpR/`` AF_XDP, R being the repetition; below it
``sar/``, ``perf/`` and ``gerador/for_0_a_N/``. A file's name holds queues, accesses, frame size and
hook, joined by dots or, of the generator's, by plus signs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

LogKind = Literal["sar", "perf", "generator_csv", "generator_txt"]

_FOLDER = re.compile(r"^resultados(?P<af_xdp>_af_xdp)?(?P<repetition>[1-9]\d?)$")
_NAME = re.compile(
    r"^(?P<kind>stats_sar|stats_perf|res)_combined_(?P<queues>[1-9]\d?)[.+]"
    r"algoritmo_for_0_a_(?P<accesses>\d{1,6})[.+]pkt_(?P<bytes>\d{2,4})[.+]"
    r"ebpf_(?P<hook>xdpdrv|xdpgeneric)[.+]varIP_[\d.]+[.+]timeout_\d+\.(?P<suffix>txt|csv)$"
)
_DATAPATHS = {"xdpdrv": "xdp_native", "xdpgeneric": "xdp_generic"}
_KINDS: dict[tuple[str, str], tuple[LogKind, str]] = {
    ("stats_sar", "txt"): ("sar", "sar"),
    ("stats_perf", "txt"): ("perf", "perf"),
    ("res", "csv"): ("generator_csv", "gerador"),
    ("res", "txt"): ("generator_txt", "gerador"),
}
LOOP_V1_REPETITIONS = (1, 2)
"""AF_XDP's program of these copies nothing: another program than that of later repetitions."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class RunKey:
    """What tells one run of the study from all others."""

    source: str
    """The repetition's folder."""
    repetition: int
    datapath: str
    queues: int
    memory_accesses: int
    """As the study names it; its loop makes one lookup more."""
    frame_bytes: int

    @property
    def program(self) -> str:
        """What ran per packet."""
        if self.datapath != "af_xdp":
            return "map_lookup"
        return "af_xdp_loop_v1" if self.repetition in LOOP_V1_REPETITIONS else "af_xdp_memcpy"

    def __str__(self) -> str:
        return (
            f"{self.source} {self.datapath} queues={self.queues} "
            f"accesses={self.memory_accesses} {self.frame_bytes} B"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogName:
    """What a log's path says."""

    key: RunKey
    kind: LogKind
    misfiled: bool
    """Whether its folder names other accesses than its name."""


def log_name(path: str) -> LogName | None:
    """Read a path within the study; None where it is not of its layout.

    >>> found = log_name("x/resultados4/gerador/for_0_a_1/res_combined_8+algoritmo_for_0_a_1+"
    ...                  "pkt_64+ebpf_xdpdrv+varIP_0.0.0.255+timeout_60.csv")
    >>> found.kind, str(found.key)
    ('generator_csv', 'resultados4 xdp_native queues=8 accesses=1 64 B')
    """
    folders = path.split("/")
    named = _NAME.match(folders[-1])
    within = next((at for at, word in enumerate(folders[:-1]) if _FOLDER.match(word)), None)
    if named is None or within is None or (named["kind"], named["suffix"]) not in _KINDS:
        return None
    kind, folder = _KINDS[named["kind"], named["suffix"]]
    below = folders[within + 1 : -1]
    if below[:1] != [folder]:
        return None
    repetition = _FOLDER.match(folders[within])
    key = RunKey(
        source=folders[within], repetition=int(repetition["repetition"]) if repetition else 0,
        datapath="af_xdp" if repetition and repetition["af_xdp"] else _DATAPATHS[named["hook"]],
        queues=int(named["queues"]), memory_accesses=int(named["accesses"]),
        frame_bytes=int(named["bytes"]),
    )  # fmt: skip
    misfiled = folder == "gerador" and below[1:] != [f"for_0_a_{key.memory_accesses}"]
    return LogName(key=key, kind=kind, misfiled=misfiled)
