"""Instructions before those that DPDK would follow out of its memory, where a packet decides.

It looks neither whether a port is there nor how long a field of varying size may be.
"""

from __future__ import annotations

from dataclasses import replace

from linerate.measure.datapaths.swx.spec.checks.ports import safe_fields
from linerate.measure.datapaths.swx.spec.lines import number_of
from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec


def guarded(spec: Spec, last_port: int) -> Spec:
    """Guard each instruction that needs it by two more.

    What is for a port that is not there is dropped. A field of varying size that would be longer
    than its most is empty.

    Parameters
    ----------
    spec
        The pipeline.
    last_port
        Last of the ports that are there.
    """
    actions = {
        name: replace(action, instructions=_guarded(spec, action.instructions, last_port))
        for name, action in spec.actions.items()
    }
    return replace(spec, actions=actions, apply=_guarded(spec, spec.apply, last_port))


def _guarded(spec: Spec, code: tuple[Instruction, ...], last_port: int) -> tuple[Instruction, ...]:
    safe, labels = safe_fields(spec), {each.label for each in code}
    lines: list[Instruction] = []
    for before, each in zip((None, *code), code, strict=False):
        port = number_of(each.operands[0]) if each.name == "tx" else None
        label = f"linerate_guard_{len(lines)}"
        while label in labels:
            label += "_"
        if port is not None:
            lines.append(replace(each, operands=(str(min(port, last_port)),)))
        elif each.name == "tx" and each.operands[0] not in safe:
            lines += _guard(each, label, last_port, last_port)
        elif each.name == "extract" and len(each.operands) == 2:
            most = _varying_bytes(spec, each.operands[0])
            lines += (each,) if _is_masked(before, each, most) else _guard(each, label, most, 0)
        else:
            lines.append(each)
    return tuple(lines)


def _varying_bytes(spec: Spec, header: str) -> int:
    return list(spec.structs[spec.headers[header[2:]]].values())[-1] // 8


def _is_masked(before: Instruction | None, each: Instruction, most: int) -> bool:
    """Whether a size was cut to its most right before it is used."""
    if not before or before.name != "and" or before.operands[0] != each.operands[1] or each.label:
        return False
    mask = number_of(before.operands[1])
    return mask is not None and mask <= most


def _guard(each: Instruction, label: str, most: int, instead: int) -> tuple[Instruction, ...]:
    field = each.operands[-1]
    return (
        replace(each, name="jmplt", operands=(label, field, str(most + 1))),
        replace(each, name="mov", operands=(field, str(instead)), label=""),
        replace(each, label=label),
    )
