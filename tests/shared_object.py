"""Shared objects with packet functions, compiled when a test needs them."""

import subprocess
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[1] / "measure/functions/include"
BEGIN = '#include <stddef.h>\n#include "linerate_function.h"\n'
USED = "(void)frame; (void)length; (void)state;"


def function_of(body, name="fn"):
    """Return a function's C source; its body sees frame, length and state."""
    return f"verdict {name}(uint8_t *frame, uint32_t length, void *state) {{ {USED} {body} }}\n"


def compile_shared(path, source, *flags):
    """Compile C source to a shared object, and return its path."""
    argv = ["cc", "-O2", "-fPIC", "-shared", f"-I{INCLUDE}", "-o", path, "-x", "c", "-", *flags]
    subprocess.run(argv, input=BEGIN + source, text=True, check=True)
    return path
