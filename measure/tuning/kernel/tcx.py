"""Programs of tcx on interfaces: the kernel's own links, which no queueing discipline shows."""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable

from linerate.measure.system.probe import bpf

_QUERY = 16
_INGRESS, _EGRESS = 46, 47
_PROGRAMS_MAX = 64
"""Of one hook; the kernel takes no more (``BPF_MPROG_MAX``)."""
_NONE_TO_SEE = (errno.EPERM, errno.EINVAL, errno.ENODEV, errno.ENOSYS)
"""No root, who alone may change anything; a kernel before 6.6; an interface that is gone."""


def tcx_programs(indices: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """Ids of the programs on the tcx hooks of interfaces that have any, by the interface's number.

    Parameters
    ----------
    indices
        Numbers of the interfaces to look at.
    """
    found = {index: (*_attached(index, _INGRESS), *_attached(index, _EGRESS)) for index in indices}
    return {index: programs for index, programs in found.items() if programs}


def _attached(index: int, hook: int) -> tuple[int, ...]:
    """Ask for the programs of a hook (``BPF_PROG_QUERY``, linux/bpf.h)."""
    ids = (ctypes.c_uint32 * _PROGRAMS_MAX)()
    asked = struct.pack("=IIIIQI", index, hook, 0, 0, ctypes.addressof(ids), _PROGRAMS_MAX)
    try:
        bpf(_QUERY, asked)
    except OSError as error:
        if error.errno in _NONE_TO_SEE:
            return ()
        raise
    return tuple(one for one in ids if one)
