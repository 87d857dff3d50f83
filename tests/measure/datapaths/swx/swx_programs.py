"""Small pipelines for tests: Ethernet frames that come back, and what happens on the way."""

from linerate.measure.datapaths.swx.compiled import PipelineText

SPEC = """
struct ethernet_h {{
	bit<48> dst_addr
	bit<48> src_addr
	bit<16> ethertype
}}
header ethernet instanceof ethernet_h
struct metadata_t {{
	bit<32> port
	bit<32> value
	bit<32> member
}}
metadata instanceof metadata_t
{declared}
apply {{
	rx m.port
	extract h.ethernet
{body}
	emit h.ethernet
	tx m.port
}}
"""

TABLE = """
struct mark_args_t {
	bit<32> value
}
action mark args instanceof mark_args_t {
	mov m.value t.value
	return
}
action miss args none {
	mov m.port 1
	return
}
table kinds {
	key {
		h.ethernet.ethertype exact
	}
	actions {
		mark
		miss
	}
	default_action miss args none
	size 1024
}
"""

SELECTOR = """
selector s {
	group_id m.value
	selector {
		h.ethernet.src_addr
	}
	member_id m.member
	n_groups_max 4
	n_members_per_group_max 8
}
"""


def pipeline(body="", declared="", tables=()):
    return PipelineText(spec=SPEC.format(declared=declared, body=body), tables=tables)


def registers(times=1):
    """Add 1 to a register, which each packet reads and writes, this many times."""
    body = "\tregadd seen 3 1\n" + "\tregrd m.value seen 3\n\tregwr seen 3 m.value\n" * times
    return pipeline(body, declared="regarray seen size 16 initval 0")


def table(entries="match 0x800 action mark value 7\n", then=""):
    return pipeline(f"\ttable kinds\n{then}", declared=TABLE, tables=(("kinds", entries),))


def selector(members, group=0):
    """Write the member that a packet's sender is given into the address that it goes to."""
    body = f"\tmov m.value {group}\n\ttable s\n\tmov h.ethernet.dst_addr m.member"
    return pipeline(body, declared=SELECTOR, tables=(("s", members),))
