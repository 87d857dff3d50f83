"""Which cells to measure next: chosen once by a plan, or round by round."""

from __future__ import annotations

from linerate.models.design.choice import Design, choose_cells, guessed_path

__all__ = ["Design", "choose_cells", "guessed_path"]
