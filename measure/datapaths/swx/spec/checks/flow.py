"""Whether a packet stays within its memory on every path through a pipeline.

DPDK 22.11 checks none of this while it runs: how far headers reach beyond a packet, how many are
emitted, how much room there is before a packet for what it gains.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from linerate.measure.datapaths.swx.spec.checks.refusal import refuse
from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec

PARSED_BYTES_MAX = 1024
"""From a packet's first byte to the last of its headers. Buffers have 2048 bytes."""
GAINED_BYTES_MAX = 128
"""``RTE_PKTMBUF_HEADROOM``, the room before a packet."""
LOST_BYTES_MAX = 60
"""The shortest frame without its FCS: a packet that loses more has a negative length."""
STATES_MAX = 100_000


class _State(NamedTuple):
    """What a packet's memory is like; headers are bits, by place in the file."""

    offset: int
    """Bytes from where the packet began to what is not extracted yet."""
    valid: int = 0
    full: int = 0
    """Headers with a field of varying size that has its most; see `spec_guard`."""
    emits: int = 0
    emitted_bytes: int = 0
    again: bool = False


def check_flow(spec: Spec) -> None:
    """Refuse a pipeline in which some packet may leave its memory, or never gets out.

    Raises
    ------
    BadInputError
        With the line at which it happens.
    """
    walk, begun, waiting = _Walk(spec), {0}, [0]
    while waiting:
        for after in walk.pass_from(waiting.pop()):
            if after not in begun:
                begun.add(after)
                waiting.append(after)


class _Walk:
    """Follows all packets at once: what is the same for several is followed once."""

    def __init__(self, spec: Spec) -> None:
        self.spec, self.states = spec, 0
        self.places = {name: place for place, name in enumerate(spec.headers)}
        self.order = {"": order_of(spec, spec.apply)} | {
            name: order_of(spec, action.instructions) for name, action in spec.actions.items()
        }
        self.after_action: dict[tuple[str, _State], frozenset[tuple[str, _State]]] = {}

    def pass_from(self, offset: int) -> Iterator[int]:
        """Offsets at which packets that recirculate begin again."""
        for end, state in self._run("", self.spec.apply, _State(offset)):
            if state.again and end == "tx":
                yield state.offset - state.emitted_bytes

    @cached_property
    def sizes(self) -> list[tuple[int, int]]:
        """Bytes of each header, at least and at most."""
        sizes = []
        for struct in self.spec.headers.values():
            bits = list(self.spec.structs[struct].values())
            varies = struct in self.spec.varbits
            sizes.append((sum(bits[:-1] if varies else bits) // 8, sum(bits) // 8))
        return sizes

    def _run(
        self, name: str, code: tuple[Instruction, ...], start: _State
    ) -> Iterator[tuple[str, _State]]:
        """Yield how and with what packets end: by tx, drop or return."""
        labels = {each.label: place for place, each in enumerate(code) if each.label}
        at: dict[int, set[_State]] = {0: {start}}
        for place in self.order[name]:
            each = code[place]
            for state in at.pop(place, set()):
                self.states += 1
                if self.states > STATES_MAX:
                    raise refuse(
                        self.spec, each, "headers can be valid in too many ways",
                        f"pipelines of {STATES_MAX} states", "part the pipeline",
                    )  # fmt: skip
                for end, after in self._step(code, place, state):
                    if end in ("tx", "drop", "return"):
                        yield end, after
                        continue
                    if end != "jump":
                        at.setdefault(place + 1, set()).add(after)
                    if end in ("jump", "both"):
                        at.setdefault(labels[each.operands[0]], set()).add(after)

    def _step(
        self, code: tuple[Instruction, ...], place: int, state: _State
    ) -> Iterator[tuple[str, _State]]:
        each = code[place]
        match each.name:
            case "tx" | "drop" | "return":
                self._check_end(each, state)
                yield each.name, state
            case "jmp":
                yield "jump", state
            case "jmpv" | "jmpnv":
                is_valid = bool(state.valid >> self.places[each.operands[1][2:]] & 1)
                yield "jump" if is_valid == (each.name == "jmpv") else "", state
            case name if name.startswith("jmp"):
                yield "both", state
            case "table" if each.operands[0] in self.spec.tables:
                yield from self._look_up(each.operands[0], state)
            case "recirculate":
                yield "", state._replace(again=True)
            case _:
                yield from (("", after) for after in self._header(each, state))

    def _look_up(self, name: str, state: _State) -> Iterator[tuple[str, _State]]:
        for action, _ in self.spec.tables[name].actions:
            if (action, state) not in self.after_action:
                code = self.spec.actions[action].instructions
                self.after_action[action, state] = frozenset(self._run(action, code, state))
            for end, after in self.after_action[action, state]:
                yield "" if end == "return" else end, after

    def _header(self, each: Instruction, state: _State) -> Iterator[_State]:
        if each.name not in ("extract", "lookahead", "validate", "invalidate", "emit"):
            yield state
            return
        place = self.places[each.operands[0][2:]]
        bit = 1 << place
        least, most = self.sizes[place]
        if each.name == "invalidate":
            yield state._replace(valid=state.valid & ~bit)
        elif each.name == "emit":
            yield self._emitted(each, state, most if state.full & bit else least, bit)
        elif each.name != "validate" or not state.valid & bit:
            self._check_reach(each, state, most)
            for size in {least, most}:
                after = state._replace(
                    valid=state.valid | bit,
                    full=state.full | bit if size > least else state.full & ~bit,
                )
                moves = size if each.name == "extract" else 0
                yield after._replace(offset=after.offset + moves)
        else:
            yield state

    def _emitted(self, each: Instruction, state: _State, size: int, bit: int) -> _State:
        if not state.valid & bit:
            return state
        after = state._replace(emits=state.emits + 1, emitted_bytes=state.emitted_bytes + size)
        room = sum(most for _, most in self.sizes)
        if after.emits > len(self.sizes) or after.emitted_bytes > room:
            raise refuse(
                self.spec, each, f"a packet emits {after.emits} headers of {after.emitted_bytes} "
                "bytes: DPDK writes beyond its memory",
                f"{len(self.sizes)} headers and {room} bytes, those declared", "emit each once",
            )  # fmt: skip
        return after

    def _check_reach(self, each: Instruction, state: _State, size: int) -> None:
        if state.offset + size > PARSED_BYTES_MAX:
            raise refuse(
                self.spec, each, f"it reaches to byte {state.offset + size} of a packet",
                f"headers within {PARSED_BYTES_MAX} bytes", "extract fewer",
            )  # fmt: skip

    def _check_end(self, each: Instruction, state: _State) -> None:
        if each.name == "return":
            return
        after = state.offset - state.emitted_bytes
        if state.again and each.name == "drop":
            raise refuse(
                self.spec, each, "a packet is dropped that is to recirculate: DPDK would use it "
                "again", "tx", "send it",
            )  # fmt: skip
        if after < -GAINED_BYTES_MAX:
            raise refuse(
                self.spec, each, f"a packet has gained {-after} bytes",
                f"{GAINED_BYTES_MAX} bytes, all passes together", "emit fewer",
            )  # fmt: skip
        if after > LOST_BYTES_MAX and each.name == "tx":
            raise refuse(
                self.spec, each, f"a packet has lost {after} bytes, and may have fewer",
                f"{LOST_BYTES_MAX} bytes, all passes together", "emit what was extracted",
            )  # fmt: skip


def order_of(spec: Spec, code: tuple[Instruction, ...]) -> list[int]:
    """Places of instructions that are reached, each behind all that lead to it."""
    labels = {each.label: place for place, each in enumerate(code) if each.label}
    done: list[int] = []
    open_: dict[int, Iterator[int]] = {0: iter(_next(spec, code, labels, 0))}
    seen = {0}
    while open_:
        place = next(reversed(open_))
        after = next(open_[place], None)
        if after is None:
            del open_[place]
            done.append(place)
        elif after in open_:
            raise refuse(spec, code[place], "a packet never gets out of there", "no loops")
        elif after not in seen:
            seen.add(after)
            open_[after] = iter(_next(spec, code, labels, after))
    return done[::-1]


def _next(
    spec: Spec, code: tuple[Instruction, ...], labels: dict[str, int], place: int
) -> list[int]:
    each = code[place]
    places = [] if each.name in ("tx", "drop", "return", "jmp") else [place + 1]
    if places and place + 1 == len(code):
        raise refuse(spec, each, "no instruction follows it", "return, tx or drop at the end")
    return places + ([labels[each.operands[0]]] if each.name.startswith("jmp") else [])
