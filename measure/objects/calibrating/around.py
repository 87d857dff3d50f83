"""What operations of a program cost, and how much of that is plain instructions beside them.

The program that is run to time an operation has a loop around it, and does something with what it
finds. How many instructions these are is up to the compiler, so they are counted in the object that
was run.
"""

from __future__ import annotations

from linerate.box import Cost
from linerate.measure.objects.calibrating.operations import counted_instructions, measure_operations
from linerate.measure.objects.calibrating.parts import measure_parts
from linerate.programs.costs import AROUND, INSTRUCTION, OPERATION
from linerate.progress import Tell


def measure_program_costs(tell: Tell) -> dict[str, Cost]:
    """Measure what operations and instructions cost, and the instructions around an operation.

    Returns
    -------
    Costs by name (`linerate.programs.costs`), ns.

    Raises
    ------
    CannotHereError
        Rights or a runner are missing.
    """
    costs = {**measure_operations(tell), **measure_parts(tell)}
    return {**costs, **priced(costs[f"{OPERATION}{INSTRUCTION}"])}


def priced(each: Cost) -> dict[str, Cost]:
    """Price the instructions around each operation, ns, at what one takes."""
    return {
        f"{AROUND}{kind}": Cost(
            value_ns=count * each.value_ns, lower_ns=count * each.lower_ns,
            upper_ns=count * each.upper_ns,
        )
        for kind, count in counted_instructions().items()
    }  # fmt: skip
