"""Campaign files to be spoiled one key at a time."""

import re

FORM = re.compile(r"linerate: [^\n]+=[^\n]*: [^\n]+; allowed: [^\n]+; [^\n]+\n")
"""The one line of a refusal: <field>=<got>: <why>; allowed: ...; <what to do>."""
GOOD = """\
name = "good"
lab = "veth"
repetitions = 2
trials = 1
retries = 0
trial_seconds = 0.2
warm_up_seconds = 0.1
canary_every = 5
seed = 3

[[cells]]
mode = "serial"
datapath = ["xdp_native", "xdp_generic"]
program = ["map_lookup"]
memory_accesses = [0, 100]
queues = [1]
frame_bytes = [64, "imix"]
link_gbps = 10.0
offered_mpps = ["line", 1]
arrivals = "constant"
burst_packets = 1
flows = 1
"""


def plan(**changes):
    """Text of the good plan with keys set otherwise; None leaves a key out."""
    text = GOOD
    for key, value in changes.items():
        line = "" if value is None else f"{key} = {value}\n"
        text, found = re.subn(rf"(?m)^{key} = .*\n", lambda _, line=line: line, text)
        assert found == 1, key
    return text
