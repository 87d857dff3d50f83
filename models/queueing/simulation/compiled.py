"""Kernels become machine code where numba is installed, and stay plain Python where it is not."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TypeVar, cast

Kernel = TypeVar("Kernel", bound=Callable[..., object])

FAST = find_spec("numba") is not None
"""Whether kernels are compiled: the same answers some hundred times as fast."""


def compiled(kernel: Kernel) -> Kernel:
    """Compile a loop over arrays at its first call; the code is kept on disk beside the module.

    A kernel draws no random number, so that compiled and plain code agree to the last bit.
    """
    if not FAST:
        return kernel
    from numba import njit  # only where it is: numba is optional

    return cast(Kernel, njit(cache=True, nogil=True)(kernel))
