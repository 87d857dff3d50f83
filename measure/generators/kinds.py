"""The kinds of generator that a generator host knows; another one is another line."""

from __future__ import annotations

from collections.abc import Mapping

from linerate.measure.generators.dpdk.generator import Dpdk
from linerate.measure.generators.external.moongen.generator import MoonGen
from linerate.measure.generators.external.trex.generator import TRex
from linerate.measure.generators.far_frames import FarFrames
from linerate.measure.remote.kind import GeneratorKind

KINDS: Mapping[str, GeneratorKind] = {
    "linerate": FarFrames(),
    "dpdk": Dpdk(),
    "moongen": MoonGen(),
    "trex": TRex(),
}
