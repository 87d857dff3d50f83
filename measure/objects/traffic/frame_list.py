"""Read frames.json: a list of frames as hexadecimal digits, each with its weight."""

from __future__ import annotations

import json
from pathlib import Path

from linerate.errors import BadInputError, bad_input
from linerate.measure.objects.traffic.capture import FIELD, PACKET_BYTES_MAX, PACKET_BYTES_MIN

LIST_BYTES_MAX = 32 << 20
ENTRIES_MAX = 4096
WEIGHT_MAX = 65536
_EXAMPLE = '[{"hex": "020000000002...", "weight": 3}, ...]'


def parse_frame_list(path: Path, data: bytes) -> list[tuple[bytes, int]]:
    """Parse the file's bytes into pairs of packet, without FCS, and weight.

    Raises
    ------
    BadInputError
        No JSON, another form, or a frame that cannot be; with its place in the list, from 1.
    """
    try:
        entries = json.loads(data)
    except (ValueError, RecursionError) as error:  # the latter for endless brackets
        raise _refused(path, f"it is not JSON ({error})", _EXAMPLE) from error
    if not isinstance(entries, list) or not 1 <= len(entries) <= ENTRIES_MAX:
        raise _refused(path, "it is not a list of frames", f"1..{ENTRIES_MAX} frames: {_EXAMPLE}")
    return [_entry(f"{path} frame {place}", entry) for place, entry in enumerate(entries, 1)]


def _entry(where: str, entry: object) -> tuple[bytes, int]:
    if not isinstance(entry, dict) or "hex" not in entry or not set(entry) <= {"hex", "weight"}:
        raise _refused(where, "it has other keys", 'an object with "hex" and, if not 1, "weight"')
    weight = entry.get("weight", 1)
    if type(weight) is not int or not 1 <= weight <= WEIGHT_MAX:
        raise _refused(where, f"weight is {str(weight)[:40]}", f"a whole number 1..{WEIGHT_MAX}")
    try:
        packet = bytes.fromhex(entry["hex"])
    except (TypeError, ValueError):
        raise _refused(where, "hex is not hexadecimal digits, two a byte",
                       "such as 0200 0000 0002") from None  # fmt: skip
    if not PACKET_BYTES_MIN <= len(packet) <= PACKET_BYTES_MAX:
        several = (
            ", and frames of several buffers are not supported"
            if len(packet) > PACKET_BYTES_MAX
            else ""
        )
        raise _refused(where, f"it has {len(packet)} bytes{several}",
                       f"{PACKET_BYTES_MIN}..{PACKET_BYTES_MAX}, without FCS")  # fmt: skip
    return packet, weight


def _refused(where: object, why: str, allowed: str) -> BadInputError:
    return bad_input(FIELD, where, why=why, allowed=allowed, do="correct the file")
