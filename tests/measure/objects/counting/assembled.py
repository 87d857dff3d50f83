"""Tiny programs in assembler, whose paths can be counted by hand."""

import subprocess

from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.traffic.udp_frames import of_size

SECTION = """
    .section {section},"ax",@progbits
    .globl {name}
    .type {name},@function
{name}:
{body}
    .size {name}, .-{name}
"""


def assemble(path, **bodies):
    """Write an object of programs, each given by its instructions, the first of which is XDP."""
    text = "".join(
        SECTION.format(name=name, body=body, section=".text" if place else "xdp")
        for place, (name, body) in enumerate(bodies.items())
    )
    subprocess.run(
        ["clang", "-target", "bpf", "-mcpu=v3", "-x", "assembler", "-c", "-", "-o", path],
        input=text, text=True, check=True,
    )  # fmt: skip
    return path


def counted(path, entry, frames=None, maps=None, assigned=()):
    """Count a program on one traffic."""
    listing = list_object(path)
    settings = read_settings(listing, maps, assigned)
    return count_program(path, entry, listing, settings, [frames or of_size(64)])[0]
